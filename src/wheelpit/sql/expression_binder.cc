// SPDX-License-Identifier: Apache-2.0
// Names, literals, operators and predicates. Calls are in bind_call.cc.
#include "wheelpit/sql/expression_binder.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/fold.h"
#include "wheelpit/sql/functions.h"
#include "wheelpit/sql/interval.h"
#include "wheelpit/sql/literal.h"
#include "wheelpit/sql/names.h"

namespace wheelpit::sql {

using ast::ExpressionKind;
using ast::Operator;
using plan::ExprPtr;
using plan::Function;

namespace {

constexpr int64_t kRepeatedNodesMax = 100000;

ExprPtr BooleanLiteral(bool value, plan::SourceRange range) {
  return plan::MakeLiteral(std::make_shared<arrow::BooleanScalar>(value), range);
}

Function FunctionOf(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return Function::kEqual;
    case Operator::kNullSafeEqual:
      return Function::kNullSafeEqual;
    case Operator::kNotEqual:
      return Function::kNotEqual;
    case Operator::kLess:
      return Function::kLess;
    case Operator::kLessEqual:
      return Function::kLessEqual;
    case Operator::kGreater:
      return Function::kGreater;
    case Operator::kGreaterEqual:
      return Function::kGreaterEqual;
    case Operator::kBitOr:
      return Function::kBitOr;
    case Operator::kBitXor:
      return Function::kBitXor;
    case Operator::kBitAnd:
      return Function::kBitAnd;
    case Operator::kPlus:
      return Function::kAdd;
    case Operator::kMinus:
      return Function::kSubtract;
    case Operator::kConcat:
      return Function::kConcat;
    case Operator::kMultiply:
      return Function::kMultiply;
    case Operator::kDivide:
      return Function::kDivide;
    case Operator::kRemainder:
      return Function::kRemainder;
    case Operator::kDiv:
      return Function::kIntegralDivide;
    case Operator::kOr:
      return Function::kOr;
    default:
      return Function::kAnd;
  }
}

// Nodes of the tree, up to a bound: shared parts count as often as they are reached.
int64_t CountNodes(const plan::Expr& expression, int64_t bound) {
  int64_t count = 1;
  for (const ExprPtr& argument : expression.arguments) {
    if (count >= bound) {
      break;
    }
    count += CountNodes(*argument, bound - count);
  }
  return count;
}

}  // namespace

bool ContainsAggregate(const ast::Expression& node) {
  if (node.kind == ExpressionKind::kCall && node.call->name.size() == 1 &&
      !node.call->over && FindAggregate(LowerCase(node.call->name[0].text))) {
    return true;
  }
  return std::any_of(
      node.operands.begin(), node.operands.end(),
      [](const ast::ExpressionPtr& operand) { return ContainsAggregate(*operand); });
}

arrow::Status ExpressionBinder::Charge(const plan::Expr& operand, int64_t times,
                                       plan::SourceRange range) {
  repeated_nodes_ += times * CountNodes(operand, kRepeatedNodesMax);
  if (repeated_nodes_ > kRepeatedNodesMax) {
    return Invalid("EXPRESSION_TOO_COMPLEX", range,
                   "this expression repeats its operands too often; split it");
  }
  return arrow::Status::OK();
}

ExpressionBinder::Result ExpressionBinder::Call(Function function,
                                                std::vector<ExprPtr> arguments,
                                                plan::SourceRange range) {
  if (function == Function::kNullIf && !arguments.empty()) {
    ARROW_RETURN_NOT_OK(Charge(*arguments[0], 1, range));
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr call,
                        plan::MakeCall(function, std::move(arguments), range));
  return Fold(call);
}

ExpressionBinder::Result ExpressionBinder::Not(bool negated, ExprPtr expression,
                                               plan::SourceRange range) {
  if (!negated) {
    return expression;
  }
  return Call(Function::kNot, {std::move(expression)}, range);
}

ExpressionBinder::Result ExpressionBinder::Balance(Function function,
                                                   std::vector<ExprPtr> items,
                                                   plan::SourceRange range) {
  while (items.size() > 1) {
    std::vector<ExprPtr> half;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr pair,
                            Call(function, {items[i], items[i + 1]}, range));
      half.push_back(std::move(pair));
    }
    if (items.size() % 2 == 1) {
      half.push_back(items.back());
    }
    items = std::move(half);
  }
  return items[0];
}

ExpressionBinder::Result ExpressionBinder::BindCondition(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr condition, Bind(node));
  if (condition->type->id() != arrow::Type::BOOL) {
    return Invalid(in_filter_ ? "INVALID_AGGREGATE_FILTER" : "DATATYPE_MISMATCH",
                   node.range,
                   std::string(clause_.empty() ? "a condition" : clause_) +
                       " needs a boolean, this is " + plan::TypeName(*condition->type) +
                       "; compare it with something");
  }
  return condition;
}

