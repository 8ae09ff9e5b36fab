// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/parser_robustness.h"

#include <algorithm>
#include <string>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/lexer.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {
namespace {

void CheckShownText(const std::string& shown) {
  constexpr int64_t kWidest = 80;
  WHEELPIT_CHECK(FindInvalidUtf8(shown) < 0, "the shown text is not UTF-8");
  size_t start = 0;
  for (int64_t line = 0; start <= shown.size(); ++line) {
    size_t end = std::min(shown.find('\n', start), shown.size());
    int64_t characters = 0;
    for (char c : shown.substr(start, end - start)) {
      WHEELPIT_CHECK(line == 0 || static_cast<unsigned char>(c) >= 0x20,
                     "a control character is shown");
      characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    }
    // Marks that take no column may make a line longer than it is wide; the first line
    // is the message, which a terminal wraps.
    bool narrow = std::all_of(shown.begin(), shown.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80 ||
             static_cast<unsigned char>(c) == 0xE2 ||
             (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    });
    WHEELPIT_CHECK(line == 0 || !narrow || characters <= kWidest, "a line is too wide");
    start = end + 1;
  }
}

}  // namespace

void CheckRobustness(std::string_view text) {
  auto statement = Parse(text);
  if (statement.ok()) {
    auto length = static_cast<int64_t>(text.size());
    WHEELPIT_CHECK(statement->range.offset >= 0 &&
                       statement->range.offset + statement->range.length <= length,
                   "a range outside the text");
    if (statement->query != nullptr && statement->query->body->select != nullptr) {
      for (const ast::SelectItem& item : statement->query->body->select->items) {
        WHEELPIT_CHECK(!ToString(*item.expression).empty() ||
                           item.expression->kind == ast::ExpressionKind::kColumn,
                       "an expression without text");
      }
    }
    return;
  }
  core::ErrorInfo info = core::InfoOf(statement.status());
  auto length = static_cast<int64_t>(text.size());
  WHEELPIT_CHECK(info.kind == core::ErrorKind::kInvalidSql ||
                     info.kind == core::ErrorKind::kUnsupported,
                 "an error of another kind");
  WHEELPIT_CHECK(!info.error_class.empty(), "an error without class");
  WHEELPIT_CHECK(info.sql_offset <= length && info.sql_offset + info.sql_length <= length,
                 "a range outside the text");
  CheckShownText(FormatSqlError(text, statement.status()));
}

}  // namespace wheelpit::sql
