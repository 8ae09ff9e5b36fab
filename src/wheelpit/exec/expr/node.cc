// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/node.h"

#include <cstring>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

Rows::Rows(const arrow::ArrayVector& columns, const int32_t* selection, int64_t count,
           arrow::MemoryPool* pool)
    : columns_(&columns), selection_(selection), count_(count), pool_(pool) {}

arrow::Result<Vector> Rows::Column(int column) {
  const auto index = static_cast<size_t>(column);
  if (index >= columns_->size() || (*columns_)[index] == nullptr) {
    return core::Error(core::ErrorKind::kInternal, "column ", column, " was not given");
  }
  if (vectors_.empty()) {
    vectors_.resize(columns_->size());
  }
  std::optional<Vector>& vector = vectors_[index];
  if (!vector) {
    ARROW_ASSIGN_OR_RAISE(vector,
                          VectorFromArray((*columns_)[index], selection_, count_, pool_));
  }
  return *vector;
}

Rows Rows::At(std::span<const int32_t> positions) const {
  Rows rows(*columns_, nullptr, static_cast<int64_t>(positions.size()), pool_);
  rows.own_selection_.assign(positions.begin(), positions.end());
  if (selection_ != nullptr) {
    for (int32_t& row : rows.own_selection_) {
      row = selection_[row];
    }
  }
  // Moving a vector keeps its elements where they are.
  rows.selection_ = rows.own_selection_.data();
  return rows;
}

void AppendTruePositions(const Vector& condition, int64_t count,
                         std::vector<int32_t>* positions) {
  if (condition.constant) {
    if (condition.IsValid(0) && condition.Values<uint8_t>()[0] != 0) {
      for (int64_t i = 0; i < count; ++i) {
        positions->push_back(static_cast<int32_t>(i));
      }
    }
    return;
  }
  const size_t before = positions->size();
  positions->resize(before + static_cast<size_t>(count));
  int32_t* out = positions->data() + before;
  const uint8_t* values = condition.Values<uint8_t>();
  const uint8_t* valid = condition.valid;
  for (int64_t i = 0; i < count; ++i) {
    *out = static_cast<int32_t>(i);
    out += valid == nullptr ? values[i] : values[i] & valid[i];
  }
  positions->resize(static_cast<size_t>(out - positions->data()));
}

arrow::Status DataError(const plan::Expr& expression, std::string_view error_class,
                        const std::string& message) {
  return core::MakeStatus({.kind = core::ErrorKind::kData,
                           .error_class = std::string(error_class),
                           .sql_offset = expression.range.offset,
                           .sql_length = expression.range.length},
                          "[" + std::string(error_class) + "] " + message + " in " +
                              plan::ToString(expression));
}

arrow::Status CastError(const KernelCall& call, const Vector& argument, int64_t i,
                        std::string_view error_class) {
  ARROW_ASSIGN_OR_RAISE(const auto value, ToScalar(argument, i, call.pool));
  std::string text = plan::LiteralText(*value);
  constexpr size_t kShownMax = 200;
  if (text.size() > kShownMax) {
    text.resize(kShownMax);
    text += "…";
  }
  return DataError(call.expression, error_class,
                   text +
                       (error_class == "CAST_OVERFLOW" ? " is out of the range of "
                                                       : " cannot be read as ") +
                       plan::TypeName(*call.expression.type) +
                       "; try_cast gives NULL instead,");
}

arrow::Status DecimalRangeError(const plan::Expr& expression, const std::string& value) {
  return DataError(expression, "NUMERIC_VALUE_OUT_OF_RANGE",
                   value + " does not fit " + plan::TypeName(*expression.type));
}

}  // namespace wheelpit::exec::expr