ExpressionBinder::Result ExpressionBinder::Bind(const ast::Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
      return BindLiteral(node);
    case ExpressionKind::kColumn:
      return BindColumn(node);
    case ExpressionKind::kUnary:
      return BindUnary(node);
    case ExpressionKind::kBinary:
      return BindBinary(node);
    case ExpressionKind::kIs:
      return BindIs(node);
    case ExpressionKind::kBetween:
      return BindBetween(node);
    case ExpressionKind::kIn:
      return BindIn(node);
    case ExpressionKind::kLike:
      return BindLike(node);
    case ExpressionKind::kCase:
      return BindCase(node);
    case ExpressionKind::kCast:
      return BindCast(node);
    case ExpressionKind::kCall:
      return BindCall(node);
    case ExpressionKind::kStar:
      return Invalid("INVALID_USAGE_OF_STAR_OR_REGEX", node.range,
                     "* stands for columns: it is allowed in the select list and in "
                     "count(*)");
    case ExpressionKind::kInterval:
      return BindInterval(node);
    case ExpressionKind::kParameter:
      return NotYet("a parameter", node.range);
    case ExpressionKind::kSubquery:
    case ExpressionKind::kInQuery:
    case ExpressionKind::kExists:
      return NotYet("a subquery in an expression", node.range);
    case ExpressionKind::kLambda:
      return NotYet("a lambda function", node.range);
    case ExpressionKind::kSubscript:
    case ExpressionKind::kField:
    case ExpressionKind::kJsonPath:
    case ExpressionKind::kRow:
      return NotYet("a value of several fields or elements", node.range);
    case ExpressionKind::kCollate:
      return NotYet("COLLATE", node.op_range);
    case ExpressionKind::kAlias:
    case ExpressionKind::kNamedArgument:
    case ExpressionKind::kTableArgument:
      return NotYet("a named argument", node.range);
  }
  return NotYet("this expression", node.range);
}

ExpressionBinder::Result ExpressionBinder::BindLiteral(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(auto value, LiteralValue(node, options_.time_zone));
  if (value->type->id() == arrow::Type::TIME64) {
    return NotYet("the type TIME", node.range);
  }
  return plan::MakeLiteral(std::move(value), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindAlias(const ast::Expression& node) {
  if (aliases_ == nullptr || in_aggregate_ || node.path.size() != 1) {
    return nullptr;
  }
  for (const BoundName& alias : *aliases_) {
    if (SameName(alias.name, node.path[0].text)) {
      ARROW_RETURN_NOT_OK(Charge(*alias.expression, 1, node.range));
      return alias.expression;
    }
  }
  return nullptr;
}

ExpressionBinder::Result ExpressionBinder::BindColumn(const ast::Expression& node) {
  if (alias_order_ == AliasOrder::kBeforeColumns) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr alias, BindAlias(node));
    return alias != nullptr ? alias : scope_.Find(node);
  }
  auto column = scope_.Find(node);
  if (!column.ok() && core::InfoOf(column.status()).error_class == kUnresolvedColumn) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr alias, BindAlias(node));
    if (alias != nullptr) {
      return alias;
    }
  }
  return column;
}

ExpressionBinder::Result ExpressionBinder::BindUnary(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*node.operands[0]));
  switch (node.op) {
    case Operator::kMinus:
      return Call(Function::kNegate, {std::move(operand)}, node.range);
    case Operator::kBitNot:
      return Call(Function::kBitNot, {std::move(operand)}, node.range);
    case Operator::kNot:
      return Call(Function::kNot, {std::move(operand)}, node.range);
    default:
      break;
  }
  return BindPlus(std::move(operand), node.range);
}

// + keeps a number and reads one from text.
ExpressionBinder::Result ExpressionBinder::BindPlus(ExprPtr operand,
                                                    plan::SourceRange range) {
  plan::TypeClass type = plan::ClassOf(*operand->type);
  if (type == plan::TypeClass::kString || type == plan::TypeClass::kNull) {
    return plan::MakeCast(std::move(operand), arrow::float64(), false, range);
  }
  if (!plan::IsNumeric(type) && !plan::IsInterval(type)) {
    return Invalid(
        "DATATYPE_MISMATCH", range,
        "+ takes numbers and intervals, not " + plan::TypeName(*operand->type));
  }
  return operand;
}

ExpressionBinder::Result ExpressionBinder::BindBinary(const ast::Expression& node) {
  if (node.op == Operator::kAnd || node.op == Operator::kOr) {
    return BindLogic(node);
  }
  bool shift = node.op == Operator::kShiftLeft || node.op == Operator::kShiftRight ||
               node.op == Operator::kShiftRightUnsigned;
  if (shift) {
    return NotYet(std::string("the operator ") + ToString(node.op), node.op_range);
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr left, Bind(*node.operands[0]));
  ARROW_ASSIGN_OR_RAISE(ExprPtr right, Bind(*node.operands[1]));
  return Call(FunctionOf(node.op), {std::move(left), std::move(right)}, node.range);
}

