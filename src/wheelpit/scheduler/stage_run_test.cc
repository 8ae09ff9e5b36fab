// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/exec/exchange.h"

namespace wheelpit::scheduler {
namespace {

using exec::Pipeline;
using exec::Step;

constexpr int64_t kPhaseBytes = int64_t{8} << 20;

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
                                .observer = observer_,
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
  StageObserver* observer_ = nullptr;
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
                    .make_task = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
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
  ASSERT_TRUE(
      Run({{.name = "scan",
            .task_count = 200,
            .make_task = [&](int64_t task, TaskSlot slot) -> arrow::Result<Pipeline> {
              EXPECT_GE(slot.number, 0);
              EXPECT_LT(slot.number, kSlots);
              return Pipeline{.source = std::make_unique<SlotUser>(&users[slot.number]),
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
                    .make_task = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
                      return Pipeline{.source = std::make_unique<OneBatch>(7),
                                      .operators = {},
                                      .sink = between.MakeSink(task)};
                    }},
                   {.name = "gather",
                    .task_count = 1,
                    .make_task = [&](int64_t, TaskSlot) -> arrow::Result<Pipeline> {
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
            .make_task = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
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
            .make_task = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
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

TEST_F(StageRunTest, AStageThatComesAfterOthersStartsWhenTheyHaveEnded) {
  std::atomic<int> first_ended{0};
  struct Counted final : exec::Source {
    explicit Counted(std::atomic<int>* ended) : ended_(ended) {}
    ~Counted() override { ++*ended_; }
    arrow::Result<Step> Next() override {
      return turns_-- > 0 ? Step::Yield() : Step::End();
    }
    std::atomic<int>* ended_;
    int turns_ = 50;
  };
  exec::GatherExchange unused(40, 1 << 20);
  const auto make_first = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
    return Pipeline{.source = std::make_unique<Counted>(&first_ended),
                    .operators = {},
                    .sink = unused.MakeSink(task)};
  };
  std::vector<Stage> stages(4);
  stages[0] = {.name = "last", .task_count = 5, .after = {1, 2, 3}};
  stages[0].make_task = [&](int64_t task, TaskSlot) -> arrow::Result<Pipeline> {
    EXPECT_EQ(first_ended.load(), 40);
    return Pipeline{.source = std::make_unique<OneBatch>(1),
                    .operators = {},
                    .sink = unused.MakeSink(task)};
  };
  stages[1] = {.name = "one", .task_count = 20, .make_task = make_first};
  stages[2] = {.name = "two", .task_count = 20, .make_task = make_first};
  stages[3] = {.name = "of no tasks", .task_count = 0, .after = {1}};
  ASSERT_TRUE(Run(std::move(stages)).ok());
  EXPECT_EQ(figures_[0].tasks, 5);
}

TEST_F(StageRunTest, AfterAnErrorNoLaterPhaseStarts) {
  std::vector<Stage> stages(2);
  stages[0] = {.name = "one", .task_count = 1};
  stages[0].make_task = [](int64_t, TaskSlot) -> arrow::Result<Pipeline> {
    return core::Error(core::ErrorKind::kCorrupt, "task 0");
  };
  stages[1] = {.name = "two", .task_count = 1, .after = {0}};
  stages[1].make_task = [](int64_t, TaskSlot) -> arrow::Result<Pipeline> {
    ADD_FAILURE() << "started";
    return core::Error(core::ErrorKind::kInternal, "started");
  };
  EXPECT_EQ(Run(std::move(stages)).message(), "task 0");
}

// Two phases of 8 MiB each have room in 8 MiB, and the second waits for what is still
// allocated in the first.
TEST_F(StageRunTest, APhaseGivesItsMemoryBackBeforeTheNext) {
  auto process =
      memory::ProcessBudget::Make(kPhaseBytes, arrow::default_memory_pool()).ValueOrDie();
  auto query = process->MakeQuery("q", 0, kPhaseBytes).ValueOrDie();
  StageMemory first(query.get(), {.name = "a", .minimum_bytes = kPhaseBytes / 2}, 2,
                    &metrics_);
  StageMemory second(query.get(), {.name = "b", .minimum_bytes = kPhaseBytes / 2}, 2,
                     &metrics_);
  std::shared_ptr<arrow::Buffer> kept;
  std::atomic<bool> second_started{false};
  core::Signal first_ended;
  exec::GatherExchange unused(2, 1 << 20);
  std::vector<Stage> stages(2);
  stages[0] = {.name = "one", .task_count = 1, .opens = {&first}, .closes = {&first}};
  stages[0].make_task = [&](int64_t, TaskSlot slot) -> arrow::Result<Pipeline> {
    ARROW_ASSIGN_OR_RAISE(
        kept, arrow::AllocateBuffer(1 << 20, &first.at(slot.number)->budget()));
    return Pipeline{.source = std::make_unique<OneBatch>(1),
                    .operators = {},
                    .sink = unused.MakeSink(0)};
  };
  stages[1] = {.name = "two", .task_count = 1, .after = {0}, .opens = {&second}};
  stages[1].make_task = [&](int64_t, TaskSlot slot) -> arrow::Result<Pipeline> {
    second_started = true;
    EXPECT_FALSE(first.open());
    EXPECT_NE(second.at(slot.number), nullptr);
    return Pipeline{.source = std::make_unique<OneBatch>(1),
                    .operators = {},
                    .sink = unused.MakeSink(1)};
  };
  core::Signal ended;
  auto run =
      StageRun::Start(std::move(stages),
                      {.executor = pool_.get(), .clock = &clock_, .metrics = &metrics_},
                      [&](const arrow::Status& status) {
                        EXPECT_TRUE(status.ok()) << status;
                        ended.Fire();
                      });
  while (run->figures()[0].end_nanos == 0) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(second_started);
  kept.reset();
  ended.wait().Block();
  EXPECT_TRUE(second_started);
}

TEST_F(StageRunTest, NoTasksIsARunThatEnds) {
  EXPECT_TRUE(Run({{.name = "scan", .task_count = 0, .make_task = {}}}).ok());
}

// Writes down what it is told; counts are of two tasks that add 10 and 20 bytes.
class Notes final : public StageObserver {
 public:
  void StageStarted(size_t stage) override { Add("stage " + std::to_string(stage)); }
  void TaskStarted(size_t stage, int64_t task) override {
    Add("task " + std::to_string(stage) + "." + std::to_string(task));
  }
  void TaskEnded(size_t, int64_t task, const arrow::Status& status,
                 const TaskFigures& figures) override {
    const auto of = [&](core::Metric metric) {
      return std::to_string(figures.metrics[static_cast<size_t>(metric)]);
    };
    Add("end " + std::to_string(task) + (status.ok() ? " ok " : " failed ") +
        of(core::Metric::kBytesRead) + " " + of(core::Metric::kTasks));
  }
  void StageEnded(size_t stage) override { Add("ended " + std::to_string(stage)); }
  std::vector<std::string> texts() { return *texts_.Lock(); }

 private:
  void Add(std::string text) { texts_.Lock()->push_back(std::move(text)); }
  core::Guarded<std::vector<std::string>> texts_;
};

TEST_F(StageRunTest, ObserverIsToldWhatEachTaskCounted) {
  exec::GatherExchange exchange(2, 1 << 20);
  Notes notes;
  observer_ = &notes;
  ASSERT_TRUE(
      Run({{.name = "scan",
            .task_count = 2,
            .make_task = [&](int64_t task, TaskSlot slot) -> arrow::Result<Pipeline> {
              slot.metrics->Add(core::Metric::kBytesRead, 10 + 10 * task);
              return Pipeline{.source = std::make_unique<OneBatch>(1),
                              .operators = {},
                              .sink = exchange.MakeSink(task)};
            }}},
          1)
          .ok());
  EXPECT_EQ(notes.texts(),
            (std::vector<std::string>{"stage 0", "task 0.0", "end 0 ok 10 1", "task 0.1",
                                      "end 1 ok 20 1", "ended 0"}));
  EXPECT_EQ(metrics_.Get(core::Metric::kBytesRead), 30);
  EXPECT_EQ(metrics_.Get(core::Metric::kTasks), 2);
}

TEST_F(StageRunTest, ObserverIsToldOfTasksThatFail) {
  Notes notes;
  observer_ = &notes;
  EXPECT_FALSE(Run({{.name = "scan",
                     .task_count = 2,
                     .make_task = [](int64_t, TaskSlot) -> arrow::Result<Pipeline> {
                       return arrow::Status::IOError("broken");
                     }}},
                   1)
                   .ok());
  EXPECT_EQ(notes.texts(),
            (std::vector<std::string>{"stage 0", "task 0.0", "end 0 failed 0 0"}));
}

}  // namespace
}  // namespace wheelpit::scheduler
