// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstring>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

// Days from 0000-03-01, the start of a 400-year era, to 1970-01-01.
constexpr int64_t kEraOffsetDays = 719'468;
constexpr int64_t kDaysPerEra = 146'097;

void AppendPadded(int64_t value, int width, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  for (auto length = end - digits; length < width; ++length) {
    out->push_back('0');
  }
  out->append(digits, end);
}

void AppendYear(int64_t year, std::string* out) {
  if (year < 0) {
    out->push_back('-');
  } else if (year > 9999) {
    out->push_back('+');
  }
  AppendPadded(std::abs(year), 4, out);
}

// Lays the digits d…, meaning d.ddd × 10^exponent, out as Java's Double.toString does.
void AppendJavaLayout(std::string_view digits, int exponent, std::string* out) {
  const int count = static_cast<int>(digits.size());
  if (exponent >= 7 || exponent < -3) {
    out->push_back(digits[0]);
    out->push_back('.');
    out->append(count > 1 ? digits.substr(1) : "0");
    out->push_back('E');
    AppendInt(exponent, out);
    return;
  }
  if (exponent < 0) {
    out->append("0.");
    out->append(static_cast<size_t>(-exponent - 1), '0');
    out->append(digits);
    return;
  }
  for (int i = 0; i <= exponent; ++i) {
    out->push_back(i < count ? digits[i] : '0');
  }
  out->push_back('.');
  out->append(count > exponent + 1 ? digits.substr(exponent + 1) : "0");
}

template <typename Float>
void AppendFloating(Float value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
    return;
  }
  if (std::signbit(value)) {
    out->push_back('-');
    value = -value;
  }
  if (std::isinf(value)) {
    out->append("Infinity");
    return;
  }
  if (value == 0) {
    out->append("0.0");
    return;
  }
  char text[64];
  const char* end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const char* e = static_cast<const char*>(std::memchr(text, 'e', end - text));
  if (e == text + 1) {
    // Of two digits the nearest are taken: the least double is 4.9E-324, not 5.0E-324.
    // They read back as well as the one digit, being nearer.
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 1)
              .ptr;
    e = static_cast<const char*>(std::memchr(text, 'e', end - text));
  }
  std::string digits(1, text[0]);
  if (e > text + 2 && (e > text + 3 || text[2] != '0')) {
    digits.append(text + 2, static_cast<size_t>(e - text - 2));
  }
  int exponent = 0;
  // A plus sign is not for from_chars.
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  AppendJavaLayout(digits, exponent, out);
}

void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('\'');
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      out->push_back('\\');
    }
    out->push_back(c);
  }
  out->push_back('\'');
}

void AppendHex(std::string_view bytes, std::string* out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out->push_back(kDigits[byte >> 4]);
    out->push_back(kDigits[byte & 15]);
  }
}

std::string_view BytesOf(const arrow::Scalar& value) {
  return static_cast<const arrow::BaseBinaryScalar&>(value).view();
}

int128 UnscaledOf(const arrow::Scalar& value) {
  const arrow::Decimal128& v = static_cast<const arrow::Decimal128Scalar&>(value).value;
  return (static_cast<int128>(v.high_bits()) << 64) | v.low_bits();
}

}  // namespace

CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + kEraOffsetDays;
  const int64_t era = FloorDivide(shifted, kDaysPerEra);
  const int64_t day_of_era = shifted - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  // Years begin in March here, so that the leap day is the last of its year.
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t march_month = (5 * day_of_year + 2) / 153;
  const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), static_cast<int32_t>(month),
          static_cast<int32_t>(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

int64_t DaysFromCivil(CivilDate date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t march_month = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t day_of_year = (153 * march_month + 2) / 5 + date.day - 1;
  const int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kEraOffsetDays;
}

bool IsCivilDate(CivilDate date) {
  constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date.month < 1 || date.month > 12 || date.day < 1) {
    return false;
  }
  const bool leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
  return date.day <= kDays[date.month - 1] + (date.month == 2 && leap ? 1 : 0);
}

