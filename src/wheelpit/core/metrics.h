// SPDX-License-Identifier: Apache-2.0
// Metrics. One row per name in one table (metrics.cc), from which docs/metrics.md and
// `--stats` come. A MetricSet is the counters of one query, or of a part of it that adds
// to the query's; any thread adds, adding costs one relaxed atomic for each of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace wheelpit::core {

enum class MetricUnit : uint8_t { kCount, kBytes, kRows, kNanos };

enum class Metric : uint8_t {
  kDirectoriesListed,
  kPartitionsPruned,
  kFilesListed,
  kFilesHidden,
  kFilesEmpty,
  kFilesSkipped,
  kFilesPruned,
  kFilesRead,
  kFootersRead,
  kFooterCacheHits,
  kRowGroupsPruned,
  kRowGroupsRead,
  kPagesPruned,
  kPagesSkipped,
  kBytesRead,
  kBytesDecoded,
  kReads,
  kRowsRead,
  kRowsReturned,
  kTasks,
  kDriverYields,
  kDriverParks,
  kSpillExtents,
  kSpillBytesWritten,
  kSpillBytesRead,
  kMemoryReclaims,
  kListNanos,
  kPlanNanos,
  kComputeNanos,
  kMetricCount,  // not a metric: how many there are
};

std::string_view ToString(MetricUnit unit);

struct MetricRow {
  Metric metric;
  std::string_view name;
  MetricUnit unit;
  std::string_view meaning;
};

/// Every metric, in the order of the enumeration.
std::span<const MetricRow> MetricTable();

class MetricSet {
 public:
  /// What is added here is added to `total` too, which must outlive this.
  explicit MetricSet(MetricSet* total = nullptr) : total_(total) {}

  void Add(Metric metric, int64_t amount) {
    for (MetricSet* set = this; set != nullptr; set = set->total_) {
      // Relaxed: counters are read after the work they count was joined.
      set->values_[static_cast<size_t>(metric)].fetch_add(amount,
                                                          std::memory_order_relaxed);
    }
  }
  int64_t Get(Metric metric) const {
    return values_[static_cast<size_t>(metric)].load(std::memory_order_relaxed);
  }

 private:
  MetricSet* const total_;
  std::array<std::atomic<int64_t>, static_cast<size_t>(Metric::kMetricCount)> values_{};
};

}  // namespace wheelpit::core
