// SPDX-License-Identifier: Apache-2.0
// GROUP BY with several sets of keys: ROLLUP, CUBE, GROUPING SETS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/ast.h"
#include "wheelpit/sql/expression_binder.h"

namespace wheelpit::sql {

/// Positions of keys, ascending.
using KeySet = std::vector<size_t>;
using KeySets = std::vector<KeySet>;

/// Binds what GROUP BY lists: expressions, positions and aliases of the select list.
class KeyBinder {
 public:
  /// All outlive it. `binder` is one over FROM's columns.
  KeyBinder(ExpressionBinder* binder, const std::vector<BoundName>& items,
            std::vector<plan::ExprPtr>* keys)
      : binder_(binder), items_(items), keys_(keys) {}

  /// A key of a plain GROUP BY.
  arrow::Status Add(const ast::Expression& node);

  /// The keys of GROUP BY, each once, and the sets of them that it groups by.
  arrow::Result<KeySets> AddSets(const ast::GroupBy& group_by);

 private:
  arrow::Result<plan::ExprPtr> Bind(const ast::Expression& node);
  arrow::Result<size_t> Find(const ast::Expression& node);
  arrow::Result<KeySets> SetsOf(const ast::GroupItem& item);
  arrow::Result<KeySet> SetOf(const ast::GroupItem& item);
  arrow::Result<KeySets> RollUp(const std::vector<ast::GroupItem>& items);
  arrow::Result<KeySets> Cube(const std::vector<ast::GroupItem>& items);
  arrow::Result<KeySets> AllOf(const std::vector<ast::GroupItem>& items);

  ExpressionBinder* binder_;
  const std::vector<BoundName>& items_;
  std::vector<plan::ExprPtr>* keys_;
  plan::SourceRange range_;  // of GROUP BY
};

/// Whether GROUP BY has more than a list of keys.
bool HasSets(const ast::GroupBy& group_by);

/// A key that GROUP BY, or "DISTINCT of", can have: kUnsupported for nested values.
arrow::Status CheckKey(const plan::Expr& key, const char* what, plan::SourceRange range);

/// Rows, once for each set: `keys`, null where they are not of the set; the set's number
/// as grouping_id gives it; if sets repeat, their positions. What aggregates read is
/// behind them. The expressions of `keys` and `aggregates` are then columns of that, the
/// numbers among the keys.
std::unique_ptr<plan::Node> ExpandSets(std::unique_ptr<plan::Node> input,
                                       const KeySets& sets,
                                       std::vector<plan::ExprPtr>* keys,
                                       std::vector<plan::Aggregate>* aggregates);

/// What grouping(key) and grouping_id() say, of the number of a set.
arrow::Result<plan::ExprPtr> BindGrouping(const GroupingCall& call,
                                          const std::vector<plan::ExprPtr>& keys,
                                          const plan::ExprPtr& set_number);

}  // namespace wheelpit::sql
