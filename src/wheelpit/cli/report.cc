// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/report.h"

#include <cstdio>

#include "wheelpit/cli/result_writer.h"
#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/metrics.h"

namespace wheelpit::cli {

namespace {

using core::Metric;

int64_t Get(const engine::QueryStats& stats, Metric metric) {
  const auto index = static_cast<size_t>(metric);
  return index < stats.metrics.size() ? stats.metrics[index] : 0;
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

std::string ReadLine(const engine::QueryStats& stats) {
  const int64_t files = Get(stats, Metric::kFilesRead);
  const int64_t pruned = Get(stats, Metric::kFilesPruned);
  const int64_t groups = Get(stats, Metric::kRowGroupsRead);
  const int64_t groups_pruned = Get(stats, Metric::kRowGroupsPruned);
  return "read     " + core::FormatByteSize(Get(stats, Metric::kBytesRead)) + " of " +
         std::to_string(files) + " of " + core::Counted(files + pruned, "file") + ", " +
         std::to_string(groups) + " of " +
         core::Counted(groups + groups_pruned, "row group") + ", " +
         core::Counted(Get(stats, Metric::kRowsRead), "row") + "\n";
}

std::string SpillLine(const engine::QueryStats& stats) {
  const int64_t bytes = Get(stats, Metric::kSpillBytesWritten);
  std::string line = "spilled  " + core::FormatByteSize(bytes) + " in " +
                     core::Counted(Get(stats, Metric::kSpillExtents), "piece") + " to ";
  for (size_t i = 0; i < stats.spilled_to.size(); ++i) {
    const auto& [directory, part] = stats.spilled_to[i];
    line += (i == 0 ? "" : ", ") + Printable(directory);
    if (stats.spilled_to.size() > 1) {
      line += " (" + std::to_string((part * 100 + bytes / 2) / bytes) + "%)";
    }
  }
  return line + "; " + core::FormatByteSize(Get(stats, Metric::kSpillBytesRead)) +
         " read back\n";
}

}  // namespace

bool HasSpilled(const engine::QueryStats& stats) {
  return Get(stats, Metric::kSpillBytesWritten) > 0;
}

std::string ReportText(const engine::QueryStats& stats, int64_t rows) {
  std::string text = "took     " + Seconds(stats.seconds) + " (planning " +
                     Seconds(stats.plan_seconds) + ", CPU " + Seconds(stats.cpu_seconds) +
                     ", memory at most " + core::FormatByteSize(stats.peak_budget_bytes) +
                     "), " + core::Counted(rows, "row") + "\n";
  if (Get(stats, Metric::kFilesRead) + Get(stats, Metric::kFilesPruned) > 0) {
    text += ReadLine(stats);
  }
  if (HasSpilled(stats)) {
    text += SpillLine(stats);
  }
  for (const engine::StageTimes& stage : stats.stages) {
    text += "stage    " + stage.name + ": " + Seconds(stage.seconds) + ", " +
            core::Counted(stage.tasks, "task") + "\n";
  }
  return text;
}

}  // namespace wheelpit::cli
