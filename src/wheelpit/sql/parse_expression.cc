// SPDX-License-Identifier: Apache-2.0
// Expressions: operators by binding power, predicates, prefix operators, and what comes
// after a primary. The primaries themselves are in parse_primary.cc.
#include <algorithm>
#include <optional>

#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

using ast::ExpressionKind;
using ast::ExpressionPtr;
using ast::Operator;

namespace {

// Binding powers of operators between values; a comparison binds least.
struct BinaryOperator {
  Operator op;
  int binding_power;
};

std::optional<BinaryOperator> BinaryOperatorOf(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEqual:
      return BinaryOperator{Operator::kEqual, 1};
    case TokenKind::kNullSafeEqual:
      return BinaryOperator{Operator::kNullSafeEqual, 1};
    case TokenKind::kNotEqual:
    case TokenKind::kNotEqualBang:
      return BinaryOperator{Operator::kNotEqual, 1};
    case TokenKind::kLess:
      return BinaryOperator{Operator::kLess, 1};
    case TokenKind::kLessEqual:
      return BinaryOperator{Operator::kLessEqual, 1};
    case TokenKind::kGreater:
      return BinaryOperator{Operator::kGreater, 1};
    case TokenKind::kGreaterEqual:
      return BinaryOperator{Operator::kGreaterEqual, 1};
    case TokenKind::kPipe:
      return BinaryOperator{Operator::kBitOr, 2};
    case TokenKind::kCaret:
      return BinaryOperator{Operator::kBitXor, 3};
    case TokenKind::kAmpersand:
      return BinaryOperator{Operator::kBitAnd, 4};
    case TokenKind::kShiftLeft:
      return BinaryOperator{Operator::kShiftLeft, 5};
    case TokenKind::kShiftRight:
      return BinaryOperator{Operator::kShiftRight, 5};
    case TokenKind::kShiftRightUnsigned:
      return BinaryOperator{Operator::kShiftRightUnsigned, 5};
    case TokenKind::kPlus:
      return BinaryOperator{Operator::kPlus, 6};
    case TokenKind::kMinus:
      return BinaryOperator{Operator::kMinus, 6};
    case TokenKind::kConcat:
      return BinaryOperator{Operator::kConcat, 6};
    case TokenKind::kStar:
      return BinaryOperator{Operator::kMultiply, 7};
    case TokenKind::kSlash:
      return BinaryOperator{Operator::kDivide, 7};
    case TokenKind::kPercent:
      return BinaryOperator{Operator::kRemainder, 7};
    default:
      if (token.keyword == Keyword::kDiv) {
        return BinaryOperator{Operator::kDiv, 7};
      }
      return std::nullopt;
  }
}

constexpr int kOrPower = 1;
constexpr int kAndPower = 2;

}  // namespace

ExpressionPtr Parser::Make(ExpressionKind kind, int64_t start) {
  auto node = std::make_unique<ast::Expression>();
  node->kind = kind;
  node->range = {.offset = start, .length = 0};
  return node;
}

ExpressionPtr Parser::Finish(ExpressionPtr node) {
  node->range = Since(node->range.offset);
  for (const ExpressionPtr& operand : node->operands) {
    node->depth = std::max(node->depth, operand->depth + 1);
  }
  if (node->query != nullptr) {
    node->depth = std::max(node->depth, node->query->depth + 1);
  }
  deepest_ = std::max(deepest_, node->depth);
  if (node->depth > kTreeDepthMax && !failed()) {
    Fail(node->op_range.offset >= 0 ? node->op_range : node->range,
         "this expression is nested more than " + std::to_string(kTreeDepthMax) +
             " levels deep; split it");
  }
  return node;
}

