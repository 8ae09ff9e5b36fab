// SPDX-License-Identifier: Apache-2.0
// Text to a statement. Hand-written recursive descent over Apache Spark's SELECT grammar,
// operators by binding power, plus three things of ours: a string after FROM or JOIN
// names a file, COPY … TO, SHOW of a setting. Any thread; no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// Longest statement, so that the memory of its tree has a bound.
inline constexpr int64_t kStatementBytesMax = 1 << 20;
/// Parentheses, subqueries, prefix operators and types inside each other.
inline constexpr int kNestingMax = 200;
/// Levels of an expression's or a set operation's tree; chains of AND and OR are one.
inline constexpr int kTreeDepthMax = 1000;

/// One statement, with or without semicolons after it. Errors are kInvalidSql with class
/// PARSE_SYNTAX_ERROR (or Spark's more special one) and a range.
arrow::Result<ast::Statement> Parse(std::string_view text);

/// A place in a text, both counted from 1, columns in characters.
struct TextPlace {
  int64_t line = 1;
  int64_t column = 1;
};

TextPlace PlaceOf(std::string_view text, int64_t offset);

/// An error about a text as a terminal shows it: the message, then line and column, the
/// line, and carets under what it is about. Lines are cut to fit 80 columns; nothing of
/// the text reaches the terminal as a control character. Without a range: the message.
/// The error's range counts from `statement_offset`, where its statement begins.
std::string FormatSqlError(std::string_view text, const arrow::Status& status,
                           int64_t statement_offset = 0);

}  // namespace wheelpit::sql
