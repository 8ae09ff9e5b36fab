// SPDX-License-Identifier: Apache-2.0
// Types of the binary operators.
#include <algorithm>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/call_rules.h"
#include "wheelpit/plan/literal_cast.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

bool IsBitwise(Function function) {
  return function == Function::kBitAnd || function == Function::kBitOr ||
         function == Function::kBitXor;
}

// A date moved by days, or a refusal; whether the operator is about dates at all.
arrow::Result<bool> ApplyDateArithmetic(CallRule* call) {
  const TypeClass left = ClassOf(*call->arguments[0]->type);
  const TypeClass right = ClassOf(*call->arguments[1]->type);
  if (!IsTemporal(left) && !IsTemporal(right)) {
    return false;
  }
  const bool add = call->function == Function::kAdd;
  if (!add && call->function != Function::kSubtract) {
    return false;
  }
  const auto is_days = [](TypeClass c) {
    return IsIntegral(c) && c != TypeClass::kInt64;
  };
  if (add && right == TypeClass::kDate && is_days(left)) {
    std::swap(call->arguments[0], call->arguments[1]);
  } else if (left != TypeClass::kDate || !is_days(right)) {
    return call->Mismatch();
  }
  call->function = add ? Function::kDateAdd : Function::kDateSub;
  call->arguments[1] = Coerce(call->arguments[1], arrow::int32());
  call->type = arrow::date32();
  return true;
}

// An integral operand beside a decimal: a literal (but of tinyint) takes the digits that
// it has, anything else those that its type may have.
ExprPtr IntegralAsDecimal(const ExprPtr& argument) {
  DecimalShape shape = DecimalShapeOf(*argument->type);
  int64_t value = 0;
  if (argument->kind == ExprKind::kLiteral && argument->literal->is_valid &&
      ClassOf(*argument->type) != TypeClass::kInt8 &&
      IntegralValue(*argument->literal, &value)) {
    shape = {1, 0};
    for (; value / 10 != 0; value /= 10) {
      ++shape.precision;
    }
  }
  return Coerce(argument, DecimalType(shape));
}

void CoerceBoth(CallRule* call, const std::shared_ptr<arrow::DataType>& type) {
  for (ExprPtr& argument : call->arguments) {
    argument = Coerce(argument, type);
  }
}

// NULL beside another operand takes its type.
void TypeNulls(CallRule* call, const std::shared_ptr<arrow::DataType>& both_null) {
  ExprPtr& left = call->arguments[0];
  ExprPtr& right = call->arguments[1];
  const bool left_null = ClassOf(*left->type) == TypeClass::kNull;
  const bool right_null = ClassOf(*right->type) == TypeClass::kNull;
  if (left_null && right_null) {
    CoerceBoth(call, both_null);
  } else if (left_null && call->function == Function::kDivide &&
             IsNumeric(ClassOf(*right->type))) {
    CoerceBoth(call, both_null);  // the quotient of NULL and a decimal is double
  } else if (left_null) {
    left = Coerce(left, right->type);
  } else if (right_null) {
    right = Coerce(right, left->type);
  }
}

// Brings two operands to one numeric type, or to two decimal shapes.
arrow::Status PromoteNumbers(CallRule* call) {
  ExprPtr& left = call->arguments[0];
  ExprPtr& right = call->arguments[1];
  const TypeClass l = ClassOf(*left->type);
  const TypeClass r = ClassOf(*right->type);
  const bool text = l == TypeClass::kString || r == TypeClass::kString;
  if (l == r && !text && IsNumeric(l)) {
    return arrow::Status::OK();
  }
  if (text ? !IsNumeric(l) && !IsNumeric(r) : !IsNumeric(l) || !IsNumeric(r)) {
    return call->Mismatch();
  }
  if (!text && !IsFloating(l) && !IsFloating(r) &&
      (l == TypeClass::kDecimal || r == TypeClass::kDecimal)) {
    ExprPtr& integral = l == TypeClass::kDecimal ? right : left;
    integral = IntegralAsDecimal(integral);
    return arrow::Status::OK();
  }
  CoerceBoth(call, CommonType(left->type, right->type));
  return arrow::Status::OK();
}

DecimalShape DecimalResult(Function function, DecimalShape a, DecimalShape b) {
  const int scale_max = std::max(a.scale, b.scale);
  switch (function) {
    case Function::kMultiply:
      return AdjustPrecision(a.precision + b.precision + 1, a.scale + b.scale);
    case Function::kDivide: {
      const int scale = std::max(6, a.scale + b.precision + 1);
      return AdjustPrecision(a.precision - a.scale + b.scale + scale, scale);
    }
    case Function::kRemainder:
      return AdjustPrecision(
          std::min(a.precision - a.scale, b.precision - b.scale) + scale_max, scale_max);
    default:
      return AdjustPrecision(
          std::max(a.precision - a.scale, b.precision - b.scale) + scale_max + 1,
          scale_max);
  }
}

}  // namespace

arrow::Status ApplyArithmetic(CallRule* call) {
  bool done = false;
  ARROW_RETURN_NOT_OK(ApplyIntervalArithmetic(call, &done));
  if (!done) {
    ARROW_ASSIGN_OR_RAISE(done, ApplyDateArithmetic(call));
  }
  if (done) {
    return arrow::Status::OK();
  }
  const Function function = call->function;
  TypeNulls(call, IsBitwise(function)                     ? arrow::int32()
                  : function == Function::kIntegralDivide ? arrow::int64()
                                                          : arrow::float64());
  ARROW_RETURN_NOT_OK(PromoteNumbers(call));
  const TypeClass operands = ClassOf(*call->arguments[0]->type);
  if (IsBitwise(function)) {
    if (!IsIntegral(operands)) {
      return call->Mismatch();
    }
    call->type = call->arguments[0]->type;
    return arrow::Status::OK();
  }
  if (function == Function::kIntegralDivide) {
    if (IsFloating(operands)) {
      return call->Mismatch();
    }
    if (operands != TypeClass::kDecimal) {
      CoerceBoth(call, arrow::int64());
    }
    call->type = arrow::int64();
    return arrow::Status::OK();
  }
  if (operands == TypeClass::kDecimal) {
    call->type =
        DecimalType(DecimalResult(function, DecimalShapeOf(*call->arguments[0]->type),
                                  DecimalShapeOf(*call->arguments[1]->type)));
    return arrow::Status::OK();
  }
  if (function == Function::kDivide) {
    CoerceBoth(call, arrow::float64());
  }
  call->type = call->arguments[0]->type;
  return arrow::Status::OK();
}

arrow::Status ApplyComparison(CallRule* call) {
  call->type = arrow::boolean();
  ExprPtr& left = call->arguments[0];
  ExprPtr& right = call->arguments[1];
  if (IsIntegral(ClassOf(*left->type)) && ClassOf(*right->type) == TypeClass::kDecimal) {
    left = IntegralAsDecimal(left);
  } else if (IsIntegral(ClassOf(*right->type)) &&
             ClassOf(*left->type) == TypeClass::kDecimal) {
    right = IntegralAsDecimal(right);
  }
  const std::shared_ptr<arrow::DataType> common = CommonType(left->type, right->type);
  if (common == nullptr || ClassOf(*common) == TypeClass::kOther) {
    return call->Mismatch();
  }
  CoerceBoth(call, common);
  return arrow::Status::OK();
}

}  // namespace wheelpit::plan
