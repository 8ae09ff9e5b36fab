// SPDX-License-Identifier: Apache-2.0
// GROUP BY, DISTINCT and UNION.
//
// A SELECT is bound over the columns of FROM first; where it has groups, each expression
// is then put over the groups: what is equal to a key becomes the key's column.
#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

namespace {

bool IsInteger(const ast::Expression& expression) {
  return expression.kind == ast::ExpressionKind::kLiteral &&
         expression.literal == ast::LiteralKind::kInteger;
}

bool HasAggregate(const Expr& expression) {
  return (expression.kind == ExprKind::kColumn &&
          expression.column >= ExpressionBinder::kFirstAggregate) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExprPtr& argument) { return HasAggregate(*argument); });
}

arrow::Status CheckKey(const Expr& key, const char* what, plan::SourceRange range) {
  if (plan::ClassOf(*key.type) == plan::TypeClass::kOther) {
    return NotYet(std::string(what) + " a value of type " + plan::TypeName(*key.type),
                  range);
  }
  return arrow::Status::OK();
}

// Expressions over FROM's columns, put over the groups.
class OverGroups {
 public:
  OverGroups(const std::vector<ExprPtr>& keys, bool has_group_by)
      : keys_(keys), has_group_by_(has_group_by) {}

  arrow::Result<ExprPtr> Put(const ExprPtr& expression) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (plan::Equals(*expression, *keys_[i])) {
        return plan::MakeColumn(static_cast<int>(i), plan::ToString(*keys_[i]),
                                keys_[i]->type, keys_[i]->nullable, expression->range);
      }
    }
    if (expression->kind == ExprKind::kColumn) {
      if (expression->column < ExpressionBinder::kFirstAggregate) {
        return NotGrouped(*expression);
      }
      auto moved = std::make_shared<Expr>(*expression);
      moved->column += static_cast<int>(keys_.size()) - ExpressionBinder::kFirstAggregate;
      return moved;
    }
    if (expression->arguments.empty()) {
      return expression;
    }
    auto copy = std::make_shared<Expr>(*expression);
    for (ExprPtr& argument : copy->arguments) {
      ARROW_ASSIGN_OR_RAISE(argument, Put(argument));
    }
    return copy;
  }

 private:
  arrow::Status NotGrouped(const Expr& column) const {
    return has_group_by_
               ? Invalid(
                     "MISSING_AGGREGATION", column.range,
                     "the column " + column.name +
                         " is neither in GROUP BY nor inside of an aggregate function; "
                         "add it to GROUP BY, or take min(" +
                         column.name + ") of it")
               : Invalid("MISSING_GROUP_BY", column.range,
                         "the column " + column.name +
                             " is outside of the aggregate functions of this query, and "
                             "there is no GROUP BY");
  }

  const std::vector<ExprPtr>& keys_;
  const bool has_group_by_;
};

arrow::Status CheckSupported(const ast::GroupBy& group_by) {
  if (group_by.with_rollup || group_by.with_cube || !group_by.grouping_sets.empty()) {
    return NotYet(group_by.with_rollup ? "WITH ROLLUP"
                  : group_by.with_cube ? "WITH CUBE"
                                       : "GROUPING SETS",
                  group_by.range);
  }
  for (const ast::GroupItem& item : group_by.items) {
    if (item.kind != ast::GroupItem::Kind::kExpression) {
      return NotYet("ROLLUP, CUBE or GROUPING SETS", group_by.range);
    }
  }
  return arrow::Status::OK();
}

// The type of each column of a union.
arrow::Result<std::vector<std::shared_ptr<arrow::DataType>>> UnionTypes(
    const arrow::Schema& left, const arrow::Schema& right, plan::SourceRange range) {
  if (left.num_fields() != right.num_fields()) {
    return Invalid("NUM_COLUMNS_MISMATCH", range,
                   "the queries of UNION have " +
                       core::Counted(left.num_fields(), "column") + " and " +
                       std::to_string(right.num_fields()));
  }
  std::vector<std::shared_ptr<arrow::DataType>> types;
  for (int i = 0; i < left.num_fields(); ++i) {
    const auto& one = left.field(i)->type();
    const auto& other = right.field(i)->type();
    types.push_back(one->Equals(*other) ? one : plan::CommonType(one, other));
    if (types.back() == nullptr) {
      return Invalid("INCOMPATIBLE_COLUMN_TYPE", range,
                     "column " + std::to_string(i + 1) + " of UNION is " +
                         plan::TypeName(*one) + " before and " + plan::TypeName(*other) +
                         " after it; cast one of them");
    }
  }
  return types;
}

arrow::Result<NodePtr> CastTo(NodePtr input,
                              const std::vector<std::shared_ptr<arrow::DataType>>& types,
                              plan::SourceRange range) {
  std::vector<BoundName> items;
  bool same = true;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& field = input->schema->field(static_cast<int>(i));
    ExprPtr column = plan::MakeColumn(static_cast<int>(i), field->name(), field->type(),
                                      field->nullable(), range);
    same = same && field->type()->Equals(*types[i]);
    ARROW_ASSIGN_OR_RAISE(column,
                          plan::MakeCast(std::move(column), types[i], false, range));
    items.push_back({field->name(), std::move(column)});
  }
  return same ? std::move(input) : MakeProject(std::move(input), items);
}

}  // namespace

