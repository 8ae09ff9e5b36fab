// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/grouped_fixture.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <stdlib.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/driver.h"

namespace wheelpit::exec {

namespace {

// The pool for evaluated arguments, outside of what is measured.
constexpr int64_t kSlotBytes =
    GroupedAggregate::kMinimumBytes + GroupedAggregate::kWorkspaceBytes;

struct Steps {
  std::function<bool(int64_t)> stop_at;
  arrow::StopSource* stop = nullptr;
  core::Signal stopped;
  std::atomic<int64_t> count{0};

  void Step() {
    const int64_t step = count++;
    if (stop_at && stop_at(step)) {
      stop->RequestStop();
      stopped.Fire();
    }
  }
};

class BatchSource final : public Source {
 public:
  BatchSource(const Batches* batches, Steps* steps) : batches_(batches), steps_(steps) {}
  arrow::Result<Step> Next() override {
    steps_->Step();
    return next_ < batches_->size() ? Step::Batch((*batches_)[next_++]) : Step::End();
  }

 private:
  const Batches* batches_;
  Steps* steps_;
  size_t next_ = 0;
};

class KeepSink final : public Sink {
 public:
  KeepSink(core::Guarded<GroupedOutcome>* outcome, bool keep, Steps* steps)
      : outcome_(outcome), keep_(keep), steps_(steps) {}
  arrow::Result<std::optional<core::Wait>> Push(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    steps_->Step();
    ARROW_RETURN_NOT_OK(batch->Validate());
    // A copy: the batch is of the operator's memory.
    if (keep_) {
      ARROW_ASSIGN_OR_RAISE(batch, batch->CopyTo(arrow::default_cpu_memory_manager()));
    }
    auto outcome = outcome_->Lock();
    outcome->row_count += batch->num_rows();
    if (keep_) {
      outcome->rows.push_back(std::move(batch));
    }
    return std::nullopt;
  }

 private:
  core::Guarded<GroupedOutcome>* outcome_;
  const bool keep_;
  Steps* steps_;
};

// What a key comes back as.
std::shared_ptr<arrow::DataType> DecodedType(
    const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::DICTIONARY:
      return static_cast<const arrow::DictionaryType&>(*type).value_type();
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

// Tasks of a stage, so many at once as there are slots, on drivers of their own.
class StageOfTasks {
 public:
  StageOfTasks(int64_t tasks, std::function<Pipeline(int64_t, int)> make,
               DriverOptions options, core::Executor* executor, arrow::StopSource* stop,
               core::Guarded<GroupedOutcome>* outcome, core::Signal stopped)
      : tasks_(tasks),
        make_(std::move(make)),
        options_(std::move(options)),
        executor_(executor),
        stop_(stop),
        outcome_(outcome),
        stopped_(std::move(stopped)) {}

  void Start(int slots) {
    running_ = slots;
    for (int slot = 0; slot < slots; ++slot) {
      StartNext(slot);
    }
  }
  core::Wait ended() { return ended_.wait(); }

 private:
  void StartNext(int slot) {
    const int64_t task = next_++;
    if (task >= tasks_ || options_.stop.IsStopRequested()) {
      if (--running_ == 0) {
        ended_.Fire();
      }
      return;
    }
    StartDriver(make_(task, slot), options_, executor_,
                [this, slot](const arrow::Status& status) {
                  if (!status.ok()) {
                    {
                      auto outcome = outcome_->Lock();
                      if (outcome->status.ok()) {
                        outcome->status = status;
                      }
                    }
                    stop_->RequestStop();
                    stopped_.Fire();
                  }
                  StartNext(slot);
                });
  }

  const int64_t tasks_;
  const std::function<Pipeline(int64_t, int)> make_;
  const DriverOptions options_;
  core::Executor* const executor_;
  arrow::StopSource* const stop_;
  core::Guarded<GroupedOutcome>* const outcome_;
  core::Signal stopped_;
  std::atomic<int64_t> next_{0};
  std::atomic<int> running_{0};
  core::Signal ended_;
};

}  // namespace

GroupedMachine::GroupedMachine() {
  std::string pattern =
      std::filesystem::temp_directory_path().string() + "/grouped_XXXXXX";
  folder_ = mkdtemp(pattern.data());
  io_ = core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
            .ValueOrDie();
  compute_ =
      core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kCompute})
          .ValueOrDie();
}

