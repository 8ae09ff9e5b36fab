// SPDX-License-Identifier: Apache-2.0
// Select lists, filters, aggregates and limits. FROM is in bind_relation.cc.
#include "wheelpit/sql/query_binder.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/display_name.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {

using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

namespace {

// A query of more columns is one that multiplies stars on purpose.
constexpr size_t kColumnsMax = 100000;

// The first clause of a query that parses and is not planned yet.
arrow::Status CheckSupported(const ast::Query& query) {
  if (!query.pipe.empty()) {
    return NotYet("|> " + query.pipe[0].word, query.pipe[0].range);
  }
  if (!query.windows.empty()) {
    return NotYet("WINDOW", query.windows_range);
  }
  if (query.recursive) {
    return NotYet("WITH RECURSIVE", query.with_range);
  }
  return arrow::Status::OK();
}

arrow::Status CheckSupported(const ast::Select& select) {
  if (select.transform) {
    return NotYet("TRANSFORM", select.items[0].expression->range);
  }
  if (!select.lateral_views.empty()) {
    return NotYet("LATERAL VIEW", select.lateral_views[0].range);
  }
  if (select.qualify != nullptr) {
    return NotYet("QUALIFY", select.qualify_range);
  }
  if (!select.windows.empty()) {
    return NotYet("WINDOW", select.windows_range);
  }
  return arrow::Status::OK();
}

// A date moved by a number: its text is the function's, which only types can tell.
std::string MovedDateName(const ast::Expression& sum, const plan::Expr& bound) {
  bool swapped = bound.arguments[0]->range.offset > bound.arguments[1]->range.offset;
  return std::string(plan::FunctionName(bound.function)) + "(" +
         DisplayName(*sum.operands[swapped ? 1 : 0]) + ", " +
         DisplayName(*sum.operands[swapped ? 0 : 1]) + ")";
}

// count(DISTINCT *) is called by the columns that it counts.
arrow::Result<std::string> CountedStarName(const ast::Expression& call,
                                           const Scope& scope) {
  std::string name;
  ARROW_ASSIGN_OR_RAISE(auto columns, scope.Expand(*call.operands[0]));
  for (const size_t column : columns) {
    name += (name.empty() ? "" : ", ") + scope.name(column);
  }
  return "count(DISTINCT " + name + ")";
}

bool IsCountedStar(const ast::Expression& expression) {
  return expression.kind == ast::ExpressionKind::kCall && expression.call->distinct &&
         expression.call->filter == nullptr && expression.operands.size() == 1 &&
         expression.operands[0]->kind == ast::ExpressionKind::kStar;
}

arrow::Result<std::string> NameOf(const ast::SelectItem& item, const plan::Expr& bound,
                                  const Scope& scope) {
  const ast::Expression& expression = *item.expression;
  if (item.aliases.size() > 1) {
    return NotYet("an expression that gives several columns", expression.range);
  }
  if (!item.aliases.empty()) {
    return item.aliases[0].text;
  }
  if (IsCountedStar(expression)) {
    return CountedStarName(expression, scope);
  }
  bool moved = bound.kind == plan::ExprKind::kCall &&
               (bound.function == plan::Function::kDateAdd ||
                bound.function == plan::Function::kDateSub) &&
               expression.kind == ast::ExpressionKind::kBinary &&
               expression.operands[0]->kind != ast::ExpressionKind::kInterval &&
               expression.operands[1]->kind != ast::ExpressionKind::kInterval;
  // A column that is cast keeps its name; any other cast shows.
  const bool column = expression.kind == ast::ExpressionKind::kCast &&
                      expression.operands[0]->kind == ast::ExpressionKind::kColumn;
  return moved    ? MovedDateName(expression, bound)
         : column ? DisplayName(*expression.operands[0])
                  : DisplayName(expression);
}

// A name that is no column and is an alias of an item before: say so.
arrow::Status ExplainAlias(const arrow::Status& status, const ast::Expression& expression,
                           const std::vector<BoundName>& before) {
  core::ErrorInfo info = core::InfoOf(status);
  if (info.error_class != kUnresolvedColumn) {
    return status;
  }
  std::vector<const ast::Expression*> open = {&expression};
  while (!open.empty()) {
    const ast::Expression& node = *open.back();
    open.pop_back();
    bool here = node.kind == ast::ExpressionKind::kColumn && node.path.size() == 1 &&
                node.range.offset == info.sql_offset;
    for (const BoundName& alias : before) {
      if (here && SameName(alias.name, node.path[0].text)) {
        return NotYet("using the alias " + alias.name + " in the same SELECT",
                      node.range);
      }
    }
    for (const ast::ExpressionPtr& operand : node.operands) {
      open.push_back(operand.get());
    }
  }
  return status;
}

}  // namespace

