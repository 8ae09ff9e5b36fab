// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

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
// What expressions make of a batch.
constexpr int64_t kExpressionBytes = kMiB;
// Result batches on their way to the client, and the small things of a query.
constexpr int64_t kQueryBytes = 2 * kMiB;
constexpr int64_t kPrefetchMinimumBytes = 256 << 10;
// The row group that is decoded, the one after it, and the exchange's share.
constexpr int64_t kPrefetchParts = 3;
constexpr int64_t kExchangeBytesMax = kMiB;
// What all tasks of an exchange may have in it, times what one may.
constexpr int64_t kExchangeParts = 8;

int64_t TaskBytes(const TaskNeed& need, int64_t prefetch) {
  return need.minimum_bytes + kPrefetchParts * prefetch + kExpressionBytes;
}

}  // namespace

TaskNeed NeedOf(const plan::Node& plan, int compute_threads, int64_t prefetch_bytes) {
  const plan::Node* scan = &plan;
  while (scan->input != nullptr) {
    scan = scan->input.get();
  }
  if (scan->table == nullptr) {
    return {};
  }
  // Two pages of each column, a dictionary and a page of codes or values, as far as there
  // are so many bytes.
  std::vector<int64_t> largest(scan->columns.size(), 0);
  int64_t compressed = 0;
  int64_t row_groups = 0;
  for (const index::TableFile& file : scan->table->files) {
    row_groups += std::ssize(file.footer->row_groups);
    for (size_t i = 0; i < largest.size(); ++i) {
      const int field = (*file.column_map)[static_cast<size_t>(scan->columns[i])];
      if (field < 0) {
        continue;
      }
      const auto& leaves = file.footer->schema->first_leaf;
      const auto leaf = static_cast<size_t>(leaves[static_cast<size_t>(field)]);
      for (const auto& row_group : file.footer->row_groups) {
        const index::ParquetChunk& chunk = row_group.chunks[leaf];
        largest[i] =
            std::max(largest[i], std::min(chunk.uncompressed_bytes, 2 * kPageBytes));
        compressed += chunk.compressed_bytes;
      }
    }
  }
  return {.minimum_bytes =
              kScanBytes + std::accumulate(largest.begin(), largest.end(), int64_t{0}),
          // One more task than threads, so that a parked one leaves no thread idle.
          .tasks_max = std::clamp<int64_t>(row_groups, 1, compute_threads + 1),
          .prefetch_max =
              std::max(kPrefetchMinimumBytes, std::min(prefetch_bytes, compressed)),
          .table_bytes = index::MemoryBytes(*scan->table)};
}

MemoryPlan DivideMemory(const TaskNeed& need, int64_t room_bytes) {
  if (need.minimum_bytes == 0) {
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
  const int64_t scan = need.minimum_bytes + kPrefetchParts * prefetch;
  const int64_t query = kQueryBytes + tasks * kExpressionBytes;
  return {.tasks_at_once = static_cast<int>(tasks),
          .prefetch_bytes = prefetch,
          .exchange_bytes = std::min(kExchangeBytesMax, prefetch / kExchangeParts),
          .scan_minimum_bytes = scan,
          .query_minimum_bytes = query,
          .total_bytes = query + tasks * scan + need.table_bytes};
}

}  // namespace wheelpit::engine