ExpressionBinder::Result ExpressionBinder::BindLogic(const ast::Expression& node) {
  std::vector<ExprPtr> items;
  for (const ast::ExpressionPtr& operand : node.operands) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr item, Bind(*operand));
    items.push_back(std::move(item));
  }
  return Balance(FunctionOf(node.op), std::move(items), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindInterval(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(IntervalValue value, EvaluateInterval(node));
  auto type = plan::IntervalType(value.fields);
  return plan::MakeLiteral(
      plan::MakeIntervalScalar(value.year_month() ? value.months : value.micros, type),
      node.range);
}

ExpressionBinder::Result ExpressionBinder::BindIs(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*node.operands[0]));
  switch (node.test) {
    case ast::IsTest::kNull:
    case ast::IsTest::kUnknown:
      if (node.test == ast::IsTest::kUnknown && value->type->id() != arrow::Type::BOOL &&
          value->type->id() != arrow::Type::NA) {
        return Invalid("DATATYPE_MISMATCH", node.range,
                       "IS UNKNOWN takes a boolean, not " + plan::TypeName(*value->type));
      }
      return Call(node.negated ? Function::kIsNotNull : Function::kIsNull,
                  {std::move(value)}, node.range);
    case ast::IsTest::kTrue:
    case ast::IsTest::kFalse: {
      ExprPtr wanted = BooleanLiteral(node.test == ast::IsTest::kTrue, node.op_range);
      ARROW_ASSIGN_OR_RAISE(ExprPtr same, Call(Function::kNullSafeEqual,
                                               {std::move(value), wanted}, node.range));
      return Not(node.negated, std::move(same), node.range);
    }
    case ast::IsTest::kDistinctFrom:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr other, Bind(*node.operands[1]));
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr same,
      Call(Function::kNullSafeEqual, {std::move(value), std::move(other)}, node.range));
  return Not(!node.negated, std::move(same), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindBetween(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*node.operands[0]));
  ARROW_ASSIGN_OR_RAISE(ExprPtr low, Bind(*node.operands[1]));
  ARROW_ASSIGN_OR_RAISE(ExprPtr high, Bind(*node.operands[2]));
  ARROW_RETURN_NOT_OK(Charge(*value, 1, node.range));
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr above, Call(Function::kGreaterEqual, {value, std::move(low)}, node.range));
  ARROW_ASSIGN_OR_RAISE(ExprPtr below,
                        Call(Function::kLessEqual, {value, std::move(high)}, node.range));
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr both,
      Call(Function::kAnd, {std::move(above), std::move(below)}, node.range));
  return Not(node.negated, std::move(both), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindIn(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  ARROW_ASSIGN_OR_RAISE(ExprPtr member,
                        Call(Function::kIn, std::move(arguments), node.range));
  return Not(node.negated, std::move(member), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindOneLike(const ast::Expression& node,
                                                       ExprPtr value,
                                                       const ast::Expression& pattern) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr bound_pattern, Bind(pattern));
  std::vector<ExprPtr> arguments = {std::move(value), std::move(bound_pattern)};
  if (node.like == ast::LikeKind::kIlike) {
    for (ExprPtr& argument : arguments) {
      ARROW_ASSIGN_OR_RAISE(argument, Call(Function::kLower, {argument}, node.range));
    }
  }
  if (node.quantifier == ast::Quantifier::kNone && node.operands.size() > 2) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr escape, Bind(*node.operands[2]));
    arguments.push_back(std::move(escape));
  }
  Function function =
      node.like == ast::LikeKind::kRlike ? Function::kRLike : Function::kLike;
  ARROW_ASSIGN_OR_RAISE(ExprPtr like, Call(function, std::move(arguments), node.range));
  return Not(node.negated, std::move(like), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindLike(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*node.operands[0]));
  if (node.quantifier == ast::Quantifier::kNone) {
    return BindOneLike(node, std::move(value), *node.operands[1]);
  }
  auto times = static_cast<int64_t>(node.operands.size()) - 2;
  ARROW_RETURN_NOT_OK(Charge(*value, times, node.range));
  std::vector<ExprPtr> items;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr item, BindOneLike(node, value, *node.operands[i]));
    items.push_back(std::move(item));
  }
  bool all = node.quantifier == ast::Quantifier::kAll;
  return Balance(all ? Function::kAnd : Function::kOr, std::move(items), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindCase(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  if (node.has_value) {
    ExprPtr value = arguments[0];
    arguments.erase(arguments.begin());
    size_t end = arguments.size() - (node.has_else ? 1 : 0);
    ARROW_RETURN_NOT_OK(Charge(*value, static_cast<int64_t>(end / 2) - 1, node.range));
    for (size_t i = 0; i < end; i += 2) {
      plan::SourceRange range = arguments[i]->range;
      ARROW_ASSIGN_OR_RAISE(arguments[i],
                            Call(Function::kEqual, {value, arguments[i]}, range));
    }
  }
  return Call(Function::kCase, std::move(arguments), node.range);
}

arrow::Result<std::vector<ExprPtr>> ExpressionBinder::BindArguments(
    const ast::Expression& node) {
  std::vector<ExprPtr> arguments;
  for (const ast::ExpressionPtr& operand : node.operands) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr argument, Bind(*operand));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace wheelpit::sql
