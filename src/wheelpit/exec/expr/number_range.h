// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers as integers, with Java's and Spark's rules.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace wheelpit::exec::expr {

/// Whether Spark lets the number become an integer of this type. What is cut off after
/// the point may exceed the range; 2^63 passes for int64 and becomes the greatest value,
/// since it is what that value is as a double.
template <typename Int>
bool FitsInteger(double value) {
  return std::floor(value) <= static_cast<double>(std::numeric_limits<Int>::max()) &&
         std::ceil(value) >= static_cast<double>(std::numeric_limits<Int>::min());
}

/// Truncated toward zero; out of range the nearest value, NaN is 0.
template <typename Int>
Int SaturatedInteger(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= static_cast<double>(std::numeric_limits<Int>::max())) {
    return std::numeric_limits<Int>::max();
  }
  if (value <= static_cast<double>(std::numeric_limits<Int>::min())) {
    return std::numeric_limits<Int>::min();
  }
  return static_cast<Int>(value);
}

}  // namespace wheelpit::exec::expr
