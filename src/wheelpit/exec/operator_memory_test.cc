// SPDX-License-Identifier: Apache-2.0
// Memory and disk as an operator has them, through an operator that holds all its rows:
// it gives way when it is asked, wherever its driver is, and loses none.
#include "wheelpit/exec/operator_memory.h"

#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/task_context.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kBatchRows = 32 << 10;
constexpr int64_t kBatchBytes = kBatchRows * 8;
constexpr int64_t kBufferedBytes = kBatchBytes;
// A block has a few hundred bytes more than its batch.
constexpr int64_t kWorkspaceBytes = kBufferedBytes + 3 * (kBatchBytes + 4096);
// Two batches, and what a reader may have in memory.
constexpr int64_t kMinimumBytes = 2 * kBatchBytes + kWorkspaceBytes;

std::shared_ptr<arrow::Schema> OneColumn() {
  return arrow::schema({arrow::field("n", arrow::int64(), /*nullable=*/false)});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(const int64_t* values,
                                                             int64_t count,
                                                             arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * 8, pool));
  std::memcpy(buffer->mutable_data(), values, static_cast<size_t>(count) * 8);
  arrow::ArrayVector columns = {std::make_shared<arrow::Int64Array>(
      count, std::shared_ptr<arrow::Buffer>(std::move(buffer)))};
  return arrow::RecordBatch::Make(OneColumn(), count, std::move(columns));
}

const int64_t* ValuesOf(const arrow::RecordBatch& batch) {
  return static_cast<const arrow::Int64Array&>(*batch.column(0)).raw_values();
}

/// first, first + 1, …
class Numbers final : public Source {
 public:
  Numbers(int64_t first, int64_t batches) : next_(first), left_(batches) {}
  arrow::Result<Step> Next() override {
    if (left_-- == 0) {
      return Step::End();
    }
    std::vector<int64_t> values(kBatchRows);
    for (int64_t& value : values) {
      value = next_++;
    }
    ARROW_ASSIGN_OR_RAISE(
        auto batch, MakeBatch(values.data(), kBatchRows, arrow::system_memory_pool()));
    return Step::Batch(std::move(batch));
  }

 private:
  int64_t next_;
  int64_t left_;
};

/// Keeps every row until the input has ended, then gives them back in their order.
class Holder final : public Operator {
 public:
  Holder(OperatorMemory* memory, const TaskContext* task, uint64_t id)
      : memory_(memory), task_(task), id_(id) {}

  arrow::Result<std::optional<core::Wait>> AtBoundary(bool input_ended) override {
    if (memory_->asked_bytes() > 0 && writer_ == nullptr) {
      writing_ = std::exchange(held_, {});
      writer_ = std::make_unique<spill::SpillWriter>(
          task_->SpillStream(&memory_->workspace(), id_, kBufferedBytes), OneColumn());
    }
    if (writer_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto wait, GoOnWriting());
      if (wait.has_value()) {
        return wait;
      }
    }
    core::Wait wait;
    ARROW_ASSIGN_OR_RAISE(
        const bool reserved,
        memory_->budget().Reserve(input_ended ? kWorkspaceBytes : kBatchBytes, &wait));
    if (!reserved) {
      return wait;
    }
    return input_ended ? FindNext() : std::nullopt;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    ARROW_ASSIGN_OR_RAISE(
        auto copy, MakeBatch(ValuesOf(*batch), batch->num_rows(), &memory_->budget()));
    held_.push_back(std::move(copy));
    memory_->set_reclaimable(kBatchBytes * std::ssize(held_));
    return nullptr;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() override {
    return std::exchange(next_, nullptr);
  }

 private:
  arrow::Result<std::optional<core::Wait>> GoOnWriting() {
    while (!writing_.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto wait, writer_->Append(*writing_.front()));
      writing_.pop_front();
      if (wait.has_value()) {
        return wait;
      }
    }
    if (const core::Wait written = writer_->written(); !written.ready()) {
      return written;
    }
    ARROW_ASSIGN_OR_RAISE(auto run, writer_->Finish());
    writer_ = nullptr;
    if (run.row_count > 0) {
      runs_.push_back(std::move(run));
    }
    memory_->set_reclaimable(kBatchBytes * std::ssize(held_));
    memory_->Answer();
    return std::nullopt;
  }

  // Runs are older than what is held.
  arrow::Result<std::optional<core::Wait>> FindNext() {
    while (next_ == nullptr && (reader_ != nullptr || !runs_.empty())) {
      if (reader_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            reader_, spill::SpillReader::Make(
                         task_->SpillStream(&memory_->budget(), id_, kBufferedBytes),
                         std::move(runs_.front())));
        runs_.pop_front();
      }
      ARROW_ASSIGN_OR_RAISE(auto step, reader_->Next());
      if (step.wait.has_value()) {
        return step.wait;
      }
      next_ = std::move(step.batch);
      if (next_ == nullptr) {
        reader_ = nullptr;
      }
    }
    if (next_ == nullptr && !held_.empty()) {
      next_ = std::move(held_.front());
      held_.pop_front();
      memory_->set_reclaimable(kBatchBytes * std::ssize(held_));
    }
    return std::nullopt;
  }

  OperatorMemory* const memory_;
  const TaskContext* const task_;
  const uint64_t id_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> held_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> writing_;
  std::unique_ptr<spill::SpillWriter> writer_;
  std::deque<spill::SpillRun> runs_;
  std::unique_ptr<spill::SpillReader> reader_;
  std::shared_ptr<arrow::RecordBatch> next_;
};

