// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/exchange.h"

namespace wheelpit::scheduler {
namespace {

using exec::Pipeline;
using exec::Step;

std::shared_ptr<arrow::RecordBatch> Rows(int64_t count) {
  return arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector()), count,
                                  arrow::ArrayVector());
}

// One batch of `rows` rows, after a number of turns without one.
class OneBatch final : public exec::Source {
 public:
  explicit OneBatch(int64_t rows, int turns = 0) : rows_(rows), turns_(turns) {}
  arrow::Result<Step> Next() override {
    if (turns_-- > 0) {
      return Step::Yield();
    }
    return std::exchange(given_, true) ? Step::End() : Step::Batch(Rows(rows_));
  }

 private:
  int64_t rows_;
  int turns_;
  bool given_ = false;
};

class StageRunTest : public testing::Test {
 protected:
  arrow::Status Run(std::vector<Stage> stages, int tasks_at_once = 2) {
    core::Signal ended;
    arrow::Status outcome;
    for (Stage& stage : stages) {
      stage.tasks_at_once = tasks_at_once;
    }
    auto run = StageRun::Start(std::move(stages),
                               {.executor = pool_.get(),
                                .clock = &clock_,
                                .metrics = &metrics_,
                                .on_error =
                                    [this](const arrow::Status& status) {
                                      errors_.push_back(status.message());
                                    }},
                               [&](const arrow::Status& status) {
                                 outcome = status;
                                 ended.Fire();
                               });
    ended.wait().Block();
    figures_ = run->figures();
    return outcome;
  }

  std::unique_ptr<core::ThreadPool> pool_ =
      core::ThreadPool::Make({.thread_count = 2}).ValueOrDie();
  core::SystemClock clock_;
  core::MetricSet metrics_;
  std::vector<std::string> errors_;
  std::vector<StageFigures> figures_;
};

TEST_F(StageRunTest, RunsEveryTaskOnce) {
  exec::GatherExchange exchange(100, 1 << 20);
  std::mutex mutex;
  std::vector<int64_t> started;
  ASSERT_TRUE(Run({{.name = "scan",
                    .task_count = 100,
                    .make_task = [&](int64_t task, int) -> arrow::Result<Pipeline> {
                      std::lock_guard lock(mutex);
                      started.push_back(task);
                      return Pipeline{.source = std::make_unique<OneBatch>(1, 3),
                                      .operators = {},
                                      .sink = exchange.MakeSink(task)};
                    }}})
                  .ok());
  EXPECT_EQ(started.size(), 100U);
  std::sort(started.begin(), started.end());
  EXPECT_EQ(std::unique(started.begin(), started.end()), started.end());
  EXPECT_EQ(figures_[0].tasks, 100);
  EXPECT_EQ(metrics_.Get(core::Metric::kTasks), 100);
  EXPECT_GE(figures_[0].end_nanos, figures_[0].start_nanos);
}

// A slot's memory is used by one task at a time, the end of its last part included.
TEST_F(StageRunTest, TasksThatRunAtOnceHaveDifferentSlots) {
  struct SlotUser final : exec::Source {
    explicit SlotUser(std::atomic<int>* users) : users_(users) {
      EXPECT_EQ(++*users_, 1);
    }
    ~SlotUser() override { --*users_; }
    arrow::Result<Step> Next() override {
      return turns_-- > 0 ? Step::Yield() : Step::End();
    }
    std::atomic<int>* users_;
    int turns_ = 20;
  };
  constexpr int kSlots = 3;
  exec::GatherExchange exchange(200, 1 << 20);
  std::atomic<int> users[kSlots] = {};
  ASSERT_TRUE(Run({{.name = "scan",
                    .task_count = 200,
                    .make_task = [&](int64_t task, int slot) -> arrow::Result<Pipeline> {
                      EXPECT_GE(slot, 0);
                      EXPECT_LT(slot, kSlots);
                      return Pipeline{.source = std::make_unique<SlotUser>(&users[slot]),
                                      .operators = {},
                                      .sink = exchange.MakeSink(task)};
                    }}},
                  kSlots)
                  .ok());
  EXPECT_EQ(figures_[0].tasks, 200);
}

TEST_F(StageRunTest, TwoStagesRunSideBySide) {
  exec::GatherExchange between(10, 1);
  exec::GatherExchange result(1, 1 << 20);
  ASSERT_TRUE(Run({{.name = "scan",
                    .task_count = 10,
                    .make_task = [&](int64_t task, int) -> arrow::Result<Pipeline> {
                      return Pipeline{.source = std::make_unique<OneBatch>(7),
                                      .operators = {},
                                      .sink = between.MakeSink(task)};
                    }},
                   {.name = "gather",
                    .task_count = 1,
                    .make_task = [&](int64_t, int) -> arrow::Result<Pipeline> {
                      return Pipeline{.source = between.MakeSource(),
                                      .operators = {},
                                      .sink = result.MakeSink(0)};
                    }}})
                  .ok());
  int64_t rows = 0;
  while (true) {
    const Step step = result.Pop().ValueOrDie();
    if (step.kind != Step::Kind::kBatch) {
      break;
    }
    rows += step.batch->num_rows();
  }
  EXPECT_EQ(rows, 70);
}

TEST_F(StageRunTest, FirstErrorEndsTheRunAndStartsNoMoreTasks) {
  std::atomic<int> started{0};
  exec::GatherExchange exchange(1000, 1 << 20);
  const auto status =
      Run({{.name = "scan",
            .task_count = 1000,
            .make_task = [&](int64_t task, int) -> arrow::Result<Pipeline> {
              ++started;
              if (task == 5) {
                return core::Error(core::ErrorKind::kCorrupt, "task 5");
              }
              return Pipeline{.source = std::make_unique<OneBatch>(1),
                              .operators = {},
                              .sink = exchange.MakeSink(task)};
            }}},
          1);
  EXPECT_EQ(status.message(), "task 5");
  EXPECT_EQ(errors_, std::vector<std::string>{"task 5"});
  EXPECT_EQ(started.load(), 6);
}

TEST_F(StageRunTest, ReceiverThatIsDoneSkipsTheRest) {
  std::atomic<int> started{0};
  exec::GatherExchange exchange(1000, 1 << 20);
  const auto status =
      Run({{.name = "scan",
            .task_count = 1000,
            .make_task = [&](int64_t task, int) -> arrow::Result<Pipeline> {
              if (++started == 3) {
                exchange.Close();
              }
              return Pipeline{.source = std::make_unique<OneBatch>(1),
                              .operators = {},
                              .sink = exchange.MakeSink(task)};
            },
            .receiver_done = [&] { return exchange.closed(); }}},
          1);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(started.load(), 3);
}

TEST_F(StageRunTest, NoTasksIsARunThatEnds) {
  EXPECT_TRUE(Run({{.name = "scan", .task_count = 0, .make_task = {}}}).ok());
}

}  // namespace
}  // namespace wheelpit::scheduler
