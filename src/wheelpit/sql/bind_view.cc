// SPDX-License-Identifier: Apache-2.0
// Views: queries that were written down before. Each use binds the query anew, among the
// views that there are then.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::ExprPtr;
using plan::Node;

namespace {

// The expression as if it were all written at `range`.
ExprPtr At(const ExprPtr& expression, plan::SourceRange range) {
  if (expression == nullptr) {
    return nullptr;
  }
  auto copy = std::make_shared<plan::Expr>(*expression);
  copy->range = range;
  for (ExprPtr& argument : copy->arguments) {
    argument = At(argument, range);
  }
  return copy;
}

void MoveAll(std::vector<ExprPtr>* expressions, plan::SourceRange range) {
  for (ExprPtr& one : *expressions) {
    one = At(one, range);
  }
}

// What fails while the query runs points at where the view is used: its own text is
// another one.
void MoveTo(plan::SourceRange range, Node* node) {
  node->condition = At(node->condition, range);
  for (auto* expressions : {&node->expressions, &node->keys, &node->filter}) {
    MoveAll(expressions, range);
  }
  for (std::vector<ExprPtr>& row : node->rows) {
    MoveAll(&row, range);
  }
  for (plan::Aggregate& aggregate : node->aggregates) {
    aggregate.argument = At(aggregate.argument, range);
    aggregate.filter = At(aggregate.filter, range);
    aggregate.range = range;
  }
  for (const auto& input : node->inputs) {
    MoveTo(range, input.get());
  }
}

// An error in a view's text as one of the text that uses the view.
arrow::Status InView(const arrow::Status& status, const ast::View& view,
                     plan::SourceRange range) {
  core::ErrorInfo info = core::InfoOf(status);
  if (info.sql_offset < 0) {
    return WithRange(status, range);
  }
  const TextPlace place = PlaceOf(view.text, info.sql_offset);
  info.sql_offset = range.offset;
  info.sql_length = range.length;
  return core::MakeStatus(std::move(info), "in view " + view.name[0].text + ", line " +
                                               std::to_string(place.line) + ", column " +
                                               std::to_string(place.column) + ": " +
                                               status.message());
}

// As one of another place of the text.
arrow::Status WithPlace(const arrow::Status& status, plan::SourceRange range) {
  core::ErrorInfo info = core::InfoOf(status);
  info.sql_offset = range.offset;
  info.sql_length = range.length;
  return core::MakeStatus(std::move(info), status.message());
}

arrow::Status CheckColumnNames(const std::vector<ast::Name>& columns) {
  std::unordered_set<std::string> seen;
  for (const ast::Name& column : columns) {
    if (!seen.insert(LowerCase(column.text)).second) {
      return Invalid("COLUMN_ALREADY_EXISTS", column.range,
                     "two columns of the view are called " + column.text);
    }
  }
  return arrow::Status::OK();
}

// A view by the name alone may be asked for; two columns of one name can not.
arrow::Status CheckSchema(const arrow::Schema& schema, plan::SourceRange range) {
  std::unordered_set<std::string> seen;
  for (const auto& field : schema.fields()) {
    if (!seen.insert(LowerCase(field->name())).second) {
      return Invalid("COLUMN_ALREADY_EXISTS", range,
                     "two columns of the view are called " + field->name() +
                         "; give them names with AS, or behind the view's name");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

QueryBinder::NodeResult QueryBinder::BindViewQuery(const ast::Statement& definition) {
  const ast::View& view = definition.view;
  ARROW_RETURN_NOT_OK(CheckColumnNames(view.columns));
  open_views_.push_back(LowerCase(view.name[0].text));
  auto outer_tables = std::exchange(common_tables_, {});
  NodeResult node = BindQuery(*definition.query);
  common_tables_ = std::move(outer_tables);
  open_views_.pop_back();
  ARROW_RETURN_NOT_OK(node.status());
  ARROW_ASSIGN_OR_RAISE(node, NameColumns(*std::move(node), view.columns));
  ARROW_RETURN_NOT_OK(CheckSchema(*(*node)->schema, view.range));
  return node;
}

QueryBinder::NodeResult QueryBinder::BindView(const ast::Statement& definition,
                                              plan::SourceRange range) {
  const ast::View& view = definition.view;
  const std::string name = LowerCase(view.name[0].text);
  if (std::find(open_views_.begin(), open_views_.end(), name) != open_views_.end()) {
    return Invalid("RECURSIVE_VIEW", range,
                   "view " + view.name[0].text + " would be made of itself");
  }
  NodeResult node = BindViewQuery(definition);
  if (!node.ok()) {
    // Of views in views the innermost: it is the one to be mended.
    return std::exchange(error_in_view_, true) ? WithPlace(node.status(), range)
                                               : InView(node.status(), view, range);
  }
  MoveTo(range, node->get());
  return node;
}

}  // namespace wheelpit::sql
