// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/sort_harness.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/sort/row_gather.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::exec {

namespace {

class BatchSource final : public Source {
 public:
  explicit BatchSource(const Batches* batches) : batches_(batches) {}
  arrow::Result<Step> Next() override {
    return next_ == batches_->size() ? Step::End() : Step::Batch((*batches_)[next_++]);
  }

 private:
  const Batches* const batches_;
  size_t next_ = 0;
};

std::shared_ptr<arrow::RecordBatch> CopyOf(
    const std::shared_ptr<arrow::RecordBatch>& batch) {
  RowGather gather(batch->schema());
  gather.Set(0, batch);
  std::vector<RowRef> refs;
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    refs.push_back({0, static_cast<uint32_t>(i)});
  }
  return gather.Gather(refs, arrow::system_memory_pool()).ValueOrDie();
}

// All of a query that sorts. Its drivers end before it does.
struct Query {
  std::unique_ptr<memory::ProcessBudget> process;
  std::unique_ptr<memory::QueryBudget> budget;
  std::unique_ptr<spill::SpillSpace> space;
  std::unique_ptr<core::TaskGroup> io_tasks;
  core::MetricSet metrics;
  TaskContext task;
  std::vector<std::unique_ptr<OperatorMemory>> sink_memories;
  std::vector<std::unique_ptr<OperatorMemory>> source_memories;
  std::unique_ptr<SortMerge> sort;
  std::unique_ptr<GatherExchange> rows;
  core::Signal stopped;
  arrow::StopSource stop;
  core::ThreadPool* compute = nullptr;
  core::Guarded<arrow::Status> status;
  std::deque<core::Signal> ended;

  void Start(Pipeline pipeline) {
    const core::Signal signal = ended.emplace_back();
    StartDriver(std::move(pipeline), {.stop = stop.token(), .stopped = stopped.wait()},
                compute, [this, signal](const arrow::Status& outcome) {
                  if (!outcome.ok()) {
                    {
                      auto locked = status.Lock();
                      if (locked->ok()) {
                        *locked = outcome;
                      }
                    }
                    Stop(outcome);
                  }
                  signal.Fire();
                });
  }

  void Stop(const arrow::Status& why) {
    stop.RequestStop();
    stopped.Fire();
    rows->Fail(why);
  }
};

void StartSources(Query* query) {
  for (int64_t range = 0; range < query->sort->range_count(); ++range) {
    OperatorMemory* memory = query->source_memories[static_cast<size_t>(range)].get();
    Pipeline pipeline;
    pipeline.source = query->sort->MakeSource(range, memory, &query->task);
    pipeline.sink = query->rows->MakeSink(range);
    pipeline.memories = {memory};
    query->Start(std::move(pipeline));
  }
}

// As many at once as there are slots.
void RunTasks(const SortCase& sort_case, Query* query,
              const std::function<bool(int64_t)>& on_rows) {
  size_t task = 0;
  while (task < sort_case.tasks.size() && query->status.Lock()->ok()) {
    const size_t before = query->ended.size();
    for (int slot = 0; slot < sort_case.slots && task < sort_case.tasks.size(); ++slot) {
      OperatorMemory* memory = query->sink_memories[static_cast<size_t>(slot)].get();
      Pipeline pipeline;
      pipeline.source = std::make_unique<BatchSource>(&sort_case.tasks[task]);
      pipeline.sink =
          query->sort->MakeSink(static_cast<int64_t>(task), memory, &query->task);
      pipeline.memories = {memory};
      query->Start(std::move(pipeline));
      ++task;
    }
    if (on_rows && on_rows(0)) {
      query->Stop(core::Error(core::ErrorKind::kCancelled, "stopped by the test"));
    }
    for (size_t i = before; i < query->ended.size(); ++i) {
      query->ended[i].wait().Block();
    }
  }
}

arrow::Status TakeRows(Query* query, SortOutcome* outcome, bool keep_rows,
                       const std::function<bool(int64_t)>& on_rows) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(Step step, query->rows->Pop());
    if (step.kind == Step::Kind::kEnd) {
      return arrow::Status::OK();
    }
    if (step.kind == Step::Kind::kWait) {
      step.wait.Block();
      continue;
    }
    if (keep_rows) {
      outcome->batches.push_back(CopyOf(step.batch));
    }
    outcome->row_count += step.batch->num_rows();
    step.batch = nullptr;
    if (on_rows && on_rows(outcome->row_count)) {
      const auto status = core::Error(core::ErrorKind::kCancelled, "stopped by the test");
      query->Stop(status);
      return status;
    }
  }
}

