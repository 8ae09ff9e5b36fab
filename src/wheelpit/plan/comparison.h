// SPDX-License-Identifier: Apache-2.0
// Comparisons with a literal, taken down to the type of the value that is compared:
// CAST(i AS bigint) < 4L is i < 4. For pruning, and so that evaluation needs no cast.
#pragma once

#include <memory>
#include <optional>

#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::plan {

struct LiteralComparison {
  ExprPtr value;                           ///< what stands left; never a literal
  Function function;                       ///< a comparison
  std::shared_ptr<arrow::Scalar> literal;  ///< of the value's type, not null
};

/// The expression under casts that keep values and order: integers and decimals made
/// wider. The expression itself when there are none.
ExprPtr WithoutWideningCasts(const ExprPtr& expression);

/// `call` as a comparison of a value with a literal that holds for exactly the same
/// values (and is null for the same); nothing when it isn't one, or when the literal has
/// no exact counterpart in the value's type.
std::optional<LiteralComparison> CompareWithLiteral(const Expr& call);

/// A literal of another type as one of `type`, when there is an equal one.
std::shared_ptr<arrow::Scalar> EqualLiteral(const arrow::Scalar& literal,
                                            const std::shared_ptr<arrow::DataType>& type);

}  // namespace wheelpit::plan
