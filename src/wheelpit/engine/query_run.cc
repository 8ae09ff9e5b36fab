// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/query_run.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/engine/statement_rows.h"
#include "wheelpit/fs/local/local_output_file.h"
#include "wheelpit/scheduler/stage_builder.h"

namespace wheelpit::engine {

namespace {

using core::ConfigKey;

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
         .time_zone = config.Text(ConfigKey::kSessionTimeZone),
         .footer_bytes_max = run_->budget_->limit_bytes()},
        run_->engine_->file_system.get(), context_, &run_->metrics_,
        run_->engine_->footer_cache.get());
    run_->metrics_.Add(core::Metric::kListNanos,
                       run_->engine_->clock->MonotonicNanos() - start);
    return table;
  }

  std::shared_ptr<const sql::ast::Statement> FindView(
      const std::string& name) const override {
    return run_->views_->Find(name);
  }

 private:
  QueryRun* const run_;
  const core::Context context_;
};

QueryRun::QueryRun(EngineState* engine, std::shared_ptr<ViewCatalog> views,
                   core::Config config, std::string name, std::string sql)
    : engine_(engine),
      views_(std::move(views)),
      config_(std::move(config)),
      name_(std::move(name)),
      start_nanos_(engine->clock->MonotonicNanos()),
      log_(RunLog::Make(engine->event_log.get(), &engine->log_ids, engine->clock,
                        std::move(sql), config_)) {}

QueryRun::~QueryRun() = default;

core::Context QueryRun::MakeContext(arrow::MemoryPool* pool) {
  return {.pool = pool,
          .compute = engine_->compute,
          .io = engine_->io,
          .stop = stop_.token(),
          .clock = engine_->clock,
          .logger = engine_->logger};
}

// Before the plan is known nothing is set aside, so this waits for nobody.
arrow::Status QueryRun::MakeBudget() {
  ARROW_ASSIGN_OR_RAISE(budget_, engine_->budget->MakeQuery(name_, 0, 0));
  ARROW_ASSIGN_OR_RAISE(planning_budget_, budget_->MakeOperator("planning", 0, nullptr));
  io_tasks_ = std::make_unique<core::TaskGroup>(engine_->io);
  return arrow::Status::OK();
}

void QueryRun::PlanAndStart(const std::shared_ptr<const sql::ast::Statement>& statement) {
  const arrow::Status status = core::CatchBadAlloc([&] { return Plan(statement); });
  if (!status.ok() || !asked_for_memory_) {
    MarkPlanned(status);
  }
}

arrow::Status QueryRun::CheckTarget(const plan::Node& write) {
  ARROW_ASSIGN_OR_RAISE(const auto target,
                        fs::IdentityOf(*engine_->syscalls, write.path));
  return target ? CheckInputs(*write.inputs[0], write, *target) : arrow::Status::OK();
}

// Reading goes on while the new file is written, but then the old one is gone: what was
// not read yet, and what else refers to it, would be of another table.
arrow::Status QueryRun::CheckInputs(const plan::Node& node, const plan::Node& write,
                                    const fs::FileIdentity& target) {
  for (const auto& input : node.inputs) {
    ARROW_RETURN_NOT_OK(CheckInputs(*input, write, target));
  }
  if (node.table == nullptr) {
    return arrow::Status::OK();
  }
  for (const index::TableFile& file : node.table->files) {
    ARROW_ASSIGN_OR_RAISE(const auto identity,
                          fs::IdentityOf(*engine_->syscalls, file.path));
    if (identity == target) {
      return plan::WithRange(
          core::Error(core::ErrorKind::kInvalidSql, write.path,
                      ": this file is read by the query that is to write it; write "
                      "another one, and move it when that is done"),
          write.path_range);
    }
  }
  return arrow::Status::OK();
}

