// SPDX-License-Identifier: Apache-2.0
// LowerPredicate: what of a filter the file index can use. A term may be weaker than its
// conjunct, never stronger. Left out on purpose: > and >= on floating-point columns (NaN
// is larger than everything and file statistics don't tell of it), equality with a
// floating-point zero (-0.0 equals 0.0 and has other bits), casts that round or read
// text.
#include <cmath>
#include <optional>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/plan/literal_cast.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

using index::PredicateOp;
using index::PredicateTerm;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

// The column under casts that keep values and order; null when there is another thing.
const Expr* ColumnUnderCasts(const Expr& expression) {
  const Expr* inner = &expression;
  while (inner->kind == ExprKind::kCast) {
    const Expr& argument = *inner->arguments[0];
    const TypeClass from = ClassOf(*argument.type);
    const TypeClass to = ClassOf(*inner->type);
    const DecimalShape narrow = DecimalShapeOf(*argument.type);
    const DecimalShape wide = DecimalShapeOf(*inner->type);
    const bool widens_integers = IsIntegral(from) && IsIntegral(to) && from <= to;
    const bool widens_decimals =
        (IsIntegral(from) || from == TypeClass::kDecimal) && to == TypeClass::kDecimal &&
        narrow.scale <= wide.scale &&
        narrow.precision - narrow.scale <= wide.precision - wide.scale;
    if (!widens_integers && !widens_decimals) {
      return nullptr;
    }
    inner = &argument;
  }
  return inner->kind == ExprKind::kColumn ? inner : nullptr;
}

// A literal brought to the column's type, and whether it is less than what was written
// because digits of its fraction were dropped (rounded down).
struct ColumnLiteral {
  ScalarPtr value;
  bool rounded_down = false;
};

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

std::optional<ColumnLiteral> LiteralForColumn(
    const arrow::Scalar& literal, const std::shared_ptr<arrow::DataType>& type) {
  if (literal.type->Equals(*type)) {
    return ColumnLiteral{literal.GetSharedPtr()};
  }
  const auto number = ExactNumber(literal);
  const TypeClass column = ClassOf(*type);
  if (!number || !(IsIntegral(column) || column == TypeClass::kDecimal)) {
    return std::nullopt;
  }
  auto [unscaled, scale] = *number;
  const int column_scale = DecimalShapeOf(*type).scale;
  ColumnLiteral result;
  if (scale > column_scale) {
    const arrow::Decimal128 divisor(
        arrow::Decimal128::GetScaleMultiplier(scale - column_scale));
    const auto parts = unscaled.Divide(divisor);
    if (!parts.ok()) {
      return std::nullopt;
    }
    result.rounded_down = parts->second != arrow::Decimal128(0);
    unscaled = parts->first;
    if (parts->second < arrow::Decimal128(0)) {
      unscaled -= arrow::Decimal128(1);
    }
    scale = column_scale;
  }
  result.value = CastLiteral(
      arrow::Decimal128Scalar(unscaled, DecimalType({kDecimalPrecisionMax, scale})),
      type);
  if (result.value == nullptr) {
    return std::nullopt;
  }
  return result;
}

bool IsFloatingZeroOrNaN(const arrow::Scalar& value) {
  double number = 1;
  if (ClassOf(*value.type) == TypeClass::kDouble) {
    number = static_cast<const arrow::DoubleScalar&>(value).value;
  } else if (ClassOf(*value.type) == TypeClass::kFloat) {
    number = static_cast<const arrow::FloatScalar&>(value).value;
  }
  return number == 0 || std::isnan(number);
}

