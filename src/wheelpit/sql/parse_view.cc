// SPDX-License-Identifier: Apache-2.0
// CREATE VIEW and DROP VIEW. What Spark takes besides is a statement that is only told
// apart, as any other one.
#include <utility>

#include "wheelpit/sql/names.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

using ast::StatementKind;

// CREATE [OR REPLACE] [TEMP | TEMPORARY] VIEW
bool Parser::AtCreateView() const {
  size_t at = 1;
  if (!AtWord("CREATE")) {
    return false;
  }
  if (At(Keyword::kOr, at) && AtWord("REPLACE", at + 1)) {
    at += 2;
  }
  if (AtWord("TEMP", at) || AtWord("TEMPORARY", at)) {
    ++at;
  }
  return AtWord("VIEW", at);
}

ast::Statement Parser::ParseCreateView() {
  const size_t start = position_;
  ast::Statement statement;
  statement.kind = StatementKind::kCreateView;
  bool known = ParseViewHead(&statement.view);
  if (known && Accept(Keyword::kAs)) {
    statement.query = ParseQuery();
  } else if (known && !failed() && AtWord("USING")) {
    statement.query = ParseViewFile();
  }
  if (statement.query == nullptr && !failed()) {
    position_ = start;
    return ParseOther();
  }
  statement.view.text = std::string(text_);
  return statement;
}

// What comes before AS or USING; false when there is something else.
bool Parser::ParseViewHead(ast::View* view) {
  Advance();
  view->or_replace = Accept(Keyword::kOr);
  if (view->or_replace) {
    Advance();
  }
  const bool temporary = AcceptWord("TEMP") || AcceptWord("TEMPORARY");
  Advance();
  if (AtWord("IF") && At(Keyword::kNot, 1)) {
    const plan::SourceRange range = Peek().range();
    Advance();
    Advance();
    Expect(Keyword::kExists, "EXISTS");
    view->if_not_exists = true;
    if ((temporary || view->or_replace) && !failed()) {
      Fail(range,
           "IF NOT EXISTS does not go with OR REPLACE or TEMPORARY; write CREATE OR "
           "REPLACE VIEW, or CREATE VIEW IF NOT EXISTS",
           "INVALID_SQL_SYNTAX");
    }
  }
  const int64_t start = Here();
  view->name = ParseNamePath("the name of the view");
  view->range = Since(start);
  if (!ParseViewColumns(view)) {
    return false;
  }
  if (AtWord("COMMENT") && At(TokenKind::kString, 1)) {
    Advance();
    Advance();
  }
  return true;
}

// (a, b COMMENT 'text'); false when the columns have types.
bool Parser::ParseViewColumns(ast::View* view) {
  if (!Accept(TokenKind::kLeftParen)) {
    return true;
  }
  do {
    view->columns.push_back(ParseName("a column"));
    if (AtWord("COMMENT") && At(TokenKind::kString, 1)) {
      Advance();
      Advance();
    }
  } while (Accept(TokenKind::kComma));
  return Accept(TokenKind::kRightParen);
}

// USING parquet OPTIONS (path 'dir'): all of its columns. Null for anything else.
std::unique_ptr<ast::Query> Parser::ParseViewFile() {
  const size_t words = 6;  // USING parquet OPTIONS ( path 'dir'
  const bool known = AtWord("PARQUET", 1) && AtWord("OPTIONS", 2) &&
                     At(TokenKind::kLeftParen, 3) && AtWord("PATH", 4) &&
                     At(TokenKind::kString, words - 1) &&
                     At(TokenKind::kRightParen, words);
  if (!known) {
    return nullptr;
  }
  for (size_t i = 1; i < words; ++i) {
    Advance();
  }
  ast::Relation relation;
  relation.kind = ast::RelationKind::kFile;
  relation.range = Peek().range();
  relation.file = DecodeString(TextOf(Advance()));
  Advance();
  return AllOf(std::move(relation));
}

// DROP VIEW [IF EXISTS] name
ast::Statement Parser::ParseDropView() {
  ast::Statement statement;
  statement.kind = StatementKind::kDropView;
  Advance();
  Advance();
  if (AtWord("IF") && At(Keyword::kExists, 1)) {
    Advance();
    Advance();
    statement.view.if_exists = true;
  }
  const int64_t start = Here();
  statement.view.name = ParseNamePath("the name of a view");
  statement.view.range = Since(start);
  return statement;
}

}  // namespace wheelpit::sql
