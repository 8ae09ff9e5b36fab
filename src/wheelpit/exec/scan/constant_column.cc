// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/constant_column.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>

namespace wheelpit::exec {

arrow::Status ConstantColumn::Read(int64_t, const RowSelection& selection) {
  pending_ += selection.count();
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> ConstantColumn::Finish() {
  if (kept_ != nullptr) return std::move(kept_);
  if (values_ == nullptr || values_->length() < pending_) {
    ARROW_ASSIGN_OR_RAISE(values_, arrow::MakeArrayFromScalar(*value_, pending_, pool()));
  }
  const int64_t length = std::exchange(pending_, 0);
  return length == values_->length() ? values_ : values_->Slice(0, length);
}

int64_t ConstantColumn::bytes_per_row() const {
  if (!value_->is_valid || !arrow::is_base_binary_like(value_->type->id())) return 16;
  return 16 + static_cast<const arrow::BaseBinaryScalar&>(*value_).value->size();
}

}  // namespace wheelpit::exec
