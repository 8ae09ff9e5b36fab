// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/query_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/engine/statement_rows.h"
#include "wheelpit/scheduler/stage_builder.h"

namespace wheelpit::engine {

namespace {

using core::ConfigKey;

// What a task of a scan always finishes in: two pages per column and what is decoded of
// them.
constexpr int64_t kTaskMinimumBytes = 4 << 20;
// Result batches on their way to the client, and the small things of a query.
constexpr int64_t kQueryMinimumBytes = 2 << 20;
constexpr int64_t kPrefetchMinimumBytes = 256 << 10;
constexpr int64_t kExchangeBytes = 1 << 20;
// The size at which writers cut pages; a chunk that is smaller is one page.
constexpr int64_t kPageBytes = 1 << 20;

// Bytes of one decoded page of every column that the plan's scan reads; 0 without a scan.
int64_t PageBytes(const plan::Node& plan) {
  const plan::Node* scan = &plan;
  while (scan->input != nullptr) {
    scan = scan->input.get();
  }
  if (scan->table == nullptr) {
    return 0;
  }
  std::vector<int64_t> largest(scan->columns.size(), 0);
  for (const index::TableFile& file : scan->table->files) {
    for (size_t i = 0; i < largest.size(); ++i) {
      const int field = (*file.column_map)[static_cast<size_t>(scan->columns[i])];
      if (field < 0) {
        continue;
      }
      const auto& leaves = file.footer->schema->first_leaf;
      const auto leaf = static_cast<size_t>(leaves[static_cast<size_t>(field)]);
      for (const auto& row_group : file.footer->row_groups) {
        largest[i] = std::max(
            largest[i], std::min(row_group.chunks[leaf].uncompressed_bytes, kPageBytes));
      }
    }
  }
  return std::accumulate(largest.begin(), largest.end(), int64_t{0});
}

}  // namespace

// The binder's view of the file index: opens a table once per path and query.
class QueryRun::TableOpener final : public sql::TableResolver {
 public:
  TableOpener(QueryRun* run, core::Context context)
      : run_(run), context_(std::move(context)) {}

  arrow::Result<std::shared_ptr<const index::Table>> OpenPath(
      const std::string& path, const index::Predicate& partition_terms) override {
    const core::Config& config = run_->config_;
    const int64_t start = run_->engine_->clock->MonotonicNanos();
    auto table = index::OpenTable(
        path, partition_terms,
        {.follow_symlinks = config.Flag(ConfigKey::kIndexFollowSymlinks),
         .ignore_missing = config.Flag(ConfigKey::kIndexIgnoreMissing),
         .infer_partition_types = config.Flag(ConfigKey::kIndexPartitionInference),
         .read_table_formats = config.Flag(ConfigKey::kIndexReadTableFormats),
         .base_path = {},
         .time_zone = config.Text(ConfigKey::kSessionTimeZone)},
        run_->engine_->file_system.get(), context_, &run_->metrics_,
        run_->engine_->footer_cache.get());
    run_->metrics_.Add(core::Metric::kListNanos,
                       run_->engine_->clock->MonotonicNanos() - start);
    return table;
  }

