// SPDX-License-Identifier: Apache-2.0
// GROUP BY, DISTINCT and set operations.
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

// Expressions over FROM's columns, put over the groups.
class OverGroups {
 public:
  /// The node's keys are `keys`, and others behind them. What calls of grouping give is
  /// in `groupings`, over the groups.
  OverGroups(const std::vector<ExprPtr>& keys, size_t key_count,
             const std::vector<ExprPtr>& groupings, const ast::Select& select)
      : keys_(keys), key_count_(key_count), groupings_(groupings), select_(select) {}

  arrow::Result<ExprPtr> Put(const ExprPtr& expression) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (plan::Equals(*expression, *keys_[i])) {
        return plan::MakeColumn(static_cast<int>(i), plan::ToString(*keys_[i]),
                                keys_[i]->type, keys_[i]->nullable || HasSets(select_),
                                expression->range);
      }
    }
    if (expression->kind == ExprKind::kColumn) {
      if (expression->column < ExpressionBinder::kFirstAggregate) {
        return NotGrouped(*expression);
      }
      if (expression->column >= ExpressionBinder::kFirstGrouping) {
        return groupings_[static_cast<size_t>(expression->column -
                                              ExpressionBinder::kFirstGrouping)];
      }
      auto moved = std::make_shared<Expr>(*expression);
      moved->column += static_cast<int>(key_count_) - ExpressionBinder::kFirstAggregate;
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
    return select_.group_by
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

  static bool HasSets(const ast::Select& select) {
    return select.group_by && sql::HasSets(*select.group_by);
  }

  const std::vector<ExprPtr>& keys_;
  const size_t key_count_;
  const std::vector<ExprPtr>& groupings_;
  const ast::Select& select_;
};

std::string NameOf(ast::SetOperator op) {
  switch (op) {
    case ast::SetOperator::kExcept:
      return "EXCEPT";
    case ast::SetOperator::kIntersect:
      return "INTERSECT";
    case ast::SetOperator::kUnion:
      break;
  }
  return "UNION";
}

