// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/report.h"

#include <gtest/gtest.h>

#include "wheelpit/core/metrics.h"

namespace wheelpit::cli {
namespace {

using core::Metric;

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    stats_.metrics.assign(static_cast<size_t>(Metric::kMetricCount), 0);
    stats_.seconds = 1.5;
    stats_.plan_seconds = 0.25;
    stats_.cpu_seconds = 2.0;
    stats_.peak_budget_bytes = 64 << 20;
  }
  void Set(Metric metric, int64_t value) {
    stats_.metrics[static_cast<size_t>(metric)] = value;
  }

  engine::QueryStats stats_;
};

TEST_F(ReportTest, OfNoFilesSaysNothingOfFiles) {
  EXPECT_FALSE(HasSpilled(stats_));
  EXPECT_EQ(ReportText(stats_, 1),
            "took     1.500 s (planning 0.250 s, CPU 2.000 s, memory at most 64 MiB), "
            "1 row\n");
}

TEST_F(ReportTest, SaysWhatWasReadWhatWasSpilledWhereAndHowLongStagesTook) {
  Set(Metric::kFilesRead, 3);
  Set(Metric::kFilesPruned, 7);
  Set(Metric::kRowGroupsRead, 4);
  Set(Metric::kRowGroupsPruned, 8);
  Set(Metric::kBytesRead, 12'000'000);
  Set(Metric::kRowsRead, 1000);
  Set(Metric::kSpillBytesWritten, 5'000'000);
  Set(Metric::kSpillBytesRead, 4'000'000);
  Set(Metric::kSpillExtents, 2);
  stats_.spilled_to = {{"/a", 3'100'000}, {"/b\n", 1'900'000}};
  stats_.stages = {{.name = "scan", .seconds = 1, .tasks = 4},
                   {.name = "sort", .seconds = 0.5, .tasks = 1}};
  EXPECT_TRUE(HasSpilled(stats_));
  const std::string text = ReportText(stats_, 0);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "read     12 MB of 3 of 10 files, 4 of 12 row groups, 1000 rows\n"
            "spilled  5 MB in 2 pieces to /a (62%), /b\\n (38%); 4 MB read back\n"
            "stage    scan: 1.000 s, 4 tasks\n"
            "stage    sort: 0.500 s, 1 task\n");
}

}  // namespace
}  // namespace wheelpit::cli
