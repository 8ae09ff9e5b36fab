// SPDX-License-Identifier: Apache-2.0
// DISTINCT in aggregate functions: groups below make each value one row.
//
// With one list of arguments rows are grouped by keys and arguments, then by the keys
// alone; aggregates without DISTINCT are carried through both groupings.
//
// Several lists without GROUP BY are several queries of one row each, which are put side
// by side, as long as reading the input again costs next to nothing. With GROUP BY, and
// where an aggregate cannot be carried, each row is first made several, one for every
// list with the arguments of that list only, and one with what aggregates without
// DISTINCT need; a number tells them apart. Grouped by keys, number and arguments, the
// latter aggregates are done, in the one group of their number; the second grouping takes
// them as they are and sees each list's values once. Where a row is not of a list its
// arguments are null, which no aggregate counts.
#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/expression_binder.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::ExprPtr;
using plan::Function;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

arrow::Result<Aggregate> ExpressionBinder::MakeDistinct(AggregateFunction function,
                                                        std::vector<ExprPtr> arguments,
                                                        ExprPtr filter,
                                                        plan::SourceRange range) {
  for (const ExprPtr& argument : arguments) {
    if (plan::ClassOf(*argument->type) == plan::TypeClass::kOther) {
      return NotYet("DISTINCT of a value of type " + plan::TypeName(*argument->type),
                    argument->range.offset < 0 ? range : argument->range);
    }
  }
  ARROW_ASSIGN_OR_RAISE(
      Aggregate aggregate,
      plan::MakeAggregate(function, arguments[0], std::move(filter), range));
  // Values are told apart as what they are aggregated as.
  arguments[0] = aggregate.argument;
  aggregate.distinct = std::move(arguments);
  return aggregate;
}

namespace {

constexpr int kPlain = -1;

ExprPtr Number(int32_t value) {
  return plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(value));
}

ExprPtr ColumnAt(const Node& node, size_t position) {
  const arrow::Field& field = *node.schema->field(static_cast<int>(position));
  return plan::MakeColumn(static_cast<int>(position), field.name(), field.type(),
                          field.nullable());
}

bool IsCount(const Aggregate& aggregate) {
  return aggregate.function == AggregateFunction::kCount ||
         aggregate.function == AggregateFunction::kCountAll;
}

bool SameList(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const ExprPtr& x, const ExprPtr& y) { return plan::Equals(*x, *y); });
}

// The arguments that an aggregate tells apart; null where its filter leaves a row out.
arrow::Result<std::vector<ExprPtr>> ListOf(const Aggregate& aggregate) {
  std::vector<ExprPtr> list = aggregate.distinct;
  if (aggregate.filter != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        list[0],
        plan::MakeCall(Function::kCase, {aggregate.filter, list[0]}, aggregate.range));
  }
  return list;
}

// Null unless all are there; for one, itself.
arrow::Result<ExprPtr> AllThere(std::vector<ExprPtr> list) {
  if (list.size() == 1) {
    return list[0];
  }
  for (ExprPtr& one : list) {
    ARROW_ASSIGN_OR_RAISE(one, plan::MakeCall(Function::kIsNotNull, {one}));
  }
  // In pairs: a chain might be too deep.
  while (list.size() > 1) {
    std::vector<ExprPtr> pairs;
    for (size_t i = 0; i + 1 < list.size(); i += 2) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr both,
                            plan::MakeCall(Function::kAnd, {list[i], list[i + 1]}));
      pairs.push_back(std::move(both));
    }
    if (list.size() % 2 == 1) {
      pairs.push_back(list.back());
    }
    list = std::move(pairs);
  }
  return plan::MakeCall(Function::kCase, {list[0], Number(1)});
}

// Whether a query's rows can be had again for little: those of files, none left out.
bool IsReadAgain(const Node& node) {
  return (node.kind == NodeKind::kScan && node.filter.empty()) ||
         (node.kind == NodeKind::kProject && IsReadAgain(*node.inputs[0]));
}

NodePtr Copy(const Node& node) {
  auto copy = std::make_unique<Node>();
  copy->kind = node.kind;
  copy->schema = node.schema;
  copy->table = node.table;
  copy->columns = node.columns;
  copy->expressions = node.expressions;
  for (const NodePtr& input : node.inputs) {
    copy->inputs.push_back(Copy(*input));
  }
  return copy;
}