std::vector<BoundName> ColumnsOf(const arrow::Schema& schema) {
  std::vector<BoundName> columns;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const auto& field = schema.field(i);
    columns.push_back({field->name(), plan::MakeColumn(i, field->name(), field->type(),
                                                       field->nullable())});
  }
  return columns;
}

NodePtr MakeFilter(NodePtr input, ExprPtr condition) {
  auto filter = std::make_unique<Node>();
  filter->kind = NodeKind::kFilter;
  filter->schema = input->schema;
  filter->condition = std::move(condition);
  filter->inputs.push_back(std::move(input));
  return filter;
}

NodePtr MakeProject(NodePtr input, const std::vector<BoundName>& items) {
  auto project = std::make_unique<Node>();
  project->kind = NodeKind::kProject;
  arrow::FieldVector fields;
  for (const BoundName& item : items) {
    fields.push_back(
        arrow::field(item.name, item.expression->type, item.expression->nullable));
    project->expressions.push_back(item.expression);
  }
  project->schema = arrow::schema(std::move(fields));
  project->inputs.push_back(std::move(input));
  return project;
}

arrow::Status QueryBinder::CheckColumnCount(size_t count, plan::SourceRange range) const {
  if (count > kColumnsMax) {
    return Invalid(
        "TOO_MANY_COLUMNS", range,
        "this query has more than " + std::to_string(kColumnsMax) + " columns");
  }
  return arrow::Status::OK();
}

QueryBinder::NodeResult QueryBinder::BindQuery(const ast::Query& query) {
  ARROW_RETURN_NOT_OK(CheckSupported(query));
  if (depth_ >= kNestingMax) {
    return Invalid("QUERY_TOO_DEEP", {.offset = query.range.offset, .length = 1},
                   "queries are nested more than " + std::to_string(kNestingMax) +
                       " levels deep here, common tables counted; split the query");
  }
  ++depth_;
  size_t visible = common_tables_.size();
  for (const ast::CommonTable& table : query.common_tables) {
    common_tables_.push_back(&table);
  }
  NodeResult node = BindBody(*query.body, OrderOf(query));
  if (node.ok()) {
    node = BindLimit(query, *std::move(node));
  }
  common_tables_.resize(visible);
  --depth_;
  return node;
}

QueryBinder::NodeResult QueryBinder::BindBody(const ast::QueryBody& body,
                                              const std::vector<OrderItem>& order) {
  switch (body.kind) {
    case ast::BodyKind::kSelect:
      return BindSelect(*body.select, order);
    case ast::BodyKind::kValues: {
      ARROW_ASSIGN_OR_RAISE(Source source, BindRelation(*body.values, nullptr));
      return SortOutput(std::move(source.node), order);
    }
    case ast::BodyKind::kQuery: {
      ARROW_ASSIGN_OR_RAISE(NodePtr node, BindQuery(*body.query));
      return SortOutput(std::move(node), order);
    }
    case ast::BodyKind::kSetOperation:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr node, BindSetOperation(body));
  return SortOutput(std::move(node), order);
}

