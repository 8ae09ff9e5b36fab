// SPDX-License-Identifier: Apache-2.0
// The compiled form of an expression: a tree of nodes that evaluate themselves over rows.
// Nodes are immutable and may be shared by threads; what an evaluation needs lives in
// Rows, on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/index/time_zone.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec::expr {

/// The rows of one evaluation: columns, and which of their rows are meant. Columns are
/// turned into vectors when they are first asked for.
class Rows {
 public:
  /// `selection` is null for all rows, else `count` row numbers; both it and `columns`
  /// outlive this. A column that no expression reads may be null.
  Rows(const arrow::ArrayVector& columns, const int32_t* selection, int64_t count,
       arrow::MemoryPool* pool);

  int64_t count() const { return count_; }
  arrow::MemoryPool* pool() const { return pool_; }

  arrow::Result<Vector> Column(int column);

  /// Those of these rows at `positions` (ascending, below count()).
  Rows At(std::span<const int32_t> positions) const;

 private:
  const arrow::ArrayVector* columns_;
  const int32_t* selection_;
  int64_t count_;
  arrow::MemoryPool* pool_;
  std::vector<int32_t> own_selection_;
  std::vector<std::optional<Vector>> vectors_;
};

class Node {
 public:
  Node(plan::ExprPtr expression, bool can_fail)
      : expression_(std::move(expression)), can_fail_(can_fail) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// One value per row, or a constant. `rows` has at least one row.
  virtual arrow::Result<Vector> Evaluate(Rows& rows) const = 0;

  const plan::Expr& expression() const { return *expression_; }
  const std::shared_ptr<arrow::DataType>& type() const { return expression_->type; }
  /// Whether some value could make it raise a data error. Where it cannot, it may be
  /// evaluated for rows that do not need it.
  bool can_fail() const { return can_fail_; }
  /// The value, where it is the same for all rows and known already.
  virtual const Vector* constant() const { return nullptr; }

 private:
  plan::ExprPtr expression_;
  bool can_fail_;
};

using NodePtr = std::unique_ptr<Node>;

struct CompileOptions {
  arrow::MemoryPool* pool = nullptr;
  const index::TimeZone* zone = nullptr;  ///< of the session; never null
};

/// kUnsupported, with the range, for what cannot be evaluated.
arrow::Result<NodePtr> Compile(const plan::ExprPtr& expression,
                               const CompileOptions& options);

/// Positions of the rows for which a boolean vector is true.
void AppendTruePositions(const Vector& condition, int64_t count,
                         std::vector<int32_t>* positions);

}  // namespace wheelpit::exec::expr