 private:
  QueryRun* const run_;
  const core::Context context_;
};

QueryRun::QueryRun(EngineState* engine, core::Config config, std::string name)
    : engine_(engine),
      config_(std::move(config)),
      name_(std::move(name)),
      start_nanos_(engine->clock->MonotonicNanos()) {}

QueryRun::~QueryRun() = default;

core::Context QueryRun::MakeContext() {
  return {.pool = operator_budget_.get(),
          .compute = engine_->compute.get(),
          .io = engine_->io.get(),
          .stop = stop_.token(),
          .clock = engine_->clock,
          .logger = engine_->logger};
}

arrow::Status QueryRun::MakeBudget() {
  const int64_t tasks = config_.Number(ConfigKey::kComputeThreads) + 1;
  const int64_t minimum = tasks * kTaskMinimumBytes + kQueryMinimumBytes;
  ARROW_ASSIGN_OR_RAISE(budget_, engine_->budget->MakeQuery(name_, 0, minimum));
  // Planning runs on a thread that may block; the queue of queries is short.
  budget_->admitted().Block();
  ARROW_ASSIGN_OR_RAISE(operator_budget_,
                        budget_->MakeOperator("scan", minimum, nullptr));
  io_tasks_ = std::make_unique<core::TaskGroup>(engine_->io.get());
  return arrow::Status::OK();
}

void QueryRun::PlanAndStart(const sql::ast::Statement& statement) {
  arrow::Status status = core::CatchBadAlloc([&] { return Plan(statement); });
  if (!status.ok()) {
    Fail(status);
    // Nothing was started, or what was started reports by itself.
    if (run_ == nullptr) {
      Ended(status);
    }
  }
  MarkPlanned();
}

arrow::Status QueryRun::Plan(const sql::ast::Statement& statement) {
  ARROW_RETURN_NOT_OK(MakeBudget());
  TableOpener tables(this, MakeContext());
  ARROW_ASSIGN_OR_RAISE(
      sql::BoundStatement bound,
      sql::Bind(statement, {.time_zone = config_.Text(ConfigKey::kSessionTimeZone)},
                tables));
  switch (bound.kind) {
    case sql::BoundKind::kQuery:
      return StartPlan(std::move(bound.plan));
    case sql::BoundKind::kExplain:
      if (bound.analyze) {
        analyze_ = true;
        return StartPlan(std::move(bound.plan));
      }
      return StartWith(ExplainRows(plan::ToString(*bound.plan), &engine_->pool));
    case sql::BoundKind::kDescribe:
      return StartWith(
          DescribeRows(*bound.schema, bound.partition_columns, &engine_->pool));
    case sql::BoundKind::kShow:
      return StartWith(SettingRows(config_, bound.key, &engine_->pool));
    case sql::BoundKind::kSet:
    case sql::BoundKind::kReset:
      // The session has done it already (see Session::Submit).
      return StartWith(SettingRows(config_, bound.key, &engine_->pool));
  }
  return core::Error(core::ErrorKind::kInternal, "an unknown kind of statement");
}

arrow::Status QueryRun::StartWith(
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> rows) {
  ARROW_ASSIGN_OR_RAISE(auto batch, std::move(rows));
  schema_ = batch->schema();
  Publish(std::make_unique<exec::GatherExchange>(1, int64_t{1} << 40));
  auto sink = rows_->MakeSink(0);
  ARROW_RETURN_NOT_OK(sink->Push(std::move(batch)).status());
  ARROW_RETURN_NOT_OK(sink->Finish());
  Ended(arrow::Status::OK());
  return arrow::Status::OK();
}

arrow::Status QueryRun::StartPlan(std::unique_ptr<plan::Node> plan) {
  plan_ = std::move(plan);
  const int threads = static_cast<int>(config_.Number(ConfigKey::kComputeThreads));
  // One more task than threads, so that a parked one leaves no thread idle; fewer when
  // the budget does not hold so many.
  const int64_t need = kTaskMinimumBytes + 2 * PageBytes(*plan_);
  const int64_t room = budget_->limit_bytes() - kQueryMinimumBytes;
  const int64_t tasks_at_once = std::clamp<int64_t>(room / need, 1, threads + 1);
  const int64_t prefetch = std::clamp<int64_t>(
      (room / tasks_at_once - need) / 2, kPrefetchMinimumBytes,
      std::max(kPrefetchMinimumBytes, config_.Number(ConfigKey::kScanPrefetchBytes)));
  ARROW_ASSIGN_OR_RAISE(
      auto built, scheduler::BuildStages(
                      *plan_, {.task_slots = threads,
                               .batch_rows = config_.Number(ConfigKey::kScanBatchRows),
                               .prefetch_bytes = prefetch,
                               .exchange_bytes = std::min(kExchangeBytes, room / 64),
                               .time_zone = config_.Text(ConfigKey::kSessionTimeZone),
                               .context = MakeContext(),
                               .io_tasks = io_tasks_.get(),
                               .metrics = &metrics_}));
  schema_ = analyze_ ? ExplainSchema() : plan_->schema;
  Publish(std::move(built.rows));
  {
    std::lock_guard lock(mutex_);
    files_total_ = built.file_count;
    rows_total_ = built.row_count;
  }
  auto self = shared_from_this();
  run_ = scheduler::StageRun::Start(
      std::move(built.stages),
      {.tasks_at_once = static_cast<int>(tasks_at_once),
       .executor = engine_->compute.get(),
       .clock = engine_->clock,
       .metrics = &metrics_,
       .stop = stop_.token(),
       .stopped = stopped_.wait(),
       .on_error = [self](const arrow::Status& status) { self->Fail(status); }},
      [self](const arrow::Status& status) { self->Ended(status); });
  return arrow::Status::OK();
}

// From here on a failure on any thread reaches the consumer of the rows.
void QueryRun::Publish(std::unique_ptr<exec::GatherExchange> rows) {
  rows_ = std::move(rows);
  arrow::Status status;
  {
    std::lock_guard lock(mutex_);
    published_rows_ = rows_.get();
    status = first_error_;
  }
  if (!status.ok()) {
    rows_->Fail(status);
  }
}

void QueryRun::MarkPlanned() {
  {
    std::lock_guard lock(mutex_);
    planned_nanos_ = engine_->clock->MonotonicNanos();
    metrics_.Add(core::Metric::kPlanNanos, planned_nanos_ - start_nanos_);
  }
  planned_.Fire();
}

void QueryRun::Fail(const arrow::Status& status) {
  exec::GatherExchange* rows = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (first_error_.ok()) {
      first_error_ = status;
    }
    rows = published_rows_;
  }
  // Planning polls the token; a parked driver is woken by the signal.
  stop_.RequestStop();
  if (rows != nullptr) {
    rows->Fail(status);
  }
  stopped_.Fire();
}