std::optional<PredicateOp> OpOf(Function function, bool mirrored) {
  switch (function) {
    case Function::kEqual:
    case Function::kNullSafeEqual:
      return PredicateOp::kEqual;
    case Function::kLess:
      return mirrored ? PredicateOp::kGreater : PredicateOp::kLess;
    case Function::kLessEqual:
      return mirrored ? PredicateOp::kGreaterEqual : PredicateOp::kLessEqual;
    case Function::kGreater:
      return mirrored ? PredicateOp::kLess : PredicateOp::kGreater;
    case Function::kGreaterEqual:
      return mirrored ? PredicateOp::kLessEqual : PredicateOp::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

class Lowering {
 public:
  explicit Lowering(const arrow::Schema& schema) : schema_(schema) {}

  std::optional<PredicateTerm> Term(const Expr& condition) const {
    if (condition.kind == ExprKind::kColumn &&
        ClassOf(*condition.type) == TypeClass::kBoolean) {
      return Make(condition, PredicateOp::kEqual,
                  {std::make_shared<arrow::BooleanScalar>(true)});
    }
    if (condition.kind != ExprKind::kCall) {
      return std::nullopt;
    }
    switch (condition.function) {
      case Function::kIsNull:
      case Function::kIsNotNull:
        return NullTest(*condition.arguments[0], condition.function == Function::kIsNull);
      case Function::kNot:
        return Negation(*condition.arguments[0]);
      case Function::kIn:
        return Membership(condition);
      case Function::kOr:
        return Either(condition);
      default:
        return Comparison(condition);
    }
  }

 private:
  PredicateTerm Make(const Expr& column, PredicateOp op,
                     std::vector<ScalarPtr> literals) const {
    return {schema_.field(column.column)->name(), op, std::move(literals)};
  }

  std::optional<PredicateTerm> NullTest(const Expr& argument, bool is_null) const {
    // Casts may fail, and these don't: a cast that was looked through is null for null.
    const Expr* column = ColumnUnderCasts(argument);
    if (column == nullptr) {
      return std::nullopt;
    }
    return Make(*column, is_null ? PredicateOp::kIsNull : PredicateOp::kIsNotNull, {});
  }

  std::optional<PredicateTerm> Negation(const Expr& argument) const {
    if (argument.kind == ExprKind::kColumn) {
      return Make(argument, PredicateOp::kEqual,
                  {std::make_shared<arrow::BooleanScalar>(false)});
    }
    if (argument.kind == ExprKind::kCall && (argument.function == Function::kIsNull ||
                                             argument.function == Function::kIsNotNull)) {
      return NullTest(*argument.arguments[0], argument.function == Function::kIsNotNull);
    }
    return std::nullopt;
  }

  std::optional<PredicateTerm> Comparison(const Expr& call) const {
    if (!OpOf(call.function, false)) {
      return std::nullopt;
    }
    const bool mirrored = call.arguments[0]->kind == ExprKind::kLiteral;
    const Expr& value = *call.arguments[mirrored ? 1 : 0];
    const Expr& constant = *call.arguments[mirrored ? 0 : 1];
    const Expr* column = ColumnUnderCasts(value);
    if (column == nullptr || constant.kind != ExprKind::kLiteral) {
      return std::nullopt;
    }
    if (!constant.literal->is_valid) {
      return call.function == Function::kNullSafeEqual ? NullTest(value, true)
                                                       : std::nullopt;
    }
    PredicateOp op = *OpOf(call.function, mirrored);
    const bool greater = op == PredicateOp::kGreater || op == PredicateOp::kGreaterEqual;
    const auto literal = LiteralForColumn(*constant.literal, column->type);
    if (!literal) {
      return std::nullopt;
    }
    if (IsFloating(ClassOf(*column->type)) &&
        (greater || (op == PredicateOp::kEqual && IsFloatingZeroOrNaN(*literal->value)) ||
         IsNaN(*literal->value))) {
      return std::nullopt;
    }
    if (literal->rounded_down) {
      if (op == PredicateOp::kEqual) {
        return std::nullopt;
      }
      op = greater ? PredicateOp::kGreater : PredicateOp::kLessEqual;
    }
    return Make(*column, op, {literal->value});
  }

  static bool IsNaN(const arrow::Scalar& value) {
    return value.type->id() == arrow::Type::DOUBLE
               ? std::isnan(static_cast<const arrow::DoubleScalar&>(value).value)
               : value.type->id() == arrow::Type::FLOAT &&
                     std::isnan(static_cast<const arrow::FloatScalar&>(value).value);
  }

  std::optional<PredicateTerm> Membership(const Expr& call) const {
    const Expr* column = ColumnUnderCasts(*call.arguments[0]);
    if (column == nullptr) {
      return std::nullopt;
    }
    std::vector<ScalarPtr> literals;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      const Expr& item = *call.arguments[i];
      if (item.kind != ExprKind::kLiteral) {
        return std::nullopt;
      }
      if (!item.literal->is_valid) {
        continue;  // never makes the condition true
      }
      const auto literal = LiteralForColumn(*item.literal, column->type);
      if (!literal || literal->rounded_down || IsFloatingZeroOrNaN(*literal->value)) {
        return std::nullopt;
      }
      literals.push_back(literal->value);
    }
    if (literals.empty()) {
      return std::nullopt;
    }
    return Make(*column, PredicateOp::kIn, std::move(literals));
  }

  // a = 1 OR a = 2 OR a IN (3, 4)
  std::optional<PredicateTerm> Either(const Expr& call) const {
    auto left = Term(*call.arguments[0]);
    auto right = Term(*call.arguments[1]);
    const auto is_set = [](const std::optional<PredicateTerm>& term) {
      return term && (term->op == PredicateOp::kEqual || term->op == PredicateOp::kIn);
    };
    if (!is_set(left) || !is_set(right) || left->column != right->column) {
      return std::nullopt;
    }
    left->op = PredicateOp::kIn;
    left->literals.insert(left->literals.end(), right->literals.begin(),
                          right->literals.end());
    return left;
  }

  const arrow::Schema& schema_;
};

}  // namespace

index::Predicate LowerPredicate(const std::vector<ExprPtr>& conjuncts,
                                const arrow::Schema& schema) {
  const Lowering lowering(schema);
  index::Predicate predicate;
  for (const ExprPtr& conjunct : conjuncts) {
    for (const ExprPtr& part : SplitConjuncts(conjunct)) {
      if (auto term = lowering.Term(*part)) {
        predicate.push_back(std::move(*term));
      }
    }
  }
  return predicate;
}

}  // namespace wheelpit::plan
