// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "wheelpit/exec/expr/cast_loop.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

char LowerOf(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return LowerOf(a) == b; });
}

bool TakeSign(std::string_view* text) {
  const bool negative = text->starts_with('-');
  if (negative || text->starts_with('+')) {
    text->remove_prefix(1);
  }
  return negative;
}

// A decimal number taken apart: digits (without leading zeros) times 10^exponent.
struct Digits {
  std::string digits;
  int64_t exponent = 0;
};

std::optional<Digits> TakeApart(std::string_view text) {
  Digits parts;
  bool any = false;
  bool after_point = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsDigit(c)) {
      break;
    }
    any = true;
    parts.exponent -= after_point ? 1 : 0;
    if (c != '0' || !parts.digits.empty()) {
      parts.digits.push_back(c);
    }
  }
  if (!any) {
    return std::nullopt;
  }
  if (i < text.size()) {
    if (LowerOf(text[i]) != 'e') {
      return std::nullopt;
    }
    std::string_view rest = text.substr(i + 1);
    const bool negative = TakeSign(&rest);
    int32_t exponent = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (rest.empty() || !IsDigit(rest[0]) || end != rest.data() + rest.size() ||
        error != std::errc()) {
      return std::nullopt;
    }
    parts.exponent += negative ? -static_cast<int64_t>(exponent) : exponent;
  }
  return parts;
}

std::string_view FitDigits(const Digits& parts, bool negative, plan::DecimalShape shape,
                           int128* out) {
  *out = 0;
  if (parts.digits.empty()) {
    return {};
  }
  const auto length = static_cast<int64_t>(parts.digits.size());
  const int64_t integral = length + parts.exponent;
  if (integral > plan::kDecimalPrecisionMax) {
    return kOutOfSupportedRange;
  }
  const int64_t kept = integral + shape.scale;
  if (kept < 0) {
    return {};
  }
  if (kept > plan::kDecimalPrecisionMax) {
    return kOutOfRange;
  }
  int128 value = 0;
  for (int64_t i = 0; i < kept; ++i) {
    value = value * 10 + (i < length ? parts.digits[static_cast<size_t>(i)] - '0' : 0);
  }
  if (kept < length && parts.digits[static_cast<size_t>(kept)] >= '5') {
    ++value;
  }
  *out = negative ? -value : value;
  return FitsPrecision(value, shape.precision) ? std::string_view() : kOutOfRange;
}

// Whether a number that from_chars could not represent is too large, not too small.
bool IsHuge(std::string_view text) {
  const auto parts = TakeApart(text);
  return parts && static_cast<int64_t>(parts->digits.size()) + parts->exponent > 0;
}

template <typename Float>
std::optional<Float> ParseFloating(std::string_view text) {
  text = plan::TrimBlanks(text);
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  std::string_view rest = text.substr(has_sign ? 1 : 0);
  const auto with_sign = [negative](Float value) { return negative ? -value : value; };
  if (EqualsIgnoringCase(rest, "inf") || EqualsIgnoringCase(rest, "infinity")) {
    return with_sign(std::numeric_limits<Float>::infinity());
  }
  if (EqualsIgnoringCase(rest, "nan")) {
    return has_sign ? std::nullopt
                    : std::optional(std::numeric_limits<Float>::quiet_NaN());
  }
  auto format = std::chars_format::general;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    rest.remove_prefix(2);
    format = std::chars_format::hex;
    if (rest.find_first_of("pP") == std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (rest.size() > 1 && (LowerOf(rest.back()) == 'd' || LowerOf(rest.back()) == 'f')) {
    rest.remove_suffix(1);
  }
  if (rest.empty() ||
      (format == std::chars_format::general && !IsDigit(rest[0]) && rest[0] != '.')) {
    return std::nullopt;
  }
  Float value = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value, format);
  if (end != rest.data() + rest.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    value = IsHuge(rest) ? std::numeric_limits<Float>::infinity() : Float{0};
  }
  return with_sign(value);
}

template <typename Float>
Float FloatingFromDecimal(int128 unscaled, int scale) {
  std::string text;
  plan::AppendDecimal(unscaled, scale, &text);
  Float value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> kExactPowers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

std::optional<double> ParseDouble(std::string_view text) {
  return ParseFloating<double>(text);
}

std::optional<float> ParseFloat(std::string_view text) {
  return ParseFloating<float>(text);
}

std::optional<bool> ParseBoolean(std::string_view text) {
  text = plan::TrimBlanks(text);
  for (const std::string_view yes : {"t", "true", "y", "yes", "1"}) {
    if (EqualsIgnoringCase(text, yes)) {
      return true;
    }
  }
  for (const std::string_view no : {"f", "false", "n", "no", "0"}) {
    if (EqualsIgnoringCase(text, no)) {
      return false;
    }
  }
  return std::nullopt;
}

std::string_view ParseDecimal(std::string_view text, plan::DecimalShape shape,
                              int128* out) {
  text = plan::TrimBlanks(text);
  const bool negative = TakeSign(&text);
  const auto parts = TakeApart(text);
  return parts ? FitDigits(*parts, negative, shape, out) : kCastInvalid;
}

std::string_view DecimalFromDouble(double value, plan::DecimalShape shape, int128* out) {
  if (!std::isfinite(value)) {
    return kBecomesNull;
  }
  char text[40];
  const char* end = std::to_chars(text, text + sizeof text, std::fabs(value),
                                  std::chars_format::scientific)
                        .ptr;
  const auto parts = TakeApart({text, static_cast<size_t>(end - text)});
  const std::string_view refused = FitDigits(*parts, std::signbit(value), shape, out);
  return refused == kOutOfSupportedRange ? kOutOfRange : refused;
}

double DoubleFromDecimal(int128 unscaled, int scale) {
  constexpr int128 kExactMax = int128{1} << 53;
  if (Magnitude(unscaled) <= kExactMax && scale < static_cast<int>(kExactPowers.size())) {
    // Both are exact, so their quotient is rounded once.
    return static_cast<double>(static_cast<int64_t>(unscaled)) /
           kExactPowers[static_cast<size_t>(scale)];
  }
  return FloatingFromDecimal<double>(unscaled, scale);
}

float FloatFromDecimal(int128 unscaled, int scale) {
  return FloatingFromDecimal<float>(unscaled, scale);
}

}  // namespace wheelpit::exec::expr
