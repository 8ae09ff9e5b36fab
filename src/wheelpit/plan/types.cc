// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/types.h"

#include <algorithm>
#include <string>

#include <arrow/type.h>

#include "wheelpit/index/type_name.h"
#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/interval.h"

namespace wheelpit::plan {

TypeClass ClassOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return TypeClass::kNull;
    case arrow::Type::BOOL:
      return TypeClass::kBoolean;
    case arrow::Type::INT8:
      return TypeClass::kInt8;
    case arrow::Type::INT16:
      return TypeClass::kInt16;
    case arrow::Type::INT32:
      return TypeClass::kInt32;
    case arrow::Type::INT64:
      return TypeClass::kInt64;
    case arrow::Type::FLOAT:
      return TypeClass::kFloat;
    case arrow::Type::DOUBLE:
      return TypeClass::kDouble;
    case arrow::Type::DECIMAL128:
      return TypeClass::kDecimal;
    case arrow::Type::STRING:
      return TypeClass::kString;
    case arrow::Type::BINARY:
      return TypeClass::kBinary;
    case arrow::Type::DATE32:
      return TypeClass::kDate;
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      if (timestamp.unit() != arrow::TimeUnit::MICRO) {
        return TypeClass::kOther;
      }
      return timestamp.timezone().empty() ? TypeClass::kTimestampNtz
                                          : TypeClass::kTimestamp;
    }
    case arrow::Type::EXTENSION: {
      const auto fields = IntervalFieldsOf(type);
      return !fields                ? TypeClass::kOther
             : fields->year_month() ? TypeClass::kYearMonthInterval
                                    : TypeClass::kDayTimeInterval;
    }
    default:
      return TypeClass::kOther;
  }
}

const std::shared_ptr<arrow::DataType>& TimestampType() {
  static const std::shared_ptr<arrow::DataType> type =
      arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  return type;
}

const std::shared_ptr<arrow::DataType>& TimestampNtzType() {
  static const std::shared_ptr<arrow::DataType> type =
      arrow::timestamp(arrow::TimeUnit::MICRO);
  return type;
}

std::shared_ptr<arrow::DataType> DecimalType(DecimalShape shape) {
  return arrow::decimal128(shape.precision, shape.scale);
}

DecimalShape DecimalShapeOf(const arrow::DataType& type) {
  switch (ClassOf(type)) {
    case TypeClass::kInt8:
      return {3, 0};
    case TypeClass::kInt16:
      return {5, 0};
    case TypeClass::kInt32:
      return {10, 0};
    case TypeClass::kInt64:
      return {20, 0};
    case TypeClass::kDecimal: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return {decimal.precision(), decimal.scale()};
    }
    default:
      return {};
  }
}

DecimalShape AdjustPrecision(int precision, int scale) {
  if (precision <= kDecimalPrecisionMax) {
    return {precision, scale};
  }
  const int integral_digits = precision - scale;
  const int scale_min = std::min(scale, 6);
  return {kDecimalPrecisionMax,
          std::max(kDecimalPrecisionMax - integral_digits, scale_min)};
}

DecimalShape WiderDecimal(DecimalShape a, DecimalShape b) {
  const int scale = std::max(a.scale, b.scale);
  const int integral_digits = std::max(a.precision - a.scale, b.precision - b.scale);
  if (integral_digits + scale <= kDecimalPrecisionMax) {
    return {integral_digits + scale, scale};
  }
  return {kDecimalPrecisionMax, std::max(0, kDecimalPrecisionMax - integral_digits)};
}

namespace {

std::shared_ptr<arrow::DataType> CommonNumeric(
    const std::shared_ptr<arrow::DataType>& a,
    const std::shared_ptr<arrow::DataType>& b) {
  const TypeClass ca = ClassOf(*a);
  const TypeClass cb = ClassOf(*b);
  if (IsFloating(ca) || IsFloating(cb)) {
    return arrow::float64();  // the same type on both sides was handled before
  }
  if (ca == TypeClass::kDecimal || cb == TypeClass::kDecimal) {
    return DecimalType(WiderDecimal(DecimalShapeOf(*a), DecimalShapeOf(*b)));
  }
  return ca < cb ? b : a;
}

std::shared_ptr<arrow::DataType> CommonWithString(
    const std::shared_ptr<arrow::DataType>& other) {
  const TypeClass c = ClassOf(*other);
  if (IsIntegral(c)) {
    return arrow::int64();
  }
  if (IsNumeric(c)) {
    return arrow::float64();
  }
  return c == TypeClass::kOther || IsInterval(c) ? nullptr : other;
}

std::shared_ptr<arrow::DataType> CommonTemporal(
    const std::shared_ptr<arrow::DataType>& a,
    const std::shared_ptr<arrow::DataType>& b) {
  const TypeClass ca = ClassOf(*a);
  const TypeClass cb = ClassOf(*b);
  if (ca == TypeClass::kTimestamp || cb == TypeClass::kTimestamp) {
    return TimestampType();
  }
  return TimestampNtzType();
}

}  // namespace

std::shared_ptr<arrow::DataType> CommonType(const std::shared_ptr<arrow::DataType>& a,
                                            const std::shared_ptr<arrow::DataType>& b) {
  if (a->Equals(*b)) {
    return a;
  }
  const TypeClass ca = ClassOf(*a);
  const TypeClass cb = ClassOf(*b);
  if (ca == TypeClass::kNull) {
    return b;
  }
  if (cb == TypeClass::kNull) {
    return a;
  }
  if (IsNumeric(ca) && IsNumeric(cb)) {
    return CommonNumeric(a, b);
  }
  if (IsTemporal(ca) && IsTemporal(cb)) {
    return CommonTemporal(a, b);
  }
  if (ca == cb && IsInterval(ca)) {
    const IntervalFields fa = *IntervalFieldsOf(*a);
    const IntervalFields fb = *IntervalFieldsOf(*b);
    return IntervalType({std::min(fa.first, fb.first), std::max(fa.last, fb.last)});
  }
  if (ca == TypeClass::kString) {
    return CommonWithString(b);
  }
  if (cb == TypeClass::kString) {
    return CommonWithString(a);
  }
  return nullptr;
}

bool CastAllowed(TypeClass from, TypeClass to) {
  if (from == TypeClass::kOther || to == TypeClass::kOther || to == TypeClass::kNull) {
    return from == TypeClass::kNull || (from == to && to != TypeClass::kOther);
  }
  if (from == to || from == TypeClass::kNull || from == TypeClass::kString ||
      to == TypeClass::kString) {
    return true;
  }
  const bool exact = IsIntegral(from) || from == TypeClass::kDecimal;
  if (IsInterval(from) || IsInterval(to)) {
    return IsInterval(to) ? exact : IsIntegral(to) || to == TypeClass::kDecimal;
  }
  const bool number_or_boolean = IsNumeric(to) || to == TypeClass::kBoolean;
  switch (from) {
    case TypeClass::kBoolean:
      return IsNumeric(to);
    case TypeClass::kBinary:
      return false;
    case TypeClass::kDate:
    case TypeClass::kTimestampNtz:
      return IsTemporal(to);
    case TypeClass::kTimestamp:
      return IsTemporal(to) || IsNumeric(to);
    default:
      return number_or_boolean || to == TypeClass::kTimestamp;
  }
}

std::string TypeName(const arrow::DataType& type) {
  const auto interval = IntervalFieldsOf(type);
  return interval ? IntervalTypeName(*interval) : index::TypeName(type);
}

}  // namespace wheelpit::plan
