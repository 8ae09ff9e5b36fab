// SPDX-License-Identifier: Apache-2.0
// Parquet's page index: where the pages of a column chunk lie, and what is known of the
// values in each. With it a scan reads only pages that may hold a wanted row. Format:
// ColumnIndex and OffsetIndex of parquet.thrift,
// https://parquet.apache.org/docs/file-format/pageindex/. Bytes are hostile: every number
// is checked against the chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/index/predicate.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

/// Rows of a row group, counted from its start.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// A data page of a flat column chunk. Its rows end where the next page's begin.
struct PageLocation {
  int64_t offset = 0;      ///< of the page header, from the start of the file
  int64_t size_bytes = 0;  ///< with the header
  int64_t first_row = 0;
};
/// Shared by what plans the reads of a chunk and what decodes its pages.
using PageLocations = std::shared_ptr<const std::vector<PageLocation>>;

/// What a column index says of one page.
struct PageValues {
  bool only_null = false;
  int64_t null_count = -1;  ///< -1: unknown
  bool has_min_max = true;  ///< false: not to be trusted
  std::string_view min;     ///< as ParquetLeaf::bounds says; point into the bytes given
  std::string_view max;
};

/// The pages of `chunk` in order: at least one, the first at row 0, rows and offsets
/// ascending, all within the chunk. kCorrupt otherwise.
arrow::Result<std::vector<PageLocation>> DecodeOffsetIndex(std::string_view bytes,
                                                           const ParquetChunk& chunk,
                                                           int64_t row_count);

/// One entry for each of `page_count` pages. kCorrupt otherwise.
arrow::Result<std::vector<PageValues>> DecodeColumnIndex(std::string_view bytes,
                                                         size_t page_count);

/// Which rows of a file's row groups a predicate leaves, by its pages' values. One thread
/// at a time; `table` and `predicate` outlive it.
class PagePruner {
 public:
  PagePruner(const Table& table, const Predicate& predicate);
  ~PagePruner();

  /// Leaf columns of `file` whose pages the predicate can tell apart, ascending; those
  /// that the file has no index of are left out. To be called first for each file.
  const std::vector<int>& Enter(const TableFile& file);

  /// Whether a row group of that file may have rows that satisfy the predicate.
  bool RowGroupMayMatch(const ParquetRowGroup& row_group) const;

  /// Both indexes of one leaf in one row group.
  struct LeafIndex {
    std::string_view column_index;
    const std::vector<PageLocation>* pages = nullptr;
  };

  /// The rows that may satisfy the predicate, ascending and apart from each other.
  /// `leaves` are the indexes of Enter's leaves. kCorrupt for a bad column index.
  arrow::Result<std::vector<RowRange>> Rows(const ParquetRowGroup& row_group,
                                            const std::vector<LeafIndex>& leaves) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The rows that are in both.
std::vector<RowRange> Intersect(const std::vector<RowRange>& a,
                                const std::vector<RowRange>& b);

}  // namespace wheelpit::index
