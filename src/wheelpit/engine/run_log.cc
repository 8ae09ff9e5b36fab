// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/run_log.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::engine {

namespace {

using core::Metric;
using events::PlanMetricType;

// Of the text of one node, and of a plan: readers show them whole.
constexpr size_t kDetailBytesMax = 4096;
constexpr size_t kPlanTextBytesMax = size_t{1} << 20;

// As Spark calls what does the same.
std::string NameOf(const plan::Node& node) {
  switch (node.kind) {
    case plan::NodeKind::kValues:
      return "LocalTableScan";
    case plan::NodeKind::kScan:
      return "Scan parquet ";
    case plan::NodeKind::kFilter:
      return "Filter";
    case plan::NodeKind::kProject:
      return "Project";
    case plan::NodeKind::kExpand:
      return "Expand";
    case plan::NodeKind::kAggregate:
      return "HashAggregate";
    case plan::NodeKind::kSort:
      return node.limit >= 0 ? "TakeOrderedAndProject" : "Sort";
    case plan::NodeKind::kLimit:
      return "GlobalLimit";
    case plan::NodeKind::kUnion:
      return "Union";
    case plan::NodeKind::kWrite:
      return "WriteFiles";
  }
  return "Unknown";
}

// The first line of the node's own text.
std::string DetailOf(const plan::Node& node) {
  std::string text = plan::ToString(node);
  text.resize(std::min({text.size(), text.find('\n'), kDetailBytesMax}));
  return text;
}

bool CanSpill(const plan::Node& node) {
  return node.kind == plan::NodeKind::kSort ||
         (node.kind == plan::NodeKind::kAggregate && !node.keys.empty());
}

int64_t CountNodes(const plan::Node& node, bool (*wanted)(const plan::Node&)) {
  int64_t count = wanted(node) ? 1 : 0;
  for (const auto& input : node.inputs) {
    count += CountNodes(*input, wanted);
  }
  return count;
}

events::TaskMetrics MetricsOf(const scheduler::TaskFigures& figures, int64_t millis) {
  const auto of = [&](Metric metric) {
    return figures.metrics[static_cast<size_t>(metric)];
  };
  return {.run_millis = millis,
          .cpu_nanos = of(Metric::kComputeNanos),
          .peak_memory_bytes = figures.peak_bytes,
          .disk_bytes_spilled = of(Metric::kSpillBytesWritten),
          .input_bytes = of(Metric::kBytesRead),
          .input_records = of(Metric::kRowsRead)};
}

events::TaskOutcome OutcomeOf(const arrow::Status& status) {
  if (status.ok()) {
    return {};
  }
  const core::ErrorInfo info = core::InfoOf(status);
  if (info.kind == core::ErrorKind::kCancelled) {
    return {.kill_reason = status.message()};
  }
  return {.error_class = info.error_class.empty() ? std::string(core::ToString(info.kind))
                                                  : info.error_class,
          .error = status.message().empty() ? "failed" : status.message()};
}

}  // namespace

std::unique_ptr<RunLog> RunLog::Make(events::EventLog* log, RunLogIds* ids,
                                     const core::Clock* clock, std::string sql,
                                     const core::Config& config) {
  return log == nullptr ? nullptr
                        : std::unique_ptr<RunLog>(
                              new RunLog(log, ids, clock, std::move(sql), config));
}

RunLog::RunLog(events::EventLog* log, RunLogIds* ids, const core::Clock* clock,
               std::string sql, const core::Config& config)
    : log_(log),
      ids_(ids),
      clock_(clock),
      sql_(std::move(sql)),
      start_millis_(clock->WallMillis()),
      execution_id_(ids->executions++) {
  for (const core::ConfigRow& row : core::ConfigTable()) {
    if (config.SourceOf(row.key) == core::ConfigSource::kSet) {
      changed_settings_.emplace_back(row.name, config.Text(row.key));
    }
  }
}

void RunLog::Show(Metric metric, const char* name, PlanMetricType type, bool by_task,
                  events::PlanNode* node) {
  Shown shown{.metric = metric,
              .accumulator_id = ids_->accumulators++,
              .name = name,
              .divisor = type == PlanMetricType::kMillis ? 1'000'000 : 1,
              .by_task = by_task};
  node->metrics.push_back(
      {.name = name, .accumulator_id = shown.accumulator_id, .type = type});
  shown_.push_back(std::move(shown));
}

