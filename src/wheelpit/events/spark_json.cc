// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/spark_json.h"

#include <span>
#include <utility>

#include "wheelpit/events/json_writer.h"
#include "wheelpit/events/redaction.h"

namespace wheelpit::events {

namespace {

constexpr std::string_view kSqlPackage = "org.apache.spark.sql.execution.ui.";

void BeginEvent(std::string_view name, JsonWriter* json) {
  json->BeginObject();
  json->Field("Event", name);
}

void BeginSqlEvent(std::string_view name, JsonWriter* json) {
  BeginEvent(std::string(kSqlPackage) + std::string(name), json);
}

void PropertiesField(std::string_view key, const Properties& properties,
                     JsonWriter* json) {
  json->Key(key);
  json->BeginObject();
  std::string escaped;
  for (const auto& [name, value] : properties) {
    // Names are data here, so they are escaped as strings are.
    escaped.clear();
    JsonWriter(&escaped).String(name);
    json->Key(std::string_view(escaped).substr(1, escaped.size() - 2));
    json->String(LooksSecret(name) || LooksSecret(value) ? kRedacted : value);
  }
  json->EndObject();
}

void NumbersField(std::string_view key, const std::vector<int64_t>& numbers,
                  JsonWriter* json) {
  json->Key(key);
  json->BeginArray();
  for (const int64_t number : numbers) {
    json->Number(number);
  }
  json->EndArray();
}

void ZeroFields(std::span<const std::string_view> names, JsonWriter* json) {
  for (const std::string_view name : names) {
    json->Field(name, 0);
  }
}

void AccumulablesField(const std::vector<Accumulable>& values, JsonWriter* json) {
  json->Key("Accumulables");
  json->BeginArray();
  for (const Accumulable& value : values) {
    const auto number = [&](std::string_view key, int64_t amount) {
      if (value.is_sql) {
        json->Field(key, std::to_string(amount));
      } else {
        json->Field(key, amount);
      }
    };
    json->BeginObject();
    json->Field("ID", value.id);
    json->Field("Name", value.name);
    if (value.update) {
      number("Update", *value.update);
    }
    number("Value", value.value);
    json->Field("Internal", true);
    json->Field("Count Failed Values", true);
    if (value.is_sql) {
      json->Field("Metadata", "sql");
    }
    json->EndObject();
  }
  json->EndArray();
}

void RddField(const RddInfo& rdd, JsonWriter* json) {
  json->BeginObject();
  json->Field("RDD ID", rdd.id);
  json->Field("Name", rdd.name);
  if (!rdd.scope.empty()) {
    std::string scope;  // JSON inside a string of JSON
    JsonWriter inner(&scope);
    inner.BeginObject();
    inner.Field("id", std::to_string(rdd.id));
    inner.Field("name", rdd.scope);
    inner.EndObject();
    json->Field("Scope", scope);
  }
  json->Field("Callsite", "");
  NumbersField("Parent IDs", rdd.parent_ids, json);
  json->Key("Storage Level");
  json->BeginObject();
  json->Field("Use Disk", false);
  json->Field("Use Memory", false);
  json->Field("Use Off Heap", false);
  json->Field("Deserialized", false);
  json->Field("Replication", 1);
  json->EndObject();
  json->Field("Barrier", false);
  json->Field("DeterministicLevel", "DETERMINATE");
  json->Field("Number of Partitions", rdd.partition_count);
  json->Field("Number of Cached Partitions", 0);
  json->Field("Memory Size", 0);
  json->Field("Disk Size", 0);
  json->EndObject();
}

void StageObject(const StageInfo& stage, JsonWriter* json) {
  json->BeginObject();
  json->Field("Stage ID", stage.id);
  json->Field("Stage Attempt ID", stage.attempt);
  json->Field("Stage Name", stage.name);
  json->Field("Number of Tasks", stage.task_count);
  json->Key("RDD Info");
  json->BeginArray();
  for (const RddInfo& rdd : stage.rdds) {
    RddField(rdd, json);
  }
  json->EndArray();
  NumbersField("Parent IDs", stage.parent_ids, json);
  json->Field("Details", stage.details);
  if (stage.submission_millis) {
    json->Field("Submission Time", *stage.submission_millis);
  }
  if (stage.completion_millis) {
    json->Field("Completion Time", *stage.completion_millis);
  }
  if (stage.failure_reason) {
    json->Field("Failure Reason", *stage.failure_reason);
  }
  AccumulablesField(stage.accumulables, json);
  json->Field("Resource Profile Id", 0);
  json->Field("Shuffle Push Enabled", false);
  json->Field("Shuffle Push Mergers Count", 0);
  json->EndObject();
}

void TaskInfoField(const TaskInfo& task, std::string_view host, JsonWriter* json) {
  json->Key("Task Info");
  json->BeginObject();
  json->Field("Task ID", task.id);
  json->Field("Index", task.index);
  json->Field("Attempt", task.attempt);
  json->Field("Partition ID", task.partition);
  json->Field("Launch Time", task.launch_millis);
  json->Field("Executor ID", kExecutorId);
  json->Field("Host", host);
  json->Field("Locality", "PROCESS_LOCAL");
  json->Field("Speculative", false);
  json->Field("Getting Result Time", 0);
  json->Field("Finish Time", task.finish_millis);
  json->Field("Failed", task.failed);
  json->Field("Killed", task.killed);
  AccumulablesField(task.accumulables, json);
  json->EndObject();
}

void OutcomeField(const TaskOutcome& outcome, JsonWriter* json) {
  const auto no_updates = [&] {
    json->Key("Accumulator Updates");
    json->BeginArray();
    json->EndArray();
  };
  json->Key("Task End Reason");
  json->BeginObject();
  if (outcome.ok()) {
    json->Field("Reason", "Success");
  } else if (!outcome.kill_reason.empty()) {
    json->Field("Reason", "TaskKilled");
    json->Field("Kill Reason", outcome.kill_reason);
    no_updates();
  } else {
    json->Field("Reason", "ExceptionFailure");
    json->Field("Class Name", outcome.error_class);
    json->Field("Description", outcome.error);
    json->Key("Stack Trace");
    json->BeginArray();
    json->EndArray();
    json->Field("Full Stack Trace", outcome.error);
    no_updates();
  }
  json->EndObject();
}

// Of a Java process; Spark shows them as unknown when all are zero.
void ExecutorMetricsField(JsonWriter* json) {
  static constexpr std::string_view kNames[] = {"JVMHeapMemory",
                                                "JVMOffHeapMemory",
                                                "OnHeapExecutionMemory",
                                                "OffHeapExecutionMemory",
                                                "OnHeapStorageMemory",
                                                "OffHeapStorageMemory",
                                                "OnHeapUnifiedMemory",
                                                "OffHeapUnifiedMemory",
                                                "DirectPoolMemory",
                                                "MappedPoolMemory",
                                                "ProcessTreeJVMVMemory",
                                                "ProcessTreeJVMRSSMemory",
                                                "ProcessTreePythonVMemory",
                                                "ProcessTreePythonRSSMemory",
                                                "ProcessTreeOtherVMemory",
                                                "ProcessTreeOtherRSSMemory",
                                                "MinorGCCount",
                                                "MinorGCTime",
                                                "MajorGCCount",
                                                "MajorGCTime",
                                                "TotalGCTime",
                                                "ConcurrentGCCount",
                                                "ConcurrentGCTime"};
  json->Key("Task Executor Metrics");
  json->BeginObject();
  ZeroFields(kNames, json);
  json->EndObject();
}

void ShuffleReadField(const TaskMetrics& metrics, JsonWriter* json) {
  static constexpr std::string_view kPush[] = {
      "Corrupt Merged Block Chunks",    "Merged Fetch Fallback Count",
      "Merged Remote Blocks Fetched",   "Merged Local Blocks Fetched",
      "Merged Remote Chunks Fetched",   "Merged Local Chunks Fetched",
      "Merged Remote Bytes Read",       "Merged Local Bytes Read",
      "Merged Remote Requests Duration"};
  static constexpr std::string_view kBefore[] = {
      "Remote Blocks Fetched", "Local Blocks Fetched", "Fetch Wait Time",
      "Remote Bytes Read", "Remote Bytes Read To Disk"};
  json->Key("Shuffle Read Metrics");
  json->BeginObject();
  ZeroFields(kBefore, json);
  json->Field("Local Bytes Read", metrics.shuffle_read_bytes);
  json->Field("Total Records Read", metrics.shuffle_read_records);
  json->Field("Remote Requests Duration", 0);
  json->Key("Push Based Shuffle");
  json->BeginObject();
  ZeroFields(kPush, json);
  json->EndObject();
  json->EndObject();
}

void TaskMetricsField(const TaskMetrics& metrics, JsonWriter* json) {
  json->Key("Task Metrics");
  json->BeginObject();
  json->Field("Executor Deserialize Time", 0);
  json->Field("Executor Deserialize CPU Time", 0);
  json->Field("Executor Run Time", metrics.run_millis);
  json->Field("Executor CPU Time", metrics.cpu_nanos);
  json->Field("Peak Execution Memory", metrics.peak_memory_bytes);
  json->Field("Peak On Heap Execution Memory", 0);
  json->Field("Peak Off Heap Execution Memory", metrics.peak_memory_bytes);
  json->Field("Result Size", metrics.result_bytes);
  json->Field("JVM GC Time", 0);
  json->Field("Result Serialization Time", 0);
  json->Field("Memory Bytes Spilled", metrics.memory_bytes_spilled);
  json->Field("Disk Bytes Spilled", metrics.disk_bytes_spilled);
  ShuffleReadField(metrics, json);
  json->Key("Shuffle Write Metrics");
  json->BeginObject();
  json->Field("Shuffle Bytes Written", metrics.shuffle_write_bytes);
  json->Field("Shuffle Write Time", metrics.shuffle_write_nanos);
  json->Field("Shuffle Records Written", metrics.shuffle_write_records);
  json->EndObject();
  json->Key("Input Metrics");
  json->BeginObject();
  json->Field("Bytes Read", metrics.input_bytes);
  json->Field("Records Read", metrics.input_records);
  json->EndObject();
  json->Key("Output Metrics");
  json->BeginObject();
  json->Field("Bytes Written", metrics.output_bytes);
  json->Field("Records Written", metrics.output_records);
  json->EndObject();
  json->Key("Updated Blocks");
  json->BeginArray();
  json->EndArray();
  json->EndObject();
}

std::string_view NameOf(PlanMetricType type) {
  switch (type) {
    case PlanMetricType::kSum:
      return "sum";
    case PlanMetricType::kSize:
      return "size";
    case PlanMetricType::kMillis:
      return "timing";
    case PlanMetricType::kNanos:
      return "nsTiming";
    case PlanMetricType::kTenthsOfSum:
      return "average";
  }
  return "sum";
}

void PlanObject(const PlanNode& node, int depth, JsonWriter* json) {
  json->BeginObject();
  json->Field("nodeName", node.name);
  json->Field("simpleString", node.detail);
  json->Key("children");
  json->BeginArray();
  if (depth < kPlanDepthMax) {
    for (const PlanNode& child : node.children) {
      PlanObject(child, depth + 1, json);
    }
  }
  json->EndArray();
  PropertiesField("metadata", node.metadata, json);
  json->Key("metrics");
  json->BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    json->BeginObject();
    json->Field("name", metric.name);
    json->Field("accumulatorId", metric.accumulator_id);
    json->Field("metricType", NameOf(metric.type));
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void QueryIdField(const std::string& query_id, JsonWriter* json) {
  json->Key("queryId");
  if (query_id.empty()) {
    json->Null();
  } else {
    json->String(query_id);
  }
}

// One function for each event, from its first field to its last.
struct EventWriter {
  std::string_view host;
  JsonWriter* json;

  void operator()(const JobStart& event) const {
    BeginEvent("SparkListenerJobStart", json);
    json->Field("Job ID", event.job_id);
    json->Field("Submission Time", event.time_millis);
    json->Key("Stage Infos");
    json->BeginArray();
    std::vector<int64_t> ids;
    for (const StageInfo& stage : event.stages) {
      StageObject(stage, json);
      ids.push_back(stage.id);
    }
    json->EndArray();
    NumbersField("Stage IDs", ids, json);
    PropertiesField("Properties", event.properties, json);
  }

  void operator()(const JobEnd& event) const {
    BeginEvent("SparkListenerJobEnd", json);
    json->Field("Job ID", event.job_id);
    json->Field("Completion Time", event.time_millis);
    json->Key("Job Result");
    json->BeginObject();
    json->Field("Result", event.error ? "JobFailed" : "JobSucceeded");
    if (event.error) {
      json->Key("Exception");
      json->BeginObject();
      json->Field("Message", *event.error);
      json->Key("Stack Trace");
      json->BeginArray();
      json->EndArray();
      json->EndObject();
    }
    json->EndObject();
  }

  void operator()(const StageSubmitted& event) const {
    BeginEvent("SparkListenerStageSubmitted", json);
    json->Key("Stage Info");
    StageObject(event.stage, json);
    PropertiesField("Properties", event.properties, json);
  }

  void operator()(const StageCompleted& event) const {
    BeginEvent("SparkListenerStageCompleted", json);
    json->Key("Stage Info");
    StageObject(event.stage, json);
  }

  void operator()(const TaskStart& event) const {
    BeginEvent("SparkListenerTaskStart", json);
    json->Field("Stage ID", event.stage_id);
    json->Field("Stage Attempt ID", event.stage_attempt);
    TaskInfoField(event.task, host, json);
  }

  void operator()(const TaskEnd& event) const {
    BeginEvent("SparkListenerTaskEnd", json);
    json->Field("Stage ID", event.stage_id);
    json->Field("Stage Attempt ID", event.stage_attempt);
    json->Field("Task Type", event.last_stage ? "ResultTask" : "ShuffleMapTask");
    OutcomeField(event.outcome, json);
    TaskInfoField(event.task, host, json);
    ExecutorMetricsField(json);
    TaskMetricsField(event.metrics, json);
  }

  void operator()(const SqlExecutionStart& event) const {
    BeginSqlEvent("SparkListenerSQLExecutionStart", json);
    json->Field("executionId", event.execution_id);
    json->Field("rootExecutionId", event.execution_id);
    json->Field("description", event.description);
    json->Field("details", event.details);
    json->Field("physicalPlanDescription", event.plan_text);
    json->Key("sparkPlanInfo");
    PlanObject(event.plan, 0, json);
    json->Field("time", event.time_millis);
    PropertiesField("modifiedConfigs", event.changed_settings, json);
    json->Key("jobTags");
    json->BeginArray();
    json->EndArray();
    json->Key("jobGroupId");
    json->Null();
    QueryIdField(event.query_id, json);
  }

  void operator()(const SqlPlanUpdate& event) const {
    BeginSqlEvent("SparkListenerSQLAdaptiveExecutionUpdate", json);
    json->Field("executionId", event.execution_id);
    json->Field("physicalPlanDescription", event.plan_text);
    json->Key("sparkPlanInfo");
    PlanObject(event.plan, 0, json);
  }

  void operator()(const DriverAccumUpdates& event) const {
    BeginSqlEvent("SparkListenerDriverAccumUpdates", json);
    json->Field("executionId", event.execution_id);
    json->Key("accumUpdates");
    json->BeginArray();
    for (const auto& [id, value] : event.updates) {
      json->BeginArray();
      json->Number(id);
      json->Number(value);
      json->EndArray();
    }
    json->EndArray();
  }

  void operator()(const SqlExecutionEnd& event) const {
    BeginSqlEvent("SparkListenerSQLExecutionEnd", json);
    json->Field("executionId", event.execution_id);
    json->Field("time", event.time_millis);
    json->Field("errorMessage", event.error);
    QueryIdField(event.query_id, json);
  }
};

void ResourceProfile(const Application& application, JsonWriter* json) {
  const auto request = [&](std::string_view name, int64_t amount) {
    json->Key(name);
    json->BeginObject();
    json->Field("Resource Name", name);
    json->Field("Amount", amount);
    json->Field("Discovery Script", "");
    json->Field("Vendor", "");
    json->EndObject();
  };
  BeginEvent("SparkListenerResourceProfileAdded", json);
  json->Field("Resource Profile Id", 0);
  json->Key("Executor Resource Requests");
  json->BeginObject();
  request("cores", application.cores);
  request("memory", application.memory_bytes >> 20);
  request("offHeap", 0);
  json->EndObject();
  json->Key("Task Resource Requests");
  json->BeginObject();
  json->Key("cpus");
  json->BeginObject();
  json->Field("Resource Name", "cpus");
  json->Key("Amount");
  json->Double(1);
  json->EndObject();
  json->EndObject();
}

void ExecutorAdded(const Application& application, JsonWriter* json) {
  BeginEvent("SparkListenerExecutorAdded", json);
  json->Field("Timestamp", application.start_millis);
  json->Field("Executor ID", kExecutorId);
  json->Key("Executor Info");
  json->BeginObject();
  json->Field("Host", application.host);
  json->Field("Total Cores", application.cores);
  PropertiesField("Log Urls", {}, json);
  PropertiesField("Attributes", {}, json);
  PropertiesField("Resources", {}, json);
  json->Field("Resource Profile Id", 0);
  json->EndObject();
}

void BlockManagerAdded(const Application& application, JsonWriter* json) {
  BeginEvent("SparkListenerBlockManagerAdded", json);
  json->Key("Block Manager ID");
  json->BeginObject();
  json->Field("Executor ID", kExecutorId);
  json->Field("Host", application.host);
  json->Field("Port", 1);  // Spark takes no 0, and nothing listens here.
  json->EndObject();
  json->Field("Maximum Memory", application.memory_bytes);
  json->Field("Timestamp", application.start_millis);
  json->Field("Maximum Onheap Memory", 0);
  json->Field("Maximum Offheap Memory", application.memory_bytes);
}

void EnvironmentUpdate(const Application& application, std::string_view application_id,
                       JsonWriter* json) {
  Properties settings = {
      {"spark.app.id", std::string(application_id)},
      {"spark.app.name", application.name},
      {"spark.master", "local[" + std::to_string(application.cores) + "]"}};
  settings.insert(settings.end(), application.settings.begin(),
                  application.settings.end());
  BeginEvent("SparkListenerEnvironmentUpdate", json);
  // Spark's page of the environment wants these three.
  PropertiesField(
      "JVM Information",
      {{"Java Home", "none"}, {"Java Version", "none"}, {"Scala Version", "none"}}, json);
  PropertiesField("Spark Properties", settings, json);
  PropertiesField("Hadoop Properties", {}, json);
  PropertiesField("System Properties", application.system, json);
  PropertiesField("Metrics Properties", {}, json);
  PropertiesField("Classpath Entries", {}, json);
}

}  // namespace

void AppendJson(const Event& event, std::string_view host, std::string* out) {
  JsonWriter json(out);
  std::visit(EventWriter{.host = host, .json = &json}, event);
  json.EndObject();
}

void AppendPreamble(const Application& application, std::string_view application_id,
                    std::string* out) {
  const auto line = [out](const auto& write) {
    JsonWriter json(out);
    write(&json);
    json.EndObject();
    *out += '\n';
  };
  line([](JsonWriter* json) {
    BeginEvent("SparkListenerLogStart", json);
    json->Field("Spark Version", kSparkVersion);
  });
  line([&](JsonWriter* json) { ResourceProfile(application, json); });
  line([&](JsonWriter* json) { ExecutorAdded(application, json); });
  line([&](JsonWriter* json) { BlockManagerAdded(application, json); });
  line([&](JsonWriter* json) { EnvironmentUpdate(application, application_id, json); });
  line([&](JsonWriter* json) {
    BeginEvent("SparkListenerApplicationStart", json);
    json->Field("App Name", application.name);
    json->Field("App ID", application_id);
    json->Field("Timestamp", application.start_millis);
    json->Field("User", application.user);
  });
}

void AppendApplicationEnd(int64_t time_millis, int exit_code, std::string* out) {
  JsonWriter json(out);
  BeginEvent("SparkListenerApplicationEnd", &json);
  json.Field("Timestamp", time_millis);
  json.Field("ExitCode", exit_code);
  json.EndObject();
}

}  // namespace wheelpit::events
