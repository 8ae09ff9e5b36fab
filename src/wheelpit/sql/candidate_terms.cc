// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/candidate_terms.h"

#include <optional>
#include <string>
#include <utility>

#include <arrow/scalar.h>

#include "wheelpit/sql/expression_binder.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/scope.h"

namespace wheelpit::sql {
namespace {

using ast::Expression;
using ast::ExpressionKind;
using ast::Operator;
using index::PredicateOp;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

std::optional<PredicateOp> OpOf(Operator op, bool swapped) {
  switch (op) {
    case Operator::kEqual:
      return PredicateOp::kEqual;
    case Operator::kLess:
      return swapped ? PredicateOp::kGreater : PredicateOp::kLess;
    case Operator::kLessEqual:
      return swapped ? PredicateOp::kGreaterEqual : PredicateOp::kLessEqual;
    case Operator::kGreater:
      return swapped ? PredicateOp::kLess : PredicateOp::kGreater;
    case Operator::kGreaterEqual:
      return swapped ? PredicateOp::kLessEqual : PredicateOp::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

class Collector {
 public:
  Collector(std::string_view qualifier, const BindOptions& options)
      : qualifier_(qualifier), options_(options) {}

  void Add(const Expression& node) {
    switch (node.kind) {
      case ExpressionKind::kBinary:
        if (node.op == Operator::kAnd) {
          for (const ast::ExpressionPtr& operand : node.operands) {
            Add(*operand);
          }
        } else if (node.op != Operator::kOr) {
          AddComparison(node);
        }
        return;
      case ExpressionKind::kBetween:
        if (!node.negated) {
          AddTerm(*node.operands[0], PredicateOp::kGreaterEqual, {&*node.operands[1]});
          AddTerm(*node.operands[0], PredicateOp::kLessEqual, {&*node.operands[2]});
        }
        return;
      case ExpressionKind::kIn:
        AddIn(node);
        return;
      case ExpressionKind::kIs:
        if (node.test == ast::IsTest::kNull) {
          AddTerm(*node.operands[0],
                  node.negated ? PredicateOp::kIsNotNull : PredicateOp::kIsNull, {});
        }
        return;
      default:
        return;
    }
  }

  index::Predicate Take() { return std::move(terms_); }

 private:
  void AddComparison(const Expression& node) {
    bool swapped = node.operands[1]->kind == ExpressionKind::kColumn;
    std::optional<PredicateOp> op = OpOf(node.op, swapped);
    if (op) {
      AddTerm(*node.operands[swapped ? 1 : 0], *op, {&*node.operands[swapped ? 0 : 1]});
    }
  }

  void AddIn(const Expression& node) {
    if (node.negated) {
      return;
    }
    std::vector<const Expression*> items;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      items.push_back(node.operands[i].get());
    }
    AddTerm(*node.operands[0], PredicateOp::kIn, items);
  }

  void AddTerm(const Expression& column, PredicateOp op,
               const std::vector<const Expression*>& values) {
    bool qualified = column.path.size() == 2 && SameName(column.path[0].text, qualifier_);
    if (column.kind != ExpressionKind::kColumn ||
        (column.path.size() != 1 && !qualified)) {
      return;
    }
    index::PredicateTerm term{
        .column = column.path.back().text, .op = op, .literals = {}};
    for (const Expression* value : values) {
      ScalarPtr literal = ConstantOf(*value);
      if (literal == nullptr) {
        return;
      }
      term.literals.push_back(std::move(literal));
    }
    terms_.push_back(std::move(term));
  }

  // The value of an expression without columns, when it is known and not null.
  ScalarPtr ConstantOf(const Expression& node) const {
    Scope no_columns;
    auto bound = ExpressionBinder(no_columns, options_).Bind(node);
    bool known = bound.ok() && (*bound)->kind == plan::ExprKind::kLiteral &&
                 (*bound)->literal->is_valid;
    return known ? (*bound)->literal : nullptr;
  }

  std::string_view qualifier_;
  const BindOptions& options_;
  index::Predicate terms_;
};

}  // namespace

index::Predicate CandidateTerms(const Expression& where, std::string_view qualifier,
                                const BindOptions& options) {
  Collector collector(qualifier, options);
  collector.Add(where);
  return collector.Take();
}

}  // namespace wheelpit::sql
