// SPDX-License-Identifier: Apache-2.0
// The physical plan: a tree of nodes, made by the SQL side, run by the scheduler.
// Immutable once made. A node's output columns are its `schema`; expressions refer to
// columns of the node's input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/predicate.h"
#include "wheelpit/index/table.h"
#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/file_format.h"

namespace wheelpit::plan {

enum class NodeKind : uint8_t {
  kValues,
  kScan,
  kFilter,
  kProject,
  kExpand,
  kAggregate,
  kSort,
  kLimit,
  kUnion,
  kWrite,
};

enum class AggregateFunction : uint8_t {
  kCountAll,
  kCount,
  kSum,
  kAvg,
  kMin,
  kMax,
  kStddevSamp,  ///< stddev too
  kStddevPop,
  kVarSamp,  ///< variance too
  kVarPop,
};

/// Whether it is one of the last four.
constexpr bool IsMomentFunction(AggregateFunction function) {
  return function >= AggregateFunction::kStddevSamp;
}

struct Aggregate {
  AggregateFunction function = AggregateFunction::kCountAll;
  ExprPtr argument;                       ///< null for kCountAll
  ExprPtr filter;                         ///< null, or boolean: FILTER (WHERE …)
  std::shared_ptr<arrow::DataType> type;  ///< of the result, by Spark's rules
  SourceRange range;
  /// Of DISTINCT: all arguments, of which count may have several; `argument` is the
  /// first. Empty in a plan that runs: groups below have taken their place.
  std::vector<ExprPtr> distinct;
};

struct SortKey {
  int column = 0;  ///< of the input
  bool descending = false;
  bool nulls_first = true;
};

struct Node {
  NodeKind kind = NodeKind::kValues;
  std::shared_ptr<arrow::Schema> schema;
  /// None for kValues and kScan, two or more for kUnion, else one. The schemas of a
  /// union's inputs have its types, in order; their names may differ.
  std::vector<std::unique_ptr<Node>> inputs;

  // kValues: the rows themselves; for SELECT without FROM one row of no column.
  // kExpand: each row of the input gives one row for each of these.
  std::vector<std::vector<ExprPtr>> rows;

  // kScan
  std::shared_ptr<const index::Table> table;
  std::vector<int> columns;     ///< of the table's schema, in the order of `schema`
  std::vector<ExprPtr> filter;  ///< conjuncts over `columns` (positions in `schema`)
  index::Predicate predicate;   ///< what pruning makes of them

  ExprPtr condition;                  // kFilter
  std::vector<ExprPtr> expressions;   // kProject
  std::vector<ExprPtr> keys;          // kAggregate: its groups, first in `schema`
  std::vector<Aggregate> aggregates;  // kAggregate: behind them; none: distinct keys
  std::vector<SortKey> sort_keys;     // kSort
  /// kLimit: rows to give; kSort: the first so many are wanted, by the limit above it.
  /// -1 is all.
  int64_t limit = -1;
  int64_t offset = 0;  // kLimit: rows to skip before

  // kWrite: the one row that it gives says how much was written.
  std::string path;
  SourceRange path_range;
  FileFormat format;
};

/// The result type of an aggregate over `argument` (null for kCountAll) by Spark's rules:
/// sum of an integer is bigint, of decimal(p, s) decimal(min(38, p + 10), s); avg of
/// decimal(p, s) is decimal(p + 4, s + 4) bounded as Spark bounds it, else double; the
/// others over numbers are double.
/// kInvalidSql when Spark refuses.
arrow::Result<std::shared_ptr<arrow::DataType>> AggregateType(AggregateFunction function,
                                                              const Expr* argument,
                                                              SourceRange range);

/// An aggregate with Spark's implicit casts put around its argument and its type worked
/// out. `argument` is null for kCountAll, `filter` may be null. kInvalidSql when Spark
/// refuses.
arrow::Result<Aggregate> MakeAggregate(AggregateFunction function, ExprPtr argument,
                                       ExprPtr filter, SourceRange range);

/// An average made of a sum and a count, so that it can be done in parts: the argument
/// for the sum, a type in which nothing overflows that the average does not; and the
/// average itself, of that sum and of the count of values as columns of their types.
ExprPtr SummedForAverage(const Aggregate& average);
arrow::Result<ExprPtr> AverageOf(const Aggregate& average, ExprPtr sum, ExprPtr count);

/// "sum((a * b)) FILTER (WHERE (c > 1))", for EXPLAIN and error messages.
std::string ToString(const Aggregate& aggregate);

/// What a filter over a table's columns means for pruning: the terms that fit, the rest
/// left out. `schema` names the columns that the expressions refer to.
index::Predicate LowerPredicate(const std::vector<ExprPtr>& conjuncts,
                                const arrow::Schema& schema);

/// One line a node, children indented: EXPLAIN.
std::string ToString(const Node& node);

}  // namespace wheelpit::plan
