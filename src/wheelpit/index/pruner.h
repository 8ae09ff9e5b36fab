// SPDX-License-Identifier: Apache-2.0
// Private to index: a predicate over the files of one table, as statistics answer it.
#pragma once

#include <memory>
#include <vector>

#include "wheelpit/index/comparable.h"
#include "wheelpit/index/statistics.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

class Pruner {
 public:
  /// Both outlive it.
  Pruner(const Table& table, const Predicate& predicate);

  /// To be called before the others, for each file.
  void Enter(const TableFile& file);

  /// What does not depend on the row group.
  bool FileMayMatch() const;
  bool RowGroupMayMatch(const ParquetRowGroup& row_group) const;

  /// One term over a column that the file entered has.
  struct Term {
    ComparableTerm comparable;
    int column;      ///< of the table
    int place = -1;  ///< in the file: as in TableFile::column_map
    BoundsReader bounds;
  };
  const std::vector<Term>& terms() const { return terms_; }

 private:
  ColumnRange PartitionRange(int place) const;

  std::vector<Term> terms_;
  const TableFile* file_ = nullptr;
  std::shared_ptr<const std::vector<int>> column_map_;
};

}  // namespace wheelpit::index
