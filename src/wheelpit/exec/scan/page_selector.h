// SPDX-License-Identifier: Apache-2.0
// Which rows and pages of a row group are read, by its page index. The index of all row
// groups of a unit is read at once, before their pages. Compute side, one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/scan/fetcher.h"
#include "wheelpit/exec/scan/moving_predicate.h"
#include "wheelpit/index/page_index.h"
#include "wheelpit/index/table.h"

namespace wheelpit::exec {

struct PageSelection {
  std::vector<index::RowRange> rows;
  /// Of the flat leaves that have an offset index; empty: all pages are read.
  std::map<int, index::PageLocations> pages;
};

class PageSelector {
 public:
  /// What moves while the scan runs.
  struct Moving {
    const MovingPredicate* predicate = nullptr;  ///< null: nothing
    bool pages = true;                           ///< whether it may read page indexes
    arrow::MemoryPool* pool = nullptr;           ///< for values of the predicate
  };
  /// All outlive it.
  PageSelector(const index::Table& table, const index::Predicate& predicate,
               const Moving& moving, Fetcher* fetcher, core::MetricSet* metrics);

  /// Begins with the row groups of `unit`. `leaves` are the flat ones that are read.
  void Enter(const index::ScanUnit& unit, std::shared_ptr<ScanFile> handle,
             std::vector<int> leaves);

  /// Set while the index of the unit is being read.
  std::optional<core::Wait> pending() const;

  /// Of a row group of the unit, once nothing is pending; no rows when none is wanted.
  /// Counts the pages left out.
  arrow::Result<PageSelection> Select(int row_group);

 private:
  bool WorthReading(const index::ScanUnit& unit) const;
  arrow::Status Move();
  arrow::Result<PageSelection> SelectByIndex(int row_group);

  const index::Table& table_;
  const bool any_term_;
  index::PagePruner pruner_;
  const Moving moving_;
  int64_t version_ = 0;     // of what moves
  index::Predicate moved_;  // of moving_pruner_; at first only its column counts
  std::optional<index::PagePruner> moving_pruner_;
  Fetcher* const fetcher_;
  core::MetricSet* const metrics_;

  const index::TableFile* file_ = nullptr;
  int first_row_group_ = 0;
  std::vector<int> leaves_;         // of which offset indexes are read
  std::vector<int> filter_leaves_;  // those of pruner_
  std::vector<int> moving_leaves_;  // those of moving_pruner_
  std::vector<int> value_leaves_;   // of which column indexes are read too: both
  std::shared_ptr<Fetch> fetch_;    // null: the unit is read without index
};

/// The bytes of a chunk that hold its dictionary and the pages of `rows`: neighbouring
/// pages are one range.
std::vector<ByteRange> BytesOfRows(const index::ParquetChunk& chunk,
                                   const std::vector<index::PageLocation>& pages,
                                   int64_t row_count,
                                   const std::vector<index::RowRange>& rows);

}  // namespace wheelpit::exec
