// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/literal.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/core/error.h"

namespace wheelpit::sql {
namespace {

using ScalarResult = arrow::Result<std::shared_ptr<arrow::Scalar>>;

constexpr int32_t kDecimalPrecisionMax = 38;
constexpr int64_t kMicrosPerSecond = 1000000;
constexpr int64_t kSecondsPerDay = 86400;

arrow::Status LiteralError(const ast::Expression& literal, std::string error_class,
                           std::string message) {
  return core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                           .error_class = std::move(error_class),
                           .sql_offset = literal.range.offset,
                           .sql_length = literal.range.length},
                          std::move(message));
}

arrow::Status OutOfRange(const ast::Expression& literal, std::string_view type) {
  return LiteralError(
      literal, "INVALID_NUMERIC_LITERAL_RANGE",
      "the literal " + literal.text + " is out of the range of " + std::string(type));
}

// The digits of a number without its type letters.
std::string_view Digits(const ast::Expression& literal, size_t suffix_length) {
  std::string_view text = literal.text;
  return text.substr(0, text.size() - suffix_length);
}

template <typename ScalarType, typename Integer>
ScalarResult IntegerValue(const ast::Expression& literal, std::string_view type) {
  std::string_view digits = Digits(literal, 1);
  Integer value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return OutOfRange(literal, type);
  }
  return std::make_shared<ScalarType>(value);
}

// Precision and scale as Java's BigDecimal counts them: 1.50 is (3, 2), 1e3 is (4, 0).
ScalarResult DecimalValue(const ast::Expression& literal, size_t suffix_length) {
  std::string_view digits = Digits(literal, suffix_length);
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  arrow::Status status =
      arrow::Decimal128::FromString(digits, &value, &precision, &scale);
  if (status.ok() && scale < 0) {
    precision -= scale;
    status = precision <= kDecimalPrecisionMax ? value.Rescale(scale, 0).Value(&value)
                                               : arrow::Status::Invalid("too wide");
    scale = 0;
  }
  precision = std::max({precision, scale, 1});
  if (!status.ok() || precision > kDecimalPrecisionMax) {
    return LiteralError(literal, "NUMERIC_VALUE_OUT_OF_RANGE",
                        "the literal " + literal.text + " has more than 38 digits");
  }
  return std::make_shared<arrow::Decimal128Scalar>(value,
                                                   arrow::decimal128(precision, scale));
}

ScalarResult FloatingValue(const ast::Expression& literal, size_t suffix_length,
                           bool single) {
  std::string digits(Digits(literal, suffix_length));
  double value = std::strtod(digits.c_str(), nullptr);
  double limit =
      single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  if (std::abs(value) > limit) {
    return OutOfRange(literal, single ? "float" : "double");
  }
  if (single) {
    return std::make_shared<arrow::FloatScalar>(std::strtof(digits.c_str(), nullptr));
  }
  return std::make_shared<arrow::DoubleScalar>(value);
}

ScalarResult WholeValue(const ast::Expression& literal) {
  const std::string& text = literal.text;
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return DecimalValue(literal, 0);
  }
  if (value >= std::numeric_limits<int32_t>::min() &&
      value <= std::numeric_limits<int32_t>::max()) {
    return std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(value));
  }
  return std::make_shared<arrow::Int64Scalar>(value);
}

