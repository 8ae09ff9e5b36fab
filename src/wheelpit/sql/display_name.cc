// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/display_name.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <arrow/scalar.h>

#include "wheelpit/plan/value_text.h"
#include "wheelpit/sql/expression_binder.h"
#include "wheelpit/sql/interval.h"
#include "wheelpit/sql/literal.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/scope.h"

namespace wheelpit::sql {
namespace {

using ast::Expression;
using ast::ExpressionKind;
using ast::Operator;

std::string NamesOf(const ast::ExpressionList& items, size_t first) {
  std::string text;
  for (size_t i = first; i < items.size(); ++i) {
    text += (i > first ? ", " : "") + DisplayName(*items[i]);
  }
  return text;
}

std::string Not(bool negated, const std::string& text) {
  return negated ? "(NOT " + text + ")" : text;
}

std::string LiteralName(const Expression& literal) {
  auto value = LiteralValue(literal, {});
  if (!value.ok()) {
    return ToString(literal);
  }
  bool typed = literal.literal == ast::LiteralKind::kTyped;
  if (typed && literal.type_word.starts_with("TIMESTAMP")) {
    // As written: its value here is as if in UTC, which plan's text would say.
    std::string text;
    plan::AppendTimestamp(static_cast<const arrow::TimestampScalar&>(**value).value,
                          &text);
    const bool local = literal.type_word == "TIMESTAMP_NTZ";
    return (local ? "TIMESTAMP_NTZ '" : "TIMESTAMP '") + text + "'";
  }
  return typed ? plan::LiteralText(**value) : plan::ValueText(**value);
}

std::string IntervalName(const Expression& interval) {
  auto value = EvaluateInterval(interval);
  if (!value.ok()) {
    return ToString(interval);
  }
  std::string text;
  plan::AppendInterval(value->year_month() ? value->months : value->micros, value->fields,
                       &text);
  return text;
}

// A date moved by an interval; Spark shows the function that does it.
std::string MovedDateName(const Expression& sum) {
  bool minus = sum.op == Operator::kMinus;
  const Expression& interval = *sum.operands[1];
  std::string moved = DisplayName(*sum.operands[0]);
  auto value = EvaluateInterval(interval);
  constexpr plan::IntervalFields kDays{plan::IntervalField::kDay,
                                       plan::IntervalField::kDay};
  if (!value.ok() || value->fields != kDays) {
    return moved + (minus ? " - " : " + ") + IntervalName(interval);
  }
  std::string days = "extractansiintervaldays(" + IntervalName(interval) + ")";
  return "date_add(" + moved + ", " + (minus ? "(- " + days + ")" : days) + ")";
}

std::string BinaryName(const Expression& node) {
  bool sum = node.op == Operator::kPlus || node.op == Operator::kMinus;
  if (sum && node.operands[1]->kind == ExpressionKind::kInterval) {
    return MovedDateName(node);
  }
  std::string open = "(";
  std::string between = std::string(" ") + ToString(node.op) + " ";
  std::string close = ")";
  if (node.op == Operator::kConcat) {
    open = "concat(";
    between = ", ";
  } else if (node.op == Operator::kNotEqual) {
    open = "(NOT (";
    between = " = ";
    close = "))";
  }
  // Chains may be long: each piece is written once.
  std::string text;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    text += open;
  }
  text += DisplayName(*node.operands[0]);
  for (size_t i = 1; i < node.operands.size(); ++i) {
    text += between;
    text += DisplayName(*node.operands[i]);
    text += close;
  }
  return text;
}

std::string UnaryName(const Expression& node) {
  std::string operand = DisplayName(*node.operands[0]);
  return node.op == Operator::kBitNot
             ? "~" + operand
             : std::string("(") + ToString(node.op) + " " + operand + ")";
}

std::string IsName(const Expression& node) {
  std::string value = DisplayName(*node.operands[0]);
  switch (node.test) {
    case ast::IsTest::kNull:
    case ast::IsTest::kUnknown:
      return "(" + value + (node.negated ? " IS NOT NULL)" : " IS NULL)");
    case ast::IsTest::kTrue:
      return Not(node.negated, "(" + value + " <=> true)");
    case ast::IsTest::kFalse:
      return Not(node.negated, "(" + value + " <=> false)");
    case ast::IsTest::kDistinctFrom:
      return Not(!node.negated,
                 "(" + value + " <=> " + DisplayName(*node.operands[1]) + ")");
  }
  return value;
}

std::string LikeName(const Expression& node) {
  std::string value = DisplayName(*node.operands[0]);
  if (node.quantifier != ast::Quantifier::kNone) {
    return Not(node.negated,
               (node.quantifier == ast::Quantifier::kAny ? "likeany(" : "likeall(") +
                   value + ")");
  }
  std::string pattern = DisplayName(*node.operands[1]);
  if (node.like == ast::LikeKind::kRlike) {
    return Not(node.negated, "RLIKE(" + value + ", " + pattern + ")");
  }
  if (node.like == ast::LikeKind::kIlike) {
    return Not(node.negated, "ilike(" + value + ", " + pattern + ")");
  }
  std::string escape =
      node.operands.size() > 2 ? " ESCAPE '" + node.operands[2]->text + "'" : "";
  return Not(node.negated, value + " LIKE " + pattern + escape);
}

std::string CaseName(const Expression& node) {
  std::string text = "CASE";
  size_t first = node.has_value ? 1 : 0;
  size_t end = node.operands.size() - (node.has_else ? 1 : 0);
  std::string value = node.has_value ? DisplayName(*node.operands[0]) : "";
  for (size_t i = first; i + 2 <= end; i += 2) {
    std::string condition = DisplayName(*node.operands[i]);
    text +=
        " WHEN " + (node.has_value ? "(" + value + " = " + condition + ")" : condition);
    text += " THEN " + DisplayName(*node.operands[i + 1]);
  }
  text += node.has_else ? " ELSE " + DisplayName(*node.operands.back()) : "";
  return text + " END";
}

std::string TrimName(const Expression& node) {
  const std::string& option = node.call->option;
  std::string source = DisplayName(*node.operands[0]);
  if (node.operands.size() == 1) {
    return (option == "LEADING"    ? "ltrim("
            : option == "TRAILING" ? "rtrim("
                                   : "trim(") +
           source + ")";
  }
  std::string other = DisplayName(*node.operands[1]);
  return option.empty() ? "TRIM(BOTH " + source + " FROM " + other + ")"
                        : "TRIM(" + option + " " + other + " FROM " + source + ")";
}

// Functions whose text is not "name(arguments)".
std::string SpecialCallName(const Expression& node, const std::string& name) {
  const ast::ExpressionList& arguments = node.operands;
  size_t count = arguments.size();
  if ((name == "isnull" || name == "isnotnull") && count == 1) {
    return "(" + DisplayName(*arguments[0]) +
           (name == "isnull" ? " IS NULL)" : " IS NOT NULL)");
  }
  if (name == "extract" && count == 2) {
    return "extract(" + arguments[0]->text + " FROM " + DisplayName(*arguments[1]) + ")";
  }
  if (name == "trim" && (count == 1 || count == 2)) {
    return TrimName(node);
  }
  if (name == "if" && count == 3) {
    return "(IF(" + NamesOf(arguments, 0) + "))";
  }
  constexpr std::array<std::string_view, 12> kCasts = {
      "boolean", "tinyint", "smallint", "int",  "bigint",    "float",
      "double",  "decimal", "string",   "date", "timestamp", "binary"};
  for (std::string_view cast : kCasts) {
    if (name == cast && count == 1) {
      return DisplayName(*arguments[0]);
    }
  }
  return {};
}

std::string CastName(const Expression& node) {
  const auto type = BindType(*node.type);
  return (node.try_cast ? "TRY_CAST(" : "CAST(") + DisplayName(*node.operands[0]) +
         " AS " + UpperCase(type.ok() ? plan::TypeName(**type) : node.type->word) + ")";
}

std::string CallName(const Expression& node) {
  std::string name = LowerCase(node.call->name.back().text);
  if (std::string special = SpecialCallName(node, name); !special.empty()) {
    return special;
  }
  size_t count = node.operands.size();
  bool star =
      name == "count" && count == 1 && node.operands[0]->kind == ExpressionKind::kStar;
  std::string arguments = star ? "1" : NamesOf(node.operands, 0);
  if ((name == "substr" || name == "substring") && count == 2) {
    arguments += ", 2147483647";
  } else if (name == "round" && count == 1) {
    arguments += ", 0";
  } else if (count == 1 && (name == "floor" || name == "ceil" || name == "sqrt")) {
    name = name == "floor" ? "FLOOR" : name == "ceil" ? "CEIL" : "SQRT";
  } else if (name == "dateadd" && count == 2) {
    name = "date_add";
  } else if (name == "any_value" && count == 2) {
    arguments = DisplayName(*node.operands[0]);
  }
  std::string text =
      name + "(" + (node.call->distinct ? "DISTINCT " : "") + arguments + ")";
  if (node.call->filter != nullptr) {
    text += " FILTER (WHERE " + DisplayName(*node.call->filter) + ")";
  }
  return text;
}

}  // namespace

std::string DisplayName(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
      return LiteralName(node);
    case ExpressionKind::kInterval:
      return IntervalName(node);
    case ExpressionKind::kColumn:
      return node.path.back().text;
    case ExpressionKind::kUnary:
      return UnaryName(node);
    case ExpressionKind::kBinary:
      return BinaryName(node);
    case ExpressionKind::kIs:
      return IsName(node);
    case ExpressionKind::kBetween:
      return Not(node.negated, "between(" + NamesOf(node.operands, 0) + ")");
    case ExpressionKind::kIn:
      return Not(node.negated, "(" + DisplayName(*node.operands[0]) + " IN (" +
                                   NamesOf(node.operands, 1) + "))");
    case ExpressionKind::kLike:
      return LikeName(node);
    case ExpressionKind::kCase:
      return CaseName(node);
    case ExpressionKind::kCast:
      return CastName(node);
    case ExpressionKind::kCall:
      return CallName(node);
    default:
      return ToString(node);
  }
}

}  // namespace wheelpit::sql