/// Checks that first, first + 1, … come.
class ExpectNumbers final : public Sink {
 public:
  ExpectNumbers(int64_t first, int64_t* count) : next_(first), count_(count) {}
  arrow::Result<std::optional<core::Wait>> Push(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    const int64_t* values = ValuesOf(*batch);
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      if (values[i] != next_++) {
        return core::Error(core::ErrorKind::kInternal, "row ", next_ - 1, " reads ",
                           values[i]);
      }
    }
    *count_ += batch->num_rows();
    return std::nullopt;
  }

 private:
  int64_t next_;
  int64_t* count_;
};

class OperatorMemoryTest : public testing::Test {
 protected:
  OperatorMemoryTest() {
    std::string pattern = testing::TempDir() + "/operator_memory_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    directories_ = spill::SpillDirectories::Make({folder_}, &syscalls_).ValueOrDie();
  }
  ~OperatorMemoryTest() override { std::filesystem::remove_all(folder_); }

  void Open(int64_t limit_bytes) {
    process_ = memory::ProcessBudget::Make(limit_bytes, arrow::default_memory_pool())
                   .ValueOrDie();
  }

  /// A query of drivers that hold rows.
  struct Query {
    std::unique_ptr<memory::QueryBudget> budget;
    std::unique_ptr<spill::SpillSpace> space;
    std::unique_ptr<core::TaskGroup> io_tasks;
    core::MetricSet metrics;
    TaskContext task;
    std::vector<std::unique_ptr<OperatorMemory>> memories;
  };

  std::unique_ptr<Query> MakeQuery(const std::string& name, int drivers) {
    auto query = std::make_unique<Query>();
    query->budget =
        process_->MakeQuery(name, 0, drivers * (kMinimumBytes + kWorkspaceBytes))
            .ValueOrDie();
    query->space = spill::SpillSpace::Make(
        {.query = name, .limit_bytes = int64_t{1} << 40, .metrics = &query->metrics},
        {.directories = directories_.get(), .quota = &quota_, .io = io_.get()});
    query->io_tasks = std::make_unique<core::TaskGroup>(io_.get());
    query->task = {.context = {.pool = arrow::default_memory_pool()},
                   .io_tasks = query->io_tasks.get(),
                   .spill = query->space.get(),
                   .metrics = &query->metrics};
    for (int i = 0; i < drivers; ++i) {
      query->memories.push_back(OperatorMemory::Make(query->budget.get(),
                                                     {.name = "holder",
                                                      .minimum_bytes = kMinimumBytes,
                                                      .workspace_bytes = kWorkspaceBytes,
                                                      .driver = i,
                                                      .can_spill = true},
                                                     &query->metrics)
                                    .ValueOrDie());
    }
    return query;
  }

  Pipeline MakePipeline(Query& query, int driver, int64_t batches, int64_t* count) {
    const int64_t first = driver * batches * kBatchRows;
    Pipeline pipeline;
    OperatorMemory* memory = query.memories[static_cast<size_t>(driver)].get();
    pipeline.source = std::make_unique<Numbers>(first, batches);
    pipeline.operators.push_back(
        std::make_unique<Holder>(memory, &query.task, static_cast<uint64_t>(driver)));
    pipeline.sink = std::make_unique<ExpectNumbers>(first, count);
    pipeline.memories = {memory};
    return pipeline;
  }

  core::Wait Start(Pipeline pipeline, arrow::Status* status) {
    core::Signal ended;
    StartDriver(std::move(pipeline), {}, compute_.get(),
                [ended, status](const arrow::Status& outcome) {
                  *status = outcome;
                  ended.Fire();
                });
    return ended.wait();
  }

  io::KernelSyscalls syscalls_;
  std::string folder_;
  std::unique_ptr<spill::SpillDirectories> directories_;
  spill::SpillQuota quota_{
      {.owner = "the process", .setting = "s", .limit_bytes = int64_t{1} << 40}, nullptr};
  std::unique_ptr<memory::ProcessBudget> process_;
  std::unique_ptr<core::ThreadPool> io_ =
      core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  std::unique_ptr<core::ThreadPool> compute_ =
      core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kCompute})
          .ValueOrDie();
};

