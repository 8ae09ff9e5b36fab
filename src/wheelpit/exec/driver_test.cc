// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/driver.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/limit.h"

namespace wheelpit::exec {
namespace {

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t first, int64_t count) {
  auto buffer = arrow::AllocateBuffer(count * 8).ValueOrDie();
  auto* values = reinterpret_cast<int64_t*>(buffer->mutable_data());
  for (int64_t i = 0; i < count; ++i) {
    values[i] = first + i;
  }
  auto array = std::make_shared<arrow::Int64Array>(
      count, std::shared_ptr<arrow::Buffer>(std::move(buffer)));
  auto schema = arrow::schema({arrow::field("n", arrow::int64(), /*nullable=*/false)});
  arrow::ArrayVector columns = {std::move(array)};
  return arrow::RecordBatch::Make(std::move(schema), count, std::move(columns));
}

std::vector<int64_t> ValuesOf(const std::shared_ptr<arrow::RecordBatch>& batch) {
  const auto& array = static_cast<const arrow::Int64Array&>(*batch->column(0));
  return {array.raw_values(), array.raw_values() + array.length()};
}

// Gives `count` batches of `rows` rows; waits on `gate` before the first when there is
// one.
class CountingSource final : public Source {
 public:
  CountingSource(int64_t first, int64_t count, int64_t rows,
                 std::optional<core::Wait> gate = std::nullopt,
                 std::atomic<int>* calls = nullptr)
      : next_(first), left_(count), rows_(rows), gate_(std::move(gate)), calls_(calls) {}

  arrow::Result<Step> Next() override {
    if (calls_ != nullptr) {
      ++*calls_;
    }
    if (gate_ && !gate_->ready()) {
      return Step::Waiting(*gate_);
    }
    if (left_-- == 0) {
      return Step::End();
    }
    next_ += rows_;
    return Step::Batch(Numbers(next_ - rows_, rows_));
  }

 private:
  int64_t next_;
  int64_t left_;
  int64_t rows_;
  std::optional<core::Wait> gate_;
  std::atomic<int>* calls_;
};

class FailingOperator final : public Operator {
 public:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch>) override {
    return core::Error(core::ErrorKind::kData, "planted");
  }
};

// Runs drivers and gathers what the exchange gives on this thread.
class DriverTest : public testing::Test {
 protected:
  void Start(Pipeline pipeline, DriverOptions options = {}) {
    options.metrics = &metrics_;
    core::Signal ended;
    ended_.push_back(ended);
    StartDriver(std::move(pipeline), std::move(options), pool_.get(),
                [this, ended](const arrow::Status& status) {
                  {
                    std::lock_guard lock(mutex_);
                    if (first_error_.ok()) {
                      first_error_ = status;
                    }
                  }
                  ended.Fire();
                });
  }

  arrow::Status AwaitAll() {
    for (const auto& signal : ended_) {
      signal.wait().Block();
    }
    return first_error_;
  }

  static std::vector<int64_t> Drain(GatherExchange& exchange) {
    std::vector<int64_t> rows;
    while (true) {
      const Step step = exchange.Pop().ValueOrDie();
      if (step.kind == Step::Kind::kEnd) {
        return rows;
      }
      if (step.kind == Step::Kind::kWait) {
        step.wait.Block();
        continue;
      }
      for (const int64_t value : ValuesOf(step.batch)) {
        rows.push_back(value);
      }
    }
  }

  static std::vector<int64_t> Range(int64_t first, int64_t count) {
    return ValuesOf(Numbers(first, count));
  }

  std::unique_ptr<core::ThreadPool> pool_ =
      core::ThreadPool::Make({.thread_count = 2}).ValueOrDie();
  core::MetricSet metrics_;
  std::mutex mutex_;
  arrow::Status first_error_;
  std::vector<core::Signal> ended_;
};

TEST_F(DriverTest, RowsComeInTheOrderOfTheTasks) {
  GatherExchange exchange(3, 1);
  for (int task = 0; task < 3; ++task) {
    Pipeline pipeline;
    pipeline.source = std::make_unique<CountingSource>(task * 1000, 10, 100);
    pipeline.sink = exchange.MakeSink(task);
    Start(std::move(pipeline));
  }
  EXPECT_EQ(Drain(exchange), Range(0, 3000));
  EXPECT_TRUE(AwaitAll().ok());
  EXPECT_GT(metrics_.Get(core::Metric::kDriverParks), 0);
}

TEST_F(DriverTest, TasksAheadHoldABoundedNumberOfBytesTogether) {
  constexpr int kTasks = 50;
  constexpr int64_t kAhead = 8000;  // one batch of 1000 rows
  GatherExchange exchange(kTasks, kAhead);
  core::Signal gate;
  for (int task = 0; task < kTasks; ++task) {
    Pipeline pipeline;
    // The first task, whose turn it is, gives nothing until all the others have run or
    // parked.
    pipeline.source = std::make_unique<CountingSource>(
        task * 1000, 1, 1000, task == 0 ? gate.wait() : core::Wait());
    pipeline.sink = exchange.MakeSink(task);
    Start(std::move(pipeline));
  }
  // Every batch is exactly what one task may be ahead, so only the common bound can park.
  while (metrics_.Get(core::Metric::kDriverParks) < kTasks - 8) {
    pool_->Submit([] {});
  }
  gate.Fire();
  EXPECT_EQ(Drain(exchange), Range(0, kTasks * 1000));
  EXPECT_TRUE(AwaitAll().ok());
}

