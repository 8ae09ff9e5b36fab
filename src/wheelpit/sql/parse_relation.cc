// SPDX-License-Identifier: Apache-2.0
// What may stand after FROM and JOIN.
#include <algorithm>
#include <utility>

#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

ast::Relation Parser::ParseRelation() {
  int64_t start = Here();
  bool lateral = At(Keyword::kLateral) && !At(Keyword::kView, 1);
  if (lateral) {
    Advance();
  }
  ast::Relation relation = ParseRelationPrimary();
  relation.lateral = lateral;
  while (!failed()) {
    ast::RelationExtension extension;
    if (At(Keyword::kPivot) && At(TokenKind::kLeftParen, 1)) {
      extension.pivot = std::make_unique<ast::Pivot>(ParsePivot());
    } else if (At(Keyword::kUnpivot)) {
      extension.pivot = std::make_unique<ast::Pivot>(ParseUnpivot());
    } else if (AtJoin()) {
      extension = ParseJoin();
    } else {
      break;
    }
    relation.extensions.push_back(std::move(extension));
  }
  relation.range = Since(start);
  return relation;
}

ast::Relation Parser::ParseRelationPrimary() {
  Nesting nesting(this);
  int64_t start = Here();
  ast::Relation relation;
  if (At(TokenKind::kString)) {
    relation.kind = ast::RelationKind::kFile;
    Token token = Advance();
    relation.file = DecodeString(TextOf(token));
    relation.range = token.range();
    ParseVersion(&relation);
    ParseRelationTail(&relation);
    return relation;
  }
  if (At(TokenKind::kLeftParen)) {
    relation = ParseParenthesisedRelation();
  } else if (At(Keyword::kValues) && AtQuery()) {
    return ParseValues();
  } else {
    relation = ParseNamedRelation();
  }
  relation.range = Since(start);
  ParseRelationTail(&relation);
  return relation;
}

// [TABLESAMPLE (…)] [[AS] name [(column, …)]]
void Parser::ParseRelationTail(ast::Relation* relation) {
  relation->sample = ParseSample();
  ParseTableAlias(relation);
}

ast::Relation Parser::ParseParenthesisedRelation() {
  ast::Relation relation;
  Advance();
  if (AtSubquery()) {
    relation.kind = ast::RelationKind::kQuery;
    relation.query = ParseQuery();
  } else {
    relation.kind = ast::RelationKind::kNested;
    relation.nested = std::make_unique<ast::Relation>(ParseRelation());
  }
  Expect(TokenKind::kRightParen, ")");
  return relation;
}

ast::Relation Parser::ParseNamedRelation() {
  ast::Relation relation;
  int64_t start = Here();
  if (AtReservedWord()) {
    FailHere("a table, a file in quotes or a query in parentheses");
    return relation;
  }
  relation.path = ParseNamePath("a table, a file in quotes or a query in parentheses");
  if (At(TokenKind::kLeftParen)) {
    relation.kind = ast::RelationKind::kFunction;
    relation.function = ParseCall(std::move(relation.path), start);
    relation.path.clear();
    return relation;
  }
  ParseVersion(&relation);
  if (At(Keyword::kWith) && At(TokenKind::kLeftParen, 1)) {
    Advance();
    Advance();
    do {
      ParseNamePath("an option");
      Expect(TokenKind::kEqual, "=");
      ParsePrimary();
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ")");
  }
  return relation;
}

// [FOR] VERSION AS OF 1, [FOR] TIMESTAMP AS OF '…'
void Parser::ParseVersion(ast::Relation* relation) {
  size_t word = At(Keyword::kFor) ? 1 : 0;
  bool version = AtAny({Keyword::kVersion, Keyword::kSystemVersion}, word);
  bool timestamp = AtAny({Keyword::kTimestamp, Keyword::kSystemTime}, word);
  if ((!version && !timestamp) || !At(Keyword::kAs, word + 1) ||
      !At(Keyword::kOf, word + 2)) {
    return;
  }
  for (size_t i = 0; i < word + 3; ++i) {
    Advance();
  }
  if (version && !At(TokenKind::kInteger) && !At(TokenKind::kString)) {
    FailHere("a version");
  }
  relation->version = ParseValue();
}

void Parser::ParseTableAlias(ast::Relation* relation) {
  bool as = Accept(Keyword::kAs);
  if (!as && (!AtTableAlias() || AtClauseStart())) {
    return;
  }
  if (as && !AtTableAlias()) {
    FailHere("a name for the table");
  }
  relation->alias = ParseName("a name for the table");
  if (At(TokenKind::kLeftParen)) {
    relation->column_aliases = ParseNameList();
  }
}

// VALUES (1, 2), (3, 4) [AS t(a, b)]
ast::Relation Parser::ParseValues() {
  ast::Relation relation;
  int64_t start = Here();
  relation.kind = ast::RelationKind::kValues;
  Advance();
  relation.values = ParseExpressions();
  relation.range = Since(start);
  ParseTableAlias(&relation);
  return relation;
}

bool Parser::AtJoin() const {
  size_t ahead = At(Keyword::kNatural) ? 1 : 0;
  if (AtAny({Keyword::kInner, Keyword::kCross, Keyword::kSemi, Keyword::kAnti}, ahead)) {
    ++ahead;
  } else if (AtAny({Keyword::kLeft, Keyword::kRight, Keyword::kFull}, ahead)) {
    bool left = At(Keyword::kLeft, ahead);
    ++ahead;
    if (At(Keyword::kOuter, ahead) ||
        (left && AtAny({Keyword::kSemi, Keyword::kAnti}, ahead))) {
      ++ahead;
    }
  }
  return At(Keyword::kJoin, ahead);
}

