// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/run_summary.h"

#include <algorithm>

#include "wheelpit/events/json_writer.h"

namespace wheelpit::events {

namespace {

constexpr int kVersion = 1;

void Add(const TaskMetrics& task, TaskMetrics* totals) {
  totals->run_millis += task.run_millis;
  totals->cpu_nanos += task.cpu_nanos;
  totals->peak_memory_bytes = std::max(totals->peak_memory_bytes, task.peak_memory_bytes);
  totals->memory_bytes_spilled += task.memory_bytes_spilled;
  totals->disk_bytes_spilled += task.disk_bytes_spilled;
  totals->shuffle_read_bytes += task.shuffle_read_bytes;
  totals->shuffle_read_records += task.shuffle_read_records;
  totals->shuffle_write_bytes += task.shuffle_write_bytes;
  totals->shuffle_write_records += task.shuffle_write_records;
  totals->input_bytes += task.input_bytes;
  totals->input_records += task.input_records;
  totals->output_bytes += task.output_bytes;
  totals->output_records += task.output_records;
}

void TotalFields(const TaskMetrics& totals, JsonWriter* json) {
  json->Field("Executor Run Time", totals.run_millis);
  json->Field("Executor CPU Time", totals.cpu_nanos);
  json->Field("Peak Execution Memory", totals.peak_memory_bytes);
  json->Field("Memory Bytes Spilled", totals.memory_bytes_spilled);
  json->Field("Disk Bytes Spilled", totals.disk_bytes_spilled);
  json->Field("Shuffle Bytes Read", totals.shuffle_read_bytes);
  json->Field("Shuffle Records Read", totals.shuffle_read_records);
  json->Field("Shuffle Bytes Written", totals.shuffle_write_bytes);
  json->Field("Shuffle Records Written", totals.shuffle_write_records);
  json->Field("Input Bytes", totals.input_bytes);
  json->Field("Input Records", totals.input_records);
  json->Field("Output Bytes", totals.output_bytes);
  json->Field("Output Records", totals.output_records);
}

}  // namespace

void RunSummary::Count(const Event& event) {
  ++events_;
  if (std::holds_alternative<JobStart>(event)) {
    ++jobs_;
  } else if (const auto* job = std::get_if<JobEnd>(&event)) {
    failed_jobs_ += job->error ? 1 : 0;
  } else if (std::holds_alternative<SqlExecutionStart>(event)) {
    ++executions_;
  } else if (const auto* execution = std::get_if<SqlExecutionEnd>(&event)) {
    failed_executions_ += execution->error.empty() ? 0 : 1;
  } else if (const auto* task = std::get_if<TaskEnd>(&event)) {
    CountTask(*task);
  } else if (const auto* completed = std::get_if<StageCompleted>(&event)) {
    const StageInfo& info = completed->stage;
    const std::pair key(info.id, info.attempt);
    if (stages_.size() == kStagesMax && stages_.count(key) == 0) {
      ++stages_left_out_;
      return;
    }
    Stage& stage = stages_[key];
    stage.name = info.name.substr(0, 200);
    stage.submission_millis = info.submission_millis.value_or(0);
    stage.completion_millis = info.completion_millis.value_or(0);
    stage.failed = info.failure_reason.has_value();
  }
}

void RunSummary::CountTask(const TaskEnd& event) {
  const int64_t killed = event.outcome.kill_reason.empty() ? 0 : 1;
  const int64_t failed = event.outcome.ok() || killed != 0 ? 0 : 1;
  ++tasks_;
  failed_tasks_ += failed;
  killed_tasks_ += killed;
  const std::pair key(event.stage_id, event.stage_attempt);
  const auto found = stages_.find(key);
  if (found == stages_.end() && stages_.size() == kStagesMax) {
    return;
  }
  Stage& stage = found == stages_.end() ? stages_[key] : found->second;
  ++stage.tasks;
  stage.failed_tasks += failed;
  stage.killed_tasks += killed;
  Add(event.metrics, &stage.totals);
}

void RunSummary::AppendJson(const Application& application, const LogFile& log,
                            int64_t end_millis, int exit_code, std::string* out) const {
  JsonWriter json(out);
  json.BeginObject();
  json.Field("Event", kRunSummaryEvent);
  json.Field("Version", kVersion);
  json.Field("App ID", log.application_id());
  json.Field("App Name", application.name);
  json.Field("User", application.user);
  json.Field("Start Time", application.start_millis);
  json.Field("End Time", end_millis);
  json.Field("ExitCode", exit_code);
  json.Field("Events", events_);
  json.Field("Lost Tasks", lost_tasks_);
  json.Field("SQL Executions", executions_);
  json.Field("Failed SQL Executions", failed_executions_);
  json.Field("Jobs", jobs_);
  json.Field("Failed Jobs", failed_jobs_);
  json.Field("Tasks", tasks_);
  json.Field("Failed Tasks", failed_tasks_);
  json.Field("Killed Tasks", killed_tasks_);
  json.Field("Stages Left Out", stages_left_out_);
  json.Key("Stages");
  json.BeginArray();
  for (const auto& [key, stage] : stages_) {
    json.BeginObject();
    json.Field("Stage ID", key.first);
    json.Field("Stage Attempt ID", key.second);
    json.Field("Stage Name", stage.name);
    json.Field("Submission Time", stage.submission_millis);
    json.Field("Completion Time", stage.completion_millis);
    json.Field("Failed", stage.failed);
    json.Field("Tasks", stage.tasks);
    json.Field("Failed Tasks", stage.failed_tasks);
    json.Field("Killed Tasks", stage.killed_tasks);
    TotalFields(stage.totals, &json);
    json.EndObject();
  }
  json.EndArray();
  const auto position = [&](const FramePosition& frame) {
    json.BeginArray();
    for (const int64_t number :
         {frame.file, frame.offset, frame.text_bytes, frame.lines}) {
      json.Number(number);
    }
    json.EndArray();
  };
  json.Key("Frames");
  json.BeginArray();
  for (const FramePosition& frame : log.frames()) {
    position(frame);
  }
  json.EndArray();
  json.Key("Frames End");
  position(log.end());
  json.EndObject();
}

}  // namespace wheelpit::events