// Two queries of three drivers, each with several times what it can hold, and one I/O
// thread.
TEST_F(OperatorMemoryTest, QueriesGiveWayToEachOtherAndLoseNoRow) {
  constexpr int kDrivers = 3;
  constexpr int64_t kBatches = 24;  // 6 MiB
  for (const int64_t limit :
       {2 * kDrivers * (kMinimumBytes + kWorkspaceBytes), 20 * kMiB, 400 * kMiB}) {
    Open(limit);
    std::vector<std::unique_ptr<Query>> queries;
    std::deque<int64_t> counts;
    std::deque<arrow::Status> statuses;
    std::vector<core::Wait> ended;
    for (const char* name : {"q1", "q2"}) {
      queries.push_back(MakeQuery(name, kDrivers));
      queries.back()->budget->admitted().Block();  // The first one gives way.
      for (int driver = 0; driver < kDrivers; ++driver) {
        ended.push_back(Start(
            MakePipeline(*queries.back(), driver, kBatches, &counts.emplace_back(0)),
            &statuses.emplace_back()));
      }
    }
    for (const core::Wait& wait : ended) {
      wait.Block();
    }
    for (size_t i = 0; i < statuses.size(); ++i) {
      EXPECT_TRUE(statuses[i].ok()) << statuses[i] << " in " << limit;
      EXPECT_EQ(counts[i], kBatches * kBatchRows);
    }
    for (const auto& query : queries) {
      EXPECT_TRUE(query->io_tasks->Close().ok());
      const bool scarce = limit < 400 * kMiB;
      EXPECT_EQ(query->metrics.Get(core::Metric::kSpillBytesWritten) > 0, scarce);
      EXPECT_EQ(query->metrics.Get(core::Metric::kMemoryReclaims) > 0, scarce);
      EXPECT_EQ(query->space->file_count(), scarce ? 1 : 0);
      EXPECT_EQ(query->space->used_bytes(), 0);
    }
    EXPECT_LE(process_->peak_bytes(), limit);
    queries.clear();
    EXPECT_EQ(process_->used_bytes(), 0);
    EXPECT_EQ(quota_.used_bytes(), 0);
  }
}

// The victim's driver waits for its receiver, not for memory: it must wake all the same.
TEST_F(OperatorMemoryTest, ADriverThatWaitsForSomethingElseGivesMemoryToo) {
  struct FullSink final : Sink {
    explicit FullSink(core::Wait room) : room_(std::move(room)) {}
    arrow::Result<std::optional<core::Wait>> Push(
        std::shared_ptr<arrow::RecordBatch>) override {
      return room_;
    }
    core::Wait room_;
  };
  struct PassOnce final : Operator {
    explicit PassOnce(OperatorMemory* memory, core::Signal held)
        : memory_(memory), held_(std::move(held)) {}
    arrow::Result<std::optional<core::Wait>> AtBoundary(bool) override {
      if (memory_->asked_bytes() > 0) {
        buffer_ = nullptr;
        memory_->set_reclaimable(0);
        memory_->Answer();
      }
      return std::nullopt;
    }
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
        std::shared_ptr<arrow::RecordBatch> batch) override {
      if (std::exchange(first_, false)) {
        ARROW_ASSIGN_OR_RAISE(buffer_,
                              arrow::AllocateBuffer(6 * kMiB, &memory_->budget()));
        memory_->set_reclaimable(6 * kMiB);
        held_.Fire();
      }
      return batch;
    }
    OperatorMemory* memory_;
    core::Signal held_;
    bool first_ = true;
    std::unique_ptr<arrow::Buffer> buffer_;
  };
  Open(8 * kMiB);
  auto budget = process_->MakeQuery("q1", 0, 0).ValueOrDie();
  auto memory =
      OperatorMemory::Make(budget.get(), {.name = "part", .driver = 0, .can_spill = true},
                           nullptr)
          .ValueOrDie();
  core::Signal room;
  core::Signal held;
  Pipeline pipeline;
  pipeline.source = std::make_unique<Numbers>(0, 3);
  pipeline.operators.push_back(std::make_unique<PassOnce>(memory.get(), held));
  pipeline.sink = std::make_unique<FullSink>(room.wait());
  pipeline.memories = {memory.get()};
  arrow::Status status;
  const core::Wait ended = Start(std::move(pipeline), &status);
  held.wait().Block();
  auto other = process_->MakeQuery("q2", 0, 0).ValueOrDie();
  auto head = other->MakeOperator("head", 0, nullptr).ValueOrDie();
  core::Wait wait;
  if (!head->Reserve(5 * kMiB, &wait).ValueOrDie()) {
    wait.Block();
    EXPECT_TRUE(head->Reserve(5 * kMiB, &wait).ValueOrDie());
  }
  EXPECT_FALSE(ended.ready());
  room.Fire();
  ended.Block();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(OperatorMemoryTest, AskedBetweenTwoTasksItAnswersItself) {
  Open(8 * kMiB);
  auto query = MakeQuery("q1", 1);
  OperatorMemory& memory = *query->memories[0];
  memory.RequestReclaim(5);
  EXPECT_EQ(memory.asked_bytes(), 0);
  int rings = 0;
  memory.SetBell([&] { ++rings; });
  memory.RequestReclaim(5);
  memory.RequestReclaim(3);
  EXPECT_EQ(rings, 2);
  EXPECT_EQ(memory.asked_bytes(), 5);
  memory.SetBell(nullptr);
  EXPECT_EQ(memory.asked_bytes(), 0);
}

}  // namespace
}  // namespace wheelpit::exec
