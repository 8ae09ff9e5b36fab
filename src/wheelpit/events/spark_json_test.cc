// SPDX-License-Identifier: Apache-2.0
// The golden log (event_log_test.cc) has every field; that it is what Spark writes and
// reads is checked by tests/interop/spark_events. Here is what it cannot show.
#include "wheelpit/events/spark_json.h"

#include <string>

#include <gtest/gtest.h>

#include "wheelpit/events/redaction.h"
#include "wheelpit/events/sample_run.h"

namespace wheelpit::events {
namespace {

std::string JsonOf(const Event& event) {
  std::string line;
  AppendJson(event, "mill", &line);
  return line;
}

TEST(SparkJson, RedactsByNameAndByValueWhereverPropertiesAre) {
  const std::string job = JsonOf(
      JobStart{.job_id = 0,
               .time_millis = 0,
               .stages = {},
               .properties = {{"x.password", "opensesame"}, {"x.url", "?token=abc"}}});
  EXPECT_EQ(job.find("opensesame"), std::string::npos) << job;
  EXPECT_EQ(job.find("abc"), std::string::npos) << job;
  EXPECT_NE(job.find(kRedacted), std::string::npos) << job;
}

TEST(SparkJson, LeavesOutLevelsOfAPlanThatNoReaderTakes) {
  SqlPlanUpdate update{.execution_id = 0, .plan_text = "", .plan = {.name = "leaf"}};
  for (int i = 0; i < 1000; ++i) {
    PlanNode above{.name = "Union"};
    above.children.push_back(std::move(update.plan));
    update.plan = std::move(above);
  }
  const std::string line = JsonOf(update);
  EXPECT_EQ(line.find("leaf"), std::string::npos);
  size_t levels = 0;
  for (size_t at = 0; (at = line.find("Union", at)) != std::string::npos; ++at) {
    ++levels;
  }
  EXPECT_EQ(levels, static_cast<size_t>(kPlanDepthMax) + 1);
}

TEST(SparkJson, KeepsOneLineForEachEvent) {
  for (const Event& event : SampleEvents()) {
    EXPECT_EQ(JsonOf(event).find('\n'), std::string::npos);
  }
}

TEST(EventSize, CountsWhatStringsHold) {
  SqlExecutionEnd end{.execution_id = 0, .time_millis = 0, .error = ""};
  const int64_t empty = SizeBytes(end);
  end.error = std::string(100000, 'x');
  EXPECT_EQ(SizeBytes(end), empty + 100000);
}

TEST(EventFlush, WaitsForNothingOfATask) {
  EXPECT_FALSE(IsFlushed(TaskStart{}));
  EXPECT_FALSE(IsFlushed(TaskEnd{}));
  EXPECT_FALSE(IsFlushed(StageSubmitted{}));
  EXPECT_TRUE(IsFlushed(StageCompleted{}));
  EXPECT_TRUE(IsFlushed(SqlExecutionStart{}));
}

}  // namespace
}  // namespace wheelpit::events
