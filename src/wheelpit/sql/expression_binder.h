// SPDX-License-Identifier: Apache-2.0
// Expressions of the syntax tree to typed ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/ast.h"
#include "wheelpit/sql/binder.h"
#include "wheelpit/sql/functions.h"
#include "wheelpit/sql/scope.h"

namespace wheelpit::sql {

/// Whether an aggregate function is called anywhere in it (a subquery's are its own).
bool ContainsAggregate(const ast::Expression& expression);

/// A name for an expression that has been bound: an alias of the select list.
struct BoundName {
  std::string name;
  plan::ExprPtr expression;
};

/// grouping(key), grouping_id(key, …) or grouping_id(), bound over FROM's columns.
struct GroupingCall {
  std::vector<plan::ExprPtr> arguments;
  bool of_all = false;  ///< grouping_id
  plan::SourceRange range;
};

/// The type that a CAST names.
arrow::Result<std::shared_ptr<arrow::DataType>> BindType(const ast::TypeName& type);

class ExpressionBinder {
 public:
  /// Both outlive the binder.
  ExpressionBinder(const Scope& scope, const BindOptions& options)
      : scope_(scope), options_(options) {}

  /// From here on aggregates are allowed: each goes into `aggregates` (once, if called
  /// again) and the expression has the column kFirstAggregate + its position there, until
  /// OverGroups replaces it.
  void CollectAggregates(std::vector<plan::Aggregate>* aggregates) {
    aggregates_ = aggregates;
  }
  static constexpr int kFirstAggregate = 1 << 24;

  /// Likewise for calls of grouping and grouping_id.
  void CollectGroupings(std::vector<GroupingCall>* groupings) { groupings_ = groupings; }
  static constexpr int kFirstGrouping = 1 << 25;

  /// Whether a bound expression has such a column.
  static bool HasPlaceholder(const plan::Expr& expression);

  /// Where an aggregate is found that is not allowed: "WHERE".
  void set_clause(std::string_view clause) { clause_ = clause; }

  enum class AliasOrder : uint8_t { kBeforeColumns, kAfterColumns };
  /// Aliases that a name outside of aggregates may mean.
  void set_aliases(const std::vector<BoundName>* aliases,
                   AliasOrder order = AliasOrder::kBeforeColumns) {
    aliases_ = aliases;
    alias_order_ = order;
  }

  arrow::Result<plan::ExprPtr> Bind(const ast::Expression& node);

  /// As Bind, and it must be boolean.
  arrow::Result<plan::ExprPtr> BindCondition(const ast::Expression& node);

 private:
  using Result = arrow::Result<plan::ExprPtr>;

  Result Call(plan::Function function, std::vector<plan::ExprPtr> arguments,
              plan::SourceRange range);
  Result BindColumn(const ast::Expression& node);
  /// Null when no alias has this name.
  Result BindAlias(const ast::Expression& node);
  Result BindLiteral(const ast::Expression& node);
  Result BindUnary(const ast::Expression& node);
  Result BindPlus(plan::ExprPtr operand, plan::SourceRange range);
  Result BindBinary(const ast::Expression& node);
  Result BindLogic(const ast::Expression& node);
  Result BindInterval(const ast::Expression& node);
  Result BindIs(const ast::Expression& node);
  Result BindBetween(const ast::Expression& node);
  Result BindIn(const ast::Expression& node);
  Result BindLike(const ast::Expression& node);
  Result BindOneLike(const ast::Expression& node, plan::ExprPtr value,
                     const ast::Expression& pattern);
  Result BindCase(const ast::Expression& node);
  Result BindCast(const ast::Expression& node);
  Result BindCall(const ast::Expression& node);
  Result BindScalarCall(const ast::Expression& node, const std::string& name);
  Result BindBuiltCall(const ast::Expression& node, const std::string& name);
  Result BindRight(std::vector<plan::ExprPtr> arguments, plan::SourceRange range);
  Result BindGroupingCall(const ast::Expression& node, bool of_all);
  Result BindTrim(const ast::Expression& node, const std::string& name);
  Result BindExtract(const ast::Expression& node);
  Result BindIntervalPart(plan::Function function, plan::ExprPtr source,
                          const ast::Expression& node);
  Result BindAggregate(const ast::Expression& node, const NamedAggregate& named);
  arrow::Result<plan::Aggregate> MakeAggregate(const ast::Expression& node,
                                               const NamedAggregate& named);
  Result TakenAs(AggregateArgument taken, plan::ExprPtr argument,
                 const ast::Expression& node);
  static arrow::Result<plan::Aggregate> MakeDistinct(plan::AggregateFunction function,
                                                     std::vector<plan::ExprPtr> arguments,
                                                     plan::ExprPtr filter,
                                                     plan::SourceRange range);
  Result CountedRow(std::vector<plan::ExprPtr> arguments, plan::SourceRange range);
  arrow::Result<std::vector<plan::ExprPtr>> BindArguments(const ast::Expression& node);
  Result Not(bool negated, plan::ExprPtr expression, plan::SourceRange range);
  /// A chain of ANDs or ORs as a balanced tree.
  Result Balance(plan::Function function, std::vector<plan::ExprPtr> items,
                 plan::SourceRange range);
  /// Counts an operand that is about to be used `times` more; refuses what would make
  /// the expression explode.
  arrow::Status Charge(const plan::Expr& operand, int64_t times, plan::SourceRange range);

  const Scope& scope_;
  const BindOptions& options_;
  std::vector<plan::Aggregate>* aggregates_ = nullptr;
  std::vector<GroupingCall>* groupings_ = nullptr;
  const std::vector<BoundName>* aliases_ = nullptr;
  AliasOrder alias_order_ = AliasOrder::kBeforeColumns;
  std::string_view clause_;
  bool in_aggregate_ = false;
  bool in_filter_ = false;  // of an aggregate
  int64_t repeated_nodes_ = 0;
};

}  // namespace wheelpit::sql
