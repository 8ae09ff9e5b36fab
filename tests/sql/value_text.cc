// SPDX-License-Identifier: Apache-2.0
#include "value_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/interval.h"

namespace wheelpit::sqltest {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Proleptic Gregorian, counted in eras of 400 years that begin on 1 March.
std::string DateText(int64_t days) {
  const int64_t shifted = days + 719'468;
  const int64_t era = FloorDivide(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) /
      365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march + (month_from_march < 10 ? 3 : -9);
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  char text[64];
  std::snprintf(text, sizeof text, "%s%04lld-%02lld-%02lld",
                year < 0      ? "-"
                : year > 9999 ? "+"
                              : "",
                static_cast<long long>(std::llabs(year)), static_cast<long long>(month),
                static_cast<long long>(day));
  return text;
}

std::string DecimalText(const arrow::Decimal128& value, int32_t scale) {
  std::string digits = value.ToIntegerString();
  const std::string sign = digits[0] == '-' ? "-" : "";
  digits.erase(0, sign.size());
  if (scale > 0) {
    const auto places = static_cast<size_t>(scale);
    if (digits.size() <= places) {
      digits.insert(0, places + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - places, ".");
  }
  return sign + digits;
}

std::string Hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

template <typename Float>
std::string JavaText(Float value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-Infinity" : "Infinity";
  }
  char buffer[64];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const std::string sign = text[0] == '-' ? "-" : "";
  text.remove_prefix(sign.size());
  const size_t e = text.find('e');
  const int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(1, text[0]);
  digits += text.substr(std::min<size_t>(2, e), e - std::min<size_t>(2, e));
  const auto size = static_cast<int>(digits.size());
  if (value != 0 && (exponent < -3 || exponent >= 7)) {
    const std::string tail = size > 1 ? digits.substr(1) : "0";
    return sign + digits[0] + "." + tail + "E" + std::to_string(exponent);
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  if (size <= exponent + 1) {
    return sign + digits + std::string(static_cast<size_t>(exponent + 1 - size), '0') +
           ".0";
  }
  return sign + digits.insert(static_cast<size_t>(exponent + 1), ".");
}

template <typename ArrayType>
auto ValueOf(const arrow::Array& array, int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

}  // namespace

std::string TimestampText(int64_t micros) {
  const int64_t seconds = FloorDivide(micros, kMicrosPerSecond);
  const int64_t fraction = micros - seconds * kMicrosPerSecond;
  const int64_t days = FloorDivide(seconds, kSecondsPerDay);
  const int64_t second_of_day = seconds - days * kSecondsPerDay;
  char text[32];
  std::snprintf(
      text, sizeof text, " %02d:%02d:%02d", static_cast<int>(second_of_day / 3600),
      static_cast<int>(second_of_day / 60 % 60), static_cast<int>(second_of_day % 60));
  std::string out = DateText(days) + text;
  if (fraction != 0) {
    std::snprintf(text, sizeof text, ".%06d", static_cast<int>(fraction));
    std::string_view digits = text;
    digits = digits.substr(0, digits.find_last_not_of('0') + 1);
    out += digits;
  }
  return out;
}

std::string FloatText(double value) {
  return JavaText(value);
}

std::string FloatText(float value) {
  return JavaText(value);
}

std::optional<std::string> ValueText(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) {
    return std::nullopt;
  }
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return ValueOf<arrow::BooleanArray>(array, row) ? "true" : "false";
    case arrow::Type::INT8:
      return std::to_string(ValueOf<arrow::Int8Array>(array, row));
    case arrow::Type::INT16:
      return std::to_string(ValueOf<arrow::Int16Array>(array, row));
    case arrow::Type::INT32:
      return std::to_string(ValueOf<arrow::Int32Array>(array, row));
    case arrow::Type::INT64:
      return std::to_string(ValueOf<arrow::Int64Array>(array, row));
    case arrow::Type::FLOAT:
      return FloatText(ValueOf<arrow::FloatArray>(array, row));
    case arrow::Type::DOUBLE:
      return FloatText(ValueOf<arrow::DoubleArray>(array, row));
    case arrow::Type::DATE32:
      return DateText(ValueOf<arrow::Date32Array>(array, row));
    case arrow::Type::TIMESTAMP:
      return TimestampText(ValueOf<arrow::TimestampArray>(array, row));
    case arrow::Type::STRING:
      return std::string(static_cast<const arrow::StringArray&>(array).GetView(row));
    case arrow::Type::BINARY:
      return Hexadecimal(static_cast<const arrow::BinaryArray&>(array).GetView(row));
    case arrow::Type::DECIMAL128: {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
      const auto& type = static_cast<const arrow::Decimal128Type&>(*array.type());
      return DecimalText(arrow::Decimal128(decimals.GetValue(row)), type.scale());
    }
    case arrow::Type::EXTENSION: {
      const auto fields = plan::IntervalFieldsOf(*array.type());
      if (!fields) {
        break;
      }
      const arrow::Array& storage =
          *static_cast<const arrow::ExtensionArray&>(array).storage();
      std::string text;
      plan::AppendInterval(fields->year_month()
                               ? ValueOf<arrow::MonthIntervalArray>(storage, row)
                               : ValueOf<arrow::DurationArray>(storage, row),
                           *fields, &text);
      return text;
    }
    default:
      break;
  }
  return "<" + array.type()->ToString() + ">";
}

}  // namespace wheelpit::sqltest
