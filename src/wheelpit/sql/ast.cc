// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/ast.h"

namespace wheelpit::sql::ast {
namespace {

std::string PathText(const NamePath& path) {
  std::string text;
  for (const Name& name : path) {
    text += (text.empty() ? "" : ".") + name.text;
  }
  return text;
}

std::string List(const ExpressionList& items, size_t first) {
  std::string text;
  for (size_t i = first; i < items.size(); ++i) {
    text += (i > first ? ", " : "") + ToString(*items[i]);
  }
  return text;
}

std::string TypeText(const TypeName& type) {
  std::string text = type.word;
  for (size_t i = 0; i < type.arguments.size(); ++i) {
    text += (i == 0 ? "<" : ", ");
    text += i < type.fields.size() ? type.fields[i].text + ": " : "";
    text += TypeText(type.arguments[i]);
  }
  text += type.arguments.empty() ? "" : ">";
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + std::to_string(type.parameters[i]);
  }
  text += type.parameters.empty() ? "" : ")";
  for (size_t i = 0; i < type.units.size(); ++i) {
    text += (i == 0 ? " " : " to ") + type.units[i];
  }
  return text;
}

std::string LiteralText(const Expression& literal) {
  switch (literal.literal) {
    case LiteralKind::kNull:
      return "NULL";
    case LiteralKind::kTrue:
      return "true";
    case LiteralKind::kFalse:
      return "false";
    case LiteralKind::kString:
      return "'" + literal.text + "'";
    case LiteralKind::kTyped:
      return literal.type_word + " '" + literal.text + "'";
    default:
      return literal.text;
  }
}

std::string IntervalText(const Expression& interval) {
  std::string text = "INTERVAL";
  for (const IntervalPart& part : interval.intervals) {
    text += part.quoted ? " '" + part.value + "'" : " " + part.value;
    text += part.unit.empty() ? "" : " " + part.unit;
    text += part.to_unit.empty() ? "" : " to " + part.to_unit;
  }
  return text;
}

std::string CallText(const Expression& node) {
  const Call& call = *node.call;
  std::string text = PathText(call.name) + "(" + (call.distinct ? "DISTINCT " : "");
  text += call.option.empty() ? "" : call.option + " ";
  text += List(node.operands, 0) + ")";
  text += call.within_group.empty() ? "" : " WITHIN GROUP";
  text += call.filter == nullptr ? "" : " FILTER (" + ToString(*call.filter) + ")";
  if (call.ignore_nulls) {
    text += *call.ignore_nulls ? " IGNORE NULLS" : " RESPECT NULLS";
  }
  return text + (call.over ? " OVER" : "");
}

std::string IsText(const Expression& node) {
  std::string text = "(" + ToString(*node.operands[0]) + " IS ";
  text += node.negated ? "NOT " : "";
  switch (node.test) {
    case IsTest::kNull:
      return text + "NULL)";
    case IsTest::kTrue:
      return text + "TRUE)";
    case IsTest::kFalse:
      return text + "FALSE)";
    case IsTest::kUnknown:
      return text + "UNKNOWN)";
    case IsTest::kDistinctFrom:
      return text + "DISTINCT FROM " + ToString(*node.operands[1]) + ")";
  }
  return text;
}

std::string LikeText(const Expression& node) {
  std::string text = "(" + ToString(*node.operands[0]) + (node.negated ? " NOT" : "");
  text += node.like == LikeKind::kLike    ? " LIKE "
          : node.like == LikeKind::kIlike ? " ILIKE "
                                          : " RLIKE ";
  if (node.quantifier != Quantifier::kNone) {
    text += node.quantifier == Quantifier::kAll ? "ALL (" : "ANY (";
    return text + List(node.operands, 1) + "))";
  }
  text += ToString(*node.operands[1]);
  return text +
         (node.operands.size() > 2 ? " ESCAPE " + ToString(*node.operands[2])
                                   : std::string()) +
         ")";
}

std::string CaseText(const Expression& node) {
  std::string text = "CASE";
  size_t i = 0;
  if (node.has_value) {
    text += " " + ToString(*node.operands[i++]);
  }
  size_t pairs_end = node.operands.size() - (node.has_else ? 1 : 0);
  for (; i + 2 <= pairs_end; i += 2) {
    text += " WHEN " + ToString(*node.operands[i]) + " THEN " +
            ToString(*node.operands[i + 1]);
  }
  if (node.has_else) {
    text += " ELSE " + ToString(*node.operands.back());
  }
  return text + " END";
}

std::string BinaryText(const Expression& node) {
  std::string text = "(";
  for (size_t i = 0; i < node.operands.size(); ++i) {
    text += i > 0 ? std::string(" ") + ToString(node.op) + " " : std::string();
    text += ToString(*node.operands[i]);
  }
  return text + ")";
}

}  // namespace