QueryBinder::NodeResult QueryBinder::BindSelect(const ast::Select& select,
                                                const std::vector<OrderItem>& order) {
  ARROW_RETURN_NOT_OK(CheckSupported(select));
  ARROW_ASSIGN_OR_RAISE(Source source, BindFrom(select));
  if (select.where != nullptr) {
    ExpressionBinder binder(source.scope, options_);
    binder.set_clause("WHERE");
    ARROW_ASSIGN_OR_RAISE(ExprPtr condition, binder.BindCondition(*select.where));
    source.node = MakeFilter(std::move(source.node), std::move(condition));
  }
  SelectList list;
  ExpressionBinder binder(source.scope, options_);
  binder.CollectAggregates(&list.aggregates);
  binder.CollectGroupings(&list.groupings);
  const auto aggregates = [](const auto& item) {
    return ContainsAggregate(*item.expression);
  };
  bool grouped = select.group_by.has_value() || select.having != nullptr ||
                 std::any_of(select.items.begin(), select.items.end(), aggregates);
  ARROW_RETURN_NOT_OK(BindItems(select, source.scope, grouped, &binder, &list));
  binder.set_aliases(&list.items);
  if (select.having != nullptr) {
    ARROW_ASSIGN_OR_RAISE(list.having, binder.BindCondition(*select.having));
  }
  ARROW_RETURN_NOT_OK(BindOrder(order, list.items, &binder, &list.order));
  if (grouped || !list.aggregates.empty() || !list.groupings.empty()) {
    ARROW_RETURN_NOT_OK(BindKeys(select, source.scope, &list));
    ARROW_ASSIGN_OR_RAISE(source.node, Group(select, std::move(source.node), &list));
  }
  return select.distinct
             ? SortDistinct(std::move(source.node), std::move(list),
                            select.distinct_range)
             : SortRows(std::move(source.node), std::move(list.items), list.order);
}

arrow::Status QueryBinder::BindItems(const ast::Select& select, const Scope& scope,
                                     bool grouped, ExpressionBinder* binder,
                                     SelectList* list) {
  for (const ast::SelectItem& item : select.items) {
    const ast::Expression& expression = *item.expression;
    if (expression.kind == ast::ExpressionKind::kStar) {
      if (select.from.empty()) {
        return Invalid("PARSE_SYNTAX_ERROR", expression.range, "* needs FROM");
      }
      if (grouped && !select.group_by) {
        return Invalid("MISSING_GROUP_BY", expression.range,
                       "* beside aggregate functions needs GROUP BY");
      }
      ARROW_ASSIGN_OR_RAISE(auto columns, scope.Expand(expression));
      ARROW_RETURN_NOT_OK(
          CheckColumnCount(list->items.size() + columns.size(), expression.range));
      for (size_t column : columns) {
        list->items.push_back({scope.name(column), scope.At(column, expression.range)});
      }
      continue;
    }
    auto bound = binder->Bind(expression);
    if (!bound.ok()) {
      return ExplainAlias(bound.status(), expression, list->items);
    }
    ARROW_ASSIGN_OR_RAISE(std::string name, NameOf(item, **bound, scope));
    list->items.push_back({std::move(name), *std::move(bound)});
  }
  return arrow::Status::OK();
}

arrow::Result<int64_t> QueryBinder::BindRowCount(const ast::Expression& node,
                                                 const char* clause) {
  Scope no_columns;
  auto bound = ExpressionBinder(no_columns, options_).Bind(node);
  bool unknown =
      !bound.ok() && core::InfoOf(bound.status()).error_class == kUnresolvedColumn;
  if (!bound.ok() && !unknown) {
    return bound.status();
  }
  if (unknown || (*bound)->kind != plan::ExprKind::kLiteral) {
    return Invalid("INVALID_LIMIT_LIKE_EXPRESSION", node.range,
                   std::string(clause) + " takes a number that is known beforehand");
  }
  const arrow::Scalar& value = *(*bound)->literal;
  int64_t count = 0;
  if (value.is_valid && value.type->id() == arrow::Type::INT32) {
    count = static_cast<const arrow::Int32Scalar&>(value).value;
  } else {
    return Invalid(
        "INVALID_LIMIT_LIKE_EXPRESSION", node.range,
        std::string(clause) + " takes an int, not " + plan::TypeName(*value.type));
  }
  if (count < 0) {
    return Invalid("INVALID_LIMIT_LIKE_EXPRESSION", node.range,
                   std::string(clause) + " takes a number of at least 0");
  }
  return count;
}

QueryBinder::NodeResult QueryBinder::BindLimit(const ast::Query& query, NodePtr input) {
  if (query.limit == nullptr && query.offset == nullptr) {
    return input;
  }
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kLimit;
  node->schema = input->schema;
  if (query.limit != nullptr) {
    ARROW_ASSIGN_OR_RAISE(node->limit, BindRowCount(*query.limit, "LIMIT"));
  }
  if (query.offset != nullptr) {
    ARROW_ASSIGN_OR_RAISE(node->offset, BindRowCount(*query.offset, "OFFSET"));
  }
  node->inputs.push_back(std::move(input));
  return node;
}

}  // namespace wheelpit::sql
