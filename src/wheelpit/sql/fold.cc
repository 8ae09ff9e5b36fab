// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::sql {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Function;
using plan::TypeClass;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

bool IsLiteral(const Expr& expression) {
  return expression.kind == ExprKind::kLiteral;
}

bool IsNullLiteral(const Expr& expression) {
  return IsLiteral(expression) && !expression.literal->is_valid;
}

template <typename ScalarType>
const auto& ValueOf(const Expr& literal) {
  return static_cast<const ScalarType&>(*literal.literal).value;
}

bool IsArithmetic(Function function) {
  return function == Function::kAdd || function == Function::kSubtract ||
         function == Function::kMultiply;
}

bool IsComparison(Function function) {
  return function >= Function::kEqual && function <= Function::kGreaterEqual;
}

template <typename Integer>
std::optional<Integer> Compute(Function function, Integer a, Integer b) {
  Integer result = 0;
  bool overflow = function == Function::kAdd ? __builtin_add_overflow(a, b, &result)
                  : function == Function::kSubtract
                      ? __builtin_sub_overflow(a, b, &result)
                      : __builtin_mul_overflow(a, b, &result);
  return overflow ? std::nullopt : std::optional(result);
}

template <typename ScalarType>
ScalarPtr FoldIntegers(const Expr& call) {
  auto result = Compute(call.function, ValueOf<ScalarType>(*call.arguments[0]),
                        ValueOf<ScalarType>(*call.arguments[1]));
  return result ? std::make_shared<ScalarType>(*result) : nullptr;
}

ScalarPtr FoldDoubles(const Expr& call) {
  double a = ValueOf<arrow::DoubleScalar>(*call.arguments[0]);
  double b = ValueOf<arrow::DoubleScalar>(*call.arguments[1]);
  return std::make_shared<arrow::DoubleScalar>(call.function == Function::kAdd ? a + b
                                               : call.function == Function::kSubtract
                                                   ? a - b
                                                   : a * b);
}

// Exact results only: one whose scale the type rules have cut is left to the evaluator.
ScalarPtr FoldDecimals(const Expr& call) {
  const auto& type = static_cast<const arrow::Decimal128Type&>(*call.type);
  plan::DecimalShape a = plan::DecimalShapeOf(*call.arguments[0]->type);
  plan::DecimalShape b = plan::DecimalShapeOf(*call.arguments[1]->type);
  arrow::Decimal128 x = ValueOf<arrow::Decimal128Scalar>(*call.arguments[0]);
  arrow::Decimal128 y = ValueOf<arrow::Decimal128Scalar>(*call.arguments[1]);
  // Small operands only, so that no step can leave 128 bits.
  constexpr int32_t kDigitsMax = 18;
  if (a.precision > kDigitsMax || b.precision > kDigitsMax) {
    return nullptr;
  }
  int32_t scale = std::max(a.scale, b.scale);
  arrow::Decimal128 result;
  if (call.function == Function::kMultiply) {
    scale = a.scale + b.scale;
    result = x * y;
  } else {
    x *= arrow::Decimal128::GetScaleMultiplier(scale - a.scale);
    y *= arrow::Decimal128::GetScaleMultiplier(scale - b.scale);
    result = call.function == Function::kAdd ? x + y : x - y;
  }
  if (scale != type.scale() || !result.FitsInPrecision(type.precision())) {
    return nullptr;
  }
  return std::make_shared<arrow::Decimal128Scalar>(result, call.type);
}

ScalarPtr FoldArithmetic(const Expr& call) {
  switch (plan::ClassOf(*call.type)) {
    case TypeClass::kInt32:
      return FoldIntegers<arrow::Int32Scalar>(call);
    case TypeClass::kInt64:
      return FoldIntegers<arrow::Int64Scalar>(call);
    case TypeClass::kDouble:
      return FoldDoubles(call);
    case TypeClass::kDecimal:
      return FoldDecimals(call);
    default:
      return nullptr;
  }
}

ScalarPtr FoldDateMove(const Expr& call) {
  int32_t days = ValueOf<arrow::Date32Scalar>(*call.arguments[0]);
  int32_t count = ValueOf<arrow::Int32Scalar>(*call.arguments[1]);
  auto moved = Compute<int32_t>(
      call.function == Function::kDateAdd ? Function::kAdd : Function::kSubtract, days,
      count);
  return moved ? std::make_shared<arrow::Date32Scalar>(*moved) : nullptr;
}

// A date moved by months that are known. Times depend on the session's zone, which is the
// evaluator's affair.
ScalarPtr FoldMonths(const Expr& call) {
  if (plan::ClassOf(*call.type) != TypeClass::kDate) {
    return nullptr;
  }
  auto moved = plan::AddMonths(ValueOf<arrow::Date32Scalar>(*call.arguments[0]),
                               plan::IntervalValueOf(*call.arguments[1]->literal));
  return moved ? std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(*moved))
               : nullptr;
}

