// SPDX-License-Identifier: Apache-2.0
// Literals to values, by Spark's rules: which type a number has, which texts are dates
// and time stamps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// The value of a kLiteral node. `time_zone` is where TIMESTAMP '…' without a zone is;
/// when it is empty, zones are not looked up and time stamps are as if in UTC: enough to
/// know that the text is one. Numbers out of range and unreadable texts are kInvalidSql
/// with Spark's class and the node's range. With a time zone: threads that may block.
arrow::Result<std::shared_ptr<arrow::Scalar>> LiteralValue(const ast::Expression& literal,
                                                           std::string_view time_zone);

}  // namespace wheelpit::sql