TEST_F(DriverTest, ParkedSourceHoldsNoThread) {
  GatherExchange exchange(5, 1 << 20);
  core::Signal gate;
  // More waiting drivers than threads, and one that can run: it must.
  for (int task = 0; task < 4; ++task) {
    Pipeline pipeline;
    pipeline.source =
        std::make_unique<CountingSource>(task * 10, 1, 10, gate.wait(), nullptr);
    pipeline.sink = exchange.MakeSink(task);
    Start(std::move(pipeline));
  }
  Pipeline pipeline;
  pipeline.source = std::make_unique<CountingSource>(40, 1, 10);
  pipeline.sink = exchange.MakeSink(4);
  Start(std::move(pipeline));
  ended_.back().wait().Block();
  gate.Fire();
  EXPECT_EQ(Drain(exchange), Range(0, 50));
  EXPECT_TRUE(AwaitAll().ok());
}

TEST_F(DriverTest, LimitEndsTheSourceEarly) {
  GatherExchange exchange(1, 1 << 20);
  std::atomic<int> calls{0};
  Pipeline pipeline;
  pipeline.source =
      std::make_unique<CountingSource>(0, 1'000'000, 10, std::nullopt, &calls);
  pipeline.operators.push_back(std::make_unique<LimitOperator>(25, 7));
  pipeline.sink = exchange.MakeSink(0);
  Start(std::move(pipeline));
  EXPECT_EQ(Drain(exchange), Range(7, 25));
  EXPECT_TRUE(AwaitAll().ok());
  EXPECT_EQ(calls.load(), 4);
}

TEST_F(DriverTest, ClosedExchangeEndsItsProducersWithoutAnError) {
  GatherExchange exchange(1, 1);
  Pipeline pipeline;
  pipeline.source = std::make_unique<CountingSource>(0, 1'000'000'000, 10);
  pipeline.sink = exchange.MakeSink(0);
  Start(std::move(pipeline));
  ASSERT_TRUE(exchange.Pop().ok());
  exchange.Close();
  EXPECT_TRUE(AwaitAll().ok());
}

TEST_F(DriverTest, StopWakesAParkedDriver) {
  GatherExchange exchange(1, 1);
  arrow::StopSource stop;
  core::Signal stopped;
  core::Signal never;
  Pipeline pipeline;
  pipeline.source = std::make_unique<CountingSource>(0, 1, 1, never.wait());
  pipeline.sink = exchange.MakeSink(0);
  Start(std::move(pipeline), {.stop = stop.token(), .stopped = stopped.wait()});
  stop.RequestStop();
  stopped.Fire();
  EXPECT_EQ(core::KindOf(AwaitAll()), core::ErrorKind::kCancelled);
}

TEST_F(DriverTest, StopAndWakeMayRace) {
  for (int round = 0; round < 500; ++round) {
    GatherExchange exchange(1, 1);
    arrow::StopSource stop;
    core::Signal stopped;
    core::Signal gate;
    Pipeline pipeline;
    pipeline.source = std::make_unique<CountingSource>(0, 1, 1, gate.wait());
    pipeline.sink = exchange.MakeSink(0);
    Start(std::move(pipeline), {.stop = stop.token(), .stopped = stopped.wait()});
    pool_->Submit([gate] { gate.Fire(); });
    stop.RequestStop();
    stopped.Fire();
    ended_.back().wait().Block();
    ended_.pop_back();
  }
}

TEST_F(DriverTest, OperatorErrorEndsTheDriverWithIt) {
  GatherExchange exchange(1, 1);
  Pipeline pipeline;
  pipeline.source = std::make_unique<CountingSource>(0, 1, 1);
  pipeline.operators.push_back(std::make_unique<FailingOperator>());
  pipeline.sink = exchange.MakeSink(0);
  Start(std::move(pipeline));
  EXPECT_EQ(AwaitAll().message(), "planted");
}

TEST_F(DriverTest, FailedExchangeGivesTheErrorToItsConsumer) {
  GatherExchange exchange(2, 1);
  exchange.Fail(core::Error(core::ErrorKind::kCorrupt, "first"));
  exchange.Fail(core::Error(core::ErrorKind::kIo, "second"));
  EXPECT_EQ(exchange.Pop().status().message(), "first");
}

TEST_F(DriverTest, LongTasksGiveTheirThreadBack) {
  pool_ = core::ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  GatherExchange exchange(2, int64_t{1} << 40);
  Pipeline pipeline;
  pipeline.source = std::make_unique<CountingSource>(0, 2000, 10'000);
  pipeline.sink = exchange.MakeSink(0);
  Start(std::move(pipeline));
  const core::Signal long_one = ended_.back();
  Pipeline shorter;
  shorter.source = std::make_unique<CountingSource>(0, 1, 1);
  shorter.sink = exchange.MakeSink(1);
  Start(std::move(shorter));
  ended_.back().wait().Block();
  EXPECT_FALSE(long_one.fired()) << "the short task waited for the long one";
  exchange.Close();
  EXPECT_TRUE(AwaitAll().ok());
  EXPECT_GT(metrics_.Get(core::Metric::kDriverYields), 0);
}

}  // namespace
}  // namespace wheelpit::exec
