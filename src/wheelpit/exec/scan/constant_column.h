// SPDX-License-Identifier: Apache-2.0
// A column that has one value in the whole file: a partition value, or null where the
// file lacks the column.
#pragma once

#include <memory>

#include <arrow/scalar.h>

#include "wheelpit/exec/scan/column_reader.h"

namespace wheelpit::exec {

class ConstantColumn final : public ColumnReader {
 public:
  ConstantColumn(std::shared_ptr<arrow::Scalar> value, arrow::MemoryPool* pool)
      : ColumnReader(pool), value_(std::move(value)) {}

  arrow::Result<bool> Ensure(int64_t, int64_t, core::Wait*) override { return true; }
  arrow::Status Read(int64_t begin, const RowSelection& selection) override;
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override;
  int64_t bytes_per_row() const override;

 private:
  std::shared_ptr<arrow::Scalar> value_;
  std::shared_ptr<arrow::Array> values_;  // as long as was ever asked for; sliced
  int64_t pending_ = 0;
};

}  // namespace wheelpit::exec
