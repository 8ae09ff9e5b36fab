// SPDX-License-Identifier: Apache-2.0
// Decimal arithmetic on unscaled 128-bit integers, with Spark's rounding: half away from
// zero, and where Spark rounds twice (products of more than 39 digits, quotients at scale
// 39 first), twice.
#pragma once

#include <cstdint>

#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec::expr {

using plan::DecimalShape;

/// 10^exponent, for exponents from 0 to 38.
int128 PowerOfTen(int exponent);

inline int128 Magnitude(int128 value) {
  return value < 0 ? -value : value;
}

inline bool FitsPrecision(int128 value, int precision) {
  return Magnitude(value) < PowerOfTen(precision);
}

/// The quotient rounded half away from zero; `divisor` is not 0.
int128 DivideHalfUp(int128 dividend, int128 divisor);

/// `value` of one scale as one of another, rounded; false when it does not fit
/// `to.precision` digits.
bool Rescale(int128 value, int from_scale, DecimalShape to, int128* out);

/// The sum at `result.scale`; false when it does not fit.
bool AddDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                 DecimalShape result, int128* out);
bool MultiplyDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                      DecimalShape result, int128* out);
/// `b` is not 0 in these.
bool DivideDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                    DecimalShape result, int128* out);
bool RemainderOfDecimals(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                         DecimalShape result, int128* out);
/// The low 64 bits of the whole quotient, which is all that Spark keeps; false when the
/// quotient has more than 38 digits.
bool IntegralQuotient(int128 a, DecimalShape a_shape, int128 b, DecimalShape b_shape,
                      int64_t* out);

/// Whether a quotient rounded once, at `result_scale`, is what rounding at scale 39 first
/// gives for every divisor of this precision.
constexpr bool RoundsOnce(int divisor_precision, int result_scale) {
  return divisor_precision <= 39 - result_scale;
}

}  // namespace wheelpit::exec::expr