arrow::Status QueryBinder::BindKeys(const ast::Select& select, const Scope& scope,
                                    SelectList* list) {
  if (!select.group_by) {
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(CheckSupported(*select.group_by));
  std::vector<ExprPtr> keys;
  const auto& written = select.group_by->items;
  if (select.group_by->all ||
      (written.size() == 1 && IsAll(*written[0].expression, list->items))) {
    for (const BoundName& item : list->items) {
      if (!HasAggregate(*item.expression)) {
        keys.push_back(item.expression);
      }
    }
  }
  ExpressionBinder binder(scope, options_);
  binder.set_clause("GROUP BY");
  binder.set_aliases(&list->items, ExpressionBinder::AliasOrder::kAfterColumns);
  for (const ast::GroupItem& item : written) {
    const ast::Expression& node = *item.expression;
    if (written.size() == 1 && IsAll(node, list->items)) {
      break;
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr key, binder.Bind(node));
    if (IsInteger(node)) {
      const auto& position = static_cast<const arrow::Int32Scalar&>(*key->literal);
      const bool known = key->literal->type->id() == arrow::Type::INT32 &&
                         position.value >= 1 &&
                         static_cast<size_t>(position.value) <= list->items.size();
      if (!known) {
        return Invalid("GROUP_BY_POS_OUT_OF_RANGE", node.range,
                       "GROUP BY takes positions from 1 to " +
                           std::to_string(list->items.size()) + " of the select list");
      }
      key = list->items[static_cast<size_t>(position.value) - 1].expression;
    }
    if (HasAggregate(*key)) {
      return Invalid(IsInteger(node) ? "GROUP_BY_POS_AGGREGATE" : "GROUP_BY_AGGREGATE",
                     node.range, "an aggregate function cannot be a key of GROUP BY");
    }
    keys.push_back(std::move(key));
  }
  for (ExprPtr& key : keys) {
    ARROW_RETURN_NOT_OK(CheckKey(*key, "GROUP BY", key->range));
    // Literals group nothing.
    const bool known =
        key->kind == ExprKind::kLiteral ||
        std::any_of(list->keys.begin(), list->keys.end(),
                    [&](const ExprPtr& one) { return plan::Equals(*one, *key); });
    if (!known) {
      list->keys.push_back(std::move(key));
    }
  }
  // Without rows there is no group, other than without GROUP BY.
  if (list->keys.empty() && !keys.empty()) {
    list->keys.push_back(plan::MakeLiteral(std::make_shared<arrow::BooleanScalar>(true)));
  }
  return arrow::Status::OK();
}

QueryBinder::NodeResult QueryBinder::Group(const ast::Select& select, NodePtr input,
                                           SelectList* list) {
  const OverGroups groups(list->keys, select.group_by.has_value());
  for (BoundName& item : list->items) {
    ARROW_ASSIGN_OR_RAISE(item.expression, groups.Put(item.expression));
  }
  for (OrderKey& key : list->order) {
    ARROW_ASSIGN_OR_RAISE(key.expression, groups.Put(key.expression));
  }
  if (list->having != nullptr) {
    ARROW_ASSIGN_OR_RAISE(list->having, groups.Put(list->having));
  }
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kAggregate;
  arrow::FieldVector fields;
  for (const ExprPtr& key : list->keys) {
    const bool column = key->kind == ExprKind::kColumn;
    fields.push_back(arrow::field(column ? key->name : plan::ToString(*key), key->type,
                                  key->nullable));
  }
  for (const plan::Aggregate& aggregate : list->aggregates) {
    const bool is_count = aggregate.function == plan::AggregateFunction::kCount ||
                          aggregate.function == plan::AggregateFunction::kCountAll;
    fields.push_back(arrow::field(plan::ToString(aggregate), aggregate.type, !is_count));
  }
  node->schema = arrow::schema(std::move(fields));
  node->keys = std::move(list->keys);
  node->aggregates = std::move(list->aggregates);
  node->inputs.push_back(std::move(input));
  ARROW_ASSIGN_OR_RAISE(node, LowerDistinct(std::move(node)));
  if (list->having != nullptr) {
    node = MakeFilter(std::move(node), list->having);
  }
  return node;
}

QueryBinder::NodeResult QueryBinder::Distinct(NodePtr input, plan::SourceRange range) {
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kAggregate;
  node->schema = input->schema;
  for (int i = 0; i < input->schema->num_fields(); ++i) {
    const auto& field = input->schema->field(i);
    node->keys.push_back(
        plan::MakeColumn(i, field->name(), field->type(), field->nullable()));
    ARROW_RETURN_NOT_OK(CheckKey(*node->keys.back(), "DISTINCT of", range));
  }
  node->inputs.push_back(std::move(input));
  return node;
}

QueryBinder::NodeResult QueryBinder::BindUnion(const ast::QueryBody& body) {
  ARROW_ASSIGN_OR_RAISE(NodePtr left, BindBody(*body.left, {}));
  ARROW_ASSIGN_OR_RAISE(NodePtr right, BindBody(*body.right, {}));
  ARROW_ASSIGN_OR_RAISE(auto types,
                        UnionTypes(*left->schema, *right->schema, body.op_range));
  arrow::FieldVector fields;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& field = left->schema->field(static_cast<int>(i));
    fields.push_back(arrow::field(
        field->name(), types[i],
        field->nullable() || right->schema->field(static_cast<int>(i))->nullable()));
  }
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kUnion;
  node->schema = arrow::schema(std::move(fields));
  ARROW_ASSIGN_OR_RAISE(left, CastTo(std::move(left), types, body.op_range));
  ARROW_ASSIGN_OR_RAISE(right, CastTo(std::move(right), types, body.op_range));
  // A chain is one union.
  if (left->kind == NodeKind::kUnion) {
    node->inputs = std::move(left->inputs);
  } else {
    node->inputs.push_back(std::move(left));
  }
  node->inputs.push_back(std::move(right));
  return body.all ? std::move(node) : Distinct(std::move(node), body.op_range);
}

}  // namespace wheelpit::sql
