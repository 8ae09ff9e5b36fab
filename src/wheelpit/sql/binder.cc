// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/binder.h"

#include <utility>

#include "wheelpit/sql/bind_copy.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/query_binder.h"
#include "wheelpit/sql/rules.h"

namespace wheelpit::sql {
namespace {

// Of a query or a COPY.
arrow::Result<std::unique_ptr<plan::Node>> BindPlan(const ast::Statement& statement,
                                                    const BindOptions& options,
                                                    TableResolver& tables) {
  ARROW_ASSIGN_OR_RAISE(auto plan,
                        QueryBinder(options, tables).BindQuery(*statement.query));
  if (statement.kind == ast::StatementKind::kCopy) {
    ARROW_ASSIGN_OR_RAISE(plan, BindCopy(statement, std::move(plan)));
  }
  return Optimize(std::move(plan));
}

arrow::Result<BoundStatement> BindExplain(const ast::Statement& statement,
                                          const BindOptions& options,
                                          TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kExplain;
  bound.analyze = statement.explain_mode == "ANALYZE";
  const ast::Statement& inner = *statement.inner;
  if (inner.kind != ast::StatementKind::kQuery &&
      inner.kind != ast::StatementKind::kCopy) {
    return NotYet("EXPLAIN of this statement", inner.range);
  }
  ARROW_ASSIGN_OR_RAISE(bound.plan, BindPlan(inner, options, tables));
  return bound;
}

arrow::Result<BoundStatement> BindDescribeTable(const ast::Statement& statement,
                                                const BindOptions& options,
                                                TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kDescribe;
  if (!statement.words.empty()) {
    return NotYet(statement.words, statement.range);
  }
  const ast::Relation& relation = *statement.relation;
  if (relation.kind == ast::RelationKind::kTable && relation.path.size() == 1) {
    if (const auto view = tables.FindView(relation.path[0].text); view != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto plan,
                            QueryBinder(options, tables).BindView(*view, relation.range));
      bound.schema = plan->schema;
      return bound;
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::string path, QueryBinder::PathOf(relation));
  auto opened = tables.OpenPath(path, {});
  if (!opened.ok()) {
    return WithRange(opened.status(), relation.range);
  }
  const auto table = *std::move(opened);
  bound.schema = table->schema;
  bound.partition_columns = table->partition_columns;
  return bound;
}

arrow::Status CheckViewName(const ast::View& view) {
  return view.name.size() == 1
             ? arrow::Status::OK()
             : Invalid("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", view.range,
                       "a view is the session's and has a name of one part");
}

arrow::Result<BoundStatement> BindCreateView(const ast::Statement& statement,
                                             const BindOptions& options,
                                             TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kCreateView;
  ARROW_RETURN_NOT_OK(CheckViewName(statement.view));
  ARROW_RETURN_NOT_OK(QueryBinder(options, tables).BindViewQuery(statement).status());
  return bound;
}

arrow::Result<BoundStatement> BindDropView(const ast::Statement& statement,
                                           const TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kDropView;
  const ast::View& view = statement.view;
  ARROW_RETURN_NOT_OK(CheckViewName(view));
  if (!view.if_exists && tables.FindView(view.name[0].text) == nullptr) {
    return Invalid("TABLE_OR_VIEW_NOT_FOUND", view.range,
                   "there is no view " + view.name[0].text);
  }
  return bound;
}

BoundStatement BoundSetting(BoundKind kind, const ast::Statement& statement) {
  BoundStatement bound;
  bound.kind = kind;
  bound.key = statement.key;
  bound.value = statement.value;
  return bound;
}

}  // namespace

arrow::Result<BoundStatement> Bind(const ast::Statement& statement,
                                   const BindOptions& options, TableResolver& tables) {
  BoundStatement bound;
  switch (statement.kind) {
    case ast::StatementKind::kQuery:
    case ast::StatementKind::kCopy: {
      ARROW_ASSIGN_OR_RAISE(bound.plan, BindPlan(statement, options, tables));
      return bound;
    }
    case ast::StatementKind::kExplain:
      return BindExplain(statement, options, tables);
    case ast::StatementKind::kDescribeQuery: {
      ARROW_ASSIGN_OR_RAISE(auto plan, BindPlan(statement, options, tables));
      bound.kind = BoundKind::kDescribe;
      bound.schema = plan->schema;
      return bound;
    }
    case ast::StatementKind::kDescribeTable:
      return BindDescribeTable(statement, options, tables);
    case ast::StatementKind::kSet:
      return BoundSetting(BoundKind::kSet, statement);
    case ast::StatementKind::kReset:
      return BoundSetting(BoundKind::kReset, statement);
    case ast::StatementKind::kShow:
    case ast::StatementKind::kShowAll:
      return BoundSetting(BoundKind::kShow, statement);
    case ast::StatementKind::kCreateView:
      return BindCreateView(statement, options, tables);
    case ast::StatementKind::kDropView:
      return BindDropView(statement, tables);
    case ast::StatementKind::kShowViews:
      return BoundSetting(BoundKind::kShowViews, statement);
    case ast::StatementKind::kOther:
      break;
  }
  return NotYet(statement.words, statement.range);
}

}  // namespace wheelpit::sql
