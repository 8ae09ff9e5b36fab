// SPDX-License-Identifier: Apache-2.0
// Primaries: literals, names, calls and the forms with words inside their parentheses.
#include <algorithm>
#include <array>

#include "wheelpit/sql/interval.h"
#include "wheelpit/sql/literal.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

using ast::ExpressionKind;
using ast::ExpressionPtr;
using ast::LiteralKind;

namespace {

constexpr std::array<std::string_view, 12> kIntervalUnits = {
    "NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE",
    "HOUR",       "DAY",         "WEEK",        "MONTH",  "YEAR"};

// "DAYS" gives "day"; empty when the word is no unit.
std::string IntervalUnit(std::string word) {
  for (std::string_view unit : kIntervalUnits) {
    bool plural = word.size() == unit.size() + 1 && word.back() == 'S';
    if (!unit.empty() && word.starts_with(unit) &&
        (word.size() == unit.size() || plural)) {
      std::string lower(unit);
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](char c) { return static_cast<char>(c + 32); });
      return lower;
    }
  }
  return {};
}

LiteralKind NumberKind(TokenKind kind) {
  switch (kind) {
    case TokenKind::kDecimal:
      return LiteralKind::kDecimal;
    case TokenKind::kExponent:
      return LiteralKind::kExponent;
    case TokenKind::kBigint:
      return LiteralKind::kBigint;
    case TokenKind::kSmallint:
      return LiteralKind::kSmallint;
    case TokenKind::kTinyint:
      return LiteralKind::kTinyint;
    case TokenKind::kFloat:
      return LiteralKind::kFloat;
    case TokenKind::kDouble:
      return LiteralKind::kDouble;
    case TokenKind::kBigDecimal:
      return LiteralKind::kBigDecimal;
    default:
      return LiteralKind::kInteger;
  }
}

bool IsNumber(TokenKind kind) {
  return kind >= TokenKind::kInteger && kind <= TokenKind::kBigDecimal;
}

// Whether a word stands at depth 0 of the parentheses whose "(" is tokens[open].
bool HasWordInside(const std::vector<Token>& tokens, size_t open, Keyword word) {
  int64_t depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket) {
      ++depth;
    } else if (kind == TokenKind::kRightParen || kind == TokenKind::kRightBracket) {
      if (--depth == 0) {
        return false;
      }
    } else if (depth == 1 && tokens[i].keyword == word) {
      return true;
    }
  }
  return false;
}

}  // namespace

ExpressionPtr Parser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kString:
      return ParseLiteral();
    case TokenKind::kMinus:
      if (IsNumber(Peek(1).kind)) {
        int64_t start = Here();
        Advance();
        return ParseNumber(true, start);
      }
      break;
    case TokenKind::kQuestion:
    case TokenKind::kColon:
      return ParseParameter();
    case TokenKind::kStar:
      return ParseStar({}, Here());
    case TokenKind::kLeftParen:
      return ParseParenthesised();
    case TokenKind::kWord:
      return ParseWordPrimary();
    case TokenKind::kQuotedName:
      return ParseNameOrCall();
    default:
      if (IsNumber(Peek().kind)) {
        return ParseNumber(false, Here());
      }
  }
  FailHere("an expression");
  return Make(ExpressionKind::kLiteral, Here());
}

ExpressionPtr Parser::ParseWordPrimary() {
  if (At(TokenKind::kString, 1) || AtReservedWord() ||
      AtAny({Keyword::kNull, Keyword::kTrue, Keyword::kFalse})) {
    return ParseLiteral();
  }
  if (At(Keyword::kInterval)) {
    size_t sign = At(TokenKind::kPlus, 1) || At(TokenKind::kMinus, 1) ? 1 : 0;
    const Token& value = Peek(1 + sign);
    if (IsNumber(value.kind) || value.kind == TokenKind::kString) {
      return ParseInterval();
    }
  }
  if (At(Keyword::kCase)) {
    return ParseCase();
  }
  if (At(TokenKind::kLeftParen, 1)) {
    if (ExpressionPtr form = ParseSpecialForm()) {
      return form;
    }
  }
  if (At(TokenKind::kArrow, 1)) {
    return ParseLambda();
  }
  return ParseNameOrCall();
}

