// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/literal_cast.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

template <typename Int, typename ScalarType>
ScalarPtr Narrowed(int64_t value) {
  if (value < std::numeric_limits<Int>::min() ||
      value > std::numeric_limits<Int>::max()) {
    return nullptr;
  }
  return std::make_shared<ScalarType>(static_cast<Int>(value));
}

ScalarPtr DecimalFrom(arrow::Decimal128 value, int scale,
                      const std::shared_ptr<arrow::DataType>& type) {
  const DecimalShape shape = DecimalShapeOf(*type);
  const auto rescaled = value.Rescale(scale, shape.scale);
  if (!rescaled.ok() || !rescaled->FitsInPrecision(shape.precision)) {
    return nullptr;
  }
  return std::make_shared<arrow::Decimal128Scalar>(*rescaled, type);
}

ScalarPtr FromIntegral(int64_t value, const std::shared_ptr<arrow::DataType>& type) {
  switch (ClassOf(*type)) {
    case TypeClass::kInt8:
      return Narrowed<int8_t, arrow::Int8Scalar>(value);
    case TypeClass::kInt16:
      return Narrowed<int16_t, arrow::Int16Scalar>(value);
    case TypeClass::kInt32:
      return Narrowed<int32_t, arrow::Int32Scalar>(value);
    case TypeClass::kInt64:
      return std::make_shared<arrow::Int64Scalar>(value);
    case TypeClass::kFloat:
      return std::make_shared<arrow::FloatScalar>(static_cast<float>(value));
    case TypeClass::kDouble:
      return std::make_shared<arrow::DoubleScalar>(static_cast<double>(value));
    case TypeClass::kDecimal:
      return DecimalFrom(arrow::Decimal128(value), 0, type);
    default:
      return nullptr;
  }
}

ScalarPtr FromDecimal(const arrow::Decimal128Scalar& value,
                      const std::shared_ptr<arrow::DataType>& type) {
  const int scale = DecimalShapeOf(*value.type).scale;
  const TypeClass to = ClassOf(*type);
  if (to == TypeClass::kDecimal) {
    return DecimalFrom(value.value, scale, type);
  }
  if (IsIntegral(to)) {
    const auto whole = value.value.Rescale(scale, 0);
    const auto integral =
        whole.ok() ? whole->ToInteger<int64_t>() : arrow::Result<int64_t>(whole.status());
    return integral.ok() ? FromIntegral(*integral, type) : nullptr;
  }
  if (to != TypeClass::kDouble) {
    return nullptr;
  }
  // Through text, which from_chars rounds correctly.
  const std::string text = value.value.ToString(scale);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::make_shared<arrow::DoubleScalar>(number);
}

// To an interval of the same kind, or to a number of the last field.
ScalarPtr FromInterval(const arrow::Scalar& value,
                       const std::shared_ptr<arrow::DataType>& type) {
  const IntervalFields from = *IntervalFieldsOf(*value.type);
  const int64_t count = IntervalValueOf(value);
  if (const auto to = IntervalFieldsOf(*type)) {
    return MakeIntervalScalar(TruncateInterval(count, to->last), type);
  }
  return IsIntegral(ClassOf(*type)) ? FromIntegral(count / IntervalUnit(from.last), type)
                                    : nullptr;
}

// The one special word whose meaning does not depend on the clock.
bool IsEpoch(std::string_view text) {
  constexpr std::string_view kEpoch = "epoch";
  return std::equal(text.begin(), text.end(), kEpoch.begin(), kEpoch.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

ScalarPtr FromString(std::string_view text,
                     const std::shared_ptr<arrow::DataType>& type) {
  const TypeClass to = ClassOf(*type);
  if (IsIntegral(to)) {
    const auto value = ParseInteger(text);
    return value ? FromIntegral(*value, type) : nullptr;
  }
  const bool epoch = IsEpoch(TrimBlanks(text));
  if (to == TypeClass::kDate) {
    const std::optional<int32_t> days = epoch ? 0 : ParseDate(text);
    return days ? std::make_shared<arrow::Date32Scalar>(*days) : nullptr;
  }
  if (epoch && (to == TypeClass::kTimestamp || to == TypeClass::kTimestampNtz)) {
    return std::make_shared<arrow::TimestampScalar>(0, type);
  }
  if (to == TypeClass::kTimestampNtz) {
    const auto parsed = ParseTimestamp(text);
    if (parsed && !parsed->time_only && parsed->zone.empty()) {
      return std::make_shared<arrow::TimestampScalar>(parsed->local_micros, type);
    }
  }
  return nullptr;
}

}  // namespace

bool IntegralValue(const arrow::Scalar& value, int64_t* out) {
  switch (ClassOf(*value.type)) {
    case TypeClass::kInt8:
      *out = static_cast<const arrow::Int8Scalar&>(value).value;
      return true;
    case TypeClass::kInt16:
      *out = static_cast<const arrow::Int16Scalar&>(value).value;
      return true;
    case TypeClass::kInt32:
      *out = static_cast<const arrow::Int32Scalar&>(value).value;
      return true;
    case TypeClass::kInt64:
      *out = static_cast<const arrow::Int64Scalar&>(value).value;
      return true;
    default:
      return false;
  }
}

ScalarPtr CastLiteral(const arrow::Scalar& value,
                      const std::shared_ptr<arrow::DataType>& type) {
  if (!value.is_valid) {
    return arrow::MakeNullScalar(type);
  }
  int64_t integral = 0;
  if (IntegralValue(value, &integral)) {
    return FromIntegral(integral, type);
  }
  switch (ClassOf(*value.type)) {
    case TypeClass::kDecimal:
      return FromDecimal(static_cast<const arrow::Decimal128Scalar&>(value), type);
    case TypeClass::kFloat:
      if (ClassOf(*type) == TypeClass::kDouble) {
        return std::make_shared<arrow::DoubleScalar>(
            static_cast<const arrow::FloatScalar&>(value).value);
      }
      return nullptr;
    case TypeClass::kString:
      return FromString(static_cast<const arrow::StringScalar&>(value).view(), type);
    case TypeClass::kYearMonthInterval:
    case TypeClass::kDayTimeInterval:
      return FromInterval(value, type);
    case TypeClass::kDate: {
      int64_t micros = 0;
      const int64_t days = static_cast<const arrow::Date32Scalar&>(value).value;
      if (ClassOf(*type) == TypeClass::kTimestampNtz &&
          !__builtin_mul_overflow(days, kMicrosPerDay, &micros)) {
        return std::make_shared<arrow::TimestampScalar>(micros, type);
      }
      return nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace wheelpit::plan