// X'1F'; an odd number of digits has a zero before it.
std::optional<std::string> ParseHex(std::string_view text) {
  std::string bytes;
  std::string even = (text.size() % 2 == 1 ? "0" : "") + std::string(text);
  for (size_t i = 0; i < even.size(); i += 2) {
    unsigned byte = 0;
    auto [end, error] = std::from_chars(even.data() + i, even.data() + i + 2, byte, 16);
    if (error != std::errc() || end != even.data() + i + 2) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// Takes `least` to `most` digits off the front.
std::optional<int32_t> TakeDigits(std::string_view* text, size_t least, size_t most) {
  int32_t value = 0;
  size_t count = 0;
  while (count < most && count < text->size() && (*text)[count] >= '0' &&
         (*text)[count] <= '9') {
    value = value * 10 + ((*text)[count] - '0');
    ++count;
  }
  if (count < least) {
    return std::nullopt;
  }
  text->remove_prefix(count);
  return value;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) {
    return false;
  }
  text->remove_prefix(1);
  return true;
}

bool AtDigit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// Takes a date off the front: days since the epoch.
std::optional<int32_t> TakeDate(std::string_view* text) {
  bool negative = !text->empty() && text->front() == '-';
  if (negative || (!text->empty() && text->front() == '+')) {
    text->remove_prefix(1);
  }
  std::optional<int32_t> year = TakeDigits(text, 4, 7);
  if (!year || AtDigit(*text)) {
    return std::nullopt;
  }
  std::optional<int32_t> month = 1;
  std::optional<int32_t> day = 1;
  if (TakeChar(text, '-')) {
    month = TakeDigits(text, 1, 2);
    if (month && TakeChar(text, '-')) {
      day = TakeDigits(text, 1, 2);
    }
  }
  int32_t signed_year = negative ? -*year : *year;
  // Years past what chrono counts in: Spark reads up to seven digits, files hold few.
  if (!month || !day || AtDigit(*text) || signed_year < -32767 || signed_year > 32767) {
    return std::nullopt;
  }
  std::chrono::year_month_day date{std::chrono::year(signed_year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<int32_t>(days);
}

// Takes h[h]:m[m][:s[s][.fraction]]: microseconds of the day.
std::optional<int64_t> TakeTime(std::string_view* text) {
  std::optional<int32_t> hour = TakeDigits(text, 1, 2);
  if (!hour || !TakeChar(text, ':')) {
    return std::nullopt;
  }
  std::optional<int32_t> minute = TakeDigits(text, 1, 2);
  std::optional<int32_t> second = 0;
  int64_t micros = 0;
  if (minute && TakeChar(text, ':')) {
    second = TakeDigits(text, 1, 2);
    if (second && TakeChar(text, '.')) {
      int64_t unit = kMicrosPerSecond;
      while (AtDigit(*text)) {
        unit /= 10;
        micros += unit * (text->front() - '0');
        text->remove_prefix(1);
      }
    }
  }
  if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  return (*hour * 3600 + *minute * 60 + *second) * kMicrosPerSecond + micros;
}

ScalarResult TimestampValue(const ast::Expression& literal, std::string_view time_zone,
                            bool local) {
  std::optional<ParsedTimestamp> parsed = ParseTimestamp(Trim(literal.text));
  if (!parsed) {
    return LiteralError(literal, "INVALID_TYPED_LITERAL",
                        "'" + literal.text +
                            "' is not a time stamp; write one as "
                            "'2026-01-31 12:30:00'");
  }
  auto unit = arrow::TimeUnit::MICRO;
  if (local) {
    return std::make_shared<arrow::TimestampScalar>(parsed->micros,
                                                    arrow::timestamp(unit));
  }
  std::optional<int32_t> offset = parsed->zone_offset_seconds;
  if (!offset) {
    offset = ParseZoneOffset(time_zone);
  }
  if (!offset) {
    return core::MakeStatus(
        {.kind = core::ErrorKind::kUnsupported,
         .error_class = {},
         .sql_offset = literal.range.offset,
         .sql_length = literal.range.length},
        "a TIMESTAMP literal without a zone is not supported yet in the session time "
        "zone " +
            std::string(time_zone) + "; write the offset, as '…+02:00'");
  }
  return std::make_shared<arrow::TimestampScalar>(
      parsed->micros - *offset * kMicrosPerSecond, arrow::timestamp(unit, "UTC"));
}

ScalarResult TypedValue(const ast::Expression& literal, std::string_view time_zone) {
  const std::string& word = literal.type_word;
  if (word == "DATE") {
    std::optional<int32_t> days = ParseDate(Trim(literal.text));
    if (!days) {
      return LiteralError(
          literal, "INVALID_TYPED_LITERAL",
          "'" + literal.text + "' is not a date; write one as '2026-01-31'");
    }
    return std::make_shared<arrow::Date32Scalar>(*days);
  }
  if (word == "TIMESTAMP" || word == "TIMESTAMP_LTZ" || word == "TIMESTAMP_NTZ") {
    return TimestampValue(literal, time_zone, word == "TIMESTAMP_NTZ");
  }
  if (word == "X") {
    std::optional<std::string> bytes = ParseHex(literal.text);
    if (!bytes) {
      return LiteralError(literal, "INVALID_TYPED_LITERAL",
                          "X'" + literal.text + "' is not hexadecimal");
    }
    return std::make_shared<arrow::BinaryScalar>(*std::move(bytes));
  }
  if (word == "TIME") {
    std::string_view text = Trim(literal.text);
    std::optional<int64_t> micros = TakeTime(&text);
    if (!micros || !text.empty()) {
      return LiteralError(
          literal, "INVALID_TYPED_LITERAL",
          "'" + literal.text + "' is not a time; write one as '12:30:00'");
    }
    return std::make_shared<arrow::Time64Scalar>(*micros,
                                                 arrow::time64(arrow::TimeUnit::MICRO));
  }
  return LiteralError(literal, "UNSUPPORTED_TYPED_LITERAL",
                      word +
                          " before a string is not a type of literals; there are DATE, "
                          "TIME, TIMESTAMP, TIMESTAMP_LTZ, TIMESTAMP_NTZ, INTERVAL, X");
}

}  // namespace

std::optional<int32_t> ParseDate(std::string_view text) {
  std::optional<int32_t> days = TakeDate(&text);
  if (!text.empty() && text.front() != ' ' && text.front() != 'T') {
    return std::nullopt;
  }
  return days;
}

std::optional<int32_t> ParseZoneOffset(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT" || text == "UT" ||
      text == "Etc/UTC") {
    return 0;
  }
  if (text.starts_with("UTC") || text.starts_with("GMT")) {
    text.remove_prefix(3);
  }
  bool negative = TakeChar(&text, '-');
  if (!negative && !TakeChar(&text, '+')) {
    return std::nullopt;
  }
  std::optional<int32_t> hour = TakeDigits(&text, 1, 2);
  std::optional<int32_t> minute = 0;
  if (hour && TakeChar(&text, ':')) {
    minute = TakeDigits(&text, 1, 2);
  }
  if (!hour || !minute || !text.empty() || *hour > 18 || *minute > 59) {
    return std::nullopt;
  }
  int32_t seconds = *hour * 3600 + *minute * 60;
  return negative ? -seconds : seconds;
}

std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text) {
  std::optional<int32_t> days = TakeDate(&text);
  if (!days) {
    return std::nullopt;
  }
  ParsedTimestamp parsed;
  parsed.micros = *days * kSecondsPerDay * kMicrosPerSecond;
  if (text.empty()) {
    return parsed;
  }
  if (!TakeChar(&text, ' ') && !TakeChar(&text, 'T')) {
    return std::nullopt;
  }
  std::optional<int64_t> time = TakeTime(&text);
  if (!time) {
    return std::nullopt;
  }
  parsed.micros += *time;
  text = Trim(text);
  if (!text.empty()) {
    parsed.zone_offset_seconds = ParseZoneOffset(text);
    if (!parsed.zone_offset_seconds) {
      return std::nullopt;
    }
  }
  return parsed;
}

