// SPDX-License-Identifier: Apache-2.0
// Names of functions, and expressions as SQL-like text.
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

// How a call is written: between its arguments, before its one, after it, or as f(x, y).
enum class Form : uint8_t { kInfix, kPrefix, kPostfix, kFunction, kSpecial };

struct Spelling {
  std::string_view name;
  Form form = Form::kFunction;
};

Spelling OperatorSpelling(Function function) {
  switch (function) {
    case Function::kAdd:
      return {"+", Form::kInfix};
    case Function::kSubtract:
      return {"-", Form::kInfix};
    case Function::kMultiply:
      return {"*", Form::kInfix};
    case Function::kDivide:
      return {"/", Form::kInfix};
    case Function::kIntegralDivide:
      return {"div", Form::kInfix};
    case Function::kRemainder:
      return {"%", Form::kInfix};
    case Function::kNegate:
      return {"-", Form::kPrefix};
    case Function::kBitAnd:
      return {"&", Form::kInfix};
    case Function::kBitOr:
      return {"|", Form::kInfix};
    case Function::kBitXor:
      return {"^", Form::kInfix};
    case Function::kBitNot:
      return {"~", Form::kPrefix};
    case Function::kEqual:
      return {"=", Form::kInfix};
    case Function::kNotEqual:
      return {"<>", Form::kInfix};
    case Function::kLess:
      return {"<", Form::kInfix};
    case Function::kLessEqual:
      return {"<=", Form::kInfix};
    case Function::kGreater:
      return {">", Form::kInfix};
    case Function::kGreaterEqual:
      return {">=", Form::kInfix};
    case Function::kNullSafeEqual:
      return {"<=>", Form::kInfix};
    case Function::kAnd:
      return {"AND", Form::kInfix};
    case Function::kOr:
      return {"OR", Form::kInfix};
    case Function::kNot:
      return {"NOT ", Form::kPrefix};
    case Function::kIsNull:
      return {"IS NULL", Form::kPostfix};
    case Function::kIsNotNull:
      return {"IS NOT NULL", Form::kPostfix};
    case Function::kIn:
      return {"IN", Form::kSpecial};
    case Function::kCase:
      return {"CASE", Form::kSpecial};
    case Function::kLike:
      return {"LIKE", Form::kSpecial};
    case Function::kRLike:
      return {"RLIKE", Form::kInfix};
    case Function::kAddMonths:
    case Function::kAddTime:
      return {"+", Form::kInfix};
    case Function::kDaysBetween:
    case Function::kTimeBetween:
      return {"-", Form::kInfix};
    default:
      return {};
  }
}

std::string_view PlainFunctionName(Function function) {
  switch (function) {
    case Function::kIsNaN:
      return "isnan";
    case Function::kCoalesce:
      return "coalesce";
    case Function::kNullIf:
      return "nullif";
    case Function::kConcat:
      return "concat";
    case Function::kUpper:
      return "upper";
    case Function::kLower:
      return "lower";
    case Function::kLength:
      return "length";
    case Function::kSubstring:
      return "substring";
    case Function::kTrim:
      return "trim";
    case Function::kLeftTrim:
      return "ltrim";
    case Function::kRightTrim:
      return "rtrim";
    case Function::kStartsWith:
      return "startswith";
    case Function::kEndsWith:
      return "endswith";
    case Function::kContains:
      return "contains";
    case Function::kAbs:
      return "abs";
    case Function::kFloor:
      return "floor";
    case Function::kCeil:
      return "ceil";
    case Function::kRound:
      return "round";
    case Function::kSqrt:
      return "sqrt";
    case Function::kYear:
      return "year";
    case Function::kMonth:
      return "month";
    case Function::kDay:
      return "day";
    case Function::kHour:
      return "hour";
    case Function::kMinute:
      return "minute";
    case Function::kSecond:
      return "second";
    case Function::kSecondFraction:
      return "extract_second";
    case Function::kDateAdd:
      return "date_add";
    case Function::kDateSub:
      return "date_sub";
    case Function::kDateDiff:
      return "datediff";
    default:
      return {};
  }
}

std::string JoinText(const std::vector<ExprPtr>& arguments, size_t first) {
  std::string text;
  for (size_t i = first; i < arguments.size(); ++i) {
    text += (i == first ? "" : ", ") + ToString(*arguments[i]);
  }
  return text;
}

std::string CaseText(const std::vector<ExprPtr>& arguments) {
  std::string text = "CASE";
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    text += " WHEN " + ToString(*arguments[i]) + " THEN " + ToString(*arguments[i + 1]);
  }
  if (arguments.size() % 2 == 1) {
    text += " ELSE " + ToString(*arguments.back());
  }
  return text + " END";
}

std::string SpecialText(const Expr& call) {
  const std::vector<ExprPtr>& arguments = call.arguments;
  if (call.function == Function::kCase) {
    return CaseText(arguments);
  }
  if (call.function == Function::kIn) {
    return "(" + ToString(*arguments[0]) + " IN (" + JoinText(arguments, 1) + "))";
  }
  return "(" + ToString(*arguments[0]) + " LIKE " + ToString(*arguments[1]) +
         (arguments.size() > 2 ? " ESCAPE " + ToString(*arguments[2]) : "") + ")";
}

std::string CallText(const Expr& call) {
  const Spelling spelling = OperatorSpelling(call.function);
  const std::string name(FunctionName(call.function));
  switch (spelling.form) {
    case Form::kInfix:
      return "(" + ToString(*call.arguments[0]) + " " + name + " " +
             ToString(*call.arguments[1]) + ")";
    case Form::kPrefix:
      return "(" + std::string(spelling.name) + ToString(*call.arguments[0]) + ")";
    case Form::kPostfix:
      return "(" + ToString(*call.arguments[0]) + " " + name + ")";
    case Form::kSpecial:
      return SpecialText(call);
    case Form::kFunction:
      break;
  }
  return name + "(" + JoinText(call.arguments, 0) + ")";
}

}  // namespace

std::string_view FunctionName(Function function) {
  if (function == Function::kNot) {
    return "NOT";
  }
  const std::string_view name = OperatorSpelling(function).name;
  return name.empty() ? PlainFunctionName(function) : name;
}

std::string ToString(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::kLiteral:
      return LiteralText(*expression.literal);
    case ExprKind::kColumn:
      return expression.name;
    case ExprKind::kCall:
      return CallText(expression);
    case ExprKind::kCast:
      break;
  }
  return (expression.try_cast ? "TRY_CAST(" : "CAST(") +
         ToString(*expression.arguments[0]) + " AS " + TypeName(*expression.type) + ")";
}

}  // namespace wheelpit::plan
