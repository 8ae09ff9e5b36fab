// SPDX-License-Identifier: Apache-2.0
// How values of each type compare. NaN is larger than every number and equal to itself,
// -0.0 equals 0.0, text compares by bytes. Shared by comparison kernels, filters and
// minimum and maximum.
#pragma once

#include <cstdint>
#include <type_traits>

#include "wheelpit/exec/expr/vector.h"

namespace wheelpit::exec::expr {

struct EqualTo {
  template <typename T>
  static bool Do(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return (a == b) | ((a != a) & (b != b));
    } else {
      return a == b;
    }
  }
};

struct LessThan {
  template <typename T>
  static bool Do(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return (a < b) | ((b != b) & (a == a));
    } else {
      return a < b;
    }
  }
};

struct LessOrEqual {
  template <typename T>
  static bool Do(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return (a <= b) | (b != b);
    } else {
      return a <= b;
    }
  }
};

struct NotEqualTo {
  template <typename T>
  static bool Do(T a, T b) {
    return !EqualTo::Do(a, b);
  }
};

struct GreaterThan {
  template <typename T>
  static bool Do(T a, T b) {
    return LessThan::Do(b, a);
  }
};

struct GreaterOrEqual {
  template <typename T>
  static bool Do(T a, T b) {
    return LessOrEqual::Do(b, a);
  }
};

/// Reads a decimal of at most 18 digits, which its low word holds.
struct NarrowDecimal {
  int64_t operator()(DecimalWords words) const { return static_cast<int64_t>(words.low); }
};

struct WideDecimal {
  int128 operator()(DecimalWords words) const { return ToInt128(words); }
};

constexpr int kNarrowDecimalPrecisionMax = 18;

}  // namespace wheelpit::exec::expr
