// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "wheelpit/index/pruner.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

namespace {

// What opening a file and starting on a row group costs, in bytes that could be read and
// decoded meanwhile: so that small files are packed by count and large ones by size.
constexpr int64_t kFileCostBytes = 256 << 10;
constexpr int64_t kRowGroupCostBytes = 32 << 10;

// Compressed bytes of the wanted columns in a row group.
class ByteCounter {
 public:
  explicit ByteCounter(const std::vector<int>& columns) : columns_(columns) {}

  void Enter(const TableFile& file) {
    if (file.column_map == column_map_) {
      return;
    }
    column_map_ = file.column_map;
    leaves_.clear();
    const std::vector<int>& first_leaf = file.footer->schema->first_leaf;
    for (const int column : columns_) {
      const int place = (*column_map_)[static_cast<size_t>(column)];
      if (place >= 0) {
        leaves_.emplace_back(first_leaf[static_cast<size_t>(place)],
                             first_leaf[static_cast<size_t>(place) + 1]);
      }
    }
  }

  int64_t Count(const ParquetRowGroup& row_group) const {
    int64_t bytes = 0;
    for (const auto& [first, end] : leaves_) {
      for (int leaf = first; leaf < end; ++leaf) {
        bytes += row_group.chunks[static_cast<size_t>(leaf)].compressed_bytes;
      }
    }
    return bytes;
  }

 private:
  const std::vector<int>& columns_;
  std::shared_ptr<const std::vector<int>> column_map_;
  std::vector<std::pair<int, int>> leaves_;
};

// One row group that is to be read.
struct Piece {
  int file;
  int row_group;
  int64_t compressed_bytes;
  int64_t row_count;
  int64_t cost_bytes;
};

std::vector<Piece> Survivors(const Table& table, const std::vector<int>& columns,
                             const Predicate& predicate, core::MetricSet* metrics) {
  std::vector<Piece> pieces;
  Pruner pruner(table, predicate);
  ByteCounter counter(columns);
  int64_t files_pruned = 0;
  int64_t row_groups_pruned = 0;
  for (size_t f = 0; f < table.files.size(); ++f) {
    const TableFile& file = table.files[f];
    const std::vector<ParquetRowGroup>& row_groups = file.footer->row_groups;
    pruner.Enter(file);
    counter.Enter(file);
    const bool file_may_match = pruner.FileMayMatch();
    const size_t before = pieces.size();
    for (size_t g = 0; g < row_groups.size(); ++g) {
      if (!file_may_match || !pruner.RowGroupMayMatch(row_groups[g])) {
        ++row_groups_pruned;
      } else if (row_groups[g].row_count > 0) {
        const int64_t bytes = counter.Count(row_groups[g]);
        const int64_t overhead = pieces.size() == before ? kFileCostBytes : 0;
        pieces.push_back({static_cast<int>(f), static_cast<int>(g), bytes,
                          row_groups[g].row_count,
                          bytes + overhead + kRowGroupCostBytes});
      }
    }
    // A file without rows is not one that was pruned.
    if (pieces.size() == before && file.footer->row_count > 0) {
      ++files_pruned;
    }
  }
  if (metrics != nullptr) {
    metrics->Add(core::Metric::kFilesPruned, files_pruned);
    metrics->Add(core::Metric::kRowGroupsPruned, row_groups_pruned);
  }
  return pieces;
}

// How many splits `pieces` go into: enough that none is larger than asked (but for single
// row groups) and that every slot has several, so that an uneven one does not hold up
// the end.
int64_t SplitCount(int64_t piece_count, int64_t bytes, const SplitOptions& options) {
  const int64_t bytes_max = std::max<int64_t>(1, options.split_bytes_max);
  const int64_t by_size = bytes / bytes_max + (bytes % bytes_max != 0 ? 1 : 0);
  const int64_t by_slots =
      int64_t{std::max(1, options.task_slots)} * std::max(1, options.tasks_per_slot_max);
  return std::min(piece_count, std::max(by_size, by_slots));
}

void Append(const Piece& piece, bool first_of_file, Split* split) {
  if (!split->empty() && split->back().file == piece.file &&
      split->back().last_row_group == piece.row_group) {
    ScanUnit& unit = split->back();
    ++unit.last_row_group;
    unit.compressed_bytes += piece.compressed_bytes;
    unit.row_count += piece.row_count;
    return;
  }
  split->push_back({.file = piece.file,
                    .first_row_group = piece.row_group,
                    .last_row_group = piece.row_group + 1,
                    .compressed_bytes = piece.compressed_bytes,
                    .row_count = piece.row_count,
                    .first_of_file = first_of_file});
}

}  // namespace

std::vector<Split> PlanSplits(const Table& table, const std::vector<int>& columns,
                              const Predicate& predicate, const SplitOptions& options,
                              core::MetricSet* metrics) {
  const std::vector<Piece> pieces = Survivors(table, columns, predicate, metrics);
  int64_t bytes = 0;
  int64_t cost = 0;
  for (const Piece& piece : pieces) {
    bytes += piece.compressed_bytes;
    cost += piece.cost_bytes;
  }
  const int64_t count = SplitCount(static_cast<int64_t>(pieces.size()), bytes, options);
  // The pieces lie side by side on a line as long as their cost, which is cut into
  // `count` equal parts; each piece goes where its middle lies. Parts that are longer
  // than all of a large piece's neighbours stay empty and are dropped.
  std::vector<Split> splits;
  int64_t part = -1;
  double at = 0;
  int last_file = -1;
  for (const Piece& piece : pieces) {
    const double middle = at + static_cast<double>(piece.cost_bytes) / 2;
    at += static_cast<double>(piece.cost_bytes);
    const auto here = static_cast<int64_t>(middle / static_cast<double>(cost) *
                                           static_cast<double>(count));
    if (here != part || splits.empty()) {
      part = here;
      splits.emplace_back();
    }
    // Pieces are in the order of the files.
    Append(piece, piece.file != last_file, &splits.back());
    last_file = piece.file;
  }
  return splits;
}

}  // namespace wheelpit::index
