// SPDX-License-Identifier: Apache-2.0
// Values as pruning compares them: by value across types where that is exact, and not at
// all where it is not. Spark's order: NaN is the largest, -0.0 equals 0.0, text is
// compared byte for byte.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include "wheelpit/index/predicate.h"

namespace wheelpit::index {

struct Comparable {
  enum class Kind : uint8_t {
    kNone,  ///< of a type that is not compared
    kBoolean,
    kInteger,
    kDecimal,
    kFloating,
    kBytes,
    kDate,     ///< days in `integer`
    kInstant,  ///< microseconds in `integer`
    kLocal,    ///< the same, of a time stamp without a zone
  };
  Kind kind = Kind::kNone;
  int32_t scale = 0;  ///< of kDecimal
  int64_t integer = 0;
  double floating = 0;
  arrow::Decimal128 decimal;
  std::string_view bytes;

  bool is_nan() const { return kind == Kind::kFloating && floating != floating; }
};

/// kNone for nulls and types that are not compared. Bytes point into the scalar. A time
/// stamp finer than a microsecond is kNone unless it is a whole one.
Comparable ToComparable(const arrow::Scalar& scalar);

enum class Order : uint8_t { kLess, kEqual, kGreater, kUnknown };

Order Compare(const Comparable& a, const Comparable& b);

/// What is known of a column's values in some set of rows.
struct ColumnRange {
  bool may_have_null = true;
  bool may_have_value = true;  ///< false: only nulls
  Comparable min;              ///< kNone: unknown
  Comparable max;
  /// NaN is the largest value and not counted in min and max.
  bool may_have_nan = false;

  static ColumnRange OnlyNulls();
  static ColumnRange OneValue(const Comparable& value);
};

/// A predicate's term, its literals taken apart once.
struct ComparableTerm {
  explicit ComparableTerm(const PredicateTerm& term);
  PredicateOp op;
  bool or_null;
  std::vector<Comparable> literals;  ///< point into the term's scalars
};

/// False only when no row of the set can satisfy the term.
bool MayMatch(const ComparableTerm& term, const ColumnRange& range);

}  // namespace wheelpit::index
