// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/index/table.h"

namespace wheelpit::engine {

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// What a scan finishes in, besides the pages: the batch in work, those that wait in an
// exchange, small things of every column.
constexpr int64_t kScanBytes = 4 * kMiB;
// Batches of the scan that a sort keeps until it has a MiB of rows, the last one whole.
constexpr int64_t kSortedBatchesBytes = 2 * kMiB;
// The size at which writers cut pages, dictionaries too; a chunk that is smaller is a
// page.
constexpr int64_t kPageBytes = kMiB;
// What expressions make of a batch of ordinary values.
constexpr int64_t kExpressionBytes = kMiB;
// Result batches on their way to the client, and the small things of a query.
constexpr int64_t kQueryBytes = 2 * kMiB;
constexpr int64_t kPrefetchMinimumBytes = 256 << 10;
// The row group that is decoded, the one after it, and the exchange's share.
constexpr int64_t kPrefetchParts = 3;
constexpr int64_t kExchangeBytesMax = kMiB;
// Of what is left when something is collected, reading ahead gets one in so many.
constexpr int64_t kCollectorParts = 4;
// Of what is left a file that is written gets one in so many, for larger row groups.
constexpr int64_t kWriteParts = 8;
// What all tasks of an exchange may have in it, times what one may.
constexpr int64_t kExchangeParts = 8;

// From here on a value is taken for a page of its own, or several of them for one: such
// a chunk is decoded in one piece.
constexpr int64_t kLargeValueBytes = 256 << 10;

bool HasLargeValues(const index::ParquetChunk& chunk) {
  return chunk.uncompressed_bytes / std::max<int64_t>(chunk.value_count, 1) >
         kLargeValueBytes;
}

// A footer may say anything.
int64_t Bounded(int64_t bytes) {
  return std::min(bytes, int64_t{1} << 40);
}

// What the pages of a chunk take that are in work: a dictionary and a page of codes or
// values, as far as there are so many bytes. Of large values what was read, the same
// joined, and, decompressed, the page and the array.
int64_t PagesBytes(const index::ParquetChunk& chunk) {
  return HasLargeValues(chunk)
             ? 2 * (Bounded(chunk.compressed_bytes) + Bounded(chunk.uncompressed_bytes))
             : std::min(chunk.uncompressed_bytes, 2 * kPageBytes);
}

struct ColumnNeed {
  int64_t pages_bytes = 0;
  int64_t large_values_bytes = 0;
  int64_t compressed_bytes = 0;
};

ColumnNeed NeedOfColumn(const index::ParquetRowGroup& row_group, int first_leaf,
                        int last_leaf, bool nested) {
  ColumnNeed need;
  for (int leaf = first_leaf; leaf < last_leaf; ++leaf) {
    const index::ParquetChunk& chunk = row_group.chunks[static_cast<size_t>(leaf)];
    // The chunks of nested columns are read whole.
    need.pages_bytes += PagesBytes(chunk) + (nested ? chunk.compressed_bytes : 0);
    need.compressed_bytes += chunk.compressed_bytes;
    if (HasLargeValues(chunk)) {
      need.large_values_bytes += Bounded(chunk.uncompressed_bytes);
    }
  }
  return need;
}

// Of a slot that scans, besides what it spends on the expressions.
int64_t ScanBytes(const TaskNeed& need, int64_t prefetch) {
  return need.scan_bytes + kPrefetchParts * prefetch;
}

// How a plan might be run.
struct Division {
  int64_t tasks = 1;
  int64_t prefetch = 0;
  int64_t serial_more = 0;
};

int64_t PhaseBytes(const scheduler::PhaseNeed& phase, const TaskNeed& need,
                   const Division& division) {
  const auto [tasks, prefetch, serial_more] = division;
  int64_t bytes = tasks * phase.held_bytes;
  for (const scheduler::StageNeed& stage : phase.stages) {
    const int64_t scan = stage.scans.empty() ? 0 : ScanBytes(need, prefetch);
    bytes += tasks * (std::max(scan, stage.source_bytes) + stage.source_workspace_bytes +
                      stage.sink_bytes) +
             stage.serial_bytes + std::min(stage.serial_more_bytes, serial_more);
  }
  return bytes;
}

// Of the phase that needs most, with what there is once.
int64_t TotalBytes(const TaskNeed& need, const Division& division) {
  int64_t bytes = 0;
  for (const scheduler::PhaseNeed& phase : need.phases) {
    bytes = std::max(bytes, PhaseBytes(phase, need, division));
  }
  return bytes + kQueryBytes + division.tasks * need.expression_bytes + need.table_bytes;
}

// What a stage of one task makes use of.
int64_t SerialMoreMax(const TaskNeed& need) {
  int64_t bytes = 0;
  for (const scheduler::PhaseNeed& phase : need.phases) {
    for (const scheduler::StageNeed& stage : phase.stages) {
      bytes = std::max(bytes, stage.serial_more_bytes);
    }
  }
  return bytes;
}

bool Collects(const TaskNeed& need) {
  return std::any_of(need.phases.begin(), need.phases.end(), [](const auto& phase) {
    return std::any_of(
        phase.stages.begin(), phase.stages.end(),
        [](const scheduler::StageNeed& stage) { return stage.sink_bytes > 0; });
  });
}

// By column of a scan.
struct ScanNeed {
  std::vector<int64_t> largest;
  std::vector<int64_t> large_values;
};

class NeedWalk {
 public:
  NeedWalk(int compute_threads, int64_t prefetch_bytes)
      : compute_threads_(compute_threads), prefetch_bytes_(prefetch_bytes) {}

