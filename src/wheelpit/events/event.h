// SPDX-License-Identifier: Apache-2.0
// What a run tells its log: Spark's listener events as plain values, as far as a process
// that is driver and executor at once has them. Field by field they are what Apache Spark
// 4.3 writes; what each means is Spark's (docs/formats/event-log.md lists the lines).
// Times are milliseconds since 1970-01-01T00:00:00Z, sizes bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace wheelpit::events {

/// In the order in which they are written. Values whose name or text looks secret are
/// redacted when they are written.
using Properties = std::vector<std::pair<std::string, std::string>>;

/// One value of a metric of a task (`update`, and `value` so far) or of a stage
/// (`value`).
struct Accumulable {
  int64_t id = 0;
  std::string name;
  std::optional<int64_t> update = std::nullopt;
  int64_t value = 0;
  /// A metric of a plan's node: numbers are written as strings then, marked "sql".
  bool is_sql = true;
};

/// What a stage computes, for the graph that a reader draws of it.
struct RddInfo {
  int64_t id = 0;
  std::string name;   ///< of the class, in Spark
  std::string scope;  ///< the operator that it belongs to
  std::vector<int64_t> parent_ids = {};
  int64_t partition_count = 0;
};

struct StageInfo {
  int64_t id = 0;
  int64_t attempt = 0;
  std::string name;
  int64_t task_count = 0;
  std::vector<RddInfo> rdds = {};
  std::vector<int64_t> parent_ids = {};
  std::string details = {};
  std::optional<int64_t> submission_millis = std::nullopt;
  std::optional<int64_t> completion_millis = std::nullopt;
  std::optional<std::string> failure_reason = std::nullopt;
  std::vector<Accumulable> accumulables = {};
};

struct JobStart {
  int64_t job_id = 0;
  int64_t time_millis = 0;
  std::vector<StageInfo> stages;
  /// "spark.sql.execution.id" ties the job to its statement.
  Properties properties;
};

struct JobEnd {
  int64_t job_id = 0;
  int64_t time_millis = 0;
  std::optional<std::string> error = std::nullopt;  ///< set: the job failed
};

struct StageSubmitted {
  StageInfo stage;
  Properties properties;
};

struct StageCompleted {
  StageInfo stage;
};

struct TaskInfo {
  int64_t id = 0;     ///< unique in the application
  int64_t index = 0;  ///< in its stage
  int64_t attempt = 0;
  int64_t partition = 0;
  int64_t launch_millis = 0;
  int64_t finish_millis = 0;  ///< 0 while it runs
  bool failed = false;
  bool killed = false;
  std::vector<Accumulable> accumulables = {};
};

struct TaskStart {
  int64_t stage_id = 0;
  int64_t stage_attempt = 0;
  TaskInfo task;
};

/// How a task ended: nothing set is success.
struct TaskOutcome {
  std::string error_class = {};  ///< of a failure, "DIVIDE_BY_ZERO" or a kind of error
  std::string error = {};        ///< its message
  std::string kill_reason = {};  ///< it was stopped for no fault of its own
  bool ok() const { return error.empty() && kill_reason.empty(); }
};

/// What this engine has of Spark's task metrics; the others are written as zero.
struct TaskMetrics {
  int64_t run_millis = 0;
  int64_t cpu_nanos = 0;
  int64_t peak_memory_bytes = 0;  ///< outside a Java heap
  int64_t result_bytes = 0;
  int64_t memory_bytes_spilled = 0;  ///< as it was in memory
  int64_t disk_bytes_spilled = 0;    ///< as it is on disk
  int64_t shuffle_read_bytes = 0;
  int64_t shuffle_read_records = 0;
  int64_t shuffle_write_bytes = 0;
  int64_t shuffle_write_records = 0;
  int64_t shuffle_write_nanos = 0;
  int64_t input_bytes = 0;
  int64_t input_records = 0;
  int64_t output_bytes = 0;
  int64_t output_records = 0;
};

struct TaskEnd {
  int64_t stage_id = 0;
  int64_t stage_attempt = 0;
  bool last_stage = true;  ///< ResultTask, else ShuffleMapTask
  TaskOutcome outcome;
  TaskInfo task;
  TaskMetrics metrics;
};

enum class PlanMetricType : uint8_t {
  kSum,
  kSize,         ///< bytes
  kMillis,       ///< Spark's "timing"
  kNanos,        ///< Spark's "nsTiming"
  kTenthsOfSum,  ///< Spark's "average": ten times the mean
};

struct PlanMetric {
  std::string name;
  int64_t accumulator_id = 0;  ///< ties values to it
  PlanMetricType type = PlanMetricType::kSum;
};

/// A plan as its graph shows it. Levels below kPlanDepthMax are left out of the log.
struct PlanNode {
  std::string name;         ///< "HashAggregate"
  std::string detail = {};  ///< one line
  std::vector<PlanNode> children = {};
  Properties metadata = {};
  std::vector<PlanMetric> metrics = {};
};
/// Spark's reader refuses JSON more than 1,000 levels deep; a node takes two.
inline constexpr int kPlanDepthMax = 200;

struct SqlExecutionStart {
  int64_t execution_id = 0;
  std::string description;  ///< the statement
  std::string details;
  std::string plan_text;
  PlanNode plan;
  int64_t time_millis = 0;
  Properties changed_settings;
  std::string query_id = {};  ///< a UUID, or empty
};

/// The plan with its metrics' ids, once more, where it became known or another.
struct SqlPlanUpdate {
  int64_t execution_id = 0;
  std::string plan_text;
  PlanNode plan;
};

/// Values of plan metrics that no task counted.
struct DriverAccumUpdates {
  int64_t execution_id = 0;
  std::vector<std::pair<int64_t, int64_t>> updates;  ///< accumulator id and value
};

struct SqlExecutionEnd {
  int64_t execution_id = 0;
  int64_t time_millis = 0;
  std::string error;  ///< empty: it went well
  std::string query_id = {};
};

using Event =
    std::variant<JobStart, JobEnd, StageSubmitted, StageCompleted, TaskStart, TaskEnd,
                 SqlExecutionStart, SqlPlanUpdate, DriverAccumUpdates, SqlExecutionEnd>;

/// Whose log it is: what is written before the first event.
struct Application {
  std::string name = "wheelpit";
  std::string user = {};
  std::string host = "localhost";
  int64_t start_millis = 0;
  int64_t cores = 1;
  int64_t memory_bytes = 0;
  /// Settings, and nothing else of the environment: "Spark Properties" of the log.
  Properties settings = {};
  /// Versions, kernel: "System Properties".
  Properties system = {};
};

/// An event's size in memory, about: what a queue of them is bounded by.
int64_t SizeBytes(const Event& event);

/// Whether somebody who follows a log waits for it. False for what comes in numbers
/// (tasks) or is followed at once by such; the rule is Spark's.
bool IsFlushed(const Event& event);

}  // namespace wheelpit::events