arrow::Status QueryRun::Plan(
    const std::shared_ptr<const sql::ast::Statement>& statement) {
  ARROW_RETURN_NOT_OK(MakeBudget());
  TableOpener tables(this, MakeContext(planning_budget_.get()));
  ARROW_ASSIGN_OR_RAISE(
      sql::BoundStatement bound,
      sql::Bind(*statement, {.time_zone = config_.Text(ConfigKey::kSessionTimeZone)},
                tables));
  switch (bound.kind) {
    case sql::BoundKind::kQuery:
      return AskForMemory(std::move(bound.plan));
    case sql::BoundKind::kExplain:
      if (bound.analyze) {
        analyze_ = true;
        return AskForMemory(std::move(bound.plan));
      }
      return StartWith(ExplainRows(plan::ToString(*bound.plan), engine_->pool));
    case sql::BoundKind::kDescribe:
      return StartWith(
          DescribeRows(*bound.schema, bound.partition_columns, engine_->pool));
    case sql::BoundKind::kShow:
      return StartWith(SettingRows(config_, bound.key, engine_->pool));
    case sql::BoundKind::kSet:
    case sql::BoundKind::kReset:
      // The session has done it already (see Session::Submit).
      return StartWith(SettingRows(config_, bound.key, engine_->pool));
    case sql::BoundKind::kCreateView:
      ARROW_RETURN_NOT_OK(views_->Create(statement));
      return StartWith(NoRows());
    case sql::BoundKind::kDropView:
      views_->Drop(statement->view.name[0].text);
      return StartWith(NoRows());
    case sql::BoundKind::kShowViews:
      return StartWith(ViewRows(views_->names(), engine_->pool));
  }
  return core::Error(core::ErrorKind::kInternal, "an unknown kind of statement");
}

arrow::Status QueryRun::StartWith(
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> rows) {
  ARROW_ASSIGN_OR_RAISE(auto batch, std::move(rows));
  schema_ = batch->schema();
  if (log_ != nullptr) {
    log_->Start(nullptr);
  }
  Publish(std::make_unique<exec::GatherExchange>(1, int64_t{1} << 40));
  auto sink = rows_->MakeSink(0);
  ARROW_RETURN_NOT_OK(sink->Push(std::move(batch)).status());
  ARROW_RETURN_NOT_OK(sink->Finish());
  Ended(arrow::Status::OK());
  return arrow::Status::OK();
}

// Has what the plan needs set aside, which may take until other queries end.
arrow::Status QueryRun::AskForMemory(std::unique_ptr<plan::Node> plan) {
  const TaskNeed need = NeedOf(*plan, engine_->compute->thread_count(),
                               config_.Number(ConfigKey::kScanPrefetchBytes));
  const memory::ProcessBudget& process = *engine_->budget;
  const int64_t of_others =
      process.used_bytes() - process.cache_bytes() - budget_->used_bytes();
  // Not all that there is: the next query like it shall find room, if there is so much.
  const int64_t least = DivideMemory(need, 0).total_bytes;
  const int64_t room = budget_->limit_bytes() - of_others;
  memory_plan_ = DivideMemory(need, std::max(room - least, least));
  table_bytes_ = need.table_bytes;
  const arrow::Status raised = budget_->RaiseMinimum(memory_plan_.total_bytes);
  if (!raised.ok()) {
    return need.large_values.empty() ? raised
                                     : core::WithContext(raised, need.large_values);
  }
  if (plan->kind == plan::NodeKind::kWrite) {
    ARROW_RETURN_NOT_OK(CheckTarget(*plan));
  }
  plan_ = std::move(plan);
  asked_for_memory_ = true;
  if (budget_->admitted().ready()) {
    StartAdmitted();
    return arrow::Status::OK();
  }
  // Whichever comes first, memory or a cancel, on a thread that may block.
  const auto go_on = [weak = weak_from_this(),
                      once = std::make_shared<std::atomic<bool>>(false)] {
    if (const auto self = weak.lock(); self != nullptr && !once->exchange(true)) {
      self->engine_->io->Submit([self] { self->StartAdmitted(); });
    }
  };
  budget_->admitted().OnReady(go_on);
  stopped_.wait().OnReady(go_on);
  return arrow::Status::OK();
}

void QueryRun::StartAdmitted() {
  arrow::Status status = FirstError();
  if (status.ok()) {
    status = budget_->admission();
  }
  if (status.ok()) {
    status = core::CatchBadAlloc([this] { return StartPlan(); });
  }
  MarkPlanned(status);
}

