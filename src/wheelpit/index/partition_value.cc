// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/partition_value.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/time_zone.h"

namespace wheelpit::index {

namespace {

using Kind = PartitionType::Kind;

constexpr int32_t kPrecisionMax = 38;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

int HexDigit(char c) {
  if (IsDigit(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Takes one of `accepted` off the front.
std::optional<char> TakeOneOf(std::string_view* text, std::string_view accepted) {
  if (text->empty() || accepted.find(text->front()) == std::string_view::npos) {
    return std::nullopt;
  }
  const char c = text->front();
  text->remove_prefix(1);
  return c;
}

std::string_view TakeDigits(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && IsDigit((*text)[count])) {
    ++count;
  }
  const std::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

// Java's Integer.parseInt and Long.parseLong.
template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  Integer value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The parts of what Java's BigDecimal and Double take in common:
// [sign] digits [. digits] [e [sign] digits].
struct DecimalText {
  bool negative = false;
  std::string digits;  // without the point
  int64_t scale = 0;   // digits after the point, less the exponent
};

std::optional<DecimalText> ParseDecimalText(std::string_view text) {
  DecimalText out;
  out.negative = TakeOneOf(&text, "+-") == '-';
  out.digits = TakeDigits(&text);
  if (TakeOneOf(&text, ".")) {
    const std::string_view fraction = TakeDigits(&text);
    out.digits += fraction;
    out.scale = static_cast<int64_t>(fraction.size());
  }
  if (out.digits.empty()) {
    return std::nullopt;
  }
  if (TakeOneOf(&text, "eE")) {
    const bool negative = TakeOneOf(&text, "+-") == '-';
    const std::string_view digits = TakeDigits(&text);
    if (digits.empty()) {
      return std::nullopt;
    }
    // Larger exponents make no difference to a double and are no decimal.
    constexpr int64_t kExponentMax = 100'000;
    int64_t exponent = 0;
    for (const char c : digits) {
      exponent = std::min(exponent * 10 + (c - '0'), kExponentMax);
    }
    out.scale -= negative ? -exponent : exponent;
  }
  return text.empty() ? std::optional(std::move(out)) : std::nullopt;
}

// The digits of a number without a fraction of at most 38 digits, sign in front.
std::optional<std::string> ParseWholeDecimal(std::string_view text) {
  const std::optional<DecimalText> parsed = ParseDecimalText(text);
  if (!parsed || parsed->scale > 0) {
    return std::nullopt;
  }
  const size_t zeros =
      std::min(parsed->digits.find_first_not_of('0'), parsed->digits.size() - 1);
  std::string digits = parsed->digits.substr(zeros);
  if (static_cast<int64_t>(digits.size()) - parsed->scale > kPrecisionMax) {
    return std::nullopt;
  }
  digits.append(static_cast<size_t>(-parsed->scale), '0');
  return parsed->negative ? "-" + digits : digits;
}

int32_t DigitCount(const std::string& whole) {
  return static_cast<int32_t>(whole.size()) - (whole.front() == '-' ? 1 : 0);
}

// [sign] 0x hex [. hex] p [sign] digits
std::optional<double> ParseHexDouble(std::string_view text, bool negative) {
  const size_t exponent = text.find_first_of("pP");
  if (exponent == std::string_view::npos) {
    return std::nullopt;
  }
  std::string normal(text.substr(0, exponent));
  normal += 'p';
  std::string_view power = text.substr(exponent + 1);
  if (TakeOneOf(&power, "+-") == '-') {
    normal += '-';
  }
  if (!AllDigits(power)) {
    return std::nullopt;
  }
  normal += power;
  double value = 0;
  const auto [end, error] = std::from_chars(normal.data(), normal.data() + normal.size(),
                                            value, std::chars_format::hex);
  if (error != std::errc() || end != normal.data() + normal.size()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

double ToDouble(const DecimalText& text) {
  const std::string normal = text.digits + "e" + std::to_string(-text.scale);
  double value = 0;
  const auto [end, error] =
      std::from_chars(normal.data(), normal.data() + normal.size(), value);
  if (error == std::errc::result_out_of_range) {
    const size_t zeros = std::min(text.digits.find_first_not_of('0'), text.digits.size());
    const auto magnitude = static_cast<int64_t>(text.digits.size() - zeros) - text.scale;
    value = magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return text.negative ? -value : value;
}

// Java's Double.parseDouble.
std::optional<double> ParseDouble(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<uint8_t>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  std::string_view magnitude = text;
  const bool negative = TakeOneOf(&magnitude, "+-") == '-';
  if (magnitude == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (magnitude == "Infinity") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return negative ? -kInfinity : kInfinity;
  }
  if (!text.empty() && std::string_view("dDfF").find(text.back()) != text.npos) {
    text.remove_suffix(1);
    magnitude = magnitude.substr(0, magnitude.size() - 1);
  }
  if (magnitude.starts_with("0x") || magnitude.starts_with("0X")) {
    return ParseHexDouble(magnitude.substr(2), negative);
  }
  const std::optional<DecimalText> parsed = ParseDecimalText(text);
  return parsed ? std::optional(ToDouble(*parsed)) : std::nullopt;
}

// Days from 1970-01-01 to a date of the proleptic Gregorian calendar, counted in years
// that begin in March, so that the leap day is the last one.
int64_t DaysFromCivil(int64_t year, int64_t month, int64_t day) {
  const int64_t shifted_year = month <= 2 ? year - 1 : year;
  const int64_t era = (shifted_year >= 0 ? shifted_year : shifted_year - 399) / 400;
  const int64_t year_of_era = shifted_year - era * 400;
  const int64_t month_from_march = (month + 9) % 12;
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  const int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  constexpr int64_t kDaysOfEra = 146'097;
  constexpr int64_t kDaysToEpoch = 719'468;  // from 0000-03-01
  return era * kDaysOfEra + day_of_era - kDaysToEpoch;
}

int64_t DaysOfMonth(int64_t year, int64_t month) {
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  constexpr int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap ? 29 : kDays[month - 1];
}

int64_t Number(std::string_view digits) {
  int64_t value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
  }
  return value;
}

// yyyy-MM-dd; years beyond 9999 have a plus sign. Days since 1970-01-01.
std::optional<int32_t> ParseDate(std::string_view text) {
  const bool plus = TakeOneOf(&text, "+").has_value();
  const std::string_view year_text = TakeDigits(&text);
  const size_t digits = year_text.size();
  const bool year_fits = plus ? digits >= 5 && digits <= 7 : digits == 4;
  if (!year_fits || text.size() != 6 || text[0] != '-' || text[3] != '-' ||
      !AllDigits(text.substr(1, 2)) || !AllDigits(text.substr(4, 2))) {
    return std::nullopt;
  }
  const int64_t year = Number(year_text);
  const int64_t month = Number(text.substr(1, 2));
  const int64_t day = Number(text.substr(4, 2));
  if (month < 1 || month > 12 || day < 1 || day > DaysOfMonth(year, month)) {
    return std::nullopt;
  }
  const int64_t days = DaysFromCivil(year, month, day);
  return days <= std::numeric_limits<int32_t>::max()
             ? std::optional(static_cast<int32_t>(days))
             : std::nullopt;
}

// yyyy-MM-dd HH:mm:ss[.S], one digit of fraction and no more. Microseconds of local time.
std::optional<int64_t> ParseTimestamp(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<int32_t> days = ParseDate(text.substr(0, space));
  const std::string_view time = text.substr(space + 1);
  const bool fraction = time.size() == 10 && time[8] == '.' && IsDigit(time[9]);
  if (!days || (time.size() != 8 && !fraction) || time[2] != ':' || time[5] != ':' ||
      !AllDigits(time.substr(0, 2)) || !AllDigits(time.substr(3, 2)) ||
      !AllDigits(time.substr(6, 2))) {
    return std::nullopt;
  }
  const int64_t hour = Number(time.substr(0, 2));
  const int64_t minute = Number(time.substr(3, 2));
  const int64_t second = Number(time.substr(6, 2));
  if (hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  // Years beyond what microseconds in 64 bits hold.
  constexpr int32_t kDaysMax = 106'000'000;
  if (*days > kDaysMax) {
    return std::nullopt;
  }
  const int64_t seconds = ((*days * int64_t{24} + hour) * 60 + minute) * 60 + second;
  return seconds * 1'000'000 + (fraction ? (time[9] - '0') * int64_t{100'000} : 0);
}

arrow::Status Unreadable(std::string_view value, PartitionType type) {
  return core::Error(core::ErrorKind::kInternal, "the partition value ",
                     fs::Quoted(value), " is not of its column's type ",
                     ToArrow(type)->ToString());
}

}  // namespace

std::string UnescapePathName(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

PartitionType InferPartitionType(std::string_view value, bool infer) {
  if (value == kNullPartition) {
    return {Kind::kNull};
  }
  if (!infer) {
    return {Kind::kString};
  }
  if (ParseInteger<int32_t>(value)) {
    return {Kind::kInt};
  }
  if (ParseInteger<int64_t>(value)) {
    return {Kind::kLong};
  }
  if (const auto whole = ParseWholeDecimal(value)) {
    return {Kind::kDecimal, DigitCount(*whole)};
  }
  if (ParseDouble(value)) {
    return {Kind::kDouble};
  }
  if (ParseTimestamp(UnescapePathName(value))) {
    return {Kind::kTimestamp};
  }
  if (ParseDate(value)) {
    return {Kind::kDate};
  }
  return {Kind::kString};
}

PartitionType Widen(PartitionType a, PartitionType b) {
  if (static_cast<int>(a.kind) > static_cast<int>(b.kind)) {
    std::swap(a, b);
  }
  if (a.kind == Kind::kNull) {
    return b;
  }
  // Digits of an int and of a long as decimals.
  const auto precision = [](PartitionType type) {
    return type.kind == Kind::kInt ? 10 : type.kind == Kind::kLong ? 20 : type.precision;
  };
  switch (b.kind) {
    case Kind::kInt:
    case Kind::kLong:
      return b;
    case Kind::kDecimal:
      return {Kind::kDecimal, std::max(precision(a), precision(b))};
    case Kind::kDouble:
      // A long or a decimal may not fit a double exactly; Spark makes text of both then.
      return a.kind == Kind::kInt || a.kind == Kind::kDouble
                 ? b
                 : PartitionType{Kind::kString};
    case Kind::kTimestamp:
      return a.kind == Kind::kTimestamp ? b : PartitionType{Kind::kString};
    case Kind::kDate:
      return a.kind == Kind::kDate || a.kind == Kind::kTimestamp
                 ? a
                 : PartitionType{Kind::kString};
    default:
      return {Kind::kString};
  }
}

std::shared_ptr<arrow::DataType> ToArrow(PartitionType type) {
  switch (type.kind) {
    case Kind::kInt:
      return arrow::int32();
    case Kind::kLong:
      return arrow::int64();
    case Kind::kDecimal:
      return arrow::decimal128(type.precision, 0);
    case Kind::kDouble:
      return arrow::float64();
    case Kind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case Kind::kDate:
      return arrow::date32();
    default:
      return arrow::utf8();
  }
}

arrow::Result<std::shared_ptr<arrow::Scalar>> MakePartitionScalar(
    std::string_view value, PartitionType type, const std::string& time_zone) {
  const std::shared_ptr<arrow::DataType> arrow_type = ToArrow(type);
  if (value == kNullPartition) {
    return arrow::MakeNullScalar(arrow_type);
  }
  switch (type.kind) {
    case Kind::kInt:
      if (const auto number = ParseInteger<int32_t>(value)) {
        return std::make_shared<arrow::Int32Scalar>(*number);
      }
      break;
    case Kind::kLong:
      if (const auto number = ParseInteger<int64_t>(value)) {
        return std::make_shared<arrow::Int64Scalar>(*number);
      }
      break;
    case Kind::kDecimal:
      if (const auto whole = ParseWholeDecimal(value)) {
        ARROW_ASSIGN_OR_RAISE(const auto number, arrow::Decimal128::FromString(*whole));
        return std::make_shared<arrow::Decimal128Scalar>(number, arrow_type);
      }
      break;
    case Kind::kDouble:
      if (const auto number = ParseDouble(value)) {
        return std::make_shared<arrow::DoubleScalar>(*number);
      }
      break;
    case Kind::kDate:
      if (const auto days = ParseDate(value)) {
        return std::make_shared<arrow::Date32Scalar>(*days);
      }
      break;
    case Kind::kTimestamp: {
      std::optional<int64_t> local = ParseTimestamp(UnescapePathName(value));
      if (const auto days = ParseDate(value); !local && days) {
        local = *days * int64_t{86'400'000'000};
      }
      if (local) {
        ARROW_ASSIGN_OR_RAISE(const TimeZone* zone, TimeZone::Find(time_zone));
        if (const auto instant = zone->ToInstant(*local)) {
          return std::make_shared<arrow::TimestampScalar>(*instant, arrow_type);
        }
      }
      break;
    }
    default:
      return std::make_shared<arrow::StringScalar>(UnescapePathName(value));
  }
  return Unreadable(value, type);
}

}  // namespace wheelpit::index
