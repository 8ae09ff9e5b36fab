// SPDX-License-Identifier: Apache-2.0
// exec::Evaluator and exec::Filter: expressions of the plan over Arrow arrays, with
// Spark's semantics in ANSI mode. Made once per plan; const afterwards and safe to share
// between threads, since all state of an evaluation is on its stack. Nothing here blocks.
//
// Columns are those of the schema given to Make, at the same positions; those that no
// expression reads may be null pointers. They may be sliced, and dictionary-encoded.
// Errors of values are kData with Spark's class and the range of the SQL text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

namespace expr {
class Node;
class Conjunct;
}  // namespace expr

struct EvaluatorOptions {
  arrow::MemoryPool* pool = nullptr;  ///< never null; outlives what is made
  /// Of the session: "UTC", "+02:00", "Europe/Paris". A name that this process has not
  /// used before is read from a file, and so are all that text which becomes a time stamp
  /// may name: Make on threads that may block.
  std::string time_zone = "UTC";
};

/// Row numbers of a batch, ascending.
using Selection = std::vector<int32_t>;

class Evaluator {
 public:
  /// kUnsupported for an expression that cannot be evaluated, kConfiguration for a time
  /// zone that is not known. `input` is the
  /// schema that the expressions' columns refer to.
  static arrow::Result<std::unique_ptr<Evaluator>> Make(
      const std::vector<plan::ExprPtr>& expressions, const arrow::Schema& input,
      const EvaluatorOptions& options);
  ~Evaluator();

  /// One array per expression. A bare column is the column itself, also where it is
  /// dictionary-encoded.
  arrow::Result<arrow::ArrayVector> Evaluate(const arrow::RecordBatch& batch) const;

  /// The same over `length` rows of columns, or over those of them in `selection`.
  arrow::Result<arrow::ArrayVector> Evaluate(const arrow::ArrayVector& columns,
                                             int64_t length,
                                             const Selection* selection = nullptr) const;

 private:
  Evaluator(std::vector<std::unique_ptr<expr::Node>> nodes, arrow::MemoryPool* pool);

  std::vector<std::unique_ptr<expr::Node>> nodes_;
  arrow::MemoryPool* pool_;
};

/// A conjunction. Conjuncts are evaluated in turn, each for the rows that the ones before
/// it left; those that cannot fail and are cheap come first.
class Filter {
 public:
  static arrow::Result<std::unique_ptr<Filter>> Make(
      const std::vector<plan::ExprPtr>& conjuncts, const arrow::Schema& input,
      const EvaluatorOptions& options);
  ~Filter();

  /// The rows for which every conjunct is true; `selection` is overwritten.
  arrow::Status Select(const arrow::ArrayVector& columns, int64_t length,
                       Selection* selection) const;
  arrow::Status Select(const arrow::RecordBatch& batch, Selection* selection) const;

  /// Keeps of `selection` the rows for which every conjunct is true.
  arrow::Status Shrink(const arrow::ArrayVector& columns, Selection* selection) const;

  /// Whether some row could make it raise an error.
  bool can_fail() const;

 private:
  Filter(std::vector<std::unique_ptr<expr::Conjunct>> conjuncts, arrow::MemoryPool* pool);

  std::vector<std::unique_ptr<expr::Conjunct>> conjuncts_;
  arrow::MemoryPool* pool_;
};

/// The rows of `array` in `selection`, in its order; any type.
arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(
    const std::shared_ptr<arrow::Array>& array, const Selection& selection,
    arrow::MemoryPool* pool);

/// The same of every column. The batch itself when all rows are selected.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const Selection& selection,
    arrow::MemoryPool* pool);

}  // namespace wheelpit::exec