GroupedMachine::~GroupedMachine() {
  std::filesystem::remove_all(folder_);
}

int64_t GroupedMachine::MinimumBytes(int slots) {
  // Both stages are there at once.
  return 2 * slots * kSlotBytes;
}

GroupedOutcome GroupedMachine::Run(const GroupedRun& run, bool keep_rows) {
  core::Guarded<GroupedOutcome> outcome;
  arrow::StopSource stop;
  Steps steps;
  steps.stop_at = run.stop_at;
  steps.stop = &stop;
  core::MetricSet metrics;
  const int64_t limit =
      run.memory_bytes == 0 ? MinimumBytes(run.slots) : run.memory_bytes;
  auto process = memory::ProcessBudget::Make(limit, &backend_).ValueOrDie();
  spill::SpillQuota quota(
      {.owner = "the process", .setting = "s", .limit_bytes = int64_t{1} << 40}, nullptr);
  auto directories = spill::SpillDirectories::Make({folder_}, &syscalls_).ValueOrDie();
  auto admitted = process->MakeQuery("q1", 0, MinimumBytes(run.slots));
  if (!admitted.ok()) {
    return {.status = admitted.status(), .rows = {}};
  }
  auto query = *std::move(admitted);
  auto space = spill::SpillSpace::Make(
      {.query = "q1", .limit_bytes = run.spill_bytes, .metrics = &metrics},
      {.directories = directories.get(), .quota = &quota, .io = io_.get()});
  core::TaskGroup io_tasks(io_.get());
  std::deque<std::unique_ptr<OperatorMemory>> memories;
  const auto make_memory = [&](int driver, const char* name) {
    memories.push_back(
        OperatorMemory::Make(query.get(),
                             {.name = name,
                              .minimum_bytes = GroupedAggregate::kMinimumBytes,
                              .workspace_bytes = GroupedAggregate::kWorkspaceBytes,
                              .driver = driver,
                              .can_spill = true},
                             &metrics)
            .ValueOrDie());
    return memories.back().get();
  };
  std::vector<OperatorMemory*> sink_memories;
  std::vector<OperatorMemory*> source_memories;
  for (int slot = 0; slot < run.slots; ++slot) {
    sink_memories.push_back(make_memory(slot, "groups"));
    source_memories.push_back(make_memory(run.slots + slot, "merged groups"));
  }
  arrow::FieldVector fields;
  for (const auto& key : run.keys) {
    fields.push_back(
        arrow::field("k" + std::to_string(fields.size()), DecodedType(key->type)));
  }
  for (const auto& aggregate : run.aggregates) {
    fields.push_back(arrow::field("a" + std::to_string(fields.size()), aggregate.type));
  }
  {
    auto made =
        GroupedAggregate::Make({.keys = run.keys,
                                .aggregates = run.aggregates,
                                .input = run.input,
                                .output = arrow::schema(std::move(fields)),
                                .task = {.context = {.pool = arrow::system_memory_pool()},
                                         .io_tasks = &io_tasks,
                                         .spill = space.get(),
                                         .metrics = &metrics}},
                               std::ssize(run.tasks));
    if (!made.ok()) {
      return {.status = made.status(), .rows = {}};
    }
    GroupedAggregate* groups = made->get();
    const DriverOptions options{
        .stop = stop.token(), .stopped = steps.stopped.wait(), .metrics = &metrics};
    StageOfTasks input(
        std::ssize(run.tasks),
        [&](int64_t task, int slot) {
          OperatorMemory* memory = sink_memories[static_cast<size_t>(slot)];
          Pipeline pipeline;
          pipeline.source = std::make_unique<BatchSource>(
              &run.tasks[static_cast<size_t>(task)], &steps);
          pipeline.sink = groups->MakeSink(task, memory);
          pipeline.memories = {memory};
          return pipeline;
        },
        options, compute_.get(), &stop, &outcome, steps.stopped);
    StageOfTasks output(
        groups->partition_count(),
        [&](int64_t task, int slot) {
          OperatorMemory* memory = source_memories[static_cast<size_t>(slot)];
          Pipeline pipeline;
          pipeline.source = groups->MakeSource(task, memory);
          pipeline.sink = std::make_unique<KeepSink>(&outcome, keep_rows, &steps);
          pipeline.memories = {memory};
          return pipeline;
        },
        options, compute_.get(), &stop, &outcome, steps.stopped);
    output.Start(run.slots);
    input.Start(run.slots);
    input.ended().Block();
    output.ended().Block();
  }
  (void)io_tasks.Close();
  GroupedOutcome out = std::move(*outcome.Lock());
  out.spilled_bytes = metrics.Get(core::Metric::kSpillBytesWritten);
  out.steps = steps.count.load();
  out.peak_bytes = process->peak_bytes();
  left = "";
  for (const auto& memory : memories) {
    if (memory->budget().bytes_allocated() + memory->workspace().bytes_allocated() != 0) {
      left += "memory ";
    }
  }
  if (space->used_bytes() != 0 || quota.used_bytes() != 0) {
    left += "spill ";
  }
  if (!std::filesystem::is_empty(folder_)) {
    left += "files ";
  }
  memories.clear();
  query = nullptr;
  if (process->used_bytes() != 0) {
    left += "budget ";
  }
  return out;
}