// Chains of one logical operator become one node, so that their length has no bound.
ExpressionPtr Parser::Join(Operator op, plan::SourceRange op_range, ExpressionPtr left,
                           ExpressionPtr right) {
  bool logical = op == Operator::kAnd || op == Operator::kOr;
  if (logical && left->kind == ExpressionKind::kBinary && left->op == op &&
      !left->parenthesised) {
    // Not Finish, which looks at every operand: the chain may be long.
    left->depth = std::max(left->depth, right->depth + 1);
    left->range = Since(left->range.offset);
    deepest_ = std::max(deepest_, left->depth);
    left->operands.push_back(std::move(right));
    return left;
  }
  ExpressionPtr node = Make(ExpressionKind::kBinary, left->range.offset);
  node->op = op;
  node->op_range = op_range;
  node->operands.push_back(std::move(left));
  node->operands.push_back(std::move(right));
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseExpression() {
  Nesting nesting(this);
  return ParseBoolean(0);
}

ExpressionPtr Parser::ParseBoolean(int binding_power) {
  ExpressionPtr left = ParseBooleanOperand();
  while (true) {
    bool is_and = At(Keyword::kAnd);
    int power = is_and ? kAndPower : kOrPower;
    if ((!is_and && !At(Keyword::kOr)) || power <= binding_power) {
      return left;
    }
    Token token = Advance();
    ExpressionPtr right = ParseBoolean(power);
    left = Join(is_and ? Operator::kAnd : Operator::kOr, token.range(), std::move(left),
                std::move(right));
  }
}

ExpressionPtr Parser::ParseBooleanOperand() {
  bool word_not = At(Keyword::kNot) && !AtExpressionEnd(1);
  if (word_not || At(TokenKind::kBang)) {
    Nesting nesting(this);
    ExpressionPtr node = Make(ExpressionKind::kUnary, Here());
    node->op = Operator::kNot;
    node->op_range = Advance().range();
    node->operands.push_back(ParseBooleanOperand());
    return Finish(std::move(node));
  }
  if (At(Keyword::kExists) && At(TokenKind::kLeftParen, 1)) {
    size_t inner = 2;
    while (At(TokenKind::kLeftParen, inner)) {
      ++inner;
    }
    if (AtQuery(inner)) {
      ExpressionPtr node = Make(ExpressionKind::kExists, Here());
      Advance();
      Advance();
      node->query = ParseQuery();
      Expect(TokenKind::kRightParen, ")");
      return Finish(std::move(node));
    }
  }
  return ParsePredicate(ParseValue());
}

// At most one predicate follows a value: a IS NULL IS NULL is no expression.
ExpressionPtr Parser::ParsePredicate(ExpressionPtr value) {
  if (At(Keyword::kIs)) {
    return ParseIs(std::move(value));
  }
  bool negated = At(Keyword::kNot);
  size_t ahead = negated ? 1 : 0;
  if (At(TokenKind::kBang) && AtAny({Keyword::kIn, Keyword::kLike, Keyword::kBetween,
                                     Keyword::kRlike, Keyword::kIlike},
                                    1)) {
    Fail(Peek().range(), "! is only a prefix operator; write NOT here",
         "SYNTAX_DISCONTINUED.BANG_EQUALS_NOT");
    return value;
  }
  if (At(Keyword::kBetween, ahead)) {
    ExpressionPtr node = Make(ExpressionKind::kBetween, value->range.offset);
    node->negated = negated && Accept(Keyword::kNot);
    node->op_range = Advance().range();
    node->operands.push_back(std::move(value));
    node->operands.push_back(ParseValue());
    Expect(Keyword::kAnd, "AND (of BETWEEN … AND …)");
    node->operands.push_back(ParseValue());
    return Finish(std::move(node));
  }
  if (At(Keyword::kIn, ahead) && At(TokenKind::kLeftParen, ahead + 1)) {
    negated = negated && Accept(Keyword::kNot);
    return ParseIn(std::move(value), negated);
  }
  if (AtAny({Keyword::kLike, Keyword::kIlike, Keyword::kRlike, Keyword::kRegexp},
            ahead)) {
    negated = negated && Accept(Keyword::kNot);
    return ParseLike(std::move(value), negated);
  }
  return value;
}

ExpressionPtr Parser::ParseIs(ExpressionPtr value) {
  ExpressionPtr node = Make(ExpressionKind::kIs, value->range.offset);
  node->op_range = Advance().range();
  node->negated = Accept(Keyword::kNot);
  node->operands.push_back(std::move(value));
  if (Accept(Keyword::kNull)) {
    node->test = ast::IsTest::kNull;
  } else if (Accept(Keyword::kTrue)) {
    node->test = ast::IsTest::kTrue;
  } else if (Accept(Keyword::kFalse)) {
    node->test = ast::IsTest::kFalse;
  } else if (Accept(Keyword::kUnknown)) {
    node->test = ast::IsTest::kUnknown;
  } else if (Accept(Keyword::kDistinct)) {
    node->test = ast::IsTest::kDistinctFrom;
    Expect(Keyword::kFrom, "FROM (of IS DISTINCT FROM)");
    node->operands.push_back(ParseValue());
  } else {
    FailHere("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
  }
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseIn(ExpressionPtr value, bool negated) {
  ExpressionPtr node = Make(ExpressionKind::kIn, value->range.offset);
  node->negated = negated;
  node->op_range = Advance().range();
  node->operands.push_back(std::move(value));
  Expect(TokenKind::kLeftParen, "(");
  if (At(TokenKind::kRightParen)) {
    Fail(Peek().range(), "IN needs at least one value", "INVALID_SQL_SYNTAX");
  } else if (AtQuery()) {
    node->kind = ExpressionKind::kInQuery;
    node->query = ParseQuery();
  } else {
    do {
      node->operands.push_back(ParseExpression());
    } while (Accept(TokenKind::kComma));
  }
  Expect(TokenKind::kRightParen, ", or )");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseLike(ExpressionPtr value, bool negated) {
  ExpressionPtr node = Make(ExpressionKind::kLike, value->range.offset);
  node->negated = negated;
  node->like = At(Keyword::kLike)    ? ast::LikeKind::kLike
               : At(Keyword::kIlike) ? ast::LikeKind::kIlike
                                     : ast::LikeKind::kRlike;
  node->op_range = Advance().range();
  node->operands.push_back(std::move(value));
  bool quantified = node->like != ast::LikeKind::kRlike &&
                    AtAny({Keyword::kAny, Keyword::kSome, Keyword::kAll}) &&
                    At(TokenKind::kLeftParen, 1);
  if (quantified) {
    node->quantifier = At(Keyword::kAll) ? ast::Quantifier::kAll : ast::Quantifier::kAny;
    Advance();
    Advance();
    if (At(TokenKind::kRightParen)) {
      FailHere("a pattern");
    }
    do {
      node->operands.push_back(ParseExpression());
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ", or )");
    return Finish(std::move(node));
  }
  node->operands.push_back(ParseValue());
  if (node->like != ast::LikeKind::kRlike && Accept(Keyword::kEscape)) {
    int64_t start = Here();
    ExpressionPtr escape = Make(ExpressionKind::kLiteral, start);
    escape->literal = ast::LiteralKind::kString;
    escape->text = ParseString("the escape character in quotes");
    node->operands.push_back(Finish(std::move(escape)));
    if (!failed() && node->operands.back()->text.size() != 1) {
      Fail(node->operands.back()->range, "an escape is one character", "INVALID_ESC");
    }
  }
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseBinary(int binding_power) {
  ExpressionPtr left = ParseUnary();
  while (true) {
    std::optional<BinaryOperator> op = BinaryOperatorOf(Peek());
    if (!op || op->binding_power <= binding_power) {
      return left;
    }
    Token token = Advance();
    ExpressionPtr right = ParseBinary(op->binding_power);
    left = Join(op->op, token.range(), std::move(left), std::move(right));
  }
}

ExpressionPtr Parser::ParseUnary() {
  std::optional<Operator> op = At(TokenKind::kMinus)   ? std::optional(Operator::kMinus)
                               : At(TokenKind::kPlus)  ? std::optional(Operator::kPlus)
                               : At(TokenKind::kTilde) ? std::optional(Operator::kBitNot)
                                                       : std::nullopt;
  if (!op) {
    return ParsePostfix();
  }
  bool number =
      Peek(1).kind >= TokenKind::kInteger && Peek(1).kind <= TokenKind::kBigDecimal;
  if (op == Operator::kMinus && number) {
    return ParsePostfix();
  }
  Nesting nesting(this);
  ExpressionPtr node = Make(ExpressionKind::kUnary, Here());
  node->op = *op;
  node->op_range = Advance().range();
  node->operands.push_back(ParseUnary());
  return Finish(std::move(node));
}

// value.field, value[index], value::type, value COLLATE name, value:path
ExpressionPtr Parser::ParsePostfix() {
  ExpressionPtr value = ParsePrimary();
  while (!failed()) {
    int64_t start = value->range.offset;
    if (At(TokenKind::kDot)) {
      ExpressionPtr node = Make(ExpressionKind::kField, start);
      node->op_range = Advance().range();
      node->path.push_back(ParseName("a field's name"));
      node->operands.push_back(std::move(value));
      value = Finish(std::move(node));
    } else if (At(TokenKind::kLeftBracket)) {
      ExpressionPtr node = Make(ExpressionKind::kSubscript, start);
      node->op_range = Advance().range();
      Nesting nesting(this);
      node->operands.push_back(std::move(value));
      node->operands.push_back(ParseValue());
      Expect(TokenKind::kRightBracket, "]");
      value = Finish(std::move(node));
    } else if (At(TokenKind::kDoubleColon)) {
      ExpressionPtr node = Make(ExpressionKind::kCast, start);
      node->op_range = Advance().range();
      node->type = std::make_unique<ast::TypeName>(ParseType());
      node->operands.push_back(std::move(value));
      value = Finish(std::move(node));
    } else if (At(Keyword::kCollate) && AtName(1)) {
      ExpressionPtr node = Make(ExpressionKind::kCollate, start);
      node->op_range = Advance().range();
      node->path = ParseNamePath("a collation");
      node->operands.push_back(std::move(value));
      value = Finish(std::move(node));
    } else if (At(TokenKind::kColon) && (AtName(1) || At(TokenKind::kLeftBracket, 1))) {
      value = ParseJsonPath(std::move(value));
    } else {
      break;
    }
  }
  return value;
}

// value:a.b[0]['c']
ExpressionPtr Parser::ParseJsonPath(ExpressionPtr value) {
  ExpressionPtr node = Make(ExpressionKind::kJsonPath, value->range.offset);
  node->op_range = Advance().range();
  int64_t start = Here();
  bool first = true;
  while (!failed()) {
    if (Accept(TokenKind::kLeftBracket)) {
      if (!Accept(TokenKind::kString) && !Accept(TokenKind::kInteger) &&
          !Accept(TokenKind::kStar)) {
        FailHere("an index, a string or *");
      }
      Expect(TokenKind::kRightBracket, "]");
    } else if (first || Accept(TokenKind::kDot)) {
      ParseName("a field's name");
    } else {
      break;
    }
    first = false;
  }
  plan::SourceRange range = Since(start);
  node->text = std::string(text_.substr(start, range.length));
  node->operands.push_back(std::move(value));
  return Finish(std::move(node));
}

ast::ExpressionList Parser::ParseExpressions() {
  ast::ExpressionList list;
  do {
    list.push_back(ParseExpression());
  } while (Accept(TokenKind::kComma));
  return list;
}

std::vector<ast::SortItem> Parser::ParseSortItems() {
  std::vector<ast::SortItem> items;
  do {
    items.push_back(ParseSortItem());
  } while (Accept(TokenKind::kComma));
  return items;
}

ast::SortItem Parser::ParseSortItem() {
  ast::SortItem item;
  item.expression = ParseExpression();
  item.descending = Accept(Keyword::kDesc);
  if (!item.descending) {
    Accept(Keyword::kAsc);
  }
  if (At(Keyword::kNulls) && AtAny({Keyword::kFirst, Keyword::kLast}, 1)) {
    Advance();
    item.nulls_first = At(Keyword::kFirst);
    Advance();
  }
  return item;
}

ast::Window Parser::ParseWindow() {
  int64_t start = Here();
  ast::Window window;
  bool reference = AtName();
  if (reference) {
    window.reference = ParseName();
    window.range = Since(start);
    return window;
  }
  Expect(TokenKind::kLeftParen, "( or a window's name after OVER");
  bool keyword = AtAny({Keyword::kPartition, Keyword::kDistribute, Keyword::kCluster,
                        Keyword::kOrder, Keyword::kSort}) &&
                 At(Keyword::kBy, 1);
  bool frame = AtAny({Keyword::kRange, Keyword::kRows}) && !At(TokenKind::kRightParen, 1);
  if (AtName() && !keyword && !frame) {
    window.reference = ParseName();
  } else {
    bool cluster = keyword && At(Keyword::kCluster);
    if (keyword &&
        AtAny({Keyword::kPartition, Keyword::kDistribute, Keyword::kCluster})) {
      Advance();
      Advance();
      window.partition_by = ParseExpressions();
    }
    if (!cluster && AtAny({Keyword::kOrder, Keyword::kSort}) && At(Keyword::kBy, 1)) {
      Advance();
      Advance();
      window.order_by = ParseSortItems();
    }
    window.frame = ParseFrame();
  }
  Expect(TokenKind::kRightParen, ") at the end of the window");
  window.range = Since(start);
  return window;
}

std::optional<ast::WindowFrame> Parser::ParseFrame() {
  if (!AtAny({Keyword::kRange, Keyword::kRows})) {
    return std::nullopt;
  }
  ast::WindowFrame frame;
  frame.rows = At(Keyword::kRows);
  Advance();
  if (Accept(Keyword::kBetween)) {
    frame.start = ParseFrameBound(&frame.start_offset);
    Expect(Keyword::kAnd, "AND (of BETWEEN … AND …)");
    frame.end = ParseFrameBound(&frame.end_offset);
  } else {
    frame.start = ParseFrameBound(&frame.start_offset);
  }
  return frame;
}

ast::WindowFrame::Bound Parser::ParseFrameBound(ExpressionPtr* offset) {
  using Bound = ast::WindowFrame::Bound;
  if (At(Keyword::kCurrent) && At(Keyword::kRow, 1)) {
    Advance();
    Advance();
    return Bound::kCurrentRow;
  }
  bool unbounded =
      At(Keyword::kUnbounded) && AtAny({Keyword::kPreceding, Keyword::kFollowing}, 1);
  if (unbounded) {
    Advance();
  } else {
    *offset = ParseExpression();
  }
  if (Accept(Keyword::kPreceding)) {
    return unbounded ? Bound::kUnboundedPreceding : Bound::kPreceding;
  }
  Expect(Keyword::kFollowing, "PRECEDING or FOLLOWING");
  return unbounded ? Bound::kUnboundedFollowing : Bound::kFollowing;
}

}  // namespace wheelpit::sql
