// SPDX-License-Identifier: Apache-2.0
// Statements around queries: EXPLAIN, DESCRIBE, SET, RESET, SHOW, COPY, and those that
// are only told apart.
#include <array>
#include <utility>

#include "wheelpit/sql/interval.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

using ast::StatementKind;

namespace {

// Statements of Spark's that are known by their first words.
constexpr std::array<std::string_view, 35> kOtherStatements = {
    "ADD",      "ALTER",  "ANALYZE",  "BEGIN",   "CACHE",  "CALL",    "CLEAR",
    "COMMENT",  "COMMIT", "CREATE",   "DECLARE", "DELETE", "DFS",     "DROP",
    "EXECUTE",  "EXPORT", "GRANT",    "IMPORT",  "INSERT", "LIST",    "LOAD",
    "LOCK",     "MERGE",  "MSCK",     "REFRESH", "REPAIR", "REPLACE", "REVOKE",
    "ROLLBACK", "START",  "TRUNCATE", "UNCACHE", "UNLOCK", "UPDATE",  "USE"};

constexpr std::array<std::string_view, 14> kShowObjects = {
    "CATALOGS",  "COLUMNS",       "CREATE",     "CURRENT",   "DATABASES",
    "FUNCTIONS", "NAMESPACES",    "PARTITIONS", "SCHEMAS",   "TABLE",
    "TABLES",    "TBLPROPERTIES", "VIEWS",      "COLLATIONS"};

template <size_t kSize>
bool Contains(const std::array<std::string_view, kSize>& words, std::string_view word) {
  for (std::string_view one : words) {
    if (one == word) {
      return true;
    }
  }
  return false;
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

ast::Statement Parser::ParseStatement() {
  ast::Statement statement = ParseAnyStatement();
  while (Accept(TokenKind::kSemicolon)) {
  }
  if (!failed() && !At(TokenKind::kEnd)) {
    FailHere("the end of the statement");
  }
  statement.parameter_count = parameter_count_;
  return statement;
}

ast::Statement Parser::ParseAnyStatement() {
  Nesting nesting(this);
  int64_t start = Here();
  ast::Statement statement;
  if (At(Keyword::kExplain)) {
    statement = ParseExplain();
  } else if (AtAny({Keyword::kDescribe, Keyword::kDesc})) {
    statement = ParseDescribe();
  } else if (At(Keyword::kSet)) {
    statement = ParseSet();
  } else if (At(Keyword::kReset)) {
    statement = ParseReset();
  } else if (At(Keyword::kShow)) {
    statement = ParseShow();
  } else if (At(Keyword::kCopy)) {
    statement = ParseCopy();
  } else if (AtCreateView()) {
    statement = ParseCreateView();
  } else if (AtWord("DROP") && AtWord("VIEW", 1)) {
    statement = ParseDropView();
  } else if (AtOtherStatement()) {
    statement = ParseOther();
  } else if (AtQuery() || At(TokenKind::kLeftParen)) {
    statement.query = ParseQuery();
  } else {
    FailHere("a statement, as SELECT, EXPLAIN, DESCRIBE, SET or SHOW");
  }
  statement.range = Since(start);
  return statement;
}

ast::Statement Parser::ParseExplain() {
  ast::Statement statement;
  statement.kind = StatementKind::kExplain;
  Advance();
  if (AtAny({Keyword::kAnalyze, Keyword::kFormatted, Keyword::kExtended,
             Keyword::kCodegen, Keyword::kCost})) {
    statement.explain_mode = UpperOf(Advance());
  }
  statement.inner = std::make_unique<ast::Statement>(ParseAnyStatement());
  return statement;
}

ast::Statement Parser::ParseDescribe() {
  ast::Statement statement;
  Advance();
  bool named = AtName(1) || At(TokenKind::kString, 1);
  if (At(Keyword::kQuery) && (AtQuery(1) || At(TokenKind::kLeftParen, 1))) {
    Advance();
  }
  if (AtQuery() && !At(Keyword::kTable)) {
    statement.kind = StatementKind::kDescribeQuery;
    statement.query = ParseQuery();
    return statement;
  }
  bool other = At(Keyword::kFunction) || AtWord("DATABASE") || AtWord("SCHEMA") ||
               AtWord("NAMESPACE");
  if (other && !At(TokenKind::kEnd, 1)) {
    statement.kind = StatementKind::kOther;
    statement.words = "DESCRIBE " + UpperOf(Peek());
    SkipToEnd();
    return statement;
  }
  statement.kind = StatementKind::kDescribeTable;
  if (At(Keyword::kTable) && named) {
    Advance();
  }
  if (AtAny({Keyword::kExtended, Keyword::kFormatted}) &&
      (AtName(1) || At(TokenKind::kString, 1))) {
    statement.extended = true;
    Advance();
  }
  int64_t start = Here();
  statement.relation = std::make_unique<ast::Relation>();
  if (At(TokenKind::kString)) {
    statement.relation->kind = ast::RelationKind::kFile;
    statement.relation->file = DecodeString(TextOf(Advance()));
  } else {
    *statement.relation = ParseNamedRelation();
  }
  statement.relation->range = Since(start);
  if (At(Keyword::kPartition) && At(TokenKind::kLeftParen, 1)) {
    statement.words = "DESCRIBE of one partition";
    SkipToEnd();
  } else if (AtName()) {
    statement.words = "DESCRIBE of one column";
    ParseNamePath("a column");
  }
  return statement;
}

// What is left of the text, semicolons at its end taken off; the tokens are taken.
std::string_view Parser::RestOfText() {
  int64_t start = Here();
  size_t last = tokens_.size() - 1;
  while (last > position_ && tokens_[last - 1].kind == TokenKind::kSemicolon) {
    --last;
  }
  int64_t end =
      last > position_ ? tokens_[last - 1].offset + tokens_[last - 1].length : start;
  if (last > position_) {
    position_ = last;
    taken_end_ = end;
  }
  return text_.substr(start, end - start);
}

std::string Parser::SettingName(std::string_view text, plan::SourceRange range) {
  std::string name(TrimSpace(text));
  if (name.size() >= 2 && name.front() == '`' && name.back() == '`') {
    return DecodeQuotedName(name);
  }
  for (char c : name) {
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == ':';
    if (!good && !failed()) {
      Fail(range, name + " is not a setting's name; SHOW ALL lists them");
    }
  }
  return name;
}

// SET, SET -v, SET name, SET name = value. A value is the rest of the text, or one
// string.
ast::Statement Parser::ParseSet() {
  ast::Statement statement;
  statement.kind = StatementKind::kSet;
  Advance();
  bool words = AtWord("VARIABLE") || AtWord("VAR") || AtWord("CATALOG") ||
               AtWord("COLLATION") || AtWord("ROLE") || AtWord("PATH");
  if (At(Keyword::kTime) && At(Keyword::kZone, 1)) {
    return ParseSetTimeZone();
  }
  if (words && AtName(1)) {
    statement.kind = StatementKind::kOther;
    statement.words = "SET " + UpperOf(Peek());
    SkipToEnd();
    return statement;
  }
  if (At(TokenKind::kMinus) && AtWord("V", 1)) {
    Advance();
    Advance();
    return statement;
  }
  plan::SourceRange range = Peek().range();
  std::string_view rest = RestOfText();
  range.length = static_cast<int64_t>(rest.size());
  size_t equal = rest.find('=');
  statement.key = SettingName(rest.substr(0, equal), range);
  if (equal == std::string_view::npos) {
    return statement;
  }
  if (statement.key.empty() && !failed()) {
    Fail(range, "there is no name before =; write SET name = value");
  }
  std::string_view value = TrimSpace(rest.substr(equal + 1));
  auto tokens = Tokenize(value);
  bool quoted =
      tokens.ok() && tokens->size() == 2 && tokens->front().kind == TokenKind::kString;
  statement.value = quoted ? DecodeString(value) : std::string(value);
  return statement;
}

// SET TIME ZONE LOCAL | string | interval: SET and RESET of the setting.
ast::Statement Parser::ParseSetTimeZone() {
  ast::Statement statement;
  statement.kind = StatementKind::kSet;
  statement.key = "session.time_zone";
  Advance();
  Advance();
  bool last = At(TokenKind::kEnd, 1) || At(TokenKind::kSemicolon, 1);
  if (AtWord("LOCAL") && last) {
    Advance();
    statement.kind = StatementKind::kReset;
  } else if (At(TokenKind::kString) && last) {
    statement.value = DecodeString(TextOf(Advance()));
  } else if (At(Keyword::kInterval)) {
    plan::SourceRange range = Peek().range();
    ast::ExpressionPtr interval = ParseExpression();
    std::optional<std::string> offset =
        failed() ? std::nullopt : IntervalAsOffset(*interval);
    if (!offset && !failed()) {
      Fail(range,
           "an interval is a time zone when it is of hours, minutes and seconds, "
           "at most 18 hours: INTERVAL '-08:00' HOUR TO MINUTE");
    }
    statement.value = offset.value_or("");
  } else {
    Fail(Peek().range(),
         "a time zone is missing here: a name in quotes, as "
         "'Europe/Berlin', an interval, or LOCAL");
  }
  return statement;
}

ast::Statement Parser::ParseReset() {
  ast::Statement statement;
  statement.kind = StatementKind::kReset;
  Advance();
  plan::SourceRange range = Peek().range();
  std::string_view rest = RestOfText();
  range.length = static_cast<int64_t>(rest.size());
  statement.key = SettingName(rest, range);
  return statement;
}

// Spark's SHOW TABLES and its kin are other statements; ours shows settings.
ast::Statement Parser::ParseShow() {
  ast::Statement statement;
  statement.kind = StatementKind::kShow;
  Advance();
  bool last = At(TokenKind::kEnd, 1) || At(TokenKind::kSemicolon, 1);
  bool functions = AtWord("FUNCTIONS", 1);
  if (last && (At(Keyword::kAll) || AtWord("VIEWS"))) {
    statement.kind =
        At(Keyword::kAll) ? StatementKind::kShowAll : StatementKind::kShowViews;
    Advance();
    return statement;
  }
  if (At(TokenKind::kWord) && (Contains(kShowObjects, UpperOf(Peek())) || functions)) {
    statement.kind = StatementKind::kOther;
    statement.words = "SHOW " + UpperOf(Peek());
    SkipToEnd();
    return statement;
  }
  plan::SourceRange range = Peek().range();
  std::string_view rest = RestOfText();
  if (rest.empty()) {
    FailHere("a setting's name or ALL");
  }
  range.length = static_cast<int64_t>(rest.size());
  statement.key = SettingName(rest, range);
  return statement;
}

// COPY (query) TO 'file' [[WITH] (FORMAT parquet, …)]; COPY table TO … is a query too.
ast::Statement Parser::ParseCopy() {
  ast::Statement statement;
  statement.kind = StatementKind::kCopy;
  Advance();
  if (Accept(TokenKind::kLeftParen)) {
    statement.query = ParseQuery();
    Expect(TokenKind::kRightParen, ")");
  } else {
    statement.query = ParseWholeTable();
  }
  Expect(Keyword::kTo, "TO and a file");
  statement.path_range = Peek().range();
  statement.path = ParseString("a file in quotes");
  const bool with = Accept(Keyword::kWith);
  if (with || At(TokenKind::kLeftParen)) {
    Expect(TokenKind::kLeftParen, "( and options");
    do {
      statement.options.push_back(ParseCopyOption());
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ", or )");
  }
  return statement;
}

// SELECT * FROM table, of a COPY that names one.
std::unique_ptr<ast::Query> Parser::ParseWholeTable() {
  const int64_t start = Here();
  ast::Relation relation;
  if (At(TokenKind::kString)) {
    relation.kind = ast::RelationKind::kFile;
    relation.file = DecodeString(TextOf(Advance()));
  } else {
    relation.path = ParseNamePath("a query in parentheses or a table");
  }
  relation.range = Since(start);
  return AllOf(std::move(relation));
}

std::unique_ptr<ast::Query> Parser::AllOf(ast::Relation relation) {
  auto query = std::make_unique<ast::Query>();
  query->range = relation.range;
  query->body = std::make_unique<ast::QueryBody>();
  query->body->range = relation.range;
  query->body->select = std::make_unique<ast::Select>();
  AddStar(query->body->select.get());
  query->body->select->items[0].expression->range = relation.range;
  query->body->select->from.push_back(std::move(relation));
  return query;
}

// FORMAT parquet, HEADER = false, HEADER
ast::CopyOption Parser::ParseCopyOption() {
  ast::CopyOption option;
  const int64_t start = Here();
  option.name = ParseName("an option, as FORMAT");
  const bool equal = Accept(TokenKind::kEqual);
  if (equal || !(At(TokenKind::kComma) || At(TokenKind::kRightParen))) {
    option.value = ParsePrimary();
  }
  option.range = Since(start);
  return option;
}

bool Parser::AtOtherStatement() const {
  return At(TokenKind::kWord) && Contains(kOtherStatements, UpperOf(Peek()));
}

ast::Statement Parser::ParseOther() {
  ast::Statement statement;
  statement.kind = StatementKind::kOther;
  statement.words = UpperOf(Advance());
  // CREATE TABLE, but not the name after USE.
  if (At(TokenKind::kWord) && statement.words != "USE") {
    statement.words += " " + UpperOf(Peek());
  }
  if (At(TokenKind::kEnd) && statement.words != "COMMIT" &&
      statement.words != "ROLLBACK") {
    FailHere("more after " + statement.words);
  }
  SkipToEnd();
  return statement;
}

// Takes the rest up to a semicolon, parentheses in pairs.
void Parser::SkipToEnd() {
  int64_t depth = 0;
  while (!At(TokenKind::kEnd) && !(At(TokenKind::kSemicolon) && depth == 0)) {
    if (At(TokenKind::kLeftParen)) {
      ++depth;
    } else if (At(TokenKind::kRightParen) && --depth < 0) {
      FailHere("the end of the statement");
      return;
    }
    Advance();
  }
  if (depth > 0 && !failed()) {
    FailHere(")");
  }
}

}  // namespace wheelpit::sql