// NULL, TRUE, FALSE, strings one after the other, and a word before a string.
ExpressionPtr Parser::ParseLiteral() {
  ExpressionPtr node = Make(ExpressionKind::kLiteral, Here());
  if (At(TokenKind::kString)) {
    node->literal = LiteralKind::kString;
    node->text = ParseString("a string");
    return Finish(std::move(node));
  }
  if (At(TokenKind::kWord) && At(TokenKind::kString, 1) && At(Keyword::kInterval)) {
    return ParseInterval();
  }
  if (At(TokenKind::kWord) && At(TokenKind::kString, 1) && !AtReservedWord() &&
      !AtAny({Keyword::kNull, Keyword::kTrue, Keyword::kFalse, Keyword::kCase})) {
    node->literal = LiteralKind::kTyped;
    node->type_word = UpperOf(Advance());
    node->text = ParseString("a string");
    node = Finish(std::move(node));
    Adopt(LiteralValue(*node, {}).status());
    return node;
  }
  if (Accept(Keyword::kTrue)) {
    node->literal = LiteralKind::kTrue;
  } else if (Accept(Keyword::kFalse)) {
    node->literal = LiteralKind::kFalse;
  } else if (At(Keyword::kCase)) {
    return ParseCase();
  } else if (!Accept(Keyword::kNull)) {
    FailHere("an expression");
  }
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseNumber(bool negative, int64_t start) {
  ExpressionPtr node = Make(ExpressionKind::kLiteral, start);
  Token token = Advance();
  node->literal = NumberKind(token.kind);
  node->text = (negative ? "-" : "") + std::string(TextOf(token));
  node = Finish(std::move(node));
  Adopt(LiteralValue(*node, {}).status());
  return node;
}

ExpressionPtr Parser::ParseInterval() {
  ExpressionPtr node = Make(ExpressionKind::kInterval, Here());
  Advance();
  bool whole = At(TokenKind::kString) &&
               (!At(TokenKind::kWord, 1) || IntervalUnit(UpperOf(Peek(1))).empty());
  if (whole) {
    ast::IntervalPart part;
    part.value = ParseString("a string");
    part.quoted = true;
    node->intervals.push_back(std::move(part));
  } else if (!ParseIntervalPart(node.get())) {
    size_t sign = At(TokenKind::kPlus) || At(TokenKind::kMinus) ? 1 : 0;
    position_ = std::min(position_ + sign + 1, tokens_.size() - 1);
    FailHere("a unit, as DAY or MONTHS");
  }
  while (!whole && !failed() && node->intervals.back().to_unit.empty() &&
         ParseIntervalPart(node.get())) {
  }
  node = Finish(std::move(node));
  if (!failed()) {
    Adopt(EvaluateInterval(*node).status());
  }
  return node;
}

// [+-] value unit [TO unit]; takes nothing when that is not what stands here.
bool Parser::ParseIntervalPart(ast::Expression* interval) {
  size_t sign = At(TokenKind::kPlus) || At(TokenKind::kMinus) ? 1 : 0;
  const Token& value = Peek(sign);
  bool fits = value.kind == TokenKind::kInteger || value.kind == TokenKind::kDecimal ||
              value.kind == TokenKind::kString;
  if (!fits || !At(TokenKind::kWord, sign + 1) ||
      IntervalUnit(UpperOf(Peek(sign + 1))).empty()) {
    return false;
  }
  ast::IntervalPart part;
  bool negative = At(TokenKind::kMinus);
  if (sign > 0) {
    Advance();
  }
  part.quoted = At(TokenKind::kString);
  std::string text =
      part.quoted ? DecodeString(TextOf(Peek())) : std::string(TextOf(Peek()));
  Advance();
  part.value = (negative ? "-" : "") + text;
  part.unit = IntervalUnit(UpperOf(Advance()));
  if (At(Keyword::kTo) && At(TokenKind::kWord, 1) &&
      !IntervalUnit(UpperOf(Peek(1))).empty()) {
    Advance();
    part.to_unit = IntervalUnit(UpperOf(Advance()));
  }
  interval->intervals.push_back(std::move(part));
  return true;
}

ExpressionPtr Parser::ParseParameter() {
  ExpressionPtr node = Make(ExpressionKind::kParameter, Here());
  if (Accept(TokenKind::kColon)) {
    node->text = ParseName("a parameter's name").text;
  } else {
    Advance();
  }
  ++parameter_count_;
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseStar(ast::NamePath path, int64_t start) {
  ExpressionPtr node = Make(ExpressionKind::kStar, start);
  node->path = std::move(path);
  Expect(TokenKind::kStar, "*");
  bool set_operation = AtAny({Keyword::kSelect, Keyword::kFrom, Keyword::kWith,
                              Keyword::kValues, Keyword::kTable},
                             2) ||
                       At(TokenKind::kLeftParen, 2);
  if (At(Keyword::kExcept) && At(TokenKind::kLeftParen, 1) && !set_operation) {
    Advance();
    Advance();
    do {
      node->except.push_back(ParseNamePath("a column"));
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ", or )");
  }
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseCase() {
  ExpressionPtr node = Make(ExpressionKind::kCase, Here());
  Advance();
  if (!At(Keyword::kWhen)) {
    node->has_value = true;
    node->operands.push_back(ParseExpression());
  }
  if (!At(Keyword::kWhen)) {
    FailHere("WHEN");
  }
  while (Accept(Keyword::kWhen)) {
    node->operands.push_back(ParseExpression());
    Expect(Keyword::kThen, "THEN");
    node->operands.push_back(ParseExpression());
  }
  if (Accept(Keyword::kElse)) {
    node->has_else = true;
    node->operands.push_back(ParseExpression());
  }
  Expect(Keyword::kEnd, "WHEN, ELSE or END");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseCast() {
  ExpressionPtr node = Make(ExpressionKind::kCast, Here());
  node->try_cast = At(Keyword::kTryCast);
  node->op_range = Advance().range();
  Advance();
  node->operands.push_back(ParseExpression());
  Expect(Keyword::kAs, "AS and a type");
  node->type = std::make_unique<ast::TypeName>(ParseType());
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

// Calls whose parentheses hold words; null when the word here is an ordinary name.
ExpressionPtr Parser::ParseSpecialForm() {
  size_t open = position_ + 1;
  switch (Peek().keyword) {
    case Keyword::kCast:
    case Keyword::kTryCast:
      return ParseCast();
    case Keyword::kExtract:
      return At(Keyword::kFrom, 3) ? ParseExtract() : nullptr;
    case Keyword::kSubstr:
    case Keyword::kSubstring:
      return HasWordInside(tokens_, open, Keyword::kFrom) ? ParseSubstring() : nullptr;
    case Keyword::kTrim:
      return HasWordInside(tokens_, open, Keyword::kFrom) ? ParseTrim() : nullptr;
    case Keyword::kPosition:
      return HasWordInside(tokens_, open, Keyword::kIn) ? ParsePosition() : nullptr;
    case Keyword::kOverlay:
      return HasWordInside(tokens_, open, Keyword::kPlacing) ? ParseOverlay() : nullptr;
    default:
      return nullptr;
  }
}

ExpressionPtr Parser::MakeCall(std::string name, int64_t start) {
  ExpressionPtr node = Make(ExpressionKind::kCall, start);
  node->op_range = Advance().range();
  Advance();
  node->call = std::make_unique<ast::Call>();
  node->call->name.push_back(
      {.text = std::move(name), .quoted = false, .range = node->op_range});
  return node;
}

// EXTRACT(field FROM source) is extract('field', source).
ExpressionPtr Parser::ParseExtract() {
  ExpressionPtr node = MakeCall("extract", Here());
  ExpressionPtr field = Make(ExpressionKind::kLiteral, Here());
  field->literal = LiteralKind::kString;
  field->text = ParseName("a field, as YEAR").text;
  node->operands.push_back(Finish(std::move(field)));
  Expect(Keyword::kFrom, "FROM");
  node->operands.push_back(ParseValue());
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseSubstring() {
  ExpressionPtr node = MakeCall("substring", Here());
  node->operands.push_back(ParseValue());
  Expect(Keyword::kFrom, "FROM");
  node->operands.push_back(ParseValue());
  if (Accept(Keyword::kFor)) {
    node->operands.push_back(ParseValue());
  }
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

// TRIM([BOTH | LEADING | TRAILING] [characters] FROM source): source, then characters.
ExpressionPtr Parser::ParseTrim() {
  ExpressionPtr node = MakeCall("trim", Here());
  node->call->option = "BOTH";
  if (AtAny({Keyword::kBoth, Keyword::kLeading, Keyword::kTrailing})) {
    node->call->option = UpperOf(Advance());
  }
  ExpressionPtr characters = At(Keyword::kFrom) ? nullptr : ParseValue();
  Expect(Keyword::kFrom, "FROM");
  node->operands.push_back(ParseValue());
  if (characters != nullptr) {
    node->operands.push_back(std::move(characters));
  }
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParsePosition() {
  ExpressionPtr node = MakeCall("position", Here());
  node->operands.push_back(ParseValue());
  Expect(Keyword::kIn, "IN");
  node->operands.push_back(ParseValue());
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseOverlay() {
  ExpressionPtr node = MakeCall("overlay", Here());
  node->operands.push_back(ParseValue());
  Expect(Keyword::kPlacing, "PLACING");
  node->operands.push_back(ParseValue());
  Expect(Keyword::kFrom, "FROM");
  node->operands.push_back(ParseValue());
  if (Accept(Keyword::kFor)) {
    node->operands.push_back(ParseValue());
  }
  Expect(TokenKind::kRightParen, ")");
  return Finish(std::move(node));
}

bool Parser::AtParenthesisedLambda() const {
  size_t ahead = 1;
  while (AtName(ahead)) {
    ++ahead;
    if (At(TokenKind::kRightParen, ahead)) {
      return ahead > 2 && At(TokenKind::kArrow, ahead + 1);
    }
    if (!At(TokenKind::kComma, ahead)) {
      return false;
    }
    ++ahead;
  }
  return false;
}

ExpressionPtr Parser::ParseLambda() {
  ExpressionPtr node = Make(ExpressionKind::kLambda, Here());
  if (Accept(TokenKind::kLeftParen)) {
    do {
      node->path.push_back(ParseName("a parameter's name"));
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ")");
  } else {
    node->path.push_back(ParseName("a parameter's name"));
  }
  Expect(TokenKind::kArrow, "->");
  node->operands.push_back(ParseExpression());
  return Finish(std::move(node));
}

// (query), (expression), (a, b), (x, y) -> …
ExpressionPtr Parser::ParseParenthesised() {
  if (AtParenthesisedLambda()) {
    return ParseLambda();
  }
  int64_t start = Here();
  Advance();
  if (AtSubquery()) {
    ExpressionPtr node = Make(ExpressionKind::kSubquery, start);
    node->query = ParseQuery();
    Expect(TokenKind::kRightParen, ")");
    return Finish(std::move(node));
  }
  ast::SelectItem first = ParseSelectItem();
  if (!At(TokenKind::kComma)) {
    if (!first.aliases.empty() && !failed()) {
      Fail(first.aliases[0].range, "a name is not allowed here; did you forget a comma?");
    }
    Expect(TokenKind::kRightParen, ", or )");
    first.expression->parenthesised = true;
    return std::move(first.expression);
  }
  ExpressionPtr node = Make(ExpressionKind::kRow, start);
  while (true) {
    ExpressionPtr item = std::move(first.expression);
    if (!first.aliases.empty()) {
      ExpressionPtr alias = Make(ExpressionKind::kAlias, item->range.offset);
      alias->path = std::move(first.aliases);
      alias->operands.push_back(std::move(item));
      item = Finish(std::move(alias));
    }
    node->operands.push_back(std::move(item));
    if (!Accept(TokenKind::kComma)) {
      break;
    }
    first = ParseSelectItem();
  }
  Expect(TokenKind::kRightParen, ", or )");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseNameOrCall() {
  int64_t start = Here();
  ast::NamePath path;
  path.push_back(ParseName());
  while (At(TokenKind::kDot) && !failed()) {
    if (At(TokenKind::kStar, 1)) {
      Advance();
      return ParseStar(std::move(path), start);
    }
    Advance();
    path.push_back(ParseName("a name after the dot"));
  }
  if (At(TokenKind::kLeftParen)) {
    return ParseCall(std::move(path), start);
  }
  if (path.size() > static_cast<size_t>(kTreeDepthMax)) {
    Fail(Since(start), "a name has too many parts");
  }
  ExpressionPtr node = Make(ExpressionKind::kColumn, start);
  node->path = std::move(path);
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseCall(ast::NamePath name, int64_t start) {
  ExpressionPtr node = Make(ExpressionKind::kCall, start);
  node->op_range = Since(start);
  node->call = std::make_unique<ast::Call>();
  std::string word = name.size() == 1 ? LowerCase(name[0].text) : std::string();
  node->call->name = std::move(name);
  Expect(TokenKind::kLeftParen, "(");
  if (!Accept(TokenKind::kRightParen)) {
    if (AtAny({Keyword::kDistinct, Keyword::kAll}) && !AtExpressionEnd(1)) {
      node->call->distinct = Advance().keyword == Keyword::kDistinct;
    }
    do {
      ExpressionPtr argument = ParseArgument();
      bool alias = word == "struct" && (At(Keyword::kAs) || AtName());
      if (alias) {
        ExpressionPtr named = Make(ExpressionKind::kAlias, argument->range.offset);
        Accept(Keyword::kAs);
        named->path.push_back(ParseName());
        named->operands.push_back(std::move(argument));
        argument = Finish(std::move(named));
      }
      node->operands.push_back(std::move(argument));
    } while (Accept(TokenKind::kComma));
    bool ignores = word == "first" || word == "last" || word == "any_value";
    if (ignores && At(Keyword::kIgnore) && At(Keyword::kNulls, 1)) {
      Advance();
      Advance();
      node->call->ignore_nulls = true;
    }
    Expect(TokenKind::kRightParen, ", or )");
  }
  ParseCallTail(node.get());
  return Finish(std::move(node));
}

// WITHIN GROUP (…), FILTER (…), IGNORE NULLS, OVER
void Parser::ParseCallTail(ast::Expression* node) {
  if (At(Keyword::kWithin) && At(Keyword::kGroup, 1)) {
    Advance();
    Advance();
    Expect(TokenKind::kLeftParen, "(");
    Expect(Keyword::kOrder, "ORDER BY");
    Expect(Keyword::kBy, "BY");
    node->call->within_group = ParseSortItems();
    Expect(TokenKind::kRightParen, ")");
  }
  if (At(Keyword::kFilter) && At(TokenKind::kLeftParen, 1)) {
    Advance();
    Advance();
    Expect(Keyword::kWhere, "WHERE");
    node->call->filter = ParseExpression();
    node->depth = std::max(node->depth, node->call->filter->depth + 1);
    Expect(TokenKind::kRightParen, ")");
  }
  if (AtAny({Keyword::kIgnore, Keyword::kRespect}) && At(Keyword::kNulls, 1)) {
    node->call->ignore_nulls = At(Keyword::kIgnore);
    Advance();
    Advance();
  }
  if (At(Keyword::kOver) && (At(TokenKind::kLeftParen, 1) || AtName(1))) {
    Nesting nesting(this);
    DepthScope scope(this);
    Advance();
    node->call->over = ParseWindow();
    node->depth = std::max(node->depth, scope.depth() + 1);
  }
}

// expression, name => expression, TABLE t, TABLE (query)
ExpressionPtr Parser::ParseArgument() {
  if (AtName() && At(TokenKind::kFatArrow, 1)) {
    ExpressionPtr node = Make(ExpressionKind::kNamedArgument, Here());
    node->path.push_back(ParseName());
    Advance();
    node->operands.push_back(At(Keyword::kTable) ? ParseTableArgument()
                                                 : ParseExpression());
    return Finish(std::move(node));
  }
  bool table = At(Keyword::kTable) && (At(TokenKind::kLeftParen, 1) || AtName(1));
  return table ? ParseTableArgument() : ParseExpression();
}

ExpressionPtr Parser::ParseTableArgument() {
  Nesting nesting(this);
  ExpressionPtr node = Make(ExpressionKind::kTableArgument, Here());
  Advance();
  if (Accept(TokenKind::kLeftParen)) {
    if (AtQuery()) {
      node->query = ParseQuery();
    } else {
      node->path = ParseNamePath("a table");
    }
    Expect(TokenKind::kRightParen, ")");
  } else {
    node->path = ParseNamePath("a table");
  }
  if (At(Keyword::kWith) && At(Keyword::kSingle, 1)) {
    Advance();
    Advance();
    Expect(Keyword::kPartition, "PARTITION");
  }
  if (AtAny({Keyword::kPartition, Keyword::kDistribute}) && At(Keyword::kBy, 1)) {
    Advance();
    Advance();
    ParseExpression();
  }
  if (AtAny({Keyword::kOrder, Keyword::kSort}) && At(Keyword::kBy, 1)) {
    Advance();
    Advance();
    if (Accept(TokenKind::kLeftParen)) {
      ParseSortItems();
      Expect(TokenKind::kRightParen, ")");
    } else {
      ParseSortItem();
    }
  }
  return Finish(std::move(node));
}

}  // namespace wheelpit::sql
