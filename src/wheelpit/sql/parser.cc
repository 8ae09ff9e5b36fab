// SPDX-License-Identifier: Apache-2.0
// The parser's ground: tokens, names, ranges, the error that sticks.
#include "wheelpit/sql/parser.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

Parser::Nesting::Nesting(Parser* parser) : parser_(parser) {
  if (++parser->nesting_ > kNestingMax && !parser->failed()) {
    parser->Fail(parser->Peek().range(), "the statement is nested more than " +
                                             std::to_string(kNestingMax) +
                                             " levels deep here; split it");
  }
}

Parser::Nesting::~Nesting() {
  --parser_->nesting_;
}

const Token& Parser::Peek(size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

bool Parser::AtAny(std::initializer_list<Keyword> keywords, size_t ahead) const {
  Keyword here = Peek(ahead).keyword;
  return here != Keyword::kNone &&
         std::find(keywords.begin(), keywords.end(), here) != keywords.end();
}

bool Parser::AtWord(std::string_view upper, size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kWord && token.length == upper.size() &&
         UpperOf(token) == upper;
}

Token Parser::Advance() {
  Token token = Peek();
  if (position_ + 1 < tokens_.size()) {
    ++position_;
    taken_end_ = token.offset + token.length;
  }
  return token;
}

bool Parser::Accept(TokenKind kind) {
  if (!At(kind)) {
    return false;
  }
  Advance();
  return true;
}

bool Parser::Accept(Keyword keyword) {
  if (!At(keyword)) {
    return false;
  }
  Advance();
  return true;
}

bool Parser::AcceptAny(std::initializer_list<Keyword> keywords) {
  if (!AtAny(keywords)) {
    return false;
  }
  Advance();
  return true;
}

bool Parser::AcceptWord(std::string_view upper) {
  if (!AtWord(upper)) {
    return false;
  }
  Advance();
  return true;
}

void Parser::Expect(TokenKind kind, std::string_view expected) {
  if (!Accept(kind)) {
    FailHere(expected);
  }
}

void Parser::Expect(Keyword keyword, std::string_view expected) {
  if (!Accept(keyword)) {
    FailHere(expected);
  }
}

std::string_view Parser::TextOf(const Token& token) const {
  return text_.substr(token.offset, token.length);
}

std::string Parser::UpperOf(const Token& token) const {
  return UpperCase(TextOf(token));
}

void Parser::Fail(plan::SourceRange range, std::string message,
                  std::string_view error_class) {
  Adopt(core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                          .error_class = std::string(error_class),
                          .sql_offset = range.offset,
                          .sql_length = range.length},
                         std::move(message)));
}

void Parser::Adopt(const arrow::Status& status) {
  if (!failed() && !status.ok()) {
    status_ = status;
    position_ = tokens_.size() - 1;
  }
}

void Parser::FailHere(std::string_view expected) {
  if (failed()) {
    return;
  }
  constexpr size_t kShownMax = 40;
  Token token = Peek();
  std::string found;
  if (token.kind == TokenKind::kEnd) {
    found = "the text ends here";
  } else if (token.kind == TokenKind::kPath) {
    Fail(token.range(), "put the path in quotes: '" + std::string(TextOf(token)) + "'");
    return;
  } else {
    std::string_view text = TextOf(token);
    size_t cut = std::min(text.size(), kShownMax);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
      --cut;
    }
    found = "found " + std::string(text.substr(0, cut)) + (cut < text.size() ? "…" : "");
  }
  bool name_wanted = expected.starts_with("a ") || expected.starts_with("an ");
  if (name_wanted && token.kind == TokenKind::kWord && AtReservedWord()) {
    found += " (a keyword; a name spelt so needs back-ticks)";
  }
  Fail(token.range(), found + ", expected " + std::string(expected));
}

plan::SourceRange Parser::Since(int64_t offset) const {
  return {.offset = offset, .length = std::max<int64_t>(taken_end_ - offset, 0)};
}

bool Parser::IsName(const Token& token) {
  return token.kind == TokenKind::kWord || token.kind == TokenKind::kQuotedName;
}

ast::Name Parser::ParseName(std::string_view expected) {
  if (!AtName()) {
    FailHere(expected);
    return {};
  }
  Token token = Advance();
  bool quoted = token.kind == TokenKind::kQuotedName;
  return {.text = quoted ? DecodeQuotedName(TextOf(token)) : std::string(TextOf(token)),
          .quoted = quoted,
          .range = token.range()};
}

ast::NamePath Parser::ParseNamePath(std::string_view expected) {
  ast::NamePath path;
  path.push_back(ParseName(expected));
  while (Accept(TokenKind::kDot)) {
    path.push_back(ParseName("a name after the dot"));
  }
  return path;
}

std::vector<ast::Name> Parser::ParseNameList() {
  std::vector<ast::Name> names;
  Expect(TokenKind::kLeftParen, "(");
  do {
    names.push_back(ParseName());
  } while (Accept(TokenKind::kComma));
  Expect(TokenKind::kRightParen, ", or )");
  return names;
}

