// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/literal.h"

#include <algorithm>
#include <charconv>
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
#include "wheelpit/index/time_zone.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::sql {
namespace {

using ScalarResult = arrow::Result<std::shared_ptr<arrow::Scalar>>;

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
    status = precision <= plan::kDecimalPrecisionMax
                 ? value.Rescale(scale, 0).Value(&value)
                 : arrow::Status::Invalid("too wide");
    scale = 0;
  }
  precision = std::max({precision, scale, 1});
  if (!status.ok() || precision > plan::kDecimalPrecisionMax) {
    return LiteralError(literal, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
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

// The one word that Spark takes for a date and that does not depend on the clock.
bool IsEpoch(std::string_view text) {
  constexpr std::string_view kWord = "epoch";
  text = plan::TrimBlanks(text);
  return std::equal(text.begin(), text.end(), kWord.begin(), kWord.end(),
                    [](char a, char b) { return a == b || a + ('a' - 'A') == b; });
}

arrow::Status NoTimestamp(const ast::Expression& literal) {
  return LiteralError(
      literal, "INVALID_TYPED_LITERAL",
      "'" + literal.text + "' is not a time stamp; write one as '2026-01-31 12:30:00'");
}

// The instant at which clocks of a zone show the time; its text must be a zone's name.
arrow::Result<int64_t> InstantOf(const ast::Expression& literal, int64_t local_micros,
                                 std::string_view name) {
  auto zone = index::TimeZone::Find(name);
  std::optional<int64_t> instant =
      zone.ok() ? (*zone)->ToInstant(local_micros) : std::nullopt;
  return instant ? arrow::Result<int64_t>(*instant) : NoTimestamp(literal);
}

ScalarResult TimestampValue(const ast::Expression& literal, std::string_view time_zone) {
  std::optional<plan::ParsedTimestamp> parsed = plan::ParseTimestamp(literal.text);
  if (IsEpoch(literal.text)) {
    parsed = plan::ParsedTimestamp{.local_micros = 0, .zone = "UTC", .time_only = false};
  }
  if (!parsed || parsed->time_only) {
    return NoTimestamp(literal);
  }
  if (literal.type_word == "TIMESTAMP_NTZ") {
    // A zone in the text is read and means nothing, as in Spark.
    return std::make_shared<arrow::TimestampScalar>(parsed->local_micros,
                                                    plan::TimestampNtzType());
  }
  std::string_view zone = parsed->zone.empty() ? time_zone : parsed->zone;
  int64_t micros = parsed->local_micros;
  if (!time_zone.empty()) {
    ARROW_ASSIGN_OR_RAISE(micros, InstantOf(literal, micros, zone));
  }
  return std::make_shared<arrow::TimestampScalar>(micros, plan::TimestampType());
}

ScalarResult TimeValue(const ast::Expression& literal) {
  std::optional<plan::ParsedTimestamp> parsed = plan::ParseTimestamp(literal.text);
  if (!parsed || !parsed->time_only || !parsed->zone.empty()) {
    return LiteralError(literal, "INVALID_TYPED_LITERAL",
                        "'" + literal.text + "' is not a time; write one as '12:30:00'");
  }
  return std::make_shared<arrow::Time64Scalar>(parsed->local_micros,
                                               arrow::time64(arrow::TimeUnit::MICRO));
}

ScalarResult TypedValue(const ast::Expression& literal, std::string_view time_zone) {
  const std::string& word = literal.type_word;
  if (word == "DATE") {
    std::optional<int32_t> days =
        IsEpoch(literal.text) ? 0 : plan::ParseDate(literal.text);
    if (!days) {
      return LiteralError(
          literal, "INVALID_TYPED_LITERAL",
          "'" + literal.text + "' is not a date; write one as '2026-01-31'");
    }
    return std::make_shared<arrow::Date32Scalar>(*days);
  }
  if (word == "TIMESTAMP" || word == "TIMESTAMP_LTZ" || word == "TIMESTAMP_NTZ") {
    return TimestampValue(literal, time_zone);
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
    return TimeValue(literal);
  }
  return LiteralError(literal, "UNSUPPORTED_TYPED_LITERAL",
                      word +
                          " before a string is not a type of literals; there are DATE, "
                          "TIME, TIMESTAMP, TIMESTAMP_LTZ, TIMESTAMP_NTZ, INTERVAL, X");
}

}  // namespace

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