std::unique_ptr<OperatorMemory> MakeMemory(Query* query,
                                           const OperatorMemoryOptions& options) {
  return OperatorMemory::Make(query->budget.get(), options, &query->metrics).ValueOrDie();
}

}  // namespace

SortHarness::SortHarness(const std::string& folder, io::Syscalls* syscalls)
    : directories_(spill::SpillDirectories::Make({folder}, syscalls).ValueOrDie()),
      io_(core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
              .ValueOrDie()),
      compute_(
          core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kCompute})
              .ValueOrDie()) {}

int64_t MinimumOf(const SortCase& sort_case) {
  const auto bytes = [](const OperatorMemoryOptions& options) {
    return options.minimum_bytes + options.workspace_bytes;
  };
  const int64_t ranges = sort_case.options.limit < 0 ? sort_case.options.range_count : 1;
  return sort_case.slots * bytes(SortMerge::SinkMemory(0)) +
         ranges * bytes(SortMerge::SourceMemory(0));
}

SortOutcome SortHarness::Run(const SortCase& sort_case,
                             const std::function<bool(int64_t)>& on_rows) {
  SortOutcome outcome;
  spill::SpillQuota quota({.owner = "the process",
                           .setting = "spill.process_limit",
                           .limit_bytes = int64_t{1} << 40},
                          nullptr);
  {
    Query query;
    const int64_t limit =
        sort_case.limit_bytes > 0 ? sort_case.limit_bytes : int64_t{4} << 30;
    query.process =
        memory::ProcessBudget::Make(limit, arrow::system_memory_pool()).ValueOrDie();
    query.budget = query.process->MakeQuery("q1", 0, MinimumOf(sort_case)).ValueOrDie();
    query.space = spill::SpillSpace::Make(
        {.query = "q1", .limit_bytes = sort_case.spill_bytes, .metrics = &query.metrics},
        {.directories = directories_.get(), .quota = &quota, .io = io_.get()});
    query.io_tasks = std::make_unique<core::TaskGroup>(io_.get());
    query.task = {.context = {.pool = arrow::system_memory_pool()},
                  .io_tasks = query.io_tasks.get(),
                  .spill = query.space.get(),
                  .metrics = &query.metrics};
    query.compute = compute_.get();
    query.sort =
        SortMerge::Make(sort_case.options, static_cast<int64_t>(sort_case.tasks.size()))
            .ValueOrDie();
    const auto ranges = static_cast<int>(query.sort->range_count());
    query.rows = std::make_unique<GatherExchange>(ranges, 1 << 20);
    for (int slot = 0; slot < sort_case.slots; ++slot) {
      query.sink_memories.push_back(MakeMemory(&query, SortMerge::SinkMemory(slot)));
    }
    for (int range = 0; range < ranges; ++range) {
      query.source_memories.push_back(
          MakeMemory(&query, SortMerge::SourceMemory(sort_case.slots + range)));
    }
    StartSources(&query);
    RunTasks(sort_case, &query, on_rows);
    outcome.status = TakeRows(&query, &outcome, sort_case.keep_rows, on_rows);
    for (const core::Signal& signal : query.ended) {
      signal.wait().Block();
    }
    // What made the others stop.
    if (const auto status = *query.status.Lock(); !status.ok()) {
      outcome.status = status;
    }
    query.rows = nullptr;
    query.sort = nullptr;
    static_cast<void>(query.io_tasks->Close());
    outcome.spilled_bytes = query.metrics.Get(core::Metric::kSpillBytesWritten);
    outcome.peak_bytes = query.process->peak_bytes();
    outcome.spill_files = query.space->file_count();
    outcome.left_bytes = query.space->used_bytes();
    for (const auto* memories : {&query.sink_memories, &query.source_memories}) {
      for (const auto& memory : *memories) {
        outcome.left_bytes +=
            memory->budget().bytes_allocated() + memory->workspace().bytes_allocated();
      }
    }
  }
  outcome.left_bytes += quota.used_bytes();
  return outcome;
}

}  // namespace wheelpit::exec
