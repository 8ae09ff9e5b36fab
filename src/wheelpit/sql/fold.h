// SPDX-License-Identifier: Apache-2.0
// Constant folding, as far as no error can come of it: what would overflow or divide by
// zero stays as it is, since its row may never be evaluated.
#pragma once

#include "wheelpit/plan/expression.h"

namespace wheelpit::sql {

/// The expression, or a simpler one that is the same for every row. Looks at the top
/// only: its arguments have been folded before.
plan::ExprPtr Fold(const plan::ExprPtr& expression);

/// Whether the expression is the boolean literal `value`.
bool IsBoolean(const plan::Expr& expression, bool value);

}  // namespace wheelpit::sql