arrow::Status QueryRun::StartPlan() {
  ARROW_ASSIGN_OR_RAISE(table_budget_, budget_->MakeOperator("table", table_bytes_,
                                                             nullptr, memory::kNoDriver));
  ARROW_RETURN_NOT_OK(table_budget_->CountExternal(table_bytes_));
  table_counted_ = table_bytes_;
  ARROW_ASSIGN_OR_RAISE(query_budget_,
                        budget_->MakeOperator("results", memory_plan_.query_minimum_bytes,
                                              nullptr, memory::kNoDriver));
  spill_ = spill::SpillSpace::Make({.query = name_,
                                    .limit_bytes = config_.Number(ConfigKey::kSpillLimit),
                                    .metrics = &metrics_},
                                   engine_->spill_host());
  ARROW_ASSIGN_OR_RAISE(
      auto built, scheduler::BuildStages(
                      *plan_, {.task_slots = engine_->compute->thread_count(),
                               .batch_rows = config_.Number(ConfigKey::kScanBatchRows),
                               .prefetch_bytes = memory_plan_.prefetch_bytes,
                               .page_index = config_.Flag(ConfigKey::kScanPageIndex),
                               .exchange_bytes = memory_plan_.exchange_bytes,
                               .stable_sort = config_.Flag(ConfigKey::kSortStable),
                               .time_zone = config_.Text(ConfigKey::kSessionTimeZone),
                               .syscalls = engine_->syscalls,
                               .task = {.context = MakeContext(query_budget_.get()),
                                        .io_tasks = io_tasks_.get(),
                                        .spill = spill_.get(),
                                        .metrics = &metrics_},
                               .budget = budget_.get(),
                               .tasks_at_once = memory_plan_.tasks_at_once,
                               .scan_minimum_bytes = memory_plan_.scan_minimum_bytes,
                               .serial_more_bytes = memory_plan_.serial_more_bytes}));
  memories_ = std::move(built.memories);
  task_context_ = std::move(built.task_context);
  schema_ = analyze_ ? ExplainSchema() : plan_->schema;
  Publish(std::move(built.rows));
  {
    std::lock_guard lock(mutex_);
    files_total_ = built.file_count;
    rows_total_ = built.row_count;
  }
  if (log_ != nullptr) {
    log_->Start(plan_.get());
    log_->StartJob(built.stages);
  }
  auto self = shared_from_this();
  run_ = scheduler::StageRun::Start(
      std::move(built.stages),
      {.executor = engine_->compute,
       .clock = engine_->clock,
       .metrics = &metrics_,
       .observer = log_.get(),
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

void QueryRun::MarkPlanned(const arrow::Status& status) {
  if (!status.ok()) {
    Fail(status);
    // Nothing was started, or what was started reports by itself.
    if (run_ == nullptr) {
      Ended(status);
    }
  }
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
  LogEnd(status);
  if (log_ != nullptr) {
    log_->EndJob(status);
  }
  ended_.Fire();
}

void QueryRun::LogEnd(const arrow::Status& status) const {
  const auto level = status.ok() ? core::LogLevel::kInfo : core::LogLevel::kWarning;
  if (!engine_->logger->Enabled(level)) {
    return;
  }
  engine_->logger->Log(
      level, "query ended",
      {{"query", name_},
       {"outcome",
        status.ok() ? "done" : std::string(core::ToString(core::KindOf(status)))},
       {"message", status.message()},
       {"milliseconds", std::to_string((ended_nanos_ - start_nanos_) / 1'000'000)}});
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
  if (log_ != nullptr) {
    log_->End(metrics_);
  }
  // What was made of the plan holds on to buffers too.
  run_.reset();
  rows_.reset();
  plan_.reset();
  if (table_budget_ != nullptr) {
    table_budget_->UncountExternal(std::exchange(table_counted_, 0));
  }
}

void QueryRun::KeepForBatches() {
  std::vector<core::Wait> waits;
  if (query_budget_ != nullptr) {
    waits.push_back(query_budget_->drained());
  }
  for (const auto& memory : memories_) {
    waits.push_back(memory->drained());
  }
  for (const core::Wait& wait : waits) {
    if (!wait.ready()) {
      // Looked at anew on an I/O thread: a budget must not end inside its own callback.
      wait.OnReady([run = shared_from_this()] {
        run->engine_->io->Submit([run] { run->KeepForBatches(); });
      });
      return;
    }
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
      return ExplainRows(plan::ToString(*plan_) + AnalyzeText(stats()), engine_->pool);
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
    if (spill_ != nullptr) {
      for (auto& use : spill_->directory_use()) {
        stats.spilled_to.push_back({std::move(use.path), use.bytes_written});
      }
    }
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