// An aggregate as those that give it when they are done in parts: of an average the sum
// and the count. None where that is not known.
arrow::Result<std::vector<Aggregate>> PartsOf(const Aggregate& aggregate) {
  switch (aggregate.function) {
    case AggregateFunction::kAvg: {
      ARROW_ASSIGN_OR_RAISE(
          Aggregate sum,
          plan::MakeAggregate(AggregateFunction::kSum, plan::SummedForAverage(aggregate),
                              aggregate.filter, aggregate.range));
      ARROW_ASSIGN_OR_RAISE(
          Aggregate count,
          plan::MakeAggregate(AggregateFunction::kCount, aggregate.argument,
                              aggregate.filter, aggregate.range));
      return std::vector<Aggregate>{std::move(sum), std::move(count)};
    }
    case AggregateFunction::kCountAll:
    case AggregateFunction::kCount:
    case AggregateFunction::kSum:
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return std::vector<Aggregate>{aggregate};
    default:
      return std::vector<Aggregate>{};
  }
}

// What brings together the parts of an aggregate: of sums and counts their sum, which has
// the type of the whole.
arrow::Result<Aggregate> Joined(const Aggregate& part, ExprPtr column) {
  const bool extreme = part.function == AggregateFunction::kMin ||
                       part.function == AggregateFunction::kMax;
  ARROW_ASSIGN_OR_RAISE(
      Aggregate joined,
      plan::MakeAggregate(extreme ? part.function : AggregateFunction::kSum,
                          std::move(column), nullptr, part.range));
  joined.type = part.type;
  return joined;
}

class DistinctLowering {
 public:
  explicit DistinctLowering(NodePtr aggregate) : node_(std::move(aggregate)) {}

  arrow::Result<NodePtr> Lower() {
    for (const Aggregate& aggregate : node_->aggregates) {
      ARROW_RETURN_NOT_OK(Sort(aggregate));
    }
    if (lists_.empty()) {
      return std::move(node_);
    }
    const bool several = lists_.size() > 1 || !plain_.empty();
    if (several && node_->keys.empty() && IsReadAgain(*node_->inputs[0])) {
      return SideBySide();
    }
    NodePtr inner;
    if (lists_.size() == 1 && all_carried_) {
      ARROW_ASSIGN_OR_RAISE(inner, GroupValues());
    } else {
      all_carried_ = false;
      ARROW_ASSIGN_OR_RAISE(inner, GroupExpanded());
    }
    return GroupByKeys(std::move(inner));
  }

 private:
  arrow::Status Sort(const Aggregate& aggregate) {
    if (aggregate.distinct.empty()) {
      list_of_.push_back(kPlain);
      plain_.push_back(aggregate);
      ARROW_ASSIGN_OR_RAISE(parts_of_.emplace_back(), PartsOf(aggregate));
      all_carried_ = all_carried_ && !parts_of_.back().empty();
      return arrow::Status::OK();
    }
    parts_of_.emplace_back();
    ARROW_ASSIGN_OR_RAISE(auto list, ListOf(aggregate));
    const auto found = std::find_if(lists_.begin(), lists_.end(),
                                    [&](const auto& one) { return SameList(one, list); });
    list_of_.push_back(static_cast<int>(found - lists_.begin()));
    if (found == lists_.end()) {
      lists_.push_back(std::move(list));
    }
    return arrow::Status::OK();
  }

