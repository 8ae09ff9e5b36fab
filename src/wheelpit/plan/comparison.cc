// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/comparison.h"

#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/literal_cast.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

bool KeepsValuesAndOrder(const arrow::DataType& from, const arrow::DataType& to) {
  const TypeClass from_class = ClassOf(from);
  const TypeClass to_class = ClassOf(to);
  if (IsIntegral(from_class) && IsIntegral(to_class)) {
    return from_class <= to_class;
  }
  const DecimalShape narrow = DecimalShapeOf(from);
  const DecimalShape wide = DecimalShapeOf(to);
  return (IsIntegral(from_class) || from_class == TypeClass::kDecimal) &&
         to_class == TypeClass::kDecimal && narrow.scale <= wide.scale &&
         narrow.precision - narrow.scale <= wide.precision - wide.scale;
}

std::optional<std::pair<arrow::Decimal128, int>> ExactNumber(const arrow::Scalar& value) {
  int64_t integral = 0;
  if (IntegralValue(value, &integral)) {
    return std::pair(arrow::Decimal128(integral), 0);
  }
  if (ClassOf(*value.type) == TypeClass::kDecimal) {
    return std::pair(static_cast<const arrow::Decimal128Scalar&>(value).value,
                     DecimalShapeOf(*value.type).scale);
  }
  return std::nullopt;
}

// The greatest value of `type` that is not greater than the literal; null when there is
// none or the types don't allow it.
struct Floor {
  ScalarPtr value;
  bool exact = true;
};

Floor FloorLiteral(const arrow::Scalar& literal,
                   const std::shared_ptr<arrow::DataType>& type) {
  if (literal.type->Equals(*type)) {
    return {literal.GetSharedPtr()};
  }
  const auto number = ExactNumber(literal);
  const TypeClass target = ClassOf(*type);
  if (!number || !(IsIntegral(target) || target == TypeClass::kDecimal)) {
    return {};
  }
  auto [unscaled, scale] = *number;
  const int target_scale =
      target == TypeClass::kDecimal ? DecimalShapeOf(*type).scale : 0;
  Floor floor;
  if (scale > target_scale) {
    const auto parts = unscaled.Divide(
        arrow::Decimal128(arrow::Decimal128::GetScaleMultiplier(scale - target_scale)));
    if (!parts.ok()) {
      return {};
    }
    floor.exact = parts->second == arrow::Decimal128(0);
    unscaled = parts->first;
    if (parts->second < arrow::Decimal128(0)) {
      unscaled -= arrow::Decimal128(1);
    }
    scale = target_scale;
  }
  floor.value = CastLiteral(
      arrow::Decimal128Scalar(unscaled, DecimalType({kDecimalPrecisionMax, scale})),
      type);
  return floor;
}

std::optional<Function> Mirrored(Function function) {
  switch (function) {
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kNullSafeEqual:
      return function;
    case Function::kLess:
      return Function::kGreater;
    case Function::kLessEqual:
      return Function::kGreaterEqual;
    case Function::kGreater:
      return Function::kLess;
    case Function::kGreaterEqual:
      return Function::kLessEqual;
    default:
      return std::nullopt;
  }
}

}  // namespace

ExprPtr WithoutWideningCasts(const ExprPtr& expression) {
  ExprPtr inner = expression;
  while (inner->kind == ExprKind::kCast &&
         KeepsValuesAndOrder(*inner->arguments[0]->type, *inner->type)) {
    inner = inner->arguments[0];
  }
  return inner;
}

std::shared_ptr<arrow::Scalar> EqualLiteral(
    const arrow::Scalar& literal, const std::shared_ptr<arrow::DataType>& type) {
  Floor floor = FloorLiteral(literal, type);
  return floor.exact ? std::move(floor.value) : nullptr;
}

std::optional<LiteralComparison> CompareWithLiteral(const Expr& call) {
  if (call.kind != ExprKind::kCall || !Mirrored(call.function)) {
    return std::nullopt;
  }
  const bool mirrored = call.arguments[0]->kind == ExprKind::kLiteral;
  const ExprPtr& value = call.arguments[mirrored ? 1 : 0];
  const Expr& constant = *call.arguments[mirrored ? 0 : 1];
  if (value->kind == ExprKind::kLiteral || constant.kind != ExprKind::kLiteral ||
      !constant.literal->is_valid) {
    return std::nullopt;
  }
  LiteralComparison comparison{
      .value = WithoutWideningCasts(value),
      .function = mirrored ? *Mirrored(call.function) : call.function,
      .literal = nullptr};
  Floor floor = FloorLiteral(*constant.literal, comparison.value->type);
  if (floor.value == nullptr) {
    return std::nullopt;
  }
  comparison.literal = std::move(floor.value);
  if (floor.exact) {
    return comparison;
  }
  // The literal lies between its floor and the next value of the type.
  switch (comparison.function) {
    case Function::kLess:
    case Function::kLessEqual:
      comparison.function = Function::kLessEqual;
      return comparison;
    case Function::kGreater:
    case Function::kGreaterEqual:
      comparison.function = Function::kGreater;
      return comparison;
    default:
      return std::nullopt;
  }
}

}  // namespace wheelpit::plan