std::optional<int32_t> AddMonths(int32_t days, int64_t months) {
  using std::chrono::sys_days;
  std::chrono::year_month_day date{sys_days(std::chrono::days(days))};
  constexpr int64_t kMonthsMax = 12 * 30000;
  if (months < -kMonthsMax || months > kMonthsMax) {
    return std::nullopt;
  }
  int64_t month = static_cast<int>(date.year()) * INT64_C(12) +
                  static_cast<unsigned>(date.month()) - 1 + months;
  int64_t year = month >= 0 ? month / 12 : (month - 11) / 12;
  if (year < -32767 || year > 32767) {
    return std::nullopt;
  }
  auto year_month = std::chrono::year(static_cast<int>(year)) /
                    std::chrono::month(static_cast<unsigned>(month - year * 12) + 1);
  std::chrono::day last = (year_month / std::chrono::last).day();
  sys_days result(year_month / std::min(date.day(), last));
  return static_cast<int32_t>(result.time_since_epoch().count());
}

ScalarResult LiteralValue(const ast::Expression& literal, std::string_view time_zone) {
  switch (literal.literal) {
    case ast::LiteralKind::kNull:
      return std::make_shared<arrow::NullScalar>();
    case ast::LiteralKind::kTrue:
      return std::make_shared<arrow::BooleanScalar>(true);
    case ast::LiteralKind::kFalse:
      return std::make_shared<arrow::BooleanScalar>(false);
    case ast::LiteralKind::kString:
      return std::make_shared<arrow::StringScalar>(literal.text);
    case ast::LiteralKind::kInteger:
      return WholeValue(literal);
    case ast::LiteralKind::kDecimal:
      return DecimalValue(literal, 0);
    case ast::LiteralKind::kExponent:
      return FloatingValue(literal, 0, false);
    case ast::LiteralKind::kBigint:
      return IntegerValue<arrow::Int64Scalar, int64_t>(literal, "bigint");
    case ast::LiteralKind::kSmallint:
      return IntegerValue<arrow::Int16Scalar, int16_t>(literal, "smallint");
    case ast::LiteralKind::kTinyint:
      return IntegerValue<arrow::Int8Scalar, int8_t>(literal, "tinyint");
    case ast::LiteralKind::kFloat:
      return FloatingValue(literal, 1, true);
    case ast::LiteralKind::kDouble:
      return FloatingValue(literal, 1, false);
    case ast::LiteralKind::kBigDecimal:
      return DecimalValue(literal, 2);
    case ast::LiteralKind::kTyped:
      return TypedValue(literal, time_zone);
  }
  return core::Error(core::ErrorKind::kInternal, "a literal of no kind");
}

}  // namespace wheelpit::sql