  // A row for each list, with what the others give null, and one for the plain
  // aggregates; of all of them the largest is what is not null.
  arrow::Result<NodePtr> SideBySide() {
    auto rows = std::make_unique<Node>();
    rows->kind = NodeKind::kUnion;
    const auto list_count = static_cast<int>(lists_.size());
    for (int list = plain_.empty() ? 0 : kPlain; list < list_count; ++list) {
      ARROW_ASSIGN_OR_RAISE(NodePtr row, RowOfList(list));
      rows->inputs.push_back(std::move(row));
    }
    rows->schema = rows->inputs[0]->schema;
    std::vector<Aggregate> together;
    for (size_t i = 0; i < node_->aggregates.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          Aggregate one, plan::MakeAggregate(AggregateFunction::kMax, ColumnAt(*rows, i),
                                             nullptr, node_->aggregates[i].range));
      together.push_back(std::move(one));
      results_.push_back({.column = i});
    }
    return NameResults(GroupBy(std::move(rows), {}, std::move(together)));
  }

  arrow::Result<NodePtr> RowOfList(int list) {
    std::vector<Aggregate> own;
    for (size_t i = 0; i < list_of_.size(); ++i) {
      if (list_of_[i] == list) {
        own.push_back(node_->aggregates[i]);
      }
    }
    NodePtr row = GroupBy(Copy(*node_->inputs[0]), {}, std::move(own));
    ARROW_ASSIGN_OR_RAISE(row, LowerDistinct(std::move(row)));
    std::vector<BoundName> items;
    size_t next = 0;
    for (size_t i = 0; i < list_of_.size(); ++i) {
      const Aggregate& written = node_->aggregates[i];
      ExprPtr value =
          list_of_[i] == list
              ? ColumnAt(*row, next++)
              : plan::MakeLiteral(arrow::MakeNullScalar(written.type), written.range);
      items.push_back({plan::ToString(written), std::move(value)});
    }
    row = MakeProject(std::move(row), items);
    arrow::FieldVector fields = row->schema->fields();
    for (auto& field : fields) {
      field = field->WithNullable(true);
    }
    row->schema = arrow::schema(std::move(fields));
    return row;
  }

  // keys, arguments, parts of plain aggregates
  arrow::Result<NodePtr> GroupValues() {
    std::vector<ExprPtr> keys = node_->keys;
    first_of_list_ = {keys.size()};
    keys.insert(keys.end(), lists_[0].begin(), lists_[0].end());
    std::vector<Aggregate> parts;
    for (const std::vector<Aggregate>& some : parts_of_) {
      parts.insert(parts.end(), some.begin(), some.end());
    }
    return GroupBy(std::move(node_->inputs[0]), std::move(keys), std::move(parts));
  }

  // keys, number, arguments of each list, plain aggregates
  arrow::Result<NodePtr> GroupExpanded() {
    NodePtr expand = Expand();
    std::vector<ExprPtr> keys;
    for (size_t i = 0; i < first_plain_; ++i) {
      keys.push_back(ColumnAt(*expand, i));
    }
    size_t next = first_plain_;
    for (Aggregate& aggregate : plain_) {
      for (ExprPtr* expression : {&aggregate.argument, &aggregate.filter}) {
        if (*expression != nullptr) {
          *expression = ColumnAt(*expand, next++);
        }
      }
    }
    return GroupBy(std::move(expand), std::move(keys), std::move(plain_));
  }

  // A projection that computes every expression once, below what repeats its columns.
  NodePtr Expand() {
    std::vector<BoundName> items;
    const auto add = [&items](const ExprPtr& expression) {
      const bool column = expression->kind == plan::ExprKind::kColumn;
      items.push_back(
          {column ? expression->name : plan::ToString(*expression), expression});
    };
    std::for_each(node_->keys.begin(), node_->keys.end(), add);
    const size_t key_count = items.size();
    for (const auto& list : lists_) {
      first_of_list_.push_back(items.size() + 1);  // behind the number
      std::for_each(list.begin(), list.end(), add);
    }
    first_plain_ = items.size() + 1;
    for (const Aggregate& aggregate : plain_) {
      for (const ExprPtr& expression : {aggregate.argument, aggregate.filter}) {
        if (expression != nullptr) {
          add(expression);
        }
      }
    }
    auto expand = std::make_unique<Node>();
    expand->kind = NodeKind::kExpand;
    expand->inputs.push_back(MakeProject(std::move(node_->inputs[0]), items));
    const Node& below = *expand->inputs[0];
    arrow::FieldVector fields = below.schema->fields();
    for (size_t i = key_count; i < fields.size(); ++i) {
      fields[i] = fields[i]->WithNullable(true);
    }
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(key_count),
                  arrow::field("list", arrow::int32(), false));
    expand->schema = arrow::schema(std::move(fields));
    for (size_t list = 0; list <= lists_.size(); ++list) {
      if (list < lists_.size() || !plain_.empty()) {
        expand->rows.push_back(RowOf(below, key_count, list));
      }
    }
    return expand;
  }

  // The row of a list; behind the lists, that of the plain aggregates.
  std::vector<ExprPtr> RowOf(const Node& below, size_t key_count, size_t list) const {
    const bool plain = list == lists_.size();
    const size_t first = plain ? first_plain_ : first_of_list_[list];
    const auto count = static_cast<size_t>(below.schema->num_fields());
    const size_t last = plain ? count + 1 : first + lists_[list].size();
    std::vector<ExprPtr> row;
    for (size_t i = 0; i < count; ++i) {
      if (i == key_count) {
        row.push_back(Number(static_cast<int32_t>(list)));
      }
      const bool own = i < key_count || (i + 1 >= first && i + 1 < last);
      row.push_back(own ? ColumnAt(below, i)
                        : plan::MakeLiteral(arrow::MakeNullScalar(
                              below.schema->field(static_cast<int>(i))->type())));
    }
    return row;
  }

  static NodePtr GroupBy(NodePtr input, std::vector<ExprPtr> keys,
                         std::vector<Aggregate> aggregates) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::kAggregate;
    arrow::FieldVector fields;
    for (const ExprPtr& key : keys) {
      const bool column = key->kind == plan::ExprKind::kColumn;
      fields.push_back(arrow::field(column ? key->name : plan::ToString(*key), key->type,
                                    key->nullable));
    }
    for (const Aggregate& aggregate : aggregates) {
      fields.push_back(
          arrow::field(plan::ToString(aggregate), aggregate.type, !IsCount(aggregate)));
    }
    node->schema = arrow::schema(std::move(fields));
    node->keys = std::move(keys);
    node->aggregates = std::move(aggregates);
    node->inputs.push_back(std::move(input));
    return node;
  }

  arrow::Result<NodePtr> GroupByKeys(NodePtr inner) {
    std::vector<ExprPtr> keys;
    for (size_t i = 0; i < node_->keys.size(); ++i) {
      keys.push_back(ColumnAt(*inner, i));
    }
    std::vector<Aggregate> aggregates;
    size_t next_plain = inner->keys.size();
    for (size_t i = 0; i < list_of_.size(); ++i) {
      results_.push_back({.column = keys.size() + aggregates.size()});
      if (list_of_[i] != kPlain) {
        ARROW_ASSIGN_OR_RAISE(Aggregate seen_once, OverValues(*inner, i));
        aggregates.push_back(std::move(seen_once));
      } else if (!all_carried_) {
        ARROW_ASSIGN_OR_RAISE(Aggregate done,
                              DoneBelow(*inner, next_plain++, node_->aggregates[i]));
        aggregates.push_back(std::move(done));
      } else {
        results_.back().average = parts_of_[i].size() > 1;
        for (const Aggregate& part : parts_of_[i]) {
          ARROW_ASSIGN_OR_RAISE(Aggregate joined,
                                Joined(part, ColumnAt(*inner, next_plain++)));
          aggregates.push_back(std::move(joined));
        }
      }
    }
    return NameResults(GroupBy(std::move(inner), std::move(keys), std::move(aggregates)));
  }

  // An aggregate with DISTINCT over its list's values, each of which is there once.
  arrow::Result<Aggregate> OverValues(const Node& inner, size_t i) const {
    const Aggregate& written = node_->aggregates[i];
    const auto list = static_cast<size_t>(list_of_[i]);
    std::vector<ExprPtr> arguments;
    for (size_t j = 0; j < lists_[list].size(); ++j) {
      arguments.push_back(ColumnAt(inner, first_of_list_[list] + j));
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr argument, AllThere(std::move(arguments)));
    return plan::MakeAggregate(written.function, std::move(argument), nullptr,
                               written.range);
  }

  // A plain aggregate, of the one group that has it.
  arrow::Result<Aggregate> DoneBelow(const Node& inner, size_t column,
                                     const Aggregate& written) const {
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr there,
        plan::MakeCall(Function::kEqual, {ColumnAt(inner, node_->keys.size()),
                                          Number(static_cast<int32_t>(lists_.size()))}));
    return plan::MakeAggregate(AggregateFunction::kMax, ColumnAt(inner, column),
                               std::move(there), written.range);
  }

  // Under the names that were asked for. Without rows nothing carries a count.
  arrow::Result<NodePtr> NameResults(NodePtr outer) const {
    std::vector<BoundName> items;
    const size_t key_count = node_->keys.size();
    for (size_t i = 0; i < key_count; ++i) {
      items.push_back(
          {node_->schema->field(static_cast<int>(i))->name(), ColumnAt(*outer, i)});
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      const Aggregate& written = node_->aggregates[i];
      ExprPtr value = ColumnAt(*outer, results_[i].column);
      if (results_[i].average) {
        ARROW_ASSIGN_OR_RAISE(value,
                              plan::AverageOf(written, std::move(value),
                                              ColumnAt(*outer, results_[i].column + 1)));
      } else if (IsCount(written) && value->nullable) {
        ExprPtr zero = plan::MakeLiteral(std::make_shared<arrow::Int64Scalar>(0));
        ARROW_ASSIGN_OR_RAISE(
            value, plan::MakeCall(Function::kCoalesce, {value, std::move(zero)}));
      }
      items.push_back(
          {node_->schema->field(static_cast<int>(key_count + i))->name(), value});
    }
    return MakeProject(std::move(outer), items);
  }

  NodePtr node_;
  std::vector<std::vector<ExprPtr>> lists_;  // of arguments, each one once
  std::vector<int> list_of_;                 // by aggregate; kPlain: without DISTINCT
  std::vector<Aggregate> plain_;
  std::vector<std::vector<Aggregate>> parts_of_;  // by aggregate; with DISTINCT: none
  bool all_carried_ = true;                       // plain ones, by their parts
  // By aggregate, its column in the outer grouping; an average's sum, before its count.
  struct Result {
    size_t column = 0;
    bool average = false;
  };
  std::vector<Result> results_;
  // Columns below the second grouping.
  std::vector<size_t> first_of_list_;
  size_t first_plain_ = 0;
};

}  // namespace

arrow::Result<NodePtr> LowerDistinct(NodePtr aggregate) {
  return DistinctLowering(std::move(aggregate)).Lower();
}

}  // namespace wheelpit::sql
