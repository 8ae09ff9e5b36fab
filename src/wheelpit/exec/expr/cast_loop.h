// SPDX-License-Identifier: Apache-2.0
// The loop of casts that may refuse a value: an error for CAST, null for TRY_CAST.
#pragma once

#include <cstring>
#include <string_view>

#include <arrow/scalar.h>

#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

inline constexpr std::string_view kCastOverflow = "CAST_OVERFLOW";
inline constexpr std::string_view kCastInvalid = "CAST_INVALID_INPUT";
inline constexpr std::string_view kOutOfRange = "NUMERIC_VALUE_OUT_OF_RANGE";
inline constexpr std::string_view kOutOfSupportedRange = "NUMERIC_OUT_OF_SUPPORTED_RANGE";
inline constexpr std::string_view kIntervalFormat = "INVALID_INTERVAL_FORMAT";
inline constexpr std::string_view kDatetimeOverflow = "DATETIME_OVERFLOW";
/// Not an error: the value becomes null, as NaN does as a decimal.
inline constexpr std::string_view kBecomesNull = "NULL";

/// Sets row i null.
inline arrow::Status SetNull(const KernelCall& call, int64_t count, int64_t i,
                             bool* own_validity, Vector* out) {
  if (!*own_validity) {
    const Vector before = *out;
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(out, 1, call.pool));
    if (before.valid != nullptr) {
      std::memcpy(valid, before.valid, static_cast<size_t>(count));
    }
    *own_validity = true;
  }
  out->valid_buffer->mutable_data()[i] = 0;
  return arrow::Status::OK();
}

/// The value of row i was refused with this class: null or an error.
inline arrow::Status Refuse(const KernelCall& call, const Vector& argument, int64_t count,
                            int64_t i, std::string_view error_class, bool* own_validity,
                            Vector* out) {
  if (call.expression.try_cast || error_class == kBecomesNull) {
    return SetNull(call, count, i, own_validity, out);
  }
  if (error_class == kOutOfRange) {
    ARROW_ASSIGN_OR_RAISE(const auto value, ToScalar(argument, i, call.pool));
    return DecimalRangeError(call.expression, plan::ValueText(*value));
  }
  return CastError(call, argument, i, error_class);
}

/// For each valid row: `convert(value, result)` gives an error class, empty when done.
template <typename A, typename R, typename Convert>
arrow::Status CastLoop(const KernelCall& call, const Vector& argument, int64_t count,
                       Vector* out, Convert convert) {
  R* values = MutableValues<R>(*out);
  const A* from = argument.Values<A>();
  bool own_validity = false;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = R{};
    if (!out->IsValid(i)) {
      continue;
    }
    const std::string_view refused = convert(from[i], &values[i]);
    if (!refused.empty()) [[unlikely]] {
      ARROW_RETURN_NOT_OK(Refuse(call, argument, count, i, refused, &own_validity, out));
    }
  }
  return arrow::Status::OK();
}

/// The same from text.
template <typename R, typename Convert>
arrow::Status TextCastLoop(const KernelCall& call, const Vector& argument, int64_t count,
                           Vector* out, Convert convert) {
  R* values = MutableValues<R>(*out);
  bool own_validity = false;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = R{};
    if (!out->IsValid(i)) {
      continue;
    }
    const std::string_view refused = convert(argument.Text(i), &values[i]);
    if (!refused.empty()) [[unlikely]] {
      ARROW_RETURN_NOT_OK(Refuse(call, argument, count, i, refused, &own_validity, out));
    }
  }
  return arrow::Status::OK();
}

}  // namespace wheelpit::exec::expr
