// SPDX-License-Identifier: Apache-2.0
// What a column is called that has no alias: Spark's text of its expression.
#pragma once

#include <string>

#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// "count(1)" for count(*), "(a + 1)", "between(a, 1, 2)"; casts leave no trace.
std::string DisplayName(const ast::Expression& expression);

}  // namespace wheelpit::sql
