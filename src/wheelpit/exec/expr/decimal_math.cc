// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/decimal_math.h"

#include <algorithm>
#include <array>

#include <arrow/util/decimal.h>

namespace wheelpit::exec::expr {

namespace {

using arrow::BasicDecimal256;

constexpr int kDigitsMax = plan::kDecimalPrecisionMax;

constexpr std::array<int128, kDigitsMax + 1> MakePowers() {
  std::array<int128, kDigitsMax + 1> powers{};
  powers[0] = 1;
  for (int i = 1; i <= kDigitsMax; ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}

constexpr std::array<int128, kDigitsMax + 1> kPowers = MakePowers();

// Magnitudes are computed in 256 bits, which hold 76 digits.
BasicDecimal256 Widen(int128 value) {
  return BasicDecimal256(arrow::BasicDecimal128(static_cast<int64_t>(value >> 64),
                                                static_cast<uint64_t>(value)));
}

BasicDecimal256 WidePower(int exponent) {
  return BasicDecimal256::GetScaleMultiplier(exponent);
}

// False when the magnitude needs more than 127 bits.
bool Narrow(const BasicDecimal256& magnitude, int128* out) {
  const auto words = magnitude.little_endian_array();
  if (words[2] != 0 || words[3] != 0 || (words[1] >> 63) != 0) {
    return false;
  }
  *out = (static_cast<int128>(words[1]) << 64) | words[0];
  return true;
}

BasicDecimal256 WideDivideHalfUp(const BasicDecimal256& dividend,
                                 const BasicDecimal256& divisor) {
  BasicDecimal256 quotient;
  BasicDecimal256 remainder;
  dividend.Divide(divisor, &quotient, &remainder);
  // Doubled, a remainder still fits: it is below 10^76.
  if (remainder + remainder >= divisor) {
    quotient += BasicDecimal256(1);
  }
  return quotient;
}

// A magnitude of scale `scale` as a signed decimal of shape `to`.
bool Finish(BasicDecimal256 magnitude, int scale, bool negative, DecimalShape to,
            int128* out) {
  if (scale > to.scale) {
    magnitude = WideDivideHalfUp(magnitude, WidePower(scale - to.scale));
  } else if (scale < to.scale) {
    if (magnitude >= WidePower(kDigitsMax)) {
      return false;
    }
    magnitude *= WidePower(to.scale - scale);
  }
  int128 narrow = 0;
  if (!Narrow(magnitude, &narrow) || !FitsPrecision(narrow, to.precision)) {
    return false;
  }
  *out = negative ? -narrow : narrow;
  return true;
}

int DigitsOf(const BasicDecimal256& magnitude) {
  int digits = 1;
  while (digits < 76 && magnitude >= WidePower(digits)) {
    ++digits;
  }
  return digits;
}

}  // namespace

int128 PowerOfTen(int exponent) {
  return kPowers[static_cast<size_t>(exponent)];
}

int128 DivideHalfUp(int128 dividend, int128 divisor) {
  const int128 quotient = dividend / divisor;
  const int128 remainder = Magnitude(dividend % divisor);
  if (remainder < Magnitude(divisor) - remainder) {
    return quotient;
  }
  return (dividend < 0) == (divisor < 0) ? quotient + 1 : quotient - 1;
}

bool Rescale(int128 value, int from_scale, DecimalShape to, int128* out) {
  const int up = to.scale - from_scale;
  int128 scaled = value;
  if (up > 0) {
    if (up > kDigitsMax || __builtin_mul_overflow(value, PowerOfTen(up), &scaled)) {
      *out = 0;
      return value == 0;
    }
  } else if (up < 0) {
    scaled = -up > kDigitsMax ? 0 : DivideHalfUp(value, PowerOfTen(-up));
  }
  *out = scaled;
  return FitsPrecision(scaled, to.precision);
}

bool AddDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                 DecimalShape result, int128* out) {
  const int scale = std::max(a_shape.scale, b_shape.scale);
  int128 left = 0;
  int128 right = 0;
  int128 sum = 0;
  if (!__builtin_mul_overflow(a, PowerOfTen(scale - a_shape.scale), &left) &&
      !__builtin_mul_overflow(b, PowerOfTen(scale - b_shape.scale), &right) &&
      !__builtin_add_overflow(left, right, &sum)) {
    return Rescale(sum, scale, result, out);
  }
  const BasicDecimal256 wide = Widen(a) * WidePower(scale - a_shape.scale) +
                               Widen(b) * WidePower(scale - b_shape.scale);
  const bool negative = wide.IsNegative();
  return Finish(negative ? -wide : wide, scale, negative, result, out);
}

bool MultiplyDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                      DecimalShape result, int128* out) {
  int scale = a_shape.scale + b_shape.scale;
  int128 product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return Rescale(product, scale, result, out);
  }
  BasicDecimal256 wide = Widen(Magnitude(a)) * Widen(Magnitude(b));
  if (const int extra = DigitsOf(wide) - (kDigitsMax + 1); extra > 0) {
    wide = WideDivideHalfUp(wide, WidePower(extra));
    scale -= extra;
  }
  return Finish(wide, scale, (a < 0) != (b < 0), result, out);
}

