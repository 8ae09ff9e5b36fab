// SPDX-License-Identifier: Apache-2.0
// ORDER BY.
#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

namespace {

arrow::Result<ExprPtr> ItemAt(const ast::Expression& node,
                              const std::vector<BoundName>& items) {
  // Digits that fit into a size; others are beyond every select list.
  const size_t position = node.text.size() < 10 ? std::stoul(node.text) : 0;
  if (position < 1 || position > items.size()) {
    return Invalid("ORDER_BY_POS_OUT_OF_RANGE", node.range,
                   "ORDER BY takes positions from 1 to " + std::to_string(items.size()) +
                       " of the select list");
  }
  return items[position - 1].expression;
}

arrow::Status CheckOrdered(const plan::Expr& key, plan::SourceRange range) {
  if (plan::ClassOf(*key.type) == plan::TypeClass::kOther) {
    return NotYet("ORDER BY a value of type " + plan::TypeName(*key.type), range);
  }
  return arrow::Status::OK();
}

// The position of the expression among the items, which it is added to if need be.
int PositionOf(const ExprPtr& expression, std::vector<BoundName>* items) {
  for (size_t i = 0; i < items->size(); ++i) {
    if (plan::Equals(*(*items)[i].expression, *expression)) {
      return static_cast<int>(i);
    }
  }
  items->push_back({plan::ToString(*expression), expression});
  return static_cast<int>(items->size()) - 1;
}

// An expression over the rows of a select list: what is equal to an item is its column.
arrow::Result<ExprPtr> OverItems(const ExprPtr& expression,
                                 const std::vector<BoundName>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (plan::Equals(*items[i].expression, *expression)) {
      return plan::MakeColumn(static_cast<int>(i), items[i].name, expression->type,
                              expression->nullable, expression->range);
    }
  }
  if (expression->kind == plan::ExprKind::kColumn) {
    return Invalid("UNRESOLVED_COLUMN", expression->range,
                   "with SELECT DISTINCT, ORDER BY takes what is in the select list");
  }
  if (expression->arguments.empty()) {
    return expression;
  }
  auto copy = std::make_shared<plan::Expr>(*expression);
  for (ExprPtr& argument : copy->arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, OverItems(argument, items));
  }
  return copy;
}

}  // namespace

bool IsAll(const ast::Expression& node, const std::vector<BoundName>& items) {
  return node.kind == ast::ExpressionKind::kColumn && node.path.size() == 1 &&
         !node.path[0].quoted && SameName(node.path[0].text, "all") &&
         std::none_of(items.begin(), items.end(),
                      [](const BoundName& item) { return SameName(item.name, "all"); });
}

// One task gives all rows, so what sorts within partitions sorts them all, and how rows
// are distributed to partitions makes no difference.
std::vector<QueryBinder::OrderItem> QueryBinder::OrderOf(const ast::Query& query) {
  std::vector<OrderItem> order;
  for (const auto& items : {&query.order_by, &query.sort_by}) {
    for (const ast::SortItem& item : *items) {
      order.push_back({item.expression.get(), item.descending,
                       item.nulls_first.value_or(!item.descending)});
    }
  }
  for (const ast::ExpressionPtr& item : query.cluster_by) {
    order.push_back({item.get()});
  }
  return order;
}

arrow::Status QueryBinder::BindOrder(const std::vector<OrderItem>& order,
                                     const std::vector<BoundName>& items,
                                     ExpressionBinder* binder,
                                     std::vector<OrderKey>* keys) {
  binder->set_aliases(&items);
  for (const OrderItem& item : order) {
    const ast::Expression& node = *item.expression;
    if (order.size() == 1 && IsAll(node, items)) {
      for (const BoundName& one : items) {
        ARROW_RETURN_NOT_OK(CheckOrdered(*one.expression, node.range));
        keys->push_back({one.expression, item.descending, item.nulls_first});
      }
      continue;
    }
    ExprPtr key;
    if (node.kind == ast::ExpressionKind::kLiteral &&
        node.literal == ast::LiteralKind::kInteger) {
      ARROW_ASSIGN_OR_RAISE(key, ItemAt(node, items));
    } else {
      ARROW_ASSIGN_OR_RAISE(key, binder->Bind(node));
    }
    ARROW_RETURN_NOT_OK(CheckOrdered(*key, node.range));
    // Literals are the same in every row.
    if (key->kind != plan::ExprKind::kLiteral) {
      keys->push_back({std::move(key), item.descending, item.nulls_first});
    }
  }
  return arrow::Status::OK();
}

// The different rows of a select list, in order.
QueryBinder::NodeResult QueryBinder::SortDistinct(NodePtr input, SelectList list,
                                                  plan::SourceRange range) {
  for (OrderKey& key : list.order) {
    ARROW_ASSIGN_OR_RAISE(key.expression, OverItems(key.expression, list.items));
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr node,
                        Distinct(MakeProject(std::move(input), list.items), range));
  if (list.order.empty()) {
    return node;
  }
  std::vector<BoundName> columns = ColumnsOf(*node->schema);
  return SortRows(std::move(node), std::move(columns), list.order);
}

// The select list over `input`, in order: what only the order needs is dropped behind the
// sort.
QueryBinder::NodeResult QueryBinder::SortRows(NodePtr input, std::vector<BoundName> items,
                                              const std::vector<OrderKey>& order) {
  const size_t visible = items.size();
  std::vector<plan::SortKey> keys;
  for (const OrderKey& key : order) {
    const int column = PositionOf(key.expression, &items);
    const bool repeated =
        std::any_of(keys.begin(), keys.end(),
                    [&](const plan::SortKey& one) { return one.column == column; });
    if (!repeated) {
      keys.push_back({column, key.descending, key.nulls_first});
    }
  }
  NodePtr node = MakeProject(std::move(input), items);
  if (keys.empty()) {
    return node;
  }
  auto sort = std::make_unique<Node>();
  sort->kind = NodeKind::kSort;
  sort->schema = node->schema;
  sort->sort_keys = std::move(keys);
  sort->inputs.push_back(std::move(node));
  if (items.size() == visible) {
    return sort;
  }
  std::vector<BoundName> shown = ColumnsOf(*sort->schema);
  shown.resize(visible);
  return MakeProject(std::move(sort), shown);
}

// Of VALUES, a union, a query in parentheses: only their own columns can be named.
QueryBinder::NodeResult QueryBinder::SortOutput(NodePtr input,
                                                const std::vector<OrderItem>& order) {
  if (order.empty()) {
    return input;
  }
  std::vector<BoundName> items = ColumnsOf(*input->schema);
  const Scope scope(*input->schema, "");
  ExpressionBinder binder(scope, options_);
  binder.set_clause("ORDER BY of this query");
  std::vector<OrderKey> keys;
  ARROW_RETURN_NOT_OK(BindOrder(order, items, &binder, &keys));
  return SortRows(std::move(input), std::move(items), keys);
}

}  // namespace wheelpit::sql
