// SPDX-License-Identifier: Apache-2.0
// COPY: a query and the file that its rows go to.
#pragma once

#include <memory>

#include <arrow/result.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// A kWrite node over `rows`, the plan of the statement's query. It gives one row: `rows`
/// and `bytes` written. kInvalidSql: options that are wrong (ParseFileFormat), and
/// columns of one name in a format that tells columns by name.
arrow::Result<std::unique_ptr<plan::Node>> BindCopy(const ast::Statement& statement,
                                                    std::unique_ptr<plan::Node> rows);

}  // namespace wheelpit::sql
