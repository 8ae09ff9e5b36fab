// SPDX-License-Identifier: Apache-2.0
// Operators that look at one row at a time: filter, project, expand. And the source of
// SELECT without FROM and of VALUES.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

/// Keeps the rows for which every conjunct of `filter` is true. The filter is shared by
/// the tasks of a stage and must outlive them.
std::unique_ptr<Operator> MakeFilterOperator(const Filter* filter,
                                             arrow::MemoryPool* pool);

/// Computes the columns of `schema`, one per expression of `evaluator`, which is shared
/// by the tasks of a stage and must outlive them.
std::unique_ptr<Operator> MakeProjectOperator(const Evaluator* evaluator,
                                              std::shared_ptr<arrow::Schema> schema);

/// For each row one for each evaluator, those of the first evaluator first. The
/// evaluators give the columns of `schema`.
std::unique_ptr<Operator> MakeExpandOperator(
    std::vector<std::shared_ptr<const Evaluator>> evaluators,
    std::shared_ptr<arrow::Schema> schema, arrow::MemoryPool* pool);

/// The same columns under the names of `schema`, which has their types.
std::unique_ptr<Operator> MakeRenameOperator(std::shared_ptr<arrow::Schema> schema);

/// The rows of VALUES; constant expressions, one vector per row. They are evaluated when
/// the source is asked for them, so their errors are errors of the query.
std::unique_ptr<Source> MakeValuesSource(std::vector<std::vector<plan::ExprPtr>> rows,
                                         std::shared_ptr<arrow::Schema> schema,
                                         EvaluatorOptions options);

}  // namespace wheelpit::exec
