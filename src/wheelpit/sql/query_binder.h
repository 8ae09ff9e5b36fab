// SPDX-License-Identifier: Apache-2.0
// Queries of the syntax tree to plan nodes, not optimised yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/ast.h"
#include "wheelpit/sql/binder.h"
#include "wheelpit/sql/expression_binder.h"
#include "wheelpit/sql/grouping_sets.h"
#include "wheelpit/sql/scope.h"

namespace wheelpit::sql {

class QueryBinder {
 public:
  /// Both outlive the binder.
  QueryBinder(const BindOptions& options, TableResolver& tables)
      : options_(options), tables_(tables) {}

  arrow::Result<std::unique_ptr<plan::Node>> BindQuery(const ast::Query& query);

  /// The query of a CREATE VIEW under the names of its columns, as one that uses the view
  /// sees it. Errors and ranges are those of the CREATE VIEW's text.
  arrow::Result<std::unique_ptr<plan::Node>> BindViewQuery(
      const ast::Statement& definition);

  /// The same for a use of the view at `range`, which all that is bound, and its errors,
  /// point at.
  arrow::Result<std::unique_ptr<plan::Node>> BindView(const ast::Statement& definition,
                                                      plan::SourceRange range);

  /// That a path is one of this machine's: "reading from s3:// is not supported yet".
  static arrow::Status CheckLocal(const std::string& path, const char* doing,
                                  plan::SourceRange range);

  /// The path that a relation names: "file", parquet.`path`, read_parquet('path').
  static arrow::Result<std::string> PathOf(const ast::Relation& relation);

 private:
  static arrow::Result<std::string> AnyPathOf(const ast::Relation& relation);
  using NodeResult = arrow::Result<std::unique_ptr<plan::Node>>;

  /// What FROM gives: rows, and the names of their columns.
  struct Source {
    std::unique_ptr<plan::Node> node;
    Scope scope;
  };

  /// One item of ORDER BY.
  struct OrderItem {
    const ast::Expression* expression = nullptr;
    bool descending = false;
    bool nulls_first = true;
  };
  struct OrderKey {
    plan::ExprPtr expression;
    bool descending = false;
    bool nulls_first = true;
  };

  /// A SELECT bound over what FROM gives, before it is known what its groups are.
  struct SelectList {
    std::vector<BoundName> items;
    std::vector<plan::Aggregate> aggregates;
    std::vector<plan::ExprPtr> keys;
    KeySets sets;  ///< of keys; none: all keys are one
    std::vector<GroupingCall> groupings;
    plan::ExprPtr having;
    std::vector<OrderKey> order;
  };

  NodeResult BindBody(const ast::QueryBody& body, const std::vector<OrderItem>& order);
  NodeResult BindSelect(const ast::Select& select, const std::vector<OrderItem>& order);
  arrow::Status BindItems(const ast::Select& select, const Scope& scope, bool grouped,
                          ExpressionBinder* binder, SelectList* list);
  // bind_groups.cc
  arrow::Status BindKeys(const ast::Select& select, const Scope& scope, SelectList* list);
  static arrow::Result<std::vector<plan::ExprPtr>> BindGroupings(
      const SelectList& list, const std::vector<plan::ExprPtr>& node_keys);
  NodeResult Group(const ast::Select& select, std::unique_ptr<plan::Node> input,
                   SelectList* list);
  static NodeResult Distinct(std::unique_ptr<plan::Node> input, plan::SourceRange range);
  NodeResult BindSetOperation(const ast::QueryBody& body);
  static NodeResult GroupSides(std::unique_ptr<plan::Node> left,
                               std::unique_ptr<plan::Node> right,
                               const std::shared_ptr<arrow::Schema>& schema,
                               const ast::QueryBody& body);
  // bind_order.cc
  static std::vector<OrderItem> OrderOf(const ast::Query& query);
  arrow::Status BindOrder(const std::vector<OrderItem>& order,
                          const std::vector<BoundName>& items, ExpressionBinder* binder,
                          std::vector<OrderKey>* keys);
  NodeResult SortRows(std::unique_ptr<plan::Node> input, std::vector<BoundName> items,
                      const std::vector<OrderKey>& order);
  NodeResult SortDistinct(std::unique_ptr<plan::Node> input, SelectList list,
                          plan::SourceRange range);
  NodeResult SortOutput(std::unique_ptr<plan::Node> input,
                        const std::vector<OrderItem>& order);
  arrow::Result<Source> BindFrom(const ast::Select& select);
  arrow::Result<Source> BindRelation(const ast::Relation& relation,
                                     const ast::Expression* where);
  NodeResult BindRelationRows(const ast::Relation& relation, const ast::Expression* where,
                              std::string* qualifier);
  NodeResult BindFile(const std::string& path, const ast::Expression* where,
                      const std::string& qualifier, plan::SourceRange range);
  NodeResult BindNamedTable(const ast::Relation& relation, const ast::Expression* where,
                            std::string* qualifier);
  NodeResult BindCommonTable(size_t index);
  static NodeResult NameColumns(std::unique_ptr<plan::Node> input,
                                const std::vector<ast::Name>& names);
  NodeResult BindValues(const ast::Relation& values);
  NodeResult BindLimit(const ast::Query& query, std::unique_ptr<plan::Node> input);
  arrow::Result<int64_t> BindRowCount(const ast::Expression& node, const char* clause);
  arrow::Status CheckColumnCount(size_t count, plan::SourceRange range) const;

  const BindOptions& options_;
  TableResolver& tables_;
  std::vector<const ast::CommonTable*> common_tables_;  // those that can be seen here
  std::vector<std::string> open_views_;  // those whose queries are being bound
  bool error_in_view_ = false;           // what Bind returns names its view
  int depth_ = 0;
  int relation_count_ = 0;
};

/// Whether the word ALL of GROUP BY ALL, ORDER BY ALL: no item has that name.
bool IsAll(const ast::Expression& node, const std::vector<BoundName>& items);

/// The columns of a node, under their names.
std::vector<BoundName> ColumnsOf(const arrow::Schema& schema);

/// A column for each item.
std::unique_ptr<plan::Node> MakeProject(std::unique_ptr<plan::Node> input,
                                        const std::vector<BoundName>& items);
/// A kAggregate node without DISTINCT in its aggregates, or what gives the same rows.
arrow::Result<std::unique_ptr<plan::Node>> LowerDistinct(
    std::unique_ptr<plan::Node> aggregate);
std::unique_ptr<plan::Node> MakeFilter(std::unique_ptr<plan::Node> input,
                                       plan::ExprPtr condition);

}  // namespace wheelpit::sql
