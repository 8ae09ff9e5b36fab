// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/evaluator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/conjunct.h"
#include "wheelpit/exec/expr/node.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec {

namespace {

arrow::Result<expr::CompileOptions> CompileOptionsOf(const EvaluatorOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const index::TimeZone* zone,
                        index::TimeZone::Find(options.time_zone));
  return expr::CompileOptions{.pool = options.pool, .zone = zone};
}

arrow::Status CheckColumns(const plan::Expr& expression, const arrow::Schema& input) {
  if (expression.kind == plan::ExprKind::kColumn &&
      (expression.column < 0 || expression.column >= input.num_fields() ||
       !input.field(expression.column)->type()->Equals(*expression.type))) {
    return core::Error(core::ErrorKind::kInternal, "column ", expression.name,
                       " of type ", plan::TypeName(*expression.type),
                       " is not in the input ", input.ToString());
  }
  for (const plan::ExprPtr& argument : expression.arguments) {
    ARROW_RETURN_NOT_OK(CheckColumns(*argument, input));
  }
  return arrow::Status::OK();
}

// Also as a dictionary of them.
bool HasValuesOf(const arrow::Array& column, const arrow::DataType& type) {
  return column.type()->Equals(type) ||
         (column.type_id() == arrow::Type::DICTIONARY &&
          static_cast<const arrow::DictionaryType&>(*column.type())
              .value_type()
              ->Equals(type));
}

arrow::Status CheckLength(int64_t length) {
  if (length > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kInternal, "a batch of ", length,
                       " rows is too large to be evaluated");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::unique_ptr<Evaluator>> Evaluator::Make(
    const std::vector<plan::ExprPtr>& expressions, const arrow::Schema& input,
    const EvaluatorOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto compile_options, CompileOptionsOf(options));
  std::vector<expr::NodePtr> nodes;
  for (const plan::ExprPtr& expression : expressions) {
    ARROW_RETURN_NOT_OK(CheckColumns(*expression, input));
    ARROW_ASSIGN_OR_RAISE(expr::NodePtr node, expr::Compile(expression, compile_options));
    nodes.push_back(std::move(node));
  }
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(nodes), options.pool));
}

Evaluator::Evaluator(std::vector<expr::NodePtr> nodes, arrow::MemoryPool* pool)
    : nodes_(std::move(nodes)), pool_(pool) {}

Evaluator::~Evaluator() = default;

arrow::Result<arrow::ArrayVector> Evaluator::Evaluate(
    const arrow::RecordBatch& batch) const {
  return Evaluate(batch.columns(), batch.num_rows());
}