events::PlanNode RunLog::GraphOf(const plan::Node& node, int depth) {
  events::PlanNode graph{.name = NameOf(node), .detail = DetailOf(node)};
  // Tasks count for all nodes of a kind: with several, the first shows what all did.
  if (node.kind == plan::NodeKind::kScan && !std::exchange(scan_shown_, true)) {
    Show(Metric::kRowsRead, "number of output rows", PlanMetricType::kSum, true, &graph);
    Show(Metric::kFilesRead, "number of files read", PlanMetricType::kSum, true, &graph);
    Show(Metric::kBytesRead, "size of files read", PlanMetricType::kSize, true, &graph);
    Show(Metric::kRowGroupsRead, "number of row groups read", PlanMetricType::kSum, true,
         &graph);
    Show(Metric::kPagesPruned, "number of pages pruned", PlanMetricType::kSum, true,
         &graph);
    Show(Metric::kRowGroupsPruned, "number of row groups pruned", PlanMetricType::kSum,
         false, &graph);
    Show(Metric::kFilesPruned, "number of files pruned", PlanMetricType::kSum, false,
         &graph);
    Show(Metric::kPartitionsPruned, "number of partitions pruned", PlanMetricType::kSum,
         false, &graph);
    Show(Metric::kListNanos, "metadata time", PlanMetricType::kMillis, false, &graph);
  }
  if (CanSpill(node) && !std::exchange(spill_shown_, true)) {
    Show(Metric::kSpillBytesWritten, "spill size", PlanMetricType::kSize, true, &graph);
    Show(Metric::kSpillExtents, "number of spilled blocks", PlanMetricType::kSum, true,
         &graph);
  }
  if (depth == 0) {
    Show(Metric::kRowsReturned, "number of result rows", PlanMetricType::kSum, false,
         &graph);
    Show(Metric::kPlanNanos, "planning time", PlanMetricType::kMillis, false, &graph);
  }
  if (depth < events::kPlanDepthMax) {
    for (const auto& input : node.inputs) {
      graph.children.push_back(GraphOf(*input, depth + 1));
    }
  }
  return graph;
}

void RunLog::Start(const plan::Node* plan) {
  begun_ = true;
  events::SqlExecutionStart start{.execution_id = execution_id_,
                                  .description = sql_,
                                  .details = "",
                                  .plan_text = "",
                                  .plan = {.name = "ExecutedCommand"},
                                  .time_millis = start_millis_,
                                  .changed_settings = std::move(changed_settings_)};
  if (plan != nullptr) {
    start.plan = GraphOf(*plan, 0);
    start.plan_text = "== Physical Plan ==\n" + plan::ToString(*plan);
    start.plan_text.resize(std::min(start.plan_text.size(), kPlanTextBytesMax));
    const auto is_scan = [](const plan::Node& node) {
      return node.kind == plan::NodeKind::kScan;
    };
    if (CountNodes(*plan, is_scan) > 1) {
      start.details = "The first scan shows what all scans have read.";
    }
  }
  totals_.assign(shown_.size(), 0);
  log_->Record(std::move(start));
}

events::Properties RunLog::JobProperties() const {
  return {{"spark.sql.execution.id", std::to_string(execution_id_)}};
}

void RunLog::StartJob(const std::vector<scheduler::Stage>& stages) {
  const auto count = static_cast<int64_t>(stages.size());
  const int64_t first_stage = ids_->stages.fetch_add(count);
  job_id_ = ids_->jobs++;
  events::JobStart job{.job_id = job_id_,
                       .time_millis = clock_->WallMillis(),
                       .stages = {},
                       .properties = JobProperties()};
  for (const scheduler::Stage& stage : stages) {
    StageState state;
    const int64_t id = first_stage + static_cast<int64_t>(stages_.size());
    state.info = {.id = id, .name = stage.name, .task_count = stage.task_count};
    events::RddInfo rdd{.id = id,
                        .name = stage.name,
                        .scope = stage.name,
                        .partition_count = stage.task_count};
    for (const int input : stage.inputs) {
      state.info.parent_ids.push_back(first_stage + input);
      rdd.parent_ids.push_back(first_stage + input);
    }
    state.info.rdds.push_back(std::move(rdd));
    state.first_task = ids_->tasks.fetch_add(stage.task_count);
    state.launch_millis.assign(static_cast<size_t>(stage.task_count), 0);
    state.totals.assign(shown_.size(), 0);
    job.stages.push_back(state.info);
    stages_.push_back(std::move(state));
  }
  log_->Record(std::move(job));
}

events::TaskInfo RunLog::InfoOf(const StageState& stage, int64_t task) const {
  return {.id = stage.first_task + task,
          .index = task,
          .partition = task,
          .launch_millis = stage.launch_millis[static_cast<size_t>(task)]};
}

