// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/sort_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/sort/row_gather.h"

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
  arrow::StopSource* stop = nullptr;
  core::ThreadPool* compute = nullptr;
  core::Guarded<arrow::Status> status;
  std::deque<core::Signal> ended;

  void Start(Pipeline pipeline) {
    const core::Signal signal = ended.emplace_back();
    StartDriver(std::move(pipeline), {.stop = stop->token(), .stopped = stopped.wait()},
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
    stop->RequestStop();
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
void RunTasks(const SortCase& sort_case, Query* query) {
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
    for (size_t i = before; i < query->ended.size(); ++i) {
      query->ended[i].wait().Block();
    }
  }
}

arrow::Status TakeRows(Query* query, SortOutcome* outcome,
                       const std::function<bool(int64_t)>& on_batch) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(Step step, query->rows->Pop());
    if (step.kind == Step::Kind::kEnd) {
      return arrow::Status::OK();
    }
    if (step.kind == Step::Kind::kWait) {
      step.wait.Block();
      continue;
    }
    outcome->batches.push_back(CopyOf(step.batch));
    outcome->row_count += step.batch->num_rows();
    step.batch = nullptr;
    if (on_batch && on_batch(outcome->row_count)) {
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

SortFixture::SortFixture() {
  std::string pattern = testing::TempDir() + "/sort_XXXXXX";
  folder_ = mkdtemp(pattern.data());
  directories_ = spill::SpillDirectories::Make({folder_}, &syscalls_).ValueOrDie();
  io_ = core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
            .ValueOrDie();
  compute_ =
      core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kCompute})
          .ValueOrDie();
}

SortFixture::~SortFixture() {
  std::filesystem::remove_all(folder_);
}

int64_t SortFixture::Minimum(const SortCase& sort_case) {
  const auto bytes = [](const OperatorMemoryOptions& options) {
    return options.minimum_bytes + options.workspace_bytes;
  };
  const int64_t ranges = sort_case.options.limit < 0 ? sort_case.options.range_count : 1;
  return sort_case.slots * bytes(SortMerge::SinkMemory(0)) +
         ranges * bytes(SortMerge::SourceMemory(0));
}

