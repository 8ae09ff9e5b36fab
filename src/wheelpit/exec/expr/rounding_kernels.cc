// SPDX-License-Identifier: Apache-2.0
// floor, ceil, round, sqrt.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <arrow/type.h>

#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/number_range.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

arrow::Status OverflowOf(const KernelCall& call, const Vector& argument, int64_t row) {
  ARROW_ASSIGN_OR_RAISE(const auto value, ToScalar(argument, row, call.pool));
  return DataError(
      call.expression, "ARITHMETIC_OVERFLOW",
      plan::ValueText(*value) + " exceeds " + plan::TypeName(*call.expression.type));
}

// Unlike a cast, rounding refuses 2^63.
bool IsInRange(double rounded) {
  constexpr double kBound = 9223372036854775808.0;
  return rounded >= -kBound && rounded < kBound;
}

// NaN becomes 0, as in Spark.
template <double (*kRound)(double)>
arrow::Status RoundToInteger(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  uint8_t failed = 0;
  UnaryLoop<double>(
      arguments[0], count, MutableValues<int64_t>(*out), [&failed](double value) {
        const double rounded = kRound(value);
        failed |= static_cast<uint8_t>(!IsInRange(rounded) && !std::isnan(rounded));
        return SaturatedInteger<int64_t>(rounded);
      });
  if (failed == 0) {
    return arrow::Status::OK();
  }
  const int64_t row = FindFailure(*out, count, [&](int64_t i) {
    const double rounded = kRound(arguments[0].Values<double>()[i]);
    return !IsInRange(rounded) && !std::isnan(rounded);
  });
  return row < 0 ? arrow::Status::OK() : OverflowOf(call, arguments[0], row);
}

arrow::Status SameInteger(const KernelCall&, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  UnaryLoop<int64_t>(arguments[0], count, MutableValues<int64_t>(*out),
                     [](int64_t value) { return value; });
  return arrow::Status::OK();
}

template <bool kUp>
arrow::Status RoundDecimalToInteger(const KernelCall& call,
                                    std::span<const Vector> arguments, int64_t count,
                                    Vector* out) {
  const int scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  const int128 unit = PowerOfTen(scale);
  static_cast<void>(call);
  UnaryLoop<DecimalWords>(arguments[0], count, MutableValues<DecimalWords>(*out),
                          [unit](DecimalWords words) {
                            const int128 value = ToInt128(words);
                            const int128 rest = value % unit;
                            int128 whole = value / unit;
                            if constexpr (kUp) {
                              whole += rest > 0 ? 1 : 0;
                            } else {
                              whole -= rest < 0 ? 1 : 0;
                            }
                            return ToWords(whole);
                          });
  return arrow::Status::OK();
}

// The shortest decimal digits of the value, rounded half up at 10^-digits.
double RoundDouble(double value, int32_t digits) {
  if (!std::isfinite(value)) {
    return value;
  }
  if (value == 0) {
    return 0;  // there is no -0 in decimal digits
  }
  char text[40];
  const char* end = std::to_chars(text, text + sizeof text, std::fabs(value),
                                  std::chars_format::scientific)
                        .ptr;
  const char* e = static_cast<const char*>(std::memchr(text, 'e', end - text));
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  std::string mantissa(1, text[0]);
  if (e > text + 1) {
    mantissa.append(text + 2, static_cast<size_t>(e - text - 2));
  }
  const int64_t kept = static_cast<int64_t>(exponent) + digits + 1;
  if (kept >= static_cast<int64_t>(mantissa.size())) {
    return value;
  }
  if (kept < 0) {
    return 0;
  }
  const bool up = mantissa[static_cast<size_t>(kept)] >= '5';
  // A leading zero takes the carry of 9.99.
  std::string rounded = "0" + mantissa.substr(0, static_cast<size_t>(kept));
  for (size_t i = rounded.size(); up && i-- > 0;) {
    if (rounded[i] != '9') {
      ++rounded[i];
      break;
    }
    rounded[i] = '0';
  }
  rounded += "e" + std::to_string(-static_cast<int64_t>(digits));
  double result = 0;
  std::from_chars(rounded.data(), rounded.data() + rounded.size(), result);
  return std::signbit(value) && result != 0 ? -result : result;
}

template <typename T>
arrow::Status RoundFloating(const KernelCall&, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const int32_t digits = arguments[1].Values<int32_t>()[0];
  UnaryLoop<T>(arguments[0], count, MutableValues<T>(*out),
               [digits](T value) { return static_cast<T>(RoundDouble(value, digits)); });
  return arrow::Status::OK();
}

template <typename T>
bool RoundInteger(int64_t value, int32_t digits, T* out) {
  int128 rounded = value;
  if (digits < 0) {
    rounded = digits < -plan::kDecimalPrecisionMax + 1
                  ? 0
                  : DivideHalfUp(value, PowerOfTen(-digits)) * PowerOfTen(-digits);
  }
  *out = static_cast<T>(rounded);
  return rounded >= std::numeric_limits<T>::min() &&
         rounded <= std::numeric_limits<T>::max();
}