void RunLog::StageStarted(size_t stage) {
  events::StageSubmitted submitted;
  {
    std::lock_guard lock(mutex_);
    StageState& state = stages_[stage];
    state.started = true;
    state.info.submission_millis = clock_->WallMillis();
    submitted.stage = state.info;
  }
  submitted.properties = JobProperties();
  log_->Record(std::move(submitted));
}

void RunLog::TaskStarted(size_t stage, int64_t task) {
  events::TaskStart start;
  {
    std::lock_guard lock(mutex_);
    StageState& state = stages_[stage];
    state.launch_millis[static_cast<size_t>(task)] = clock_->WallMillis();
    start.stage_id = state.info.id;
    start.task = InfoOf(state, task);
  }
  log_->Record(std::move(start));
}

void RunLog::TaskEnded(size_t stage, int64_t task, const arrow::Status& status,
                       const scheduler::TaskFigures& figures) {
  events::TaskEnd end;
  {
    std::lock_guard lock(mutex_);
    StageState& state = stages_[stage];
    end.stage_id = state.info.id;
    end.last_stage = stage + 1 == stages_.size();
    end.task = InfoOf(state, task);
    for (size_t i = 0; i < shown_.size(); ++i) {
      const int64_t amount =
          figures.metrics[static_cast<size_t>(shown_[i].metric)] / shown_[i].divisor;
      if (!shown_[i].by_task || amount == 0) {
        continue;
      }
      state.totals[i] += amount;
      totals_[i] += amount;
      end.task.accumulables.push_back({.id = shown_[i].accumulator_id,
                                       .name = shown_[i].name,
                                       .update = amount,
                                       .value = totals_[i]});
    }
  }
  end.outcome = OutcomeOf(status);
  end.task.finish_millis = clock_->WallMillis();
  end.task.failed = !end.outcome.error.empty();
  end.task.killed = !end.outcome.kill_reason.empty();
  end.metrics = MetricsOf(figures, end.task.finish_millis - end.task.launch_millis);
  log_->Record(std::move(end));
}

void RunLog::EndStage(StageState* stage, const std::optional<std::string>& error) {
  stage->ended = true;
  stage->info.completion_millis = clock_->WallMillis();
  stage->info.failure_reason = error;
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (stage->totals[i] != 0) {
      stage->info.accumulables.push_back({.id = shown_[i].accumulator_id,
                                          .name = shown_[i].name,
                                          .value = stage->totals[i]});
    }
  }
}

void RunLog::StageEnded(size_t stage) {
  events::StageCompleted completed;
  {
    std::lock_guard lock(mutex_);
    EndStage(&stages_[stage], std::nullopt);
    completed.stage = stages_[stage].info;
  }
  log_->Record(std::move(completed));
}

void RunLog::EndJob(const arrow::Status& status) {
  std::vector<events::StageInfo> cut_short;
  {
    std::lock_guard lock(mutex_);
    end_millis_ = clock_->WallMillis();
    error_ = status.ok() ? "" : status.message().empty() ? "failed" : status.message();
    for (StageState& stage : stages_) {
      if (stage.started && !stage.ended) {
        EndStage(&stage, error_);
        cut_short.push_back(stage.info);
      }
    }
  }
  for (events::StageInfo& stage : cut_short) {
    log_->Record(events::StageCompleted{.stage = std::move(stage)});
  }
  if (job_id_ >= 0) {
    log_->Record(
        events::JobEnd{.job_id = job_id_,
                       .time_millis = end_millis_,
                       .error = error_.empty() ? std::nullopt : std::optional(error_)});
  }
}

void RunLog::End(const core::MetricSet& metrics) {
  if (std::exchange(finished_, true)) {
    return;
  }
  if (!begun_) {
    Start(nullptr);  // Refused while it was planned.
  }
  events::DriverAccumUpdates updates{.execution_id = execution_id_, .updates = {}};
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (!shown_[i].by_task) {
      updates.updates.emplace_back(shown_[i].accumulator_id,
                                   metrics.Get(shown_[i].metric) / shown_[i].divisor);
    }
  }
  if (!updates.updates.empty()) {
    log_->Record(std::move(updates));
  }
  log_->Record(events::SqlExecutionEnd{
      .execution_id = execution_id_,
      .time_millis = end_millis_ > 0 ? end_millis_ : clock_->WallMillis(),
      .error = error_});
}

}  // namespace wheelpit::engine
