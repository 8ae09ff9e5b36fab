// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/sample_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include <arrow/result.h>
#include <arrow/util/compression.h>

namespace wheelpit::events {

namespace {

constexpr int64_t kStart = 1'700'000'000'000;

StageInfo Stage(int64_t id, int64_t tasks, std::vector<int64_t> parents) {
  StageInfo stage{.id = id, .name = "stage " + std::to_string(id), .task_count = tasks};
  stage.rdds = {
      {.id = 2 * id + 1,
       .name = "HashAggregate",
       .scope = "HashAggregate \"partial\"",
       .parent_ids = {2 * id},
       .partition_count = tasks},
      {.id = 2 * id, .name = "FileScan", .scope = "", .partition_count = tasks}};
  stage.parent_ids = std::move(parents);
  stage.details = "details of\n\tthe stage";
  return stage;
}

StageInfo Submitted(StageInfo stage, int64_t millis) {
  stage.submission_millis = kStart + millis;
  return stage;
}

StageInfo Completed(StageInfo stage, int64_t submitted, int64_t completed,
                    std::vector<Accumulable> values) {
  stage.submission_millis = kStart + submitted;
  stage.completion_millis = kStart + completed;
  stage.accumulables = std::move(values);
  return stage;
}

TaskInfo Task(int64_t id, int64_t index, int64_t launch) {
  return {.id = id, .index = index, .partition = index, .launch_millis = kStart + launch};
}

TaskInfo Finished(TaskInfo task, int64_t finish) {
  task.finish_millis = kStart + finish;
  task.accumulables = {
      {.id = 7, .name = "number of output rows", .update = 40, .value = 40 * task.id},
      {.id = 9000,
       .name = "internal.metrics.executorRunTime",
       .update = 12,
       .value = 13,
       .is_sql = false}};
  return task;
}

TaskMetrics AllMetrics() {
  return {.run_millis = 12,
          .cpu_nanos = 11'000'001,
          .peak_memory_bytes = int64_t{5} << 30,
          .result_bytes = 100,
          .memory_bytes_spilled = 4001,
          .disk_bytes_spilled = 2001,
          .shuffle_read_bytes = 31,
          .shuffle_read_records = 32,
          .shuffle_write_bytes = 41,
          .shuffle_write_records = 42,
          .shuffle_write_nanos = 43,
          .input_bytes = 51,
          .input_records = 52,
          .output_bytes = 61,
          .output_records = 62};
}

PlanNode Plan() {
  PlanNode scan{.name = "Scan parquet ",
                .detail = "FileScan parquet [a#0] \xf0\x9f\x8c\x8a"};
  scan.metadata = {{"Location", "[file:/data/\"x\"]"}, {"ReadSchema", "struct<a:int>"}};
  scan.metrics = {{"number of output rows", 1, PlanMetricType::kSum},
                  {"size of files read", 2, PlanMetricType::kSize},
                  {"scan time", 3, PlanMetricType::kMillis},
                  {"decode time", 4, PlanMetricType::kNanos},
                  {"avg hash probe", 5, PlanMetricType::kTenthsOfSum}};
  PlanNode aggregate{.name = "HashAggregate", .detail = "HashAggregate(keys=[a#0])"};
  aggregate.children = {std::move(scan)};
  aggregate.metrics = {{"number of output rows", 7, PlanMetricType::kSum}};
  return aggregate;
}

void AddTasks(std::vector<Event>* events) {
  events->push_back(TaskStart{.stage_id = 0, .task = Task(0, 0, 30)});
  events->push_back(TaskStart{.stage_id = 0, .task = Task(1, 1, 31)});
  events->push_back(TaskEnd{.stage_id = 0,
                            .last_stage = false,
                            .outcome = {},
                            .task = Finished(Task(1, 1, 31), 60),
                            .metrics = AllMetrics()});
  events->push_back(TaskEnd{.stage_id = 0,
                            .last_stage = false,
                            .outcome = {},
                            .task = Finished(Task(0, 0, 30), 61),
                            .metrics = AllMetrics()});
}

void AddFirstStatement(std::vector<Event>* events) {
  events->push_back(SqlExecutionStart{
      .execution_id = 0,
      .description = "SELECT \"a\", '\\' -- \x01\x7f\xff \xc3\xa9 \xf0\x9f\x8c\x8a\n",
      .details = "",
      .plan_text = "== Physical Plan ==\nHashAggregate (1)\n+- Scan parquet  (2)\n",
      .plan = Plan(),
      .time_millis = kStart + 10,
      .changed_settings = {{"session.time_zone", "UTC"}, {"my.password", "1234"}},
      .query_id = "01a22eb8-bdda-7f75-be9e-d00de85801ce"});
  const Properties properties = {{"spark.sql.execution.id", "0"}};
  const StageInfo first = Stage(0, 2, {});
  const StageInfo second = Stage(1, 1, {0});
  events->push_back(JobStart{.job_id = 0,
                             .time_millis = kStart + 20,
                             .stages = {first, second},
                             .properties = properties});
  events->push_back(
      StageSubmitted{.stage = Submitted(first, 25), .properties = properties});
  AddTasks(events);
  events->push_back(StageCompleted{
      .stage = Completed(first, 25, 62,
                         {{.id = 7, .name = "number of output rows", .value = 80}})});
  events->push_back(
      StageSubmitted{.stage = Submitted(second, 63), .properties = properties});
  events->push_back(TaskStart{.stage_id = 1, .task = Task(2, 0, 64)});
  events->push_back(TaskEnd{.stage_id = 1,
                            .outcome = {},
                            .task = Finished(Task(2, 0, 64), 70),
                            .metrics = AllMetrics()});
  events->push_back(StageCompleted{.stage = Completed(second, 63, 71, {})});
  events->push_back(JobEnd{.job_id = 0, .time_millis = kStart + 72});
  events->push_back(DriverAccumUpdates{.execution_id = 0,
                                       .updates = {{2, 123456}, {3, int64_t{1} << 40}}});
  events->push_back(SqlPlanUpdate{
      .execution_id = 0, .plan_text = "== Physical Plan ==\n", .plan = Plan()});
  events->push_back(SqlExecutionEnd{.execution_id = 0,
                                    .time_millis = kStart + 75,
                                    .error = "",
                                    .query_id = "01a22eb8-bdda-7f75-be9e-d00de85801ce"});
}

void AddFailedStatement(std::vector<Event>* events) {
  events->push_back(SqlExecutionStart{.execution_id = 1,
                                      .description = "SELECT 1 / 0",
                                      .details = "",
                                      .plan_text = "",
                                      .plan = {.name = "Project", .detail = ""},
                                      .time_millis = kStart + 80,
                                      .changed_settings = {}});
  const Properties properties = {{"spark.sql.execution.id", "1"}};
  const StageInfo stage = Stage(2, 2, {});
  events->push_back(JobStart{.job_id = 1,
                             .time_millis = kStart + 81,
                             .stages = {stage},
                             .properties = properties});
  events->push_back(
      StageSubmitted{.stage = Submitted(stage, 81), .properties = properties});
  events->push_back(TaskStart{.stage_id = 2, .task = Task(3, 0, 82)});
  events->push_back(TaskStart{.stage_id = 2, .task = Task(4, 1, 82)});
  TaskInfo failed = Finished(Task(3, 0, 82), 84);
  failed.failed = true;
  events->push_back(TaskEnd{
      .stage_id = 2,
      .outcome = {.error_class = "DIVIDE_BY_ZERO", .error = "division by zero\nline 1"},
      .task = std::move(failed),
      .metrics = {}});
  TaskInfo killed = Finished(Task(4, 1, 82), 85);
  killed.killed = true;
  events->push_back(TaskEnd{.stage_id = 2,
                            .outcome = {.kill_reason = "the query has failed"},
                            .task = std::move(killed),
                            .metrics = {}});
  StageInfo completed = Completed(stage, 81, 86, {});
  completed.failure_reason = "division by zero";
  events->push_back(StageCompleted{.stage = std::move(completed)});
  events->push_back(
      JobEnd{.job_id = 1, .time_millis = kStart + 87, .error = "division by zero"});
  events->push_back(SqlExecutionEnd{
      .execution_id = 1, .time_millis = kStart + 88, .error = "division by zero"});
}

std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Appends the frames of one file; what is left of it is no whole frame.
void AppendFrames(const std::string& bytes, LogText* log) {
  const auto codec = arrow::util::Codec::Create(arrow::Compression::ZSTD).ValueOrDie();
  std::vector<uint8_t> piece(1 << 16);
  int64_t at = 0;
  const auto size = static_cast<int64_t>(bytes.size());
  while (at < size) {
    const auto frame = codec->MakeDecompressor().ValueOrDie();
    std::string text;
    while (!frame->IsFinished()) {
      const auto step = frame->Decompress(
          size - at, reinterpret_cast<const uint8_t*>(bytes.data()) + at,
          static_cast<int64_t>(piece.size()), piece.data());
      if (!step.ok() || (step->bytes_read == 0 && step->bytes_written == 0)) {
        log->whole = false;
        return;
      }
      at += step->bytes_read;
      text.append(reinterpret_cast<const char*>(piece.data()),
                  static_cast<size_t>(step->bytes_written));
    }
    log->text += text;
    ++log->frames;
  }
}

}  // namespace

Application SampleApplication() {
  Application application{.user = "nobody", .start_millis = kStart, .cores = 2};
  application.memory_bytes = 64 << 20;
  application.settings = {{"memory.limit", "64MiB"},
                          {"s3.secret_key", "hidden"},
                          {"spill.directories", "/tmp/a \"b\",/tmp/c"}};
  application.system = {{"wheelpit.version", "0.1.0"}};
  return application;
}

std::vector<Event> SampleEvents() {
  std::vector<Event> events;
  AddFirstStatement(&events);
  AddFailedStatement(&events);
  return events;
}

LogText ReadLog(const std::string& folder) {
  LogText log;
  const std::string name = std::filesystem::path(folder).filename();
  const std::string id = name.substr(name.find("v2_") + 3);
  for (int64_t file = 1; log.whole; ++file) {
    const auto path = std::filesystem::path(folder) /
                      ("events_" + std::to_string(file) + "_" + id + ".zstd");
    if (!std::filesystem::exists(path)) {
      break;
    }
    ++log.files;
    AppendFrames(FileText(path), &log);
  }
  return log;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TemporaryFolder::TemporaryFolder()
    : path_(testing::TempDir() + "wheelpit_events_XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace wheelpit::events