template <typename T>
arrow::Status RoundIntegers(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const int32_t digits = arguments[1].Values<int32_t>()[0];
  T* values = MutableValues<T>(*out);
  for (int64_t i = 0; i < count; ++i) {
    if (!RoundInteger(arguments[0].Values<T>()[arguments[0].At(i)], digits, &values[i]) &&
        out->IsValid(i)) {
      return OverflowOf(call, arguments[0], i);
    }
  }
  return arrow::Status::OK();
}

bool RoundDecimal(int128 value, DecimalShape from, int32_t digits, DecimalShape to,
                  int128* out) {
  if (digits >= 0) {
    return Rescale(value, from.scale, to, out);
  }
  const int64_t dropped = static_cast<int64_t>(from.scale) - digits;
  if (dropped > plan::kDecimalPrecisionMax) {
    *out = 0;
    return true;
  }
  const int128 kept = DivideHalfUp(value, PowerOfTen(static_cast<int>(dropped)));
  return Rescale(kept, digits, to, out);
}

// Towards minus infinity, or plus infinity.
template <bool kUp>
bool FloorDecimal(int128 value, DecimalShape from, int32_t digits, DecimalShape to,
                  int128* out) {
  const int64_t dropped =
      static_cast<int64_t>(from.scale) - std::min<int64_t>(digits, from.scale);
  const bool all = dropped > plan::kDecimalPrecisionMax;
  const int128 unit = all ? 1 : PowerOfTen(static_cast<int>(dropped));
  int128 kept = all ? 0 : value / unit;
  if ((kUp ? value > 0 : value < 0) && (all || value % unit != 0)) {
    kept += kUp ? 1 : -1;
  }
  *out = 0;
  return kept == 0 || (!all && Rescale(kept, std::min(digits, from.scale), to, out));
}

using DecimalRounding = bool (*)(int128 value, DecimalShape from, int32_t digits,
                                 DecimalShape to, int128* out);

template <DecimalRounding kRound>
arrow::Status RoundDecimals(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const int32_t digits = arguments[1].Values<int32_t>()[0];
  const DecimalShape from = plan::DecimalShapeOf(*arguments[0].type);
  const DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  auto* values = MutableValues<DecimalWords>(*out);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = {};
    if (!out->IsValid(i)) {
      continue;
    }
    int128 rounded = 0;
    const int128 value =
        ToInt128(arguments[0].Values<DecimalWords>()[arguments[0].At(i)]);
    if (!kRound(value, from, digits, to, &rounded)) {
      ARROW_ASSIGN_OR_RAISE(const auto scalar, ToScalar(arguments[0], i, call.pool));
      return DecimalRangeError(call.expression, plan::ValueText(*scalar));
    }
    values[i] = ToWords(rounded);
  }
  return arrow::Status::OK();
}

arrow::Status SquareRoot(const KernelCall&, std::span<const Vector> arguments,
                         int64_t count, Vector* out) {
  UnaryLoop<double>(arguments[0], count, MutableValues<double>(*out),
                    [](double value) { return std::sqrt(value); });
  return arrow::Status::OK();
}

KernelChoice RoundOf(TypeClass c) {
  switch (c) {
    case TypeClass::kInt8:
      return {&RoundIntegers<int8_t>, true};
    case TypeClass::kInt16:
      return {&RoundIntegers<int16_t>, true};
    case TypeClass::kInt32:
      return {&RoundIntegers<int32_t>, true};
    case TypeClass::kInt64:
      return {&RoundIntegers<int64_t>, true};
    case TypeClass::kFloat:
      return {&RoundFloating<float>};
    case TypeClass::kDouble:
      return {&RoundFloating<double>};
    case TypeClass::kDecimal:
      return {&RoundDecimals<&RoundDecimal>, true};
    default:
      return {};
  }
}

double Floor(double value) {
  return std::floor(value);
}

double Ceil(double value) {
  return std::ceil(value);
}

}  // namespace

KernelChoice RoundingKernel(const plan::Expr& call) {
  if (call.arguments.empty()) {
    return {};
  }
  const TypeClass c = plan::ClassOf(*call.arguments[0]->type);
  switch (call.function) {
    case Function::kFloor:
      return call.arguments.size() == 2
                 ? KernelChoice{&RoundDecimals<&FloorDecimal<false>>, true}
             : c == TypeClass::kDecimal ? KernelChoice{&RoundDecimalToInteger<false>}
             : c == TypeClass::kInt64   ? KernelChoice{&SameInteger}
                                        : KernelChoice{&RoundToInteger<&Floor>, true};
    case Function::kCeil:
      return call.arguments.size() == 2
                 ? KernelChoice{&RoundDecimals<&FloorDecimal<true>>, true}
             : c == TypeClass::kDecimal ? KernelChoice{&RoundDecimalToInteger<true>}
             : c == TypeClass::kInt64   ? KernelChoice{&SameInteger}
                                        : KernelChoice{&RoundToInteger<&Ceil>, true};
    case Function::kRound:
      return RoundOf(c);
    case Function::kSqrt:
      return {&SquareRoot};
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
