// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/expression.h"

#include <algorithm>
#include <set>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

void CollectColumns(const Expr& expression, std::set<int>* columns) {
  if (expression.kind == ExprKind::kColumn) {
    columns->insert(expression.column);
  }
  for (const ExprPtr& argument : expression.arguments) {
    CollectColumns(*argument, columns);
  }
}

void CollectConjuncts(const ExprPtr& expression, std::vector<ExprPtr>* conjuncts) {
  if (expression->kind == ExprKind::kCall && expression->function == Function::kAnd) {
    for (const ExprPtr& argument : expression->arguments) {
      CollectConjuncts(argument, conjuncts);
    }
    return;
  }
  conjuncts->push_back(expression);
}

}  // namespace

arrow::Status WithRange(const arrow::Status& status, SourceRange range) {
  core::ErrorInfo info = core::InfoOf(status);
  if (status.ok() || info.sql_offset >= 0 || info.kind == core::ErrorKind::kCancelled ||
      info.kind == core::ErrorKind::kMemoryLimit) {
    return status;
  }
  info.sql_offset = range.offset;
  info.sql_length = range.length;
  return core::MakeStatus(std::move(info), status.message());
}

ExprPtr MakeLiteral(std::shared_ptr<arrow::Scalar> value, SourceRange range) {
  auto expression = std::make_shared<Expr>();
  expression->kind = ExprKind::kLiteral;
  expression->type = value->type;
  expression->nullable = !value->is_valid;
  expression->literal = std::move(value);
  expression->range = range;
  return expression;
}

ExprPtr MakeColumn(int column, std::string name, std::shared_ptr<arrow::DataType> type,
                   bool nullable, SourceRange range) {
  auto expression = std::make_shared<Expr>();
  expression->kind = ExprKind::kColumn;
  expression->type = std::move(type);
  expression->nullable = nullable;
  expression->column = column;
  expression->name = std::move(name);
  expression->range = range;
  return expression;
}

bool Equals(const Expr& a, const Expr& b) {
  if (&a == &b) {
    return true;
  }
  if (a.kind != b.kind || !a.type->Equals(*b.type)) {
    return false;
  }
  switch (a.kind) {
    case ExprKind::kLiteral:
      // NaN is NaN here: the same literal, whatever its comparison gives.
      return a.literal->Equals(
          *b.literal,
          arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
    case ExprKind::kColumn:
      return a.column == b.column;
    case ExprKind::kCall:
      if (a.function != b.function) {
        return false;
      }
      break;
    case ExprKind::kCast:
      if (a.try_cast != b.try_cast) {
        return false;
      }
      break;
  }
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                    b.arguments.end(),
                    [](const ExprPtr& x, const ExprPtr& y) { return Equals(*x, *y); });
}

std::vector<int> ColumnsOf(const Expr& expression) {
  std::set<int> columns;
  CollectColumns(expression, &columns);
  return {columns.begin(), columns.end()};
}

ExprPtr RemapColumns(const ExprPtr& expression, const std::vector<int>& mapping) {
  if (expression->kind == ExprKind::kColumn) {
    const int column = mapping[static_cast<size_t>(expression->column)];
    if (column == expression->column) {
      return expression;
    }
    auto copy = std::make_shared<Expr>(*expression);
    copy->column = column;
    return copy;
  }
  std::vector<ExprPtr> arguments;
  arguments.reserve(expression->arguments.size());
  for (const ExprPtr& argument : expression->arguments) {
    arguments.push_back(RemapColumns(argument, mapping));
  }
  if (arguments == expression->arguments) {
    return expression;
  }
  auto copy = std::make_shared<Expr>(*expression);
  copy->arguments = std::move(arguments);
  return copy;
}

std::vector<ExprPtr> SplitConjuncts(const ExprPtr& expression) {
  std::vector<ExprPtr> conjuncts;
  CollectConjuncts(expression, &conjuncts);
  return conjuncts;
}

ExprPtr JoinConjuncts(const std::vector<ExprPtr>& conjuncts) {
  if (conjuncts.empty()) {
    return MakeLiteral(std::make_shared<arrow::BooleanScalar>(true));
  }
  ExprPtr joined = conjuncts.front();
  for (size_t i = 1; i < conjuncts.size(); ++i) {
    auto both = std::make_shared<Expr>();
    both->kind = ExprKind::kCall;
    both->function = Function::kAnd;
    both->type = arrow::boolean();
    both->nullable = joined->nullable || conjuncts[i]->nullable;
    both->range = conjuncts[i]->range;
    both->arguments = {std::move(joined), conjuncts[i]};
    joined = std::move(both);
  }
  return joined;
}

}  // namespace wheelpit::plan
