// SPDX-License-Identifier: Apache-2.0
// ColumnReader: one column of one row group. Rows are asked for in ascending order, those
// that nobody wants are never asked for. Compute side, one thread, never blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/wait.h"
#include "wheelpit/exec/scan/row_filter.h"

namespace wheelpit::exec {

/// Some of `length` successive rows: all, or those in `rows`, ascending.
struct RowSelection {
  int64_t length = 0;
  bool all = true;
  std::vector<int32_t> rows;

  int64_t count() const { return all ? length : static_cast<int64_t>(rows.size()); }
  int64_t row(int64_t i) const { return all ? i : rows[static_cast<size_t>(i)]; }
};

class ColumnReader {
 public:
  virtual ~ColumnReader() = default;

  /// Gets what rows [begin, end) of the row group need into memory. False: *wait says
  /// when to ask again. Never asked for rows before an earlier `begin`.
  virtual arrow::Result<bool> Ensure(int64_t begin, int64_t end, core::Wait* wait) = 0;

  /// Decodes the selected rows, which count from row `begin` of the row group, and
  /// appends them to what Finish gives. Their rows must be ensured.
  virtual arrow::Status Read(int64_t begin, const RowSelection& selection) = 0;

  /// What was read since the last time.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish() = 0;

  /// Narrows the selection to the rows for which `filter` (over this column only) is
  /// true. With `keep` Finish then gives those rows.
  virtual arrow::Status Filter(int64_t begin, RowFilter* filter, bool keep,
                               RowSelection* selection);

  /// About how many bytes a row of the ensured ones takes in memory.
  virtual int64_t bytes_per_row() const = 0;

 protected:
  explicit ColumnReader(arrow::MemoryPool* pool) : pool_(pool) {}
  arrow::MemoryPool* pool() const { return pool_; }

  /// What Filter kept and Finish owes; null when nothing is.
  std::shared_ptr<arrow::Array> kept_;

 private:
  arrow::MemoryPool* pool_;
};

/// Replaces a selection by those of its rows whose positions are given, ascending.
void Narrow(const std::vector<int32_t>& positions, RowSelection* selection);

/// The values of `array` at `positions`.
arrow::Result<std::shared_ptr<arrow::Array>> TakePositions(
    const std::shared_ptr<arrow::Array>& array, const std::vector<int32_t>& positions,
    arrow::MemoryPool* pool);

}  // namespace wheelpit::exec
