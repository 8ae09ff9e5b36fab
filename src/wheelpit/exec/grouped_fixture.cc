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
      // Whoever waits may destroy this at once.
      const core::Signal ended = ended_;
      if (--running_ == 0) {
        ended.Fire();
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

// A query of one aggregation, with all that outlives it.
struct GroupedMachine::Query {
  core::MetricSet metrics;
  std::unique_ptr<memory::ProcessBudget> process;
  spill::SpillQuota quota{
      {.owner = "the process", .setting = "s", .limit_bytes = int64_t{1} << 40}, nullptr};
  std::unique_ptr<spill::SpillDirectories> directories;
  std::unique_ptr<memory::QueryBudget> budget;
  std::unique_ptr<spill::SpillSpace> space;
  std::unique_ptr<core::TaskGroup> io_tasks;
  std::vector<std::unique_ptr<OperatorMemory>> sinks;
  std::vector<std::unique_ptr<OperatorMemory>> sources;
  std::unique_ptr<GroupedAggregate> groups;
  arrow::StopSource stop;
  Steps steps;
  core::Guarded<GroupedOutcome> outcome;
};

arrow::Status GroupedMachine::Open(const GroupedRun& run, Query* query) {
  const int64_t limit =
      run.memory_bytes == 0 ? MinimumBytes(run.slots) : run.memory_bytes;
  ARROW_ASSIGN_OR_RAISE(query->process, memory::ProcessBudget::Make(limit, &backend_));
  ARROW_ASSIGN_OR_RAISE(query->directories,
                        spill::SpillDirectories::Make({folder_}, &syscalls_));
  ARROW_ASSIGN_OR_RAISE(query->budget,
                        query->process->MakeQuery("q1", 0, MinimumBytes(run.slots)));
  query->space = spill::SpillSpace::Make(
      {.query = "q1", .limit_bytes = run.spill_bytes, .metrics = &query->metrics},
      {.directories = query->directories.get(), .quota = &query->quota, .io = io_.get()});
  query->io_tasks = std::make_unique<core::TaskGroup>(io_.get());
  for (int i = 0; i < 2 * run.slots; ++i) {
    auto& memories = i < run.slots ? query->sinks : query->sources;
    ARROW_ASSIGN_OR_RAISE(
        auto memory,
        OperatorMemory::Make(query->budget.get(),
                             i < run.slots ? GroupedAggregate::SinkMemory(i)
                                           : GroupedAggregate::SourceMemory(i),
                             &query->metrics));
    memories.push_back(std::move(memory));
  }
  arrow::FieldVector fields;
  for (const auto& key : run.keys) {
    fields.push_back(
        arrow::field("k" + std::to_string(fields.size()), DecodedType(key->type)));
  }
  for (const auto& aggregate : run.aggregates) {
    fields.push_back(arrow::field("a" + std::to_string(fields.size()), aggregate.type));
  }
  query->steps.stop_at = run.stop_at;
  query->steps.stop = &query->stop;
  ARROW_ASSIGN_OR_RAISE(
      query->groups,
      GroupedAggregate::Make({.keys = run.keys,
                              .aggregates = run.aggregates,
                              .input = run.input,
                              .output = arrow::schema(std::move(fields)),
                              .task = {.context = {.pool = arrow::system_memory_pool()},
                                       .io_tasks = query->io_tasks.get(),
                                       .spill = query->space.get(),
                                       .metrics = &query->metrics}},
                             std::ssize(run.tasks)));
  return arrow::Status::OK();
}

void GroupedMachine::RunStages(const GroupedRun& run, bool keep_rows, Query* query) {
  const DriverOptions options{.stop = query->stop.token(),
                              .stopped = query->steps.stopped.wait(),
                              .metrics = &query->metrics};
  StageOfTasks input(
      std::ssize(run.tasks),
      [&](int64_t task, int slot) {
        OperatorMemory* memory = query->sinks[static_cast<size_t>(slot)].get();
        Pipeline pipeline;
        pipeline.source = std::make_unique<BatchSource>(
            &run.tasks[static_cast<size_t>(task)], &query->steps);
        pipeline.sink = query->groups->MakeSink(task, memory);
        pipeline.memories = {memory};
        return pipeline;
      },
      options, compute_.get(), &query->stop, &query->outcome, query->steps.stopped);
  StageOfTasks output(
      query->groups->partition_count(),
      [&](int64_t task, int slot) {
        OperatorMemory* memory = query->sources[static_cast<size_t>(slot)].get();
        Pipeline pipeline;
        pipeline.source = query->groups->MakeSource(task, memory);
        pipeline.sink =
            std::make_unique<KeepSink>(&query->outcome, keep_rows, &query->steps);
        pipeline.memories = {memory};
        return pipeline;
      },
      options, compute_.get(), &query->stop, &query->outcome, query->steps.stopped);
  output.Start(run.slots);
  input.Start(run.slots);
  input.ended().Block();
  output.ended().Block();
}

GroupedOutcome GroupedMachine::Run(const GroupedRun& run, bool keep_rows) {
  Query query;
  if (arrow::Status status = Open(run, &query); !status.ok()) {
    return {.status = std::move(status), .rows = {}};
  }
  RunStages(run, keep_rows, &query);
  query.groups = nullptr;
  (void)query.io_tasks->Close();
  GroupedOutcome out = std::move(*query.outcome.Lock());
  out.spilled_bytes = query.metrics.Get(core::Metric::kSpillBytesWritten);
  out.steps = query.steps.count.load();
  out.peak_bytes = query.process->peak_bytes();
  left = "";
  for (const auto* memories : {&query.sinks, &query.sources}) {
    for (const auto& memory : *memories) {
      if (!memory->drained().ready()) {
        left += "memory ";
      }
    }
  }
  if (query.space->used_bytes() != 0 || query.quota.used_bytes() != 0) {
    left += "spill ";
  }
  if (!std::filesystem::is_empty(folder_)) {
    left += "files ";
  }
  query.sinks.clear();
  query.sources.clear();
  query.budget = nullptr;
  if (query.process->used_bytes() != 0) {
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
