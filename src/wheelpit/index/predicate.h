// SPDX-License-Identifier: Apache-2.0
// index::Predicate: what listing and pruning understand of a filter, and all that they
// know of it. A Predicate is a conjunction of terms; the plan module lowers expressions
// into it and leaves out what does not fit, so a predicate may keep rows that the filter
// drops, never the other way round.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace wheelpit::index {

enum class PredicateOp : uint8_t {
  kEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,         ///< any of the literals
  kIsNull,     ///< no literal
  kIsNotNull,  ///< no literal
};

struct PredicateTerm {
  std::string
      column;  ///< a top-level column of the table, as the table's schema spells it
  PredicateOp op = PredicateOp::kEqual;
  /// Not null, of the column's own type. One for comparisons, any number for kIn.
  std::vector<std::shared_ptr<arrow::Scalar>> literals;
  bool or_null = false;  ///< nulls satisfy it too
};

using Predicate = std::vector<PredicateTerm>;

}  // namespace wheelpit::index
