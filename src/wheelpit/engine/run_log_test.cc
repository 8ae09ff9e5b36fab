// SPDX-License-Identifier: Apache-2.0
// What the statements of a session leave in the event log.
#include "wheelpit/engine/run_log.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "wheelpit/engine/session.h"
#include "wheelpit/events/sample_run.h"

namespace wheelpit::engine {

namespace {

using core::ConfigKey;

const std::string kOrders = std::string("'") + WHEELPIT_ORDERS + "'";

class RunLogTest : public testing::Test {
 protected:
  RunLogTest() {
    Set(ConfigKey::kMemoryLimit, "256MiB");
    Set(ConfigKey::kComputeThreads, "2");
    Set(ConfigKey::kSpillDirectories, folder_.path());
    Set(ConfigKey::kEventsDirectory, folder_.path() + "/logs");
  }

  void Set(ConfigKey key, const std::string& text) {
    ASSERT_TRUE(config_.Set(key, text, core::ConfigSource::kFlag).ok());
  }

  // Runs statements one after the other, whatever comes of them.
  void Run(const std::vector<std::string>& statements) {
    auto engine = Engine::Make(config_, {.user = "somebody"}).ValueOrDie();
    auto session = engine->MakeSession().ValueOrDie();
    for (const std::string& statement : statements) {
      auto query = session->Submit(statement);
      while (query.ok()) {
        const auto batch = (*query)->Next();
        if (!batch.ok() || *batch == nullptr) {
          break;
        }
      }
      if (query.ok()) {
        stats_.push_back((*query)->stats());
      }
    }
    session.reset();
    ASSERT_TRUE(engine->FinishLog(3, 60'000).ok());
  }

  std::vector<std::string> Lines() {
    const auto logs = events::NamesIn(folder_.path() + "/logs");
    for (const std::string& log : logs) {
      if (log.starts_with("eventlog_v2_")) {
        return events::LinesOf(events::ReadLog(folder_.path() + "/logs/" + log).text);
      }
    }
    return {};
  }

  // Lines of the event of that name.
  std::vector<std::string> LinesOf(std::string_view event) {
    std::vector<std::string> found;
    for (const std::string& line : Lines()) {
      if (line.substr(0, line.find(',')).ends_with(std::string(event) + "\"")) {
        found.push_back(line);
      }
    }
    return found;
  }

  static std::string After(const std::string& line, const std::string& key,
                           size_t from = 0) {
    const size_t at = line.find(key, from);
    if (at == std::string::npos) {
      return "";
    }
    const size_t begin = at + key.size();
    return line.substr(begin, line.find_first_of(",}\"", begin) - begin);
  }

  events::TemporaryFolder folder_;
  core::Config config_;
  std::vector<QueryStats> stats_;
};

TEST_F(RunLogTest, StatementIsAnExecutionWithOneJobAndItsStagesAndTasks) {
  Run({"SELECT count(*) FROM " + kOrders + " WHERE l_quantity > 1"});
  std::map<std::string, int> counts;
  for (const std::string& line : Lines()) {
    ++counts[After(line, "\"Event\":\"")];
  }
  const std::string sql = "org.apache.spark.sql.execution.ui.SparkListener";
  EXPECT_EQ(counts[sql + "SQLExecutionStart"], 1);
  EXPECT_EQ(counts[sql + "DriverAccumUpdates"], 1);
  EXPECT_EQ(counts[sql + "SQLExecutionEnd"], 1);
  EXPECT_EQ(counts["SparkListenerJobStart"], 1);
  EXPECT_EQ(counts["SparkListenerStageSubmitted"], 2);
  EXPECT_EQ(counts["SparkListenerStageCompleted"], 2);
  EXPECT_EQ(counts["SparkListenerTaskStart"], counts["SparkListenerTaskEnd"]);
  EXPECT_EQ(counts["SparkListenerJobEnd"], 1);
  EXPECT_EQ(counts["SparkListenerApplicationEnd"], 1);
  EXPECT_EQ(counts["org.wheelpit.events.RunSummary"], 1);
  EXPECT_EQ(After(LinesOf("SparkListenerApplicationEnd")[0], "\"ExitCode\":"), "3");
  EXPECT_EQ(After(LinesOf("SparkListenerApplicationStart")[0], "\"User\":\""),
            "somebody");
}

TEST_F(RunLogTest, TasksAddUpToWhatTheStatementCounted) {
  Run({"SELECT count(*) FROM " + kOrders + " WHERE l_quantity > 1"});
  std::map<std::string, int64_t> sums;
  for (const std::string& line : LinesOf("SparkListenerTaskEnd")) {
    sums["rows"] += std::stoll(After(line, "\"Records Read\":", line.find("Input")));
    sums["bytes"] += std::stoll(After(line, "\"Bytes Read\":", line.find("Input Met")));
    sums["cpu"] += std::stoll(After(line, "\"Executor CPU Time\":"));
    ++sums["tasks"];
    const size_t shown = line.find("\"Name\":\"number of output rows\"");
    if (shown != std::string::npos) {
      sums["shown"] += std::stoll(After(line, "\"Update\":\"", shown));
    }
  }
  const auto counted = [&](core::Metric metric) {
    return stats_[0].metrics[static_cast<size_t>(metric)];
  };
  EXPECT_GT(sums["rows"], 0);
  EXPECT_EQ(sums["rows"], counted(core::Metric::kRowsRead));
  EXPECT_EQ(sums["shown"], counted(core::Metric::kRowsRead));
  // Footers are read before there are tasks.
  EXPECT_GT(sums["bytes"], 0);
  EXPECT_LT(sums["bytes"], counted(core::Metric::kBytesRead));
  EXPECT_EQ(sums["tasks"], counted(core::Metric::kTasks));
  EXPECT_EQ(sums["cpu"], counted(core::Metric::kComputeNanos));
}

TEST_F(RunLogTest, TasksSayWhatTheyHaveSpilled) {
  Set(ConfigKey::kMemoryLimit, "36MiB");
  std::string rows = "SELECT * FROM " + kOrders;
  for (int i = 0; i < 39; ++i) {
    rows += " UNION ALL SELECT * FROM " + kOrders;
  }
  Run({"SELECT count(*) FROM (SELECT name, id + price AS k, day FROM (" + rows +
       ") AS u ORDER BY price, name LIMIT 2000000) AS s"});
  int64_t spilled = 0;
  int64_t shown = 0;
  for (const std::string& line : LinesOf("SparkListenerTaskEnd")) {
    spilled += std::stoll(After(line, "\"Disk Bytes Spilled\":"));
    const size_t at = line.find("\"Name\":\"spill size\"");
    shown += at == std::string::npos ? 0 : std::stoll(After(line, "\"Update\":\"", at));
  }
  EXPECT_GT(spilled, 0);
  EXPECT_EQ(spilled, shown);
  EXPECT_EQ(spilled,
            stats_[0].metrics[static_cast<size_t>(core::Metric::kSpillBytesWritten)]);
}

TEST_F(RunLogTest, FailureIsThatOfTaskStageJobAndExecution) {
  Run({"SELECT max(1 / (id - id)) FROM " + kOrders});
  const auto has = [&](std::string_view event, const std::string& part) {
    const auto lines = LinesOf(event);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("SparkListenerTaskEnd", "\"Class Name\":\"DIVIDE_BY_ZERO\""));
  EXPECT_TRUE(has("SparkListenerStageCompleted", "\"Failure Reason\":\""));
  EXPECT_TRUE(has("SparkListenerJobEnd", "\"Result\":\"JobFailed\""));
  EXPECT_FALSE(has("SparkListenerSQLExecutionEnd", "\"errorMessage\":\"\""));
  EXPECT_EQ(LinesOf("SparkListenerStageSubmitted").size(),
            LinesOf("SparkListenerStageCompleted").size());
  EXPECT_EQ(LinesOf("SparkListenerTaskStart").size(),
            LinesOf("SparkListenerTaskEnd").size());
}

TEST_F(RunLogTest, WhatIsRefusedInPlanningHasNoJob) {
  Run({"SELECT no_such FROM " + kOrders});
  EXPECT_TRUE(LinesOf("SparkListenerJobStart").empty());
  ASSERT_EQ(LinesOf("SparkListenerSQLExecutionStart").size(), 1u);
  const auto ends = LinesOf("SparkListenerSQLExecutionEnd");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_NE(ends[0].find("no_such"), std::string::npos);
}

TEST_F(RunLogTest, SettingsThatASessionChangedAreToldWithLaterStatements) {
  Run({"SET scan.batch_rows = 100", "SELECT 1"});
  const auto starts = LinesOf("SparkListenerSQLExecutionStart");
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_NE(starts[0].find("\"nodeName\":\"ExecutedCommand\""), std::string::npos);
  EXPECT_NE(starts[1].find("\"modifiedConfigs\":{\"scan.batch_rows\":\"100\"}"),
            std::string::npos);
  EXPECT_EQ(After(starts[1], "\"executionId\":"), "1");
}

TEST_F(RunLogTest, NothingIsWrittenWhereNoneIsWanted) {
  for (const char* directory : {"none", "auto"}) {
    Set(ConfigKey::kEventsDirectory, directory);
    Run({"SELECT 1"});
  }
  EXPECT_TRUE(events::NamesIn(folder_.path()).empty());
}

}  // namespace

}  // namespace wheelpit::engine
