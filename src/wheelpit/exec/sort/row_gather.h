// SPDX-License-Identifier: Apache-2.0
// Gathers rows that lie scattered over several batches into one, column by column. Fixed
// widths and text have loops of their own; views, dictionaries and nested columns go
// through Arrow's builders.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

struct RowRef {
  uint32_t source = 0;  ///< number of the batch
  uint32_t row = 0;
};

class RowGather {
 public:
  explicit RowGather(std::shared_ptr<arrow::Schema> schema);
  ~RowGather();

  /// What `source` is from now on; null drops it. Sources are numbered from 0 on.
  void Set(uint32_t source, std::shared_ptr<arrow::RecordBatch> batch);

  /// What a row takes in a gathered batch; an estimate where columns are nested. The
  /// smallest part that a row has in every batch included, those of a batch are not.
  int64_t RowBytes(RowRef ref) const;

  /// The rows as a batch with nothing but them in memory of `pool`. kUnsupported for more
  /// than 2 GiB of text in one column.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Gather(
      std::span<const RowRef> refs, arrow::MemoryPool* pool) const;

 private:
  struct Column;
  const std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  std::vector<Column> columns_;
  int64_t fixed_bytes_ = 0;           // of a row
  std::vector<size_t> varying_ = {};  // columns whose rows differ in size
};

/// What the rows of a batch take, whatever they are slices of: for a batch that was
/// gathered its own size; for another what gathering all of it would make.
int64_t GatheredBytes(const arrow::RecordBatch& batch);

}  // namespace wheelpit::exec