  TaskNeed Run(const plan::Node& plan) {
    need_.expression_bytes = kExpressionBytes;
    Add(plan);
    if (sorts_) {
      need_.scan_bytes += kSortedBatchesBytes;
    }
    need_.phases = scheduler::PhasesOf(plan);
    // One more task than threads, so that a parked one leaves no thread idle. Groups and
    // sorted rows are merged by several tasks, whatever the scan was.
    need_.tasks_max = std::clamp<int64_t>(
        Collects(need_) ? compute_threads_ + 1 : row_groups_, 1, compute_threads_ + 1);
    need_.prefetch_max =
        std::max(kPrefetchMinimumBytes, std::min(prefetch_bytes_, compressed_));
    return std::move(need_);
  }

 private:
  void Add(const plan::Node& node) {
    for (const auto& input : node.inputs) {
      Add(*input);
    }
    if (node.kind == plan::NodeKind::kScan) {
      AddScan(node);
    }
    sorts_ |= node.kind == plan::NodeKind::kSort;
  }

  void AddScan(const plan::Node& scan) {
    ScanNeed of_scan{.largest = std::vector<int64_t>(scan.columns.size(), 0),
                     .large_values = std::vector<int64_t>(scan.columns.size(), 0)};
    for (const index::TableFile& file : scan.table->files) {
      row_groups_ += std::ssize(file.footer->row_groups);
      for (size_t i = 0; i < of_scan.largest.size(); ++i) {
        AddColumn(file, (*file.column_map)[static_cast<size_t>(scan.columns[i])], i,
                  &of_scan);
      }
    }
    need_.scan_bytes = std::max(
        need_.scan_bytes,
        std::accumulate(of_scan.largest.begin(), of_scan.largest.end(), kScanBytes));
    need_.expression_bytes =
        std::max(need_.expression_bytes,
                 std::accumulate(of_scan.large_values.begin(), of_scan.large_values.end(),
                                 kExpressionBytes));
    if (tables_.insert(scan.table.get()).second) {
      need_.table_bytes += index::MemoryBytes(*scan.table);
    }
  }

  void AddColumn(const index::TableFile& file, int field, size_t i, ScanNeed* of_scan) {
    if (field < 0) {
      return;
    }
    const index::ParquetSchema& schema = *file.footer->schema;
    const auto at = static_cast<size_t>(field);
    const bool nested = arrow::is_nested(schema.arrow->field(field)->type()->id());
    for (const auto& row_group : file.footer->row_groups) {
      const ColumnNeed column = NeedOfColumn(row_group, schema.first_leaf[at],
                                             schema.first_leaf[at + 1], nested);
      of_scan->largest[i] = std::max(of_scan->largest[i], column.pages_bytes);
      if (column.large_values_bytes > largest_values_) {
        largest_values_ = column.large_values_bytes;
        need_.large_values = file.path + ": the values of a row group in column '" +
                             schema.arrow->field(field)->name() + "' have " +
                             core::FormatByteSize(largest_values_);
      }
      of_scan->large_values[i] =
          std::max(of_scan->large_values[i], column.large_values_bytes);
      compressed_ += column.compressed_bytes;
    }
  }

  const int compute_threads_;
  const int64_t prefetch_bytes_;
  TaskNeed need_;
  std::set<const index::Table*> tables_;  // each counted once
  int64_t largest_values_ = 0;
  int64_t compressed_ = 0;
  int64_t row_groups_ = 0;
  bool sorts_ = false;
};

}  // namespace

TaskNeed NeedOf(const plan::Node& plan, int compute_threads, int64_t prefetch_bytes) {
  return NeedWalk(compute_threads, prefetch_bytes).Run(plan);
}

MemoryPlan DivideMemory(const TaskNeed& need, int64_t room_bytes) {
  Division division{.tasks = need.tasks_max, .prefetch = kPrefetchMinimumBytes};
  while (division.tasks > 1 && TotalBytes(need, division) > room_bytes) {
    --division.tasks;
  }
  // Rows that are collected make better use of memory than bytes that are read ahead.
  division.prefetch = 0;
  const int64_t rest = room_bytes - TotalBytes(need, division);
  division.serial_more = std::clamp<int64_t>(rest / kWriteParts, 0, SerialMoreMax(need));
  division.prefetch =
      std::clamp((rest - division.serial_more) / (Collects(need) ? kCollectorParts : 1) /
                     division.tasks / kPrefetchParts,
                 kPrefetchMinimumBytes, need.prefetch_max);
  return {
      .tasks_at_once = static_cast<int>(division.tasks),
      .prefetch_bytes = division.prefetch,
      .exchange_bytes = std::min(kExchangeBytesMax, division.prefetch / kExchangeParts),
      .serial_more_bytes = division.serial_more,
      .scan_minimum_bytes = ScanBytes(need, division.prefetch),
      .query_minimum_bytes = kQueryBytes + division.tasks * need.expression_bytes,
      .total_bytes = TotalBytes(need, division)};
}

}  // namespace wheelpit::engine
