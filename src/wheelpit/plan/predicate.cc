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

#include "wheelpit/plan/comparison.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

using index::PredicateOp;
using index::PredicateTerm;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

// The column under casts that keep values and order; null when there is another thing.
ExprPtr ColumnUnderCasts(const ExprPtr& expression) {
  ExprPtr inner = WithoutWideningCasts(expression);
  return inner->kind == ExprKind::kColumn ? inner : nullptr;
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

std::optional<PredicateOp> OpOf(Function function) {
  switch (function) {
    case Function::kEqual:
    case Function::kNullSafeEqual:
      return PredicateOp::kEqual;
    case Function::kLess:
      return PredicateOp::kLess;
    case Function::kLessEqual:
      return PredicateOp::kLessEqual;
    case Function::kGreater:
      return PredicateOp::kGreater;
    case Function::kGreaterEqual:
      return PredicateOp::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

bool IsNaN(const arrow::Scalar& value) {
  return value.type->id() == arrow::Type::DOUBLE
             ? std::isnan(static_cast<const arrow::DoubleScalar&>(value).value)
             : value.type->id() == arrow::Type::FLOAT &&
                   std::isnan(static_cast<const arrow::FloatScalar&>(value).value);
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
        return NullTest(condition.arguments[0], condition.function == Function::kIsNull);
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

  std::optional<PredicateTerm> NullTest(const ExprPtr& argument, bool is_null) const {
    // Casts may fail, and these don't: a cast that was looked through is null for null.
    const ExprPtr column = ColumnUnderCasts(argument);
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
      return NullTest(argument.arguments[0], argument.function == Function::kIsNotNull);
    }
    return std::nullopt;
  }

  // x <=> NULL, either side.
  std::optional<PredicateTerm> NullComparison(const Expr& call) const {
    for (const int i : {0, 1}) {
      const Expr& side = *call.arguments[i];
      if (side.kind == ExprKind::kLiteral && !side.literal->is_valid) {
        return NullTest(call.arguments[1 - i], true);
      }
    }
    return std::nullopt;
  }

  std::optional<PredicateTerm> Comparison(const Expr& call) const {
    const auto comparison = CompareWithLiteral(call);
    if (!comparison) {
      return call.function == Function::kNullSafeEqual ? NullComparison(call)
                                                       : std::nullopt;
    }
    const auto op = OpOf(comparison->function);
    const Expr& value = *comparison->value;
    if (!op || value.kind != ExprKind::kColumn) {
      return std::nullopt;
    }
    if (IsFloating(ClassOf(*value.type)) &&
        (*op == PredicateOp::kGreater || *op == PredicateOp::kGreaterEqual ||
         (*op == PredicateOp::kEqual && IsFloatingZeroOrNaN(*comparison->literal)) ||
         IsNaN(*comparison->literal))) {
      return std::nullopt;
    }
    return Make(value, *op, {comparison->literal});
  }

  std::optional<PredicateTerm> Membership(const Expr& call) const {
    const ExprPtr column = ColumnUnderCasts(call.arguments[0]);
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
      auto literal = EqualLiteral(*item.literal, column->type);
      if (literal == nullptr || IsFloatingZeroOrNaN(*literal)) {
        return std::nullopt;
      }
      literals.push_back(std::move(literal));
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