// One string, or several one after the other, which are one.
std::string Parser::ParseString(std::string_view expected) {
  if (!At(TokenKind::kString)) {
    FailHere(expected);
    return {};
  }
  std::string value;
  while (At(TokenKind::kString)) {
    value += DecodeString(TextOf(Advance()));
  }
  return value;
}

// Words that are never a bare column. Spark takes nearly every word for a name; with
// these that would turn a slip of the pen (SELECT a, FROM t) into another statement.
bool Parser::AtReservedWord() const {
  switch (Peek().keyword) {
    case Keyword::kAnd:
    case Keyword::kAs:
    case Keyword::kBetween:
    case Keyword::kElse:
    case Keyword::kExcept:
    case Keyword::kFrom:
    case Keyword::kHaving:
    case Keyword::kIn:
    case Keyword::kIntersect:
    case Keyword::kIs:
    case Keyword::kJoin:
    case Keyword::kOn:
    case Keyword::kOr:
    case Keyword::kSelect:
    case Keyword::kThen:
    case Keyword::kUnion:
    case Keyword::kUsing:
    case Keyword::kWhen:
    case Keyword::kWhere:
      return true;
    case Keyword::kGroup:
    case Keyword::kOrder:
      return At(Keyword::kBy, 1);
    case Keyword::kLike:
      return !At(TokenKind::kLeftParen, 1);
    default:
      return false;
  }
}

bool Parser::AtExpressionEnd(size_t ahead) const {
  const Token& token = Peek(ahead);
  switch (token.kind) {
    case TokenKind::kWord:
      return AtAny({Keyword::kFrom, Keyword::kWhere, Keyword::kAs, Keyword::kHaving,
                    Keyword::kUnion, Keyword::kExcept, Keyword::kIntersect, Keyword::kAnd,
                    Keyword::kOr, Keyword::kOffset, Keyword::kLimit, Keyword::kOrder,
                    Keyword::kGroup, Keyword::kIs, Keyword::kIn, Keyword::kBetween,
                    Keyword::kLike},
                   ahead);
    case TokenKind::kQuotedName:
    case TokenKind::kString:
    case TokenKind::kLeftParen:
    case TokenKind::kPlus:
    case TokenKind::kMinus:
    case TokenKind::kTilde:
    case TokenKind::kBang:
    case TokenKind::kStar:
    case TokenKind::kQuestion:
    case TokenKind::kColon:
      return false;
    default:
      return token.kind < TokenKind::kInteger || token.kind > TokenKind::kBigDecimal;
  }
}

// Whether a word that could be an alias begins a clause.
bool Parser::AtClauseStart() const {
  return AtReservedWord() || AtSoftClauseStart();
}

// Words that begin a clause only where it goes on like one.
bool Parser::AtSoftClauseStart() const {
  switch (Peek().keyword) {
    case Keyword::kLimit:
    case Keyword::kOffset:
    case Keyword::kQualify:
      return !AtExpressionEnd(1);
    case Keyword::kGrouping:
      return At(Keyword::kSets, 1);
    case Keyword::kSort:
    case Keyword::kCluster:
    case Keyword::kDistribute:
      return At(Keyword::kBy, 1);
    case Keyword::kWindow:
      return AtName(1) && At(Keyword::kAs, 2);
    case Keyword::kWith:
      return AtAny({Keyword::kRollup, Keyword::kCube}, 1);
    case Keyword::kPivot:
    case Keyword::kTablesample:
      return At(TokenKind::kLeftParen, 1);
    case Keyword::kUnpivot:
      return At(TokenKind::kLeftParen, 1) ||
             AtAny({Keyword::kInclude, Keyword::kExclude}, 1);
    case Keyword::kLateral:
      return At(Keyword::kView, 1);
    case Keyword::kMinus:
      return AtQuery(1) || At(TokenKind::kLeftParen, 1) || At(Keyword::kAll, 1);
    case Keyword::kFor:
      return AtAny({Keyword::kVersion, Keyword::kTimestamp, Keyword::kSystemTime,
                    Keyword::kSystemVersion},
                   1) ||
             AtName(1) || At(TokenKind::kLeftParen, 1);
    default:
      return AtJoin();
  }
}

// Table aliases are stricter: no word that may begin a join or a set operation.
bool Parser::AtTableAlias() const {
  return AtName() &&
         !AtAny({Keyword::kAnti, Keyword::kCross, Keyword::kExcept, Keyword::kFull,
                 Keyword::kInner, Keyword::kIntersect, Keyword::kJoin, Keyword::kLateral,
                 Keyword::kLeft, Keyword::kNatural, Keyword::kOn, Keyword::kRight,
                 Keyword::kSemi, Keyword::kMinus, Keyword::kUnion, Keyword::kUsing});
}

arrow::Result<ast::Statement> Parse(std::string_view text) {
  if (static_cast<int64_t>(text.size()) > kStatementBytesMax) {
    return TooLong(static_cast<int64_t>(text.size()), kStatementBytesMax);
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<Token> tokens, Tokenize(text));
  Parser parser(text, std::move(tokens));
  ast::Statement statement = parser.ParseStatement();
  ARROW_RETURN_NOT_OK(parser.status());
  return statement;
}

}  // namespace wheelpit::sql