arrow::Result<arrow::ArrayVector> Evaluator::Evaluate(const arrow::ArrayVector& columns,
                                                      int64_t length,
                                                      const Selection* selection) const {
  ARROW_RETURN_NOT_OK(CheckLength(length));
  const int64_t count =
      selection == nullptr ? length : static_cast<int64_t>(selection->size());
  expr::Rows rows(columns, selection == nullptr ? nullptr : selection->data(), count,
                  pool_);
  arrow::ArrayVector arrays;
  arrays.reserve(nodes_.size());
  for (const expr::NodePtr& node : nodes_) {
    const plan::Expr& expression = node->expression();
    const auto column = static_cast<size_t>(expression.column);
    if (count == 0) {
      ARROW_ASSIGN_OR_RAISE(auto empty, arrow::MakeEmptyArray(node->type(), pool_));
      arrays.push_back(std::move(empty));
    } else if (expression.kind == plan::ExprKind::kColumn && selection == nullptr &&
               column < columns.size() && columns[column] != nullptr &&
               HasValuesOf(*columns[column], *node->type())) {
      arrays.push_back(columns[column]);
    } else {
      ARROW_ASSIGN_OR_RAISE(const expr::Vector value, node->Evaluate(rows));
      ARROW_ASSIGN_OR_RAISE(auto array, expr::ToArray(value, count, pool_));
      arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

arrow::Result<std::unique_ptr<Filter>> Filter::Make(
    const std::vector<plan::ExprPtr>& conjuncts, const arrow::Schema& input,
    const EvaluatorOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto compile_options, CompileOptionsOf(options));
  std::vector<std::unique_ptr<expr::Conjunct>> made;
  for (const plan::ExprPtr& conjunct : conjuncts) {
    ARROW_RETURN_NOT_OK(CheckColumns(*conjunct, input));
    for (const plan::ExprPtr& part : plan::SplitConjuncts(conjunct)) {
      if (part->type->id() != arrow::Type::BOOL) {
        return core::Error(core::ErrorKind::kInternal, "filter ", plan::ToString(*part),
                           " is of type ", plan::TypeName(*part->type), ", not boolean");
      }
      ARROW_ASSIGN_OR_RAISE(auto one, expr::MakeConjunct(part, compile_options));
      made.push_back(std::move(one));
    }
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a->rank < b->rank; });
  return std::unique_ptr<Filter>(new Filter(std::move(made), options.pool));
}

Filter::Filter(std::vector<std::unique_ptr<expr::Conjunct>> conjuncts,
               arrow::MemoryPool* pool)
    : conjuncts_(std::move(conjuncts)), pool_(pool) {}

Filter::~Filter() = default;

arrow::Status Filter::Select(const arrow::ArrayVector& columns, int64_t length,
                             Selection* selection) const {
  ARROW_RETURN_NOT_OK(CheckLength(length));
  selection->clear();
  if (conjuncts_.empty()) {
    for (int64_t row = 0; row < length; ++row) {
      selection->push_back(static_cast<int32_t>(row));
    }
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(conjuncts_[0]->Select(columns, length, pool_, selection));
  for (size_t i = 1; i < conjuncts_.size() && !selection->empty(); ++i) {
    ARROW_RETURN_NOT_OK(conjuncts_[i]->Shrink(columns, pool_, selection));
  }
  return arrow::Status::OK();
}

arrow::Status Filter::Select(const arrow::RecordBatch& batch,
                             Selection* selection) const {
  return Select(batch.columns(), batch.num_rows(), selection);
}

arrow::Status Filter::Shrink(const arrow::ArrayVector& columns,
                             Selection* selection) const {
  for (const auto& conjunct : conjuncts_) {
    if (selection->empty()) {
      break;
    }
    ARROW_RETURN_NOT_OK(conjunct->Shrink(columns, pool_, selection));
  }
  return arrow::Status::OK();
}

bool Filter::can_fail() const {
  return std::any_of(conjuncts_.begin(), conjuncts_.end(),
                     [](const auto& conjunct) { return conjunct->can_fail; });
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(
    const std::shared_ptr<arrow::Array>& array, const Selection& selection,
    arrow::MemoryPool* pool) {
  const auto count = static_cast<int64_t>(selection.size());
  if (count == 0) {
    return array->Slice(0, 0);
  }
  if (array->type_id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(auto codes, TakeRows(dictionary.indices(), selection, pool));
    return arrow::DictionaryArray::FromArrays(array->type(), std::move(codes),
                                              dictionary.dictionary());
  }
  ARROW_ASSIGN_OR_RAISE(const expr::Vector vector,
                        expr::VectorFromArray(array, selection.data(), count, pool));
  return expr::ToArray(vector, count, pool);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const Selection& selection,
    arrow::MemoryPool* pool) {
  const auto count = static_cast<int64_t>(selection.size());
  if (count == batch->num_rows()) {
    return batch;
  }
  arrow::ArrayVector columns;
  for (const auto& column : batch->columns()) {
    ARROW_ASSIGN_OR_RAISE(auto taken, TakeRows(column, selection, pool));
    columns.push_back(std::move(taken));
  }
  return arrow::RecordBatch::Make(batch->schema(), count, std::move(columns));
}

}  // namespace wheelpit::exec