void QueryRun::Ended(const arrow::Status& status) {
  if (!status.ok()) {
    Fail(status);
  }
  {
    std::lock_guard lock(mutex_);
    ended_nanos_ = engine_->clock->MonotonicNanos();
  }
  ended_.Fire();
}

void QueryRun::Cancel() {
  Fail(core::Error(core::ErrorKind::kCancelled, "the query was cancelled"));
}

void QueryRun::AwaitEnd() {
  planned_.wait().Block();
  ended_.wait().Block();
  if (io_tasks_ != nullptr) {
    // Their errors were those of the drivers that asked for the bytes.
    static_cast<void>(io_tasks_->Close());
  }
  // What was made of the plan holds on to buffers too.
  run_.reset();
  rows_.reset();
}

void QueryRun::KeepForBatches() {
  if (operator_budget_ != nullptr) {
    // Handed to an I/O thread: the budget must not end inside its own callback.
    operator_budget_->drained().OnReady([run = shared_from_this()] {
      io::IoExecutor* io = run->engine_->io.get();
      io->Submit([run] {});
    });
  }
}

arrow::Status QueryRun::FirstError() const {
  std::lock_guard lock(mutex_);
  return first_error_;
}

arrow::Result<std::shared_ptr<arrow::Schema>> QueryRun::AwaitSchema() {
  planned_.wait().Block();
  ARROW_RETURN_NOT_OK(FirstError());
  return schema_;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> QueryRun::NextBatch() {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(exec::Step step, rows_->Pop());
    switch (step.kind) {
      case exec::Step::Kind::kBatch:
        metrics_.Add(core::Metric::kRowsReturned, step.batch->num_rows());
        return std::move(step.batch);
      case exec::Step::Kind::kWait:
        step.wait.Block();
        break;
      default:
        // So that figures are final, and an error behind the last row is not lost.
        ended_.wait().Block();
        ARROW_RETURN_NOT_OK(FirstError());
        return nullptr;
    }
  }
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> QueryRun::Next() {
  planned_.wait().Block();
  ARROW_RETURN_NOT_OK(FirstError());
  if (!analyze_) {
    return NextBatch();
  }
  if (std::exchange(analyzed_, true)) {
    return nullptr;
  }
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, NextBatch());
    if (batch == nullptr) {
      return ExplainRows(plan::ToString(*plan_) + AnalyzeText(stats()), &engine_->pool);
    }
  }
}

QueryStats QueryRun::stats() const {
  QueryStats stats;
  const int64_t now = engine_->clock->MonotonicNanos();
  const auto seconds = [](int64_t nanos) { return static_cast<double>(nanos) * 1e-9; };
  {
    std::lock_guard lock(mutex_);
    const int64_t end = ended_nanos_ > 0 ? ended_nanos_ : now;
    const int64_t planned = planned_nanos_ > 0 ? std::min(planned_nanos_, end) : end;
    stats.seconds = seconds(end - start_nanos_);
    stats.plan_seconds = seconds(planned - start_nanos_);
    stats.files_total = files_total_;
    stats.rows_total = rows_total_;
  }
  for (const core::MetricRow& row : core::MetricTable()) {
    stats.metrics.push_back(metrics_.Get(row.metric));
  }
  stats.cpu_seconds = seconds(metrics_.Get(core::Metric::kComputeNanos));
  if (planned_.fired()) {
    stats.peak_budget_bytes = budget_ != nullptr ? budget_->peak_bytes() : 0;
    if (run_ != nullptr) {
      for (const auto& figures : run_->figures()) {
        const int64_t end = figures.end_nanos > 0 ? figures.end_nanos : now;
        const int64_t start = figures.start_nanos > 0 ? figures.start_nanos : end;
        stats.stages.push_back({figures.name, seconds(end - start), figures.tasks});
      }
    }
  }
  return stats;
}

}  // namespace wheelpit::engine
