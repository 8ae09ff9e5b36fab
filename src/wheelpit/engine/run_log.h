// SPDX-License-Identifier: Apache-2.0
// Private to engine: one statement as events of the event log. A statement is a SQL
// execution; what runs of it is one job, whose stages and tasks are the scheduler's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/events/event.h"
#include "wheelpit/events/event_log.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/stage_run.h"

namespace wheelpit::engine {

/// What the log of a process numbers, from 0; one for each engine.
struct RunLogIds {
  std::atomic<int64_t> executions{0};
  std::atomic<int64_t> jobs{0};
  std::atomic<int64_t> stages{0};
  std::atomic<int64_t> tasks{0};
  std::atomic<int64_t> accumulators{0};
};

/// No call blocks or fails. Start, StartJob, EndJob and End are called in this order, any
/// of the first three or none; what the observer is told comes between the two in the
/// middle.
class RunLog final : public scheduler::StageObserver {
 public:
  /// Null without a log. `log`, `ids` and `clock` outlive it.
  static std::unique_ptr<RunLog> Make(events::EventLog* log, RunLogIds* ids,
                                      const core::Clock* clock, std::string sql,
                                      const core::Config& config);

  /// Null: a statement that has no plan (SET, SHOW, …).
  void Start(const plan::Node* plan);
  void StartJob(const std::vector<scheduler::Stage>& stages);
  /// Nothing runs any more.
  void EndJob(const arrow::Status& status);
  /// The client has taken what it wanted; `metrics` of the whole statement. Again: does
  /// nothing.
  void End(const core::MetricSet& metrics);

  void StageStarted(size_t stage) override;
  void TaskStarted(size_t stage, int64_t task) override;
  void TaskEnded(size_t stage, int64_t task, const arrow::Status& status,
                 const scheduler::TaskFigures& figures) override;
  void StageEnded(size_t stage) override;

 private:
  // A metric of a node in the graph of the plan, counted by tasks or, at the end, by the
  // whole statement.
  struct Shown {
    core::Metric metric;
    int64_t accumulator_id = 0;
    std::string name;
    int64_t divisor = 1;
    bool by_task = true;
  };
  struct StageState {
    events::StageInfo info;
    int64_t first_task = 0;
    std::vector<int64_t> launch_millis;  // by task
    std::vector<int64_t> totals;         // by Shown
    bool started = false;
    bool ended = false;
  };

  RunLog(events::EventLog* log, RunLogIds* ids, const core::Clock* clock, std::string sql,
         const core::Config& config);
  events::PlanNode GraphOf(const plan::Node& node, int depth);
  void Show(core::Metric metric, const char* name, events::PlanMetricType type,
            bool by_task, events::PlanNode* node);
  events::TaskInfo InfoOf(const StageState& stage, int64_t task) const;
  void EndStage(StageState* stage, const std::optional<std::string>& error);
  events::Properties JobProperties() const;

  events::EventLog* const log_;
  RunLogIds* const ids_;
  const core::Clock* const clock_;
  const std::string sql_;
  events::Properties changed_settings_;
  const int64_t start_millis_;
  const int64_t execution_id_;
  int64_t job_id_ = -1;
  bool begun_ = false;
  // Set by Start.
  std::vector<Shown> shown_;
  bool scan_shown_ = false;
  bool spill_shown_ = false;

  std::mutex mutex_;  // guards what follows, while stages run
  std::vector<StageState> stages_;
  std::vector<int64_t> totals_;  // by Shown
  int64_t end_millis_ = 0;
  bool finished_ = false;
  std::string error_;
};

}  // namespace wheelpit::engine