void AppendInt(int64_t value, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void AppendDouble(double value, std::string* out) {
  AppendFloating(value, out);
}

void AppendFloat(float value, std::string* out) {
  AppendFloating(value, out);
}

void AppendDecimal(int128 unscaled, int scale, std::string* out) {
  char digits[64];
  char* const end = digits + sizeof digits;
  char* begin = end;
  auto rest = static_cast<unsigned __int128>(unscaled);
  if (unscaled < 0) {
    rest = -rest;
    out->push_back('-');
  }
  for (int position = 0; rest != 0 || position <= scale; ++position) {
    if (position == scale && scale > 0) {
      *--begin = '.';
    }
    *--begin = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  out->append(begin, end);
}

void AppendDate(int64_t days, std::string* out) {
  const CivilDate date = CivilFromDays(days);
  AppendYear(date.year, out);
  out->push_back('-');
  AppendPadded(date.month, 2, out);
  out->push_back('-');
  AppendPadded(date.day, 2, out);
}

void AppendTimestamp(int64_t local_micros, std::string* out) {
  const int64_t days = FloorDivide(local_micros, kMicrosPerDay);
  int64_t micros = local_micros % kMicrosPerDay;
  if (micros < 0) {
    micros += kMicrosPerDay;
  }
  const int64_t seconds = micros / kMicrosPerSecond;
  AppendDate(days, out);
  out->push_back(' ');
  AppendPadded(seconds / 3600, 2, out);
  out->push_back(':');
  AppendPadded(seconds / 60 % 60, 2, out);
  out->push_back(':');
  AppendPadded(seconds % 60, 2, out);
  if (const int64_t fraction = micros % kMicrosPerSecond; fraction != 0) {
    out->push_back('.');
    AppendPadded(fraction, 6, out);
    out->resize(out->find_last_not_of('0') + 1);
  }
}

std::string ValueText(const arrow::Scalar& value) {
  if (!value.is_valid) {
    return "NULL";
  }
  std::string text;
  switch (ClassOf(*value.type)) {
    case TypeClass::kBoolean:
      return static_cast<const arrow::BooleanScalar&>(value).value ? "true" : "false";
    case TypeClass::kInt8:
      AppendInt(static_cast<const arrow::Int8Scalar&>(value).value, &text);
      break;
    case TypeClass::kInt16:
      AppendInt(static_cast<const arrow::Int16Scalar&>(value).value, &text);
      break;
    case TypeClass::kInt32:
      AppendInt(static_cast<const arrow::Int32Scalar&>(value).value, &text);
      break;
    case TypeClass::kInt64:
      AppendInt(static_cast<const arrow::Int64Scalar&>(value).value, &text);
      break;
    case TypeClass::kFloat:
      AppendFloat(static_cast<const arrow::FloatScalar&>(value).value, &text);
      break;
    case TypeClass::kDouble:
      AppendDouble(static_cast<const arrow::DoubleScalar&>(value).value, &text);
      break;
    case TypeClass::kDecimal:
      AppendDecimal(UnscaledOf(value), DecimalShapeOf(*value.type).scale, &text);
      break;
    case TypeClass::kString:
    case TypeClass::kBinary:
      return std::string(BytesOf(value));
    case TypeClass::kDate:
      AppendDate(static_cast<const arrow::Date32Scalar&>(value).value, &text);
      break;
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
      AppendTimestamp(static_cast<const arrow::TimestampScalar&>(value).value, &text);
      break;
    case TypeClass::kYearMonthInterval:
    case TypeClass::kDayTimeInterval:
      AppendInterval(IntervalValueOf(value), *IntervalFieldsOf(*value.type), &text);
      break;
    default:
      return value.ToString();
  }
  return text;
}

std::string LiteralText(const arrow::Scalar& value) {
  if (!value.is_valid) {
    return "NULL";
  }
  std::string text;
  switch (ClassOf(*value.type)) {
    case TypeClass::kInt8:
      return ValueText(value) + "Y";
    case TypeClass::kInt16:
      return ValueText(value) + "S";
    case TypeClass::kInt64:
      return ValueText(value) + "L";
    case TypeClass::kFloat:
      return ValueText(value) + "F";
    case TypeClass::kDouble:
      return ValueText(value) + "D";
    case TypeClass::kString:
      AppendQuoted(BytesOf(value), &text);
      return text;
    case TypeClass::kBinary:
      text = "X'";
      AppendHex(BytesOf(value), &text);
      return text + "'";
    case TypeClass::kDate:
      return "DATE '" + ValueText(value) + "'";
    case TypeClass::kTimestamp:
      return "TIMESTAMP '" + ValueText(value) + "Z'";
    case TypeClass::kTimestampNtz:
      return "TIMESTAMP_NTZ '" + ValueText(value) + "'";
    default:
      return ValueText(value);
  }
}

}  // namespace wheelpit::plan
