// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/memory_plan.h"

#include <algorithm>
#include <numeric>
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

int64_t TaskBytes(const TaskNeed& need, int64_t prefetch) {
  return need.scan_bytes + kPrefetchParts * prefetch + need.expression_bytes;
}

}  // namespace

TaskNeed NeedOf(const plan::Node& plan, int compute_threads, int64_t prefetch_bytes) {
  const plan::Node* scan = &plan;
  while (!scan->inputs.empty()) {
    scan = scan->inputs[0].get();
  }
  if (scan->table == nullptr) {
    return {};
  }
  std::vector<int64_t> largest(scan->columns.size(), 0);
  std::vector<int64_t> large_values(scan->columns.size(), 0);
  int64_t largest_values = 0;
  std::string where;
  int64_t compressed = 0;
  int64_t row_groups = 0;
  for (const index::TableFile& file : scan->table->files) {
    row_groups += std::ssize(file.footer->row_groups);
    for (size_t i = 0; i < largest.size(); ++i) {
      const int field = (*file.column_map)[static_cast<size_t>(scan->columns[i])];
      if (field < 0) {
        continue;
      }
      const index::ParquetSchema& schema = *file.footer->schema;
      const auto at = static_cast<size_t>(field);
      const bool nested = arrow::is_nested(schema.arrow->field(field)->type()->id());
      for (const auto& row_group : file.footer->row_groups) {
        const ColumnNeed column = NeedOfColumn(row_group, schema.first_leaf[at],
                                               schema.first_leaf[at + 1], nested);
        largest[i] = std::max(largest[i], column.pages_bytes);
        if (column.large_values_bytes > largest_values) {
          largest_values = column.large_values_bytes;
          where = file.path + ": the values of a row group in column '" +
                  schema.arrow->field(field)->name() + "' have " +
                  core::FormatByteSize(largest_values);
        }
        large_values[i] = std::max(large_values[i], column.large_values_bytes);
        compressed += column.compressed_bytes;
      }
    }
  }
  return {.scan_bytes = std::accumulate(largest.begin(), largest.end(), kScanBytes),
          .expression_bytes =
              std::accumulate(large_values.begin(), large_values.end(), kExpressionBytes),
          // One more task than threads, so that a parked one leaves no thread idle.
          .tasks_max = std::clamp<int64_t>(row_groups, 1, compute_threads + 1),
          .prefetch_max =
              std::max(kPrefetchMinimumBytes, std::min(prefetch_bytes, compressed)),
          .table_bytes = index::MemoryBytes(*scan->table),
          .large_values = std::move(where)};
}

MemoryPlan DivideMemory(const TaskNeed& need, int64_t room_bytes) {
  if (need.scan_bytes == 0) {
    return {.exchange_bytes = kMiB / kExchangeParts,
            .query_minimum_bytes = kQueryBytes + kExpressionBytes,
            .total_bytes = kQueryBytes + kExpressionBytes};
  }
  const int64_t room = room_bytes - kQueryBytes - need.table_bytes;
  const int64_t tasks = std::clamp<int64_t>(room / TaskBytes(need, kPrefetchMinimumBytes),
                                            1, need.tasks_max);
  const int64_t prefetch =
      std::clamp((room / tasks - TaskBytes(need, 0)) / kPrefetchParts,
                 kPrefetchMinimumBytes, need.prefetch_max);
  const int64_t scan = need.scan_bytes + kPrefetchParts * prefetch;
  const int64_t query = kQueryBytes + tasks * need.expression_bytes;
  return {.tasks_at_once = static_cast<int>(tasks),
          .prefetch_bytes = prefetch,
          .exchange_bytes = std::min(kExchangeBytesMax, prefetch / kExchangeParts),
          .scan_minimum_bytes = scan,
          .query_minimum_bytes = query,
          .total_bytes = query + tasks * scan + need.table_bytes};
}

}  // namespace wheelpit::engine
