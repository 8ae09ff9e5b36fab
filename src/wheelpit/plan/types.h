// SPDX-License-Identifier: Apache-2.0
// What the type rules of Spark's ANSI mode need to know about an Arrow type, and the
// rules that join two types. Shared with the evaluator, which dispatches on TypeClass.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

namespace wheelpit::plan {

/// Spark's types as they are here. kOther: nested types and whatever else a file holds;
/// such a value may be passed on and tested for null, nothing more.
enum class TypeClass : uint8_t {
  kNull,
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kDecimal,
  kString,
  kBinary,
  kDate,
  kTimestamp,          ///< an instant: timestamp[us, UTC]
  kTimestampNtz,       ///< a local date and time: timestamp[us]
  kYearMonthInterval,  ///< months (interval.h)
  kDayTimeInterval,    ///< microseconds (interval.h)
  kOther,
};

TypeClass ClassOf(const arrow::DataType& type);

constexpr bool IsIntegral(TypeClass c) {
  return c >= TypeClass::kInt8 && c <= TypeClass::kInt64;
}
constexpr bool IsFloating(TypeClass c) {
  return c == TypeClass::kFloat || c == TypeClass::kDouble;
}
constexpr bool IsNumeric(TypeClass c) {
  return c >= TypeClass::kInt8 && c <= TypeClass::kDecimal;
}
constexpr bool IsTemporal(TypeClass c) {
  return c >= TypeClass::kDate && c <= TypeClass::kTimestampNtz;
}

constexpr bool IsInterval(TypeClass c) {
  return c == TypeClass::kYearMonthInterval || c == TypeClass::kDayTimeInterval;
}

/// Spark's TIMESTAMP: timestamp[us, UTC].
const std::shared_ptr<arrow::DataType>& TimestampType();
/// Spark's TIMESTAMP_NTZ: timestamp[us].
const std::shared_ptr<arrow::DataType>& TimestampNtzType();

constexpr int kDecimalPrecisionMax = 38;

struct DecimalShape {
  int precision = 0;
  int scale = 0;
  friend bool operator==(const DecimalShape&, const DecimalShape&) = default;
};

std::shared_ptr<arrow::DataType> DecimalType(DecimalShape shape);

/// The shape of a decimal, or that in which every value of an integral type fits.
DecimalShape DecimalShapeOf(const arrow::DataType& type);

/// A shape that may exceed 38 digits, brought back by giving up digits of the fraction,
/// though never below six of them or the scale itself (allowPrecisionLoss = true).
DecimalShape AdjustPrecision(int precision, int scale);

/// The shape that holds both; beyond 38 digits the integral digits are kept.
DecimalShape WiderDecimal(DecimalShape a, DecimalShape b);

/// The type to which both are brought to be compared or to stand in the same column;
/// null when Spark refuses.
std::shared_ptr<arrow::DataType> CommonType(const std::shared_ptr<arrow::DataType>& a,
                                            const std::shared_ptr<arrow::DataType>& b);

/// Whether an explicit CAST is allowed at all by the ANSI rules.
bool CastAllowed(TypeClass from, TypeClass to);

}  // namespace wheelpit::plan