template <typename Value>
bool Compare(Function function, const Value& a, const Value& b) {
  switch (function) {
    case Function::kEqual:
      return a == b;
    case Function::kNotEqual:
      return a != b;
    case Function::kLess:
      return a < b;
    case Function::kLessEqual:
      return a <= b;
    case Function::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

// Whole numbers, dates and booleans; what NaN, scales and collations say is the
// evaluator's affair.
ScalarPtr FoldComparison(const Expr& call) {
  const Expr& a = *call.arguments[0];
  const Expr& b = *call.arguments[1];
  auto boolean = [&](const auto& x, const auto& y) {
    return std::make_shared<arrow::BooleanScalar>(Compare(call.function, x, y));
  };
  if (!a.type->Equals(*b.type)) {
    return nullptr;
  }
  switch (plan::ClassOf(*a.type)) {
    case TypeClass::kInt32:
      return boolean(ValueOf<arrow::Int32Scalar>(a), ValueOf<arrow::Int32Scalar>(b));
    case TypeClass::kInt64:
      return boolean(ValueOf<arrow::Int64Scalar>(a), ValueOf<arrow::Int64Scalar>(b));
    case TypeClass::kDate:
      return boolean(ValueOf<arrow::Date32Scalar>(a), ValueOf<arrow::Date32Scalar>(b));
    case TypeClass::kBoolean:
      return boolean(ValueOf<arrow::BooleanScalar>(a), ValueOf<arrow::BooleanScalar>(b));
    default:
      return nullptr;
  }
}

ExprPtr BooleanLiteral(bool value, plan::SourceRange range) {
  return plan::MakeLiteral(std::make_shared<arrow::BooleanScalar>(value), range);
}

// Whether some part without columns is left to the evaluator: its value is not known
// here, or is an error. Branches that may not be taken don't count.
bool HasOpenConstant(const Expr& expression) {
  if (IsLiteral(expression) || expression.kind == ExprKind::kColumn) {
    return false;
  }
  bool conditional =
      expression.kind == ExprKind::kCall && (expression.function == Function::kCase ||
                                             expression.function == Function::kCoalesce);
  return plan::ColumnsOf(expression).empty() ||
         (!conditional &&
          std::any_of(expression.arguments.begin(), expression.arguments.end(),
                      [](const ExprPtr& one) { return HasOpenConstant(*one); }));
}

// AND and OR with a known side: the side that decides, or the other one. The left side
// comes first, and a constant there that fails is an error whatever the right one says.
ExprPtr FoldLogic(const ExprPtr& call) {
  bool deciding = call->function == Function::kOr;
  const ExprPtr& a = call->arguments[0];
  const ExprPtr& b = call->arguments[1];
  if (IsBoolean(*a, deciding) || (IsBoolean(*b, deciding) && !HasOpenConstant(*a))) {
    return BooleanLiteral(deciding, call->range);
  }
  if (IsBoolean(*a, !deciding)) {
    return b;
  }
  if (IsBoolean(*b, !deciding)) {
    return a;
  }
  return call;
}

// The conditions that are known not to hold fall away, up to one that holds.
ExprPtr FoldCase(const ExprPtr& call) {
  size_t first = 0;
  while (first + 1 < call->arguments.size()) {
    const Expr& condition = *call->arguments[first];
    if (IsBoolean(condition, true) &&
        call->arguments[first + 1]->type->Equals(*call->type)) {
      return call->arguments[first + 1];
    }
    if (!IsBoolean(condition, false) && !IsNullLiteral(condition)) {
      return call;
    }
    first += 2;
  }
  if (first < call->arguments.size() &&
      call->arguments[first]->type->Equals(*call->type)) {
    return call->arguments[first];
  }
  return call;
}

ExprPtr FoldNullTest(const ExprPtr& call) {
  const Expr& argument = *call->arguments[0];
  bool is_null_test = call->function == Function::kIsNull;
  if (IsLiteral(argument)) {
    return BooleanLiteral(argument.literal->is_valid != is_null_test, call->range);
  }
  // A column that is never null says so in its file.
  if (argument.kind == ExprKind::kColumn && !argument.nullable) {
    return BooleanLiteral(!is_null_test, call->range);
  }
  return call;
}

ExprPtr FoldLiterals(const ExprPtr& call) {
  Function function = call->function;
  bool all_literal = std::all_of(call->arguments.begin(), call->arguments.end(),
                                 [](const ExprPtr& one) { return IsLiteral(*one); });
  bool any_null = std::any_of(call->arguments.begin(), call->arguments.end(),
                              [](const ExprPtr& one) { return IsNullLiteral(*one); });
  bool moves = function == Function::kDateAdd || function == Function::kDateSub ||
               function == Function::kAddMonths;
  if (!all_literal || (!IsArithmetic(function) && !IsComparison(function) && !moves)) {
    return call;
  }
  ScalarPtr value;
  if (any_null) {
    value = arrow::MakeNullScalar(call->type);
  } else if (IsArithmetic(function)) {
    value = FoldArithmetic(*call);
  } else if (function == Function::kAddMonths) {
    value = FoldMonths(*call);
  } else if (moves) {
    value = FoldDateMove(*call);
  } else {
    value = FoldComparison(*call);
  }
  return value == nullptr ? call : plan::MakeLiteral(std::move(value), call->range);
}

}  // namespace

bool IsBoolean(const Expr& expression, bool value) {
  return IsLiteral(expression) && expression.literal->is_valid &&
         expression.type->id() == arrow::Type::BOOL &&
         ValueOf<arrow::BooleanScalar>(expression) == value;
}

ExprPtr Fold(const ExprPtr& expression) {
  if (expression->kind != ExprKind::kCall) {
    return expression;
  }
  switch (expression->function) {
    case Function::kAnd:
    case Function::kOr:
      return FoldLogic(expression);
    case Function::kNot:
      if (IsBoolean(*expression->arguments[0], true) ||
          IsBoolean(*expression->arguments[0], false)) {
        return BooleanLiteral(IsBoolean(*expression->arguments[0], false),
                              expression->range);
      }
      return expression;
    case Function::kCase:
      return FoldCase(expression);
    case Function::kIsNull:
    case Function::kIsNotNull:
      return FoldNullTest(expression);
    default:
      return FoldLiterals(expression);
  }
}

}  // namespace wheelpit::sql