ast::JoinKind Parser::ParseJoinKind() {
  if (Accept(Keyword::kCross)) {
    return ast::JoinKind::kCross;
  }
  if (Accept(Keyword::kRight)) {
    Accept(Keyword::kOuter);
    return ast::JoinKind::kRight;
  }
  if (Accept(Keyword::kFull)) {
    Accept(Keyword::kOuter);
    return ast::JoinKind::kFull;
  }
  bool left = Accept(Keyword::kLeft);
  if (Accept(Keyword::kSemi)) {
    return ast::JoinKind::kLeftSemi;
  }
  if (Accept(Keyword::kAnti)) {
    return ast::JoinKind::kLeftAnti;
  }
  if (left) {
    Accept(Keyword::kOuter);
    return ast::JoinKind::kLeft;
  }
  Accept(Keyword::kInner);
  return ast::JoinKind::kInner;
}

ast::RelationExtension Parser::ParseJoin() {
  ast::RelationExtension join;
  int64_t start = Here();
  join.natural = Accept(Keyword::kNatural);
  plan::SourceRange kind_range = Peek().range();
  join.join = ParseJoinKind();
  Expect(Keyword::kJoin, "JOIN");
  join.range = Since(start);
  if (join.natural && join.join == ast::JoinKind::kCross) {
    Fail(kind_range, "NATURAL CROSS JOIN is no join; leave out one of the words");
  }
  bool lateral = Accept(Keyword::kLateral);
  join.right = std::make_unique<ast::Relation>(ParseRelationPrimary());
  join.right->lateral = lateral;
  if (At(Keyword::kOn) && !join.natural) {
    Advance();
    join.on = ParseExpression();
  } else if (At(Keyword::kUsing) && !join.natural) {
    Advance();
    join.has_using = true;
    join.using_columns = ParseNameList();
  }
  return join;
}

// PIVOT (sum(x) [AS s], … FOR column IN (value [AS name], …))
ast::Pivot Parser::ParsePivot() {
  ast::Pivot pivot;
  int64_t start = Here();
  Advance();
  Expect(TokenKind::kLeftParen, "(");
  pivot.aggregates = ParseSelectItems();
  Expect(Keyword::kFor, "FOR and a column");
  if (At(TokenKind::kLeftParen)) {
    pivot.columns = ParseNameList();
  } else {
    pivot.columns.push_back(ParseName("a column"));
  }
  Expect(Keyword::kIn, "IN and values");
  Expect(TokenKind::kLeftParen, "(");
  do {
    ast::PivotValue value{.expression = ParseExpression(), .alias = {}};
    if (Accept(Keyword::kAs) || AtName()) {
      value.alias = ParseName("a name after AS");
    }
    pivot.values.push_back(std::move(value));
  } while (Accept(TokenKind::kComma));
  Expect(TokenKind::kRightParen, ", or )");
  Expect(TokenKind::kRightParen, ") at the end of PIVOT");
  pivot.range = Since(start);
  return pivot;
}

// UNPIVOT [INCLUDE NULLS] (value FOR name IN (column [AS alias], …))
ast::Pivot Parser::ParseUnpivot() {
  ast::Pivot pivot;
  int64_t start = Here();
  pivot.unpivot = true;
  Advance();
  if (AcceptAny({Keyword::kInclude, Keyword::kExclude})) {
    Expect(Keyword::kNulls, "NULLS");
  }
  Expect(TokenKind::kLeftParen, "(");
  if (At(TokenKind::kLeftParen)) {
    pivot.columns = ParseNameList();
  } else {
    pivot.columns.push_back(ParseName("a name for the values"));
  }
  Expect(Keyword::kFor, "FOR and a name");
  ParseName("a name for the column of names");
  Expect(Keyword::kIn, "IN and columns");
  Expect(TokenKind::kLeftParen, "(");
  do {
    ParseUnpivotColumn();
  } while (Accept(TokenKind::kComma));
  Expect(TokenKind::kRightParen, ", or )");
  Expect(TokenKind::kRightParen, ") at the end of UNPIVOT");
  if (Accept(Keyword::kAs) || (AtTableAlias() && !AtClauseStart())) {
    ParseName("a name for the table");
  }
  pivot.range = Since(start);
  return pivot;
}

void Parser::ParseUnpivotColumn() {
  if (Accept(TokenKind::kLeftParen)) {
    do {
      ParseNamePath("a column");
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ", or )");
  } else {
    ParseNamePath("a column");
  }
  if (Accept(Keyword::kAs) || AtName()) {
    ParseName("a name after AS");
  }
}

// TABLESAMPLE (10 PERCENT | 5 ROWS | BUCKET 1 OUT OF 4) [REPEATABLE (7)]
std::optional<ast::Sample> Parser::ParseSample() {
  if (!At(Keyword::kTablesample) || !At(TokenKind::kLeftParen, 1)) {
    return std::nullopt;
  }
  int64_t start = Here();
  Advance();
  Advance();
  if (At(Keyword::kBucket) && At(TokenKind::kInteger, 1)) {
    Advance();
    Advance();
    Expect(Keyword::kOut, "OUT OF");
    Expect(Keyword::kOf, "OF");
    Expect(TokenKind::kInteger, "a number of buckets");
  } else {
    ParseExpression();
    if (!AcceptAny({Keyword::kPercent, Keyword::kRows})) {
      FailHere("PERCENT or ROWS after a number");
    }
  }
  Expect(TokenKind::kRightParen, ")");
  if (Accept(Keyword::kRepeatable)) {
    Expect(TokenKind::kLeftParen, "(");
    Expect(TokenKind::kInteger, "a seed");
    Expect(TokenKind::kRightParen, ")");
  }
  return ast::Sample{.range = Since(start)};
}

}  // namespace wheelpit::sql