GroupedRun ScatteredRun(int64_t rows, int64_t distinct, int tasks) {
  GroupedRun run;
  run.input = arrow::schema(
      {arrow::field("k", arrow::int64()), arrow::field("n", arrow::int64())});
  std::mt19937_64 random(7);
  for (int task = 0; task < tasks; ++task) {
    Batches batches;
    for (int64_t left = rows / tasks; left > 0; left -= 8192) {
      const int64_t count = std::min<int64_t>(left, 8192);
      arrow::Int64Builder keys;
      arrow::Int64Builder numbers;
      (void)keys.Reserve(count);
      (void)numbers.Reserve(count);
      for (int64_t i = 0; i < count; ++i) {
        const auto key = static_cast<int64_t>(random() % static_cast<uint64_t>(distinct));
        keys.UnsafeAppend(key);
        numbers.UnsafeAppend(key * 3);
      }
      batches.push_back(arrow::RecordBatch::Make(
          run.input, count,
          arrow::ArrayVector{keys.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()}));
    }
    run.tasks.push_back(std::move(batches));
  }
  run.keys = {plan::MakeColumn(0, "k", arrow::int64(), true)};
  const auto n = plan::MakeColumn(1, "n", arrow::int64(), true);
  for (const auto function :
       {plan::AggregateFunction::kCountAll, plan::AggregateFunction::kMax,
        plan::AggregateFunction::kSum}) {
    run.aggregates.push_back(
        plan::MakeAggregate(function,
                            function == plan::AggregateFunction::kCountAll ? nullptr : n,
                            nullptr, {})
            .ValueOrDie());
  }
  run.slots = 2;
  return run;
}

std::string WrongOfScattered(const GroupedOutcome& outcome, int64_t rows) {
  if (!outcome.status.ok()) {
    return outcome.status.ToString();
  }
  std::unordered_set<int64_t> seen;
  for (const auto& batch : outcome.rows) {
    const auto values = [&](int column) {
      return static_cast<const arrow::Int64Array&>(*batch->column(column)).raw_values();
    };
    const int64_t* keys = values(0);
    const int64_t* counts = values(1);
    const int64_t* maxima = values(2);
    const int64_t* sums = values(3);
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      if (!seen.insert(keys[i]).second || maxima[i] != 3 * keys[i] ||
          sums[i] != 3 * keys[i] * counts[i]) {
        return "group " + std::to_string(keys[i]);
      }
      rows -= counts[i];
    }
  }
  return rows == 0 ? "" : std::to_string(rows) + " rows are missing";
}

}  // namespace wheelpit::exec