SortOutcome SortFixture::Run(const SortCase& sort_case,
                             const std::function<bool(int64_t)>& on_batch) {
  SortOutcome outcome;
  spill::SpillQuota quota({.owner = "the process",
                           .setting = "spill.process_limit",
                           .limit_bytes = int64_t{1} << 40},
                          nullptr);
  stop_.Reset();
  {
    Query query;
    const int64_t limit =
        sort_case.limit_bytes > 0 ? sort_case.limit_bytes : int64_t{4} << 30;
    query.process =
        memory::ProcessBudget::Make(limit, arrow::system_memory_pool()).ValueOrDie();
    query.budget = query.process->MakeQuery("q1", 0, Minimum(sort_case)).ValueOrDie();
    query.space = spill::SpillSpace::Make(
        {.query = "q1", .limit_bytes = sort_case.spill_bytes, .metrics = &query.metrics},
        {.directories = directories_.get(), .quota = &quota, .io = io_.get()});
    query.io_tasks = std::make_unique<core::TaskGroup>(io_.get());
    query.task = {.context = {.pool = arrow::system_memory_pool()},
                  .io_tasks = query.io_tasks.get(),
                  .spill = query.space.get(),
                  .metrics = &query.metrics};
    query.stop = &stop_;
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
    RunTasks(sort_case, &query);
    outcome.status = TakeRows(&query, &outcome, on_batch);
    for (const core::Signal& signal : query.ended) {
      signal.wait().Block();
    }
    if (const auto status = *query.status.Lock();
        outcome.status.ok() ||
        core::KindOf(outcome.status) == core::ErrorKind::kCancelled) {
      outcome.status = status.ok() ? outcome.status : status;
    }
    query.rows = nullptr;
    query.sort = nullptr;
    static_cast<void>(query.io_tasks->Close());
    outcome.spilled_bytes = query.metrics.Get(core::Metric::kSpillBytesWritten);
    outcome.peak_bytes = query.process->peak_bytes();
    outcome.spill_files = query.space->file_count();
    EXPECT_EQ(query.space->used_bytes(), 0);
    for (const auto& memory : query.sink_memories) {
      EXPECT_EQ(memory->budget().bytes_allocated(), 0);
      EXPECT_EQ(memory->workspace().bytes_allocated(), 0);
    }
    for (const auto& memory : query.source_memories) {
      EXPECT_EQ(memory->budget().bytes_allocated(), 0);
    }
    EXPECT_LE(outcome.peak_bytes, limit);
  }
  EXPECT_EQ(quota.used_bytes(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  return outcome;
}

SortCase MakeCase(const std::vector<KeyColumn>& keys, int task_count,
                  int64_t rows_of_task, const SampleOptions& options) {
  std::mt19937_64 random(options.seed);
  SortCase made;
  arrow::FieldVector fields;
  for (const KeyColumn& key : keys) {
    made.options.keys.push_back({.column = static_cast<int>(fields.size()),
                                 .descending = key.descending,
                                 .nulls_first = key.nulls_first});
    fields.push_back(arrow::field("k" + std::to_string(fields.size()), key.type));
  }
  fields.push_back(arrow::field("text", arrow::utf8()));
  fields.push_back(arrow::field("list", arrow::list(arrow::int32())));
  fields.push_back(arrow::field("id", arrow::int64(), /*nullable=*/false));
  made.options.schema = arrow::schema(fields);
  int64_t id = 0;
  for (int task = 0; task < task_count; ++task) {
    Batches batches;
    for (int64_t left = rows_of_task; left > 0;) {
      const int64_t rows =
          std::min<int64_t>(left, 1 + static_cast<int64_t>(random() % 3000));
      SampleOptions each = options;
      arrow::ArrayVector columns;
      for (const KeyColumn& key : keys) {
        each.seed = random();
        columns.push_back(SampleColumn(key.type, rows, each));
      }
      columns.push_back(SampleColumn(arrow::utf8(), rows, each));
      arrow::ListBuilder lists(arrow::system_memory_pool(),
                               std::make_shared<arrow::Int32Builder>());
      arrow::Int64Builder ids;
      for (int64_t i = 0; i < rows; ++i, ++id) {
        static_cast<void>(id % 7 == 0 ? lists.AppendNull() : lists.Append());
        for (int64_t n = 0; id % 7 != 0 && n < id % 3; ++n) {
          static_cast<void>(static_cast<arrow::Int32Builder*>(lists.value_builder())
                                ->Append(static_cast<int32_t>(id)));
        }
        static_cast<void>(ids.Append(id));
      }
      columns.push_back(*lists.Finish());
      columns.push_back(*ids.Finish());
      batches.push_back(arrow::RecordBatch::Make(made.options.schema, rows, columns));
      left -= rows;
    }
    made.tasks.push_back(std::move(batches));
  }
  return made;
}

namespace {

// The row with an id: ids count through all tasks.
struct InputRows {
  explicit InputRows(const SortCase& sort_case) {
    for (const Batches& task : sort_case.tasks) {
      for (const auto& batch : task) {
        if (batch->num_rows() > 0) {
          batches[count] = batch;
        }
        count += batch->num_rows();
      }
    }
  }
  std::pair<const arrow::RecordBatch*, int64_t> Find(int64_t id) const {
    const auto after = std::prev(batches.upper_bound(id));
    return {after->second.get(), id - after->first};
  }
  std::map<int64_t, std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t count = 0;
};

bool SameValue(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  if (KeyEncoder::Make({{a.type()}}).ok()) {
    const auto borrow = [](const arrow::Array& array) {
      return std::shared_ptr<arrow::Array>(std::shared_ptr<void>(),
                                           const_cast<arrow::Array*>(&array));
    };
    return ComparePlainly({{a.type()}}, {borrow(a)}, i, {borrow(b)}, j) == 0;
  }
  return a.RangeEquals(b, i, i + 1, j);
}

arrow::ArrayVector KeysOf(const SortCase& sort_case, const arrow::RecordBatch& batch) {
  arrow::ArrayVector keys;
  for (const SortKey& key : sort_case.options.keys) {
    keys.push_back(batch.column(key.column));
  }
  return keys;
}

std::vector<KeyColumn> KeyColumnsOf(const SortCase& sort_case) {
  std::vector<KeyColumn> columns;
  for (const SortKey& key : sort_case.options.keys) {
    columns.push_back({sort_case.options.schema->field(key.column)->type(),
                       key.descending, key.nulls_first});
  }
  return columns;
}

}  // namespace

testing::AssertionResult IsSorted(const SortCase& sort_case, const SortOutcome& outcome) {
  if (!outcome.status.ok()) {
    return testing::AssertionFailure() << outcome.status;
  }
  const InputRows input(sort_case);
  const auto& options = sort_case.options;
  const int64_t wanted =
      options.limit < 0 ? input.count : std::min(options.limit, input.count);
  if (outcome.row_count != wanted) {
    return testing::AssertionFailure() << outcome.row_count << " rows, not " << wanted;
  }
  const auto encoder = KeyEncoder::Make(KeyColumnsOf(sort_case)).ValueOrDie();
  std::vector<bool> seen(static_cast<size_t>(input.count));
  std::pair<std::string, int64_t> before = {"", -1};
  for (const auto& batch : outcome.batches) {
    if (!batch->Validate().ok() || !batch->schema()->Equals(*options.schema)) {
      return testing::AssertionFailure() << "an invalid batch";
    }
    const auto keys = *encoder->Encode(KeysOf(sort_case, *batch), batch->num_rows(),
                                       arrow::system_memory_pool());
    const auto& ids =
        static_cast<const arrow::Int64Array&>(*batch->column(batch->num_columns() - 1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      std::pair<std::string, int64_t> now = {std::string(keys[i]), ids.Value(i)};
      if (!(options.stable ? before < now : before.first <= now.first)) {
        return testing::AssertionFailure() << "row " << now.second << " is out of order";
      }
      if (seen[static_cast<size_t>(now.second)]) {
        return testing::AssertionFailure() << "row " << now.second << " twice";
      }
      seen[static_cast<size_t>(now.second)] = true;
      const auto [from, row] = input.Find(now.second);
      for (int c = 0; c < batch->num_columns(); ++c) {
        if (!SameValue(*batch->column(c), i, *from->column(c), row)) {
          return testing::AssertionFailure()
                 << "row " << now.second << " has another value in column " << c;
        }
      }
      before = std::move(now);
    }
  }
  if (options.limit < 0) {
    return testing::AssertionSuccess();
  }
  // No row that was left out may come before the last one that was given.
  for (const auto& [first, batch] : input.batches) {
    const auto keys = *encoder->Encode(KeysOf(sort_case, *batch), batch->num_rows(),
                                       arrow::system_memory_pool());
    for (int64_t i = 0; wanted > 0 && i < keys.count(); ++i) {
      if (!seen[static_cast<size_t>(first + i)] &&
          (options.stable ? std::pair(std::string(keys[i]), first + i) < before
                          : keys[i] < before.first)) {
        return testing::AssertionFailure() << "row " << first + i << " is missing";
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace wheelpit::exec
