// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/metrics.h"

namespace wheelpit::core {

namespace {

using enum MetricUnit;

constexpr std::array<MetricRow, static_cast<size_t>(Metric::kMetricCount)> kTable = {{
    {Metric::kDirectoriesListed, "directories_listed", kCount, "Directories read."},
    {Metric::kPartitionsPruned, "partitions_pruned", kCount,
     "key=value directories not entered because of the filter."},
    {Metric::kFilesListed, "files_listed", kCount, "Data files found."},
    {Metric::kFilesHidden, "files_hidden", kCount,
     "Names passed over by the hidden-file rules."},
    {Metric::kFilesEmpty, "files_empty", kCount, "Files of zero bytes, skipped."},
    {Metric::kFilesSkipped, "files_skipped", kCount,
     "Missing or forbidden files skipped because index.ignore_missing is on."},
    {Metric::kFilesPruned, "files_pruned", kCount,
     "Files whose statistics exclude every row."},
    {Metric::kFilesRead, "files_read", kCount, "Files from which data was read."},
    {Metric::kFootersRead, "footers_read", kCount, "Parquet footers read and decoded."},
    {Metric::kFooterCacheHits, "footer_cache_hits", kCount,
     "Footers served from the cache."},
    {Metric::kRowGroupsPruned, "row_groups_pruned", kCount,
     "Row groups excluded by statistics, those of pruned files included."},
    {Metric::kRowGroupsRead, "row_groups_read", kCount, "Row groups read."},
    {Metric::kPagesPruned, "pages_pruned", kCount,
     "Pages excluded by a page index, not looked at."},
    {Metric::kPagesSkipped, "pages_skipped", kCount,
     "Other pages neither decompressed nor decoded."},
    {Metric::kBytesRead, "bytes_read", kBytes,
     "Bytes read from files, footers included."},
    {Metric::kBytesDecoded, "bytes_decoded", kBytes,
     "Bytes of values decoded from Parquet pages."},
    {Metric::kReads, "reads", kCount, "Read calls."},
    {Metric::kRowsRead, "rows_read", kRows,
     "Rows of the row groups read, before any filter."},
    {Metric::kRowsReturned, "rows_returned", kRows, "Rows of the result."},
    {Metric::kTasks, "tasks", kCount, "Tasks run."},
    {Metric::kDriverYields, "driver_yields", kCount,
     "Times a driver gave its thread back after its time slice."},
    {Metric::kDriverParks, "driver_parks", kCount,
     "Times a driver was parked because its source or sink had to wait."},
    {Metric::kSpillExtents, "spill_extents", kCount, "Extents written to spill files."},
    {Metric::kSpillBytesWritten, "spill_bytes_written", kBytes,
     "Bytes written to spill files."},
    {Metric::kSpillBytesRead, "spill_bytes_read", kBytes,
     "Bytes read back from spill files."},
    {Metric::kMemoryReclaims, "memory_reclaims", kCount,
     "Times an operator was asked to give memory back."},
    {Metric::kListNanos, "list_nanos", kNanos, "Wall time of listing."},
    {Metric::kPlanNanos, "plan_nanos", kNanos,
     "Wall time from the text to the first task, listing included."},
    {Metric::kComputeNanos, "compute_nanos", kNanos,
     "CPU time of the query's drivers on compute threads."},
}};

constexpr bool TableIsInOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].metric) != i) {
      return false;
    }
  }
  return true;
}
static_assert(TableIsInOrder());

}  // namespace

std::string_view ToString(MetricUnit unit) {
  switch (unit) {
    case kCount:
      return "count";
    case kBytes:
      return "bytes";
    case kRows:
      return "rows";
    case kNanos:
      return "nanoseconds";
  }
  return "count";
}

std::span<const MetricRow> MetricTable() {
  return kTable;
}

}  // namespace wheelpit::core