// The type of each column of a set operation.
arrow::Result<std::vector<std::shared_ptr<arrow::DataType>>> CommonTypes(
    const arrow::Schema& left, const arrow::Schema& right, const std::string& operation,
    plan::SourceRange range) {
  if (left.num_fields() != right.num_fields()) {
    return Invalid("NUM_COLUMNS_MISMATCH", range,
                   "the queries of " + operation + " have " +
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
                     "column " + std::to_string(i + 1) + " of " + operation + " is " +
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
  const ast::GroupBy& group_by = *select.group_by;
  const auto& written = group_by.items;
  if (group_by.all || (written.size() == 1 && written[0].expression != nullptr &&
                       IsAll(*written[0].expression, list->items))) {
    for (const BoundName& item : list->items) {
      if (!ExpressionBinder::HasPlaceholder(*item.expression)) {
        ARROW_RETURN_NOT_OK(
            CheckKey(*item.expression, "GROUP BY", item.expression->range));
        list->keys.push_back(item.expression);
      }
    }
    return arrow::Status::OK();
  }
  ExpressionBinder binder(scope, options_);
  binder.set_clause("GROUP BY");
  binder.set_aliases(&list->items, ExpressionBinder::AliasOrder::kAfterColumns);
  KeyBinder keys(&binder, list->items, &list->keys);
  if (HasSets(group_by)) {
    ARROW_ASSIGN_OR_RAISE(list->sets, keys.AddSets(group_by));
    return arrow::Status::OK();
  }
  for (const ast::GroupItem& item : written) {
    ARROW_RETURN_NOT_OK(keys.Add(*item.expression));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<ExprPtr>> QueryBinder::BindGroupings(
    const SelectList& list, const std::vector<ExprPtr>& node_keys) {
  std::vector<ExprPtr> bound;
  if (list.groupings.empty()) {
    return bound;
  }
  if (list.sets.empty()) {
    return Invalid("UNSUPPORTED_GROUPING_EXPRESSION", list.groupings[0].range,
                   "grouping and grouping_id are for GROUP BY with ROLLUP, CUBE or "
                   "GROUPING SETS");
  }
  ExprPtr number = plan::MakeLiteral(std::make_shared<arrow::Int64Scalar>(0));
  if (node_keys.size() > list.keys.size()) {
    number = plan::MakeColumn(static_cast<int>(list.keys.size()), "grouping_id",
                              arrow::int64(), false);
  }
  for (const GroupingCall& call : list.groupings) {
    ARROW_ASSIGN_OR_RAISE(bound.emplace_back(), BindGrouping(call, list.keys, number));
  }
  return bound;
}

QueryBinder::NodeResult QueryBinder::Group(const ast::Select& select, NodePtr input,
                                           SelectList* list) {
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kAggregate;
  node->keys = list->keys;
  node->aggregates = std::move(list->aggregates);
  const bool one_set = list->sets.empty() || (list->sets.size() == 1 &&
                                              list->sets[0].size() == list->keys.size());
  if (!one_set) {
    input = ExpandSets(std::move(input), list->sets, &node->keys, &node->aggregates);
  }
  ARROW_ASSIGN_OR_RAISE(const auto groupings, BindGroupings(*list, node->keys));
  const OverGroups groups(list->keys, node->keys.size(), groupings, select);
  for (BoundName& item : list->items) {
    ARROW_ASSIGN_OR_RAISE(item.expression, groups.Put(item.expression));
  }
  for (OrderKey& key : list->order) {
    ARROW_ASSIGN_OR_RAISE(key.expression, groups.Put(key.expression));
  }
  if (list->having != nullptr) {
    ARROW_ASSIGN_OR_RAISE(list->having, groups.Put(list->having));
  }
  arrow::FieldVector fields;
  for (const ExprPtr& key : node->keys) {
    const bool column = key->kind == ExprKind::kColumn;
    fields.push_back(arrow::field(column ? key->name : plan::ToString(*key), key->type,
                                  key->nullable));
  }
  for (const plan::Aggregate& aggregate : node->aggregates) {
    const bool is_count = aggregate.function == plan::AggregateFunction::kCount ||
                          aggregate.function == plan::AggregateFunction::kCountAll;
    fields.push_back(arrow::field(plan::ToString(aggregate), aggregate.type, !is_count));
  }
  node->schema = arrow::schema(std::move(fields));
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

QueryBinder::NodeResult QueryBinder::BindSetOperation(const ast::QueryBody& body) {
  const bool is_union = body.set_operator == ast::SetOperator::kUnion;
  if (!is_union && body.all) {
    return NotYet(NameOf(body.set_operator) + " ALL", body.op_range);
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr left, BindBody(*body.left, {}));
  ARROW_ASSIGN_OR_RAISE(NodePtr right, BindBody(*body.right, {}));
  ARROW_ASSIGN_OR_RAISE(
      auto types, CommonTypes(*left->schema, *right->schema, NameOf(body.set_operator),
                              body.op_range));
  arrow::FieldVector fields;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& field = left->schema->field(static_cast<int>(i));
    fields.push_back(arrow::field(
        field->name(), types[i],
        field->nullable() || right->schema->field(static_cast<int>(i))->nullable()));
  }
  ARROW_ASSIGN_OR_RAISE(left, CastTo(std::move(left), types, body.op_range));
  ARROW_ASSIGN_OR_RAISE(right, CastTo(std::move(right), types, body.op_range));
  if (!is_union) {
    return GroupSides(std::move(left), std::move(right), arrow::schema(std::move(fields)),
                      body);
  }
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kUnion;
  node->schema = arrow::schema(std::move(fields));
  // A chain is one union.
  if (left->kind == NodeKind::kUnion) {
    node->inputs = std::move(left->inputs);
  } else {
    node->inputs.push_back(std::move(left));
  }
  node->inputs.push_back(std::move(right));
  return body.all ? std::move(node) : Distinct(std::move(node), body.op_range);
}

// EXCEPT and INTERSECT: rows of both sides grouped by all columns, then those groups that
// are of the left side only, or of both.
QueryBinder::NodeResult QueryBinder::GroupSides(
    NodePtr left, NodePtr right, const std::shared_ptr<arrow::Schema>& schema,
    const ast::QueryBody& body) {
  const int count = schema->num_fields();
  ARROW_ASSIGN_OR_RAISE(auto with_side,
                        schema->AddField(count, arrow::field("side", arrow::int32())));
  auto both = std::make_unique<Node>();
  both->kind = NodeKind::kUnion;
  both->schema = std::move(with_side);
  for (NodePtr* side : {&left, &right}) {
    std::vector<BoundName> items = ColumnsOf(*(*side)->schema);
    items.push_back({"side", plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(
                                 side == &left ? 0 : 1))});
    both->inputs.push_back(MakeProject(std::move(*side), items));
  }
  const ExprPtr side = ColumnsOf(*both->schema).back().expression;
  ARROW_ASSIGN_OR_RAISE(NodePtr groups, Distinct(std::move(both), body.op_range));
  groups->keys.pop_back();
  arrow::FieldVector fields = schema->fields();
  for (const auto function :
       {plan::AggregateFunction::kMin, plan::AggregateFunction::kMax}) {
    ARROW_ASSIGN_OR_RAISE(plan::Aggregate of_sides,
                          plan::MakeAggregate(function, side, nullptr, body.op_range));
    fields.push_back(arrow::field(plan::ToString(of_sides), arrow::int32()));
    groups->aggregates.push_back(std::move(of_sides));
  }
  groups->schema = arrow::schema(std::move(fields));
  std::vector<BoundName> items = ColumnsOf(*groups->schema);
  const ExprPtr largest = items.back().expression;
  items.pop_back();
  const ExprPtr least = items.back().expression;
  items.pop_back();
  const bool intersect = body.set_operator == ast::SetOperator::kIntersect;
  ExprPtr zero = plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(0));
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr wanted,
      intersect ? plan::MakeCall(plan::Function::kLess, {least, largest})
                : plan::MakeCall(plan::Function::kEqual, {largest, std::move(zero)}));
  return MakeProject(MakeFilter(std::move(groups), std::move(wanted)), items);
}

}  // namespace wheelpit::sql
