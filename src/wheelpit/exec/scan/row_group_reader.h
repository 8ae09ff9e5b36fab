// SPDX-License-Identifier: Apache-2.0
// One row group: filters first, each narrowing what the next ones and the output columns
// decode. A state machine that goes on where it had to wait. Compute side, one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/scan/column_reader.h"
#include "wheelpit/exec/scan/row_filter.h"
#include "wheelpit/index/page_index.h"

namespace wheelpit::exec {

class RowGroupReader {
 public:
  struct Options {
    /// Those that are looked at, ascending and apart from each other.
    std::vector<index::RowRange> rows;
    int64_t batch_rows = 0;
    /// Bytes a row takes on average; bounds what is decoded at once.
    int64_t row_bytes = 1;
    std::shared_ptr<arrow::Schema> schema;  ///< of the output
    std::vector<int> output;                ///< columns that come out, in its order
    std::vector<RowFilter*> filters;        ///< in the order in which they run
    arrow::MemoryPool* pool = nullptr;
  };

  /// `columns` by position in ScanOptions::columns; null for those that nobody wants.
  RowGroupReader(Options options, std::vector<std::unique_ptr<ColumnReader>> columns);

  /// One batch, or a wait, or a yield where the filters left nothing of the rows looked
  /// at, or the end.
  arrow::Result<Step> Next();

 private:
  enum class Phase : uint8_t { kBegin, kFilter, kOutput };

  bool BeginBatch();
  void EndBatch();
  // False: wait_ says when to go on.
  arrow::Result<bool> RunFilter(RowFilter* filter);
  arrow::Result<bool> RunOverOne(RowFilter* filter, size_t column);
  arrow::Result<bool> EnsureSelected(size_t column, const RowSelection& selection);
  bool WantedLater(size_t column) const;
  arrow::Status NarrowKept(const std::vector<int32_t>& positions);
  arrow::Result<Step> Output();
  void SelectOutput();

  Options options_;
  std::vector<std::unique_ptr<ColumnReader>> columns_;
  Phase phase_ = Phase::kBegin;
  core::Wait wait_;

  size_t range_ = 0;   // of options_.rows
  int64_t begin_ = 0;  // first row of the batch, which lies within one range
  RowSelection selection_;
  size_t filter_index_ = 0;
  // Columns decoded by filters of this batch and wanted again: rows of selection_.
  std::vector<std::shared_ptr<arrow::Array>> kept_;
  int64_t output_position_ = 0;  // in selection_
  RowSelection slice_;           // what the next batch takes of it
  std::vector<int32_t> positions_;
};

}  // namespace wheelpit::exec