Expression::Expression() = default;
Expression::~Expression() = default;
Relation::Relation() = default;
Relation::Relation(Relation&&) noexcept = default;
Relation& Relation::operator=(Relation&&) noexcept = default;
Relation::~Relation() = default;

const char* ToString(Operator op) {
  switch (op) {
    case Operator::kOr:
      return "OR";
    case Operator::kAnd:
      return "AND";
    case Operator::kNot:
      return "NOT";
    case Operator::kEqual:
      return "=";
    case Operator::kNullSafeEqual:
      return "<=>";
    case Operator::kNotEqual:
      return "<>";
    case Operator::kLess:
      return "<";
    case Operator::kLessEqual:
      return "<=";
    case Operator::kGreater:
      return ">";
    case Operator::kGreaterEqual:
      return ">=";
    case Operator::kBitOr:
      return "|";
    case Operator::kBitXor:
      return "^";
    case Operator::kBitAnd:
      return "&";
    case Operator::kShiftLeft:
      return "<<";
    case Operator::kShiftRight:
      return ">>";
    case Operator::kShiftRightUnsigned:
      return ">>>";
    case Operator::kPlus:
      return "+";
    case Operator::kMinus:
      return "-";
    case Operator::kConcat:
      return "||";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kRemainder:
      return "%";
    case Operator::kDiv:
      return "div";
    case Operator::kBitNot:
      return "~";
  }
  return "";
}

std::string ToString(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
      return LiteralText(node);
    case ExpressionKind::kInterval:
      return IntervalText(node);
    case ExpressionKind::kParameter:
      return node.text.empty() ? "?" : ":" + node.text;
    case ExpressionKind::kColumn:
      return PathText(node.path);
    case ExpressionKind::kStar:
      return (node.path.empty() ? "" : PathText(node.path) + ".") + "*" +
             (node.except.empty() ? "" : " EXCEPT");
    case ExpressionKind::kUnary:
      return std::string("(") + ToString(node.op) + " " + ToString(*node.operands[0]) +
             ")";
    case ExpressionKind::kBinary:
      return BinaryText(node);
    case ExpressionKind::kIs:
      return IsText(node);
    case ExpressionKind::kBetween:
      return "(" + ToString(*node.operands[0]) + (node.negated ? " NOT" : "") +
             " BETWEEN " + ToString(*node.operands[1]) + " AND " +
             ToString(*node.operands[2]) + ")";
    case ExpressionKind::kIn:
    case ExpressionKind::kInQuery:
      return "(" + ToString(*node.operands[0]) + (node.negated ? " NOT" : "") + " IN (" +
             (node.query != nullptr ? "query" : List(node.operands, 1)) + "))";
    case ExpressionKind::kLike:
      return LikeText(node);
    case ExpressionKind::kExists:
      return "EXISTS (query)";
    case ExpressionKind::kSubquery:
      return "(query)";
    case ExpressionKind::kCase:
      return CaseText(node);
    case ExpressionKind::kCast:
      return std::string(node.try_cast ? "TRY_CAST(" : "CAST(") +
             ToString(*node.operands[0]) + " AS " + TypeText(*node.type) + ")";
    case ExpressionKind::kCall:
      return CallText(node);
    case ExpressionKind::kLambda:
      return "(" + PathText(node.path) + " -> " + ToString(*node.operands[0]) + ")";
    case ExpressionKind::kSubscript:
      return ToString(*node.operands[0]) + "[" + ToString(*node.operands[1]) + "]";
    case ExpressionKind::kField:
      return ToString(*node.operands[0]) + "." + PathText(node.path);
    case ExpressionKind::kJsonPath:
      return ToString(*node.operands[0]) + ":" + node.text;
    case ExpressionKind::kRow:
      return "(" + List(node.operands, 0) + ")";
    case ExpressionKind::kCollate:
      return "(" + ToString(*node.operands[0]) + " COLLATE " + PathText(node.path) + ")";
    case ExpressionKind::kAlias:
      return ToString(*node.operands[0]) + " AS " + PathText(node.path);
    case ExpressionKind::kNamedArgument:
      return PathText(node.path) + " => " + ToString(*node.operands[0]);
    case ExpressionKind::kTableArgument:
      return "TABLE " + (node.query != nullptr ? "(query)" : PathText(node.path));
  }
  return {};
}

}  // namespace wheelpit::sql::ast