bool DivideDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                    DecimalShape result, int128* out) {
  const int up = result.scale + b_shape.scale - a_shape.scale;
  int128 dividend = 0;
  if (up >= 0 && up <= kDigitsMax && RoundsOnce(b_shape.precision, result.scale) &&
      !__builtin_mul_overflow(a, PowerOfTen(up), &dividend)) {
    *out = DivideHalfUp(dividend, b);
    return FitsPrecision(*out, result.precision);
  }
  // Long division to scale 39, some digits at a time: a remainder is below 10^38.
  constexpr int kFirstScale = kDigitsMax + 1;
  constexpr int kDigitsAtATime = 36;
  const BasicDecimal256 divisor = Widen(Magnitude(b));
  BasicDecimal256 quotient;
  BasicDecimal256 remainder;
  Widen(Magnitude(a)).Divide(divisor, &quotient, &remainder);
  int left = kFirstScale + b_shape.scale - a_shape.scale;
  while (left > 0) {
    const int step = std::min(left, kDigitsAtATime);
    if (quotient >= WidePower(std::max(0, 2 * kDigitsMax - left))) {
      return false;  // with all digits still to come it exceeds every decimal
    }
    BasicDecimal256 digits;
    BasicDecimal256 rest;
    (remainder * WidePower(step)).Divide(divisor, &digits, &rest);
    quotient = quotient * WidePower(step) + digits;
    remainder = rest;
    left -= step;
  }
  if (remainder + remainder >= divisor) {
    quotient += BasicDecimal256(1);
  }
  return Finish(quotient, kFirstScale, (a < 0) != (b < 0), result, out);
}

bool RemainderOfDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                         DecimalShape result, int128* out) {
  const int scale = std::max(a_shape.scale, b_shape.scale);
  int128 left = 0;
  int128 right = 0;
  if (!__builtin_mul_overflow(a, PowerOfTen(scale - a_shape.scale), &left) &&
      !__builtin_mul_overflow(b, PowerOfTen(scale - b_shape.scale), &right)) {
    return Rescale(left % right, scale, result, out);
  }
  BasicDecimal256 quotient;
  BasicDecimal256 remainder;
  (Widen(Magnitude(a)) * WidePower(scale - a_shape.scale))
      .Divide(Widen(Magnitude(b)) * WidePower(scale - b_shape.scale), &quotient,
              &remainder);
  return Finish(remainder, scale, a < 0, result, out);
}

bool IntegralQuotient(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                      int64_t* out) {
  const int scale = std::max(a_shape.scale, b_shape.scale);
  int128 left = 0;
  int128 right = 0;
  if (!__builtin_mul_overflow(a, PowerOfTen(scale - a_shape.scale), &left) &&
      !__builtin_mul_overflow(b, PowerOfTen(scale - b_shape.scale), &right)) {
    const int128 quotient = left / right;
    *out = static_cast<int64_t>(quotient);
    return FitsPrecision(quotient, kDigitsMax);
  }
  BasicDecimal256 quotient;
  BasicDecimal256 remainder;
  (Widen(Magnitude(a)) * WidePower(scale - a_shape.scale))
      .Divide(Widen(Magnitude(b)) * WidePower(scale - b_shape.scale), &quotient,
              &remainder);
  const uint64_t low = quotient.little_endian_array()[0];
  *out = static_cast<int64_t>((a < 0) != (b < 0) ? 0 - low : low);
  return quotient < WidePower(kDigitsMax);
}

}  // namespace wheelpit::exec::expr
