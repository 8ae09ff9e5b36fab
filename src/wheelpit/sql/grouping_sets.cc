// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/grouping_sets.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::ExprPtr;
using plan::Function;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;
using Kind = ast::GroupItem::Kind;

namespace {

// As many as a CUBE of twelve keys has; all of them are computed side by side.
constexpr size_t kSetsMax = 4096;
// The bits of a set's number, as in Spark.
constexpr size_t kKeysMax = 64;

bool IsInteger(const ast::Expression& expression) {
  return expression.kind == ast::ExpressionKind::kLiteral &&
         expression.literal == ast::LiteralKind::kInteger;
}

arrow::Status TooManySets(plan::SourceRange range) {
  return Invalid(
      "TOO_MANY_GROUPING_SETS", range,
      "this GROUP BY has more than " + std::to_string(kSetsMax) + " grouping sets");
}

KeySet Joined(const KeySet& one, const KeySet& other) {
  KeySet both;
  std::set_union(one.begin(), one.end(), other.begin(), other.end(),
                 std::back_inserter(both));
  return both;
}

ExprPtr ColumnAt(const Node& node, size_t position) {
  const arrow::Field& field = *node.schema->field(static_cast<int>(position));
  return plan::MakeColumn(static_cast<int>(position), field.name(), field.type(),
                          field.nullable());
}

template <typename Scalar, typename Value>
ExprPtr Number(Value value) {
  return plan::MakeLiteral(std::make_shared<Scalar>(value));
}

// The first key's bit is the highest; it is set where the key is not in the set.
int64_t BitOf(size_t key, size_t key_count) {
  return static_cast<int64_t>(uint64_t{1} << (key_count - 1 - key));
}

int64_t NumberOf(const KeySet& set, size_t key_count) {
  int64_t number = 0;
  for (size_t key = 0; key < key_count; ++key) {
    const bool in_set = std::binary_search(set.begin(), set.end(), key);
    number |= in_set ? 0 : BitOf(key, key_count);
  }
  return number;
}

// Expressions, each once, and where they are.
class Columns {
 public:
  size_t Add(const ExprPtr& expression) {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (plan::Equals(*items_[i].expression, *expression)) {
        return i;
      }
    }
    const bool column = expression->kind == plan::ExprKind::kColumn;
    items_.push_back(
        {column ? expression->name : plan::ToString(*expression), expression});
    return items_.size() - 1;
  }
  const std::vector<BoundName>& items() const { return items_; }

 private:
  std::vector<BoundName> items_;
};

std::vector<ExprPtr*> ExpressionsOf(plan::Aggregate* aggregate) {
  std::vector<ExprPtr*> all = {&aggregate->argument, &aggregate->filter};
  for (ExprPtr& one : aggregate->distinct) {
    all.push_back(&one);
  }
  std::erase_if(all, [](const ExprPtr* one) { return *one == nullptr; });
  return all;
}

}  // namespace

bool HasSets(const ast::GroupBy& group_by) {
  return group_by.with_rollup || group_by.with_cube || !group_by.grouping_sets.empty() ||
         std::any_of(
             group_by.items.begin(), group_by.items.end(),
             [](const ast::GroupItem& item) { return item.kind != Kind::kExpression; });
}

arrow::Status CheckKey(const plan::Expr& key, const char* what, plan::SourceRange range) {
  if (plan::ClassOf(*key.type) == plan::TypeClass::kOther) {
    return NotYet(std::string(what) + " a value of type " + plan::TypeName(*key.type),
                  range);
  }
  return arrow::Status::OK();
}

arrow::Result<ExprPtr> KeyBinder::Bind(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr key, binder_->Bind(node));
  if (IsInteger(node)) {
    const auto& position = static_cast<const arrow::Int32Scalar&>(*key->literal);
    const bool known = key->literal->type->id() == arrow::Type::INT32 &&
                       position.value >= 1 &&
                       static_cast<size_t>(position.value) <= items_.size();
    if (!known) {
      return Invalid("GROUP_BY_POS_OUT_OF_RANGE", node.range,
                     "GROUP BY takes positions from 1 to " +
                         std::to_string(items_.size()) + " of the select list");
    }
    key = items_[static_cast<size_t>(position.value) - 1].expression;
  }
  if (ExpressionBinder::HasPlaceholder(*key)) {
    return Invalid(IsInteger(node) ? "GROUP_BY_POS_AGGREGATE" : "GROUP_BY_AGGREGATE",
                   node.range, "an aggregate function cannot be a key of GROUP BY");
  }
  ARROW_RETURN_NOT_OK(CheckKey(*key, "GROUP BY", node.range));
  return key;
}

arrow::Status KeyBinder::Add(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr key, Bind(node));
  keys_->push_back(std::move(key));
  return arrow::Status::OK();
}

arrow::Result<size_t> KeyBinder::Find(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr key, Bind(node));
  const auto found = std::find_if(keys_->begin(), keys_->end(), [&](const ExprPtr& one) {
    return plan::Equals(*one, *key);
  });
  const auto position = static_cast<size_t>(found - keys_->begin());
  if (found == keys_->end()) {
    keys_->push_back(std::move(key));
  }
  return position;
}

arrow::Result<KeySet> KeyBinder::SetOf(const ast::GroupItem& item) {
  if (item.kind == Kind::kSet) {
    return KeySet();
  }
  if (item.kind != Kind::kExpression) {
    return NotYet("ROLLUP, CUBE or GROUPING SETS inside of ROLLUP or CUBE", range_);
  }
  KeySet set;
  const bool row = item.expression->kind == ast::ExpressionKind::kRow;
  if (!row) {
    ARROW_ASSIGN_OR_RAISE(const size_t key, Find(*item.expression));
    return KeySet{key};
  }
  for (const ast::ExpressionPtr& one : item.expression->operands) {
    ARROW_ASSIGN_OR_RAISE(const size_t key, Find(*one));
    set = Joined(set, {key});
  }
  return set;
}

// All, all but the last, …, none.
arrow::Result<KeySets> KeyBinder::RollUp(const std::vector<ast::GroupItem>& items) {
  KeySets sets = {{}};
  for (const ast::GroupItem& item : items) {
    ARROW_ASSIGN_OR_RAISE(KeySet set, SetOf(item));
    sets.push_back(Joined(sets.back(), set));
  }
  std::reverse(sets.begin(), sets.end());
  return sets;
}

arrow::Result<KeySets> KeyBinder::Cube(const std::vector<ast::GroupItem>& items) {
  KeySets sets = {{}};
  for (const ast::GroupItem& item : items) {
    ARROW_ASSIGN_OR_RAISE(KeySet set, SetOf(item));
    if (2 * sets.size() > kSetsMax) {
      return TooManySets(range_);
    }
    KeySets more;
    for (const KeySet& one : sets) {
      more.push_back(Joined(one, set));
      more.push_back(one);
    }
    sets = std::move(more);
  }
  return sets;
}

arrow::Result<KeySets> KeyBinder::AllOf(const std::vector<ast::GroupItem>& items) {
  KeySets sets;
  for (const ast::GroupItem& item : items) {
    ARROW_ASSIGN_OR_RAISE(KeySets more, SetsOf(item));
    sets.insert(sets.end(), more.begin(), more.end());
    if (sets.size() > kSetsMax) {
      return TooManySets(range_);
    }
  }
  return sets;
}

arrow::Result<KeySets> KeyBinder::SetsOf(const ast::GroupItem& item) {
  switch (item.kind) {
    case Kind::kRollup:
      return RollUp(item.items);
    case Kind::kCube:
      return Cube(item.items);
    case Kind::kGroupingSets:
      return AllOf(item.items);
    case Kind::kExpression:
    case Kind::kSet:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(KeySet set, SetOf(item));
  return KeySets{std::move(set)};
}

arrow::Result<KeySets> KeyBinder::AddSets(const ast::GroupBy& group_by) {
  range_ = group_by.range;
  KeySets sets = {{}};
  if (group_by.with_rollup) {
    ARROW_ASSIGN_OR_RAISE(sets, RollUp(group_by.items));
  } else if (group_by.with_cube) {
    ARROW_ASSIGN_OR_RAISE(sets, Cube(group_by.items));
  } else if (!group_by.grouping_sets.empty()) {
    for (const ast::GroupItem& item : group_by.items) {
      ARROW_RETURN_NOT_OK(SetOf(item).status());
    }
    ARROW_ASSIGN_OR_RAISE(sets, AllOf(group_by.grouping_sets));
  } else {
    // Each set of one item with each of the next.
    for (const ast::GroupItem& item : group_by.items) {
      ARROW_ASSIGN_OR_RAISE(const KeySets more, SetsOf(item));
      if (sets.size() * more.size() > kSetsMax) {
        return TooManySets(range_);
      }
      KeySets product;
      for (const KeySet& one : sets) {
        for (const KeySet& other : more) {
          product.push_back(Joined(one, other));
        }
      }
      sets = std::move(product);
    }
  }
  if (keys_->size() > kKeysMax) {
    return Invalid("GROUPING_SIZE_LIMIT_EXCEEDED", range_,
                   "grouping sets have at most " + std::to_string(kKeysMax) + " keys");
  }
  return sets;
}

NodePtr ExpandSets(NodePtr input, const KeySets& sets, std::vector<ExprPtr>* keys,
                   std::vector<plan::Aggregate>* aggregates) {
  const size_t key_count = keys->size();
  Columns columns;
  std::vector<size_t> key_columns;
  for (const ExprPtr& key : *keys) {
    key_columns.push_back(columns.Add(key));
  }
  std::vector<std::pair<ExprPtr*, size_t>> read;
  for (plan::Aggregate& aggregate : *aggregates) {
    for (ExprPtr* expression : ExpressionsOf(&aggregate)) {
      read.emplace_back(expression, columns.Add(*expression));
    }
  }
  auto expand = std::make_unique<Node>();
  expand->kind = NodeKind::kExpand;
  expand->inputs.push_back(MakeProject(std::move(input), columns.items()));
  const Node& below = *expand->inputs[0];
  std::set<int64_t> numbers;
  for (const KeySet& set : sets) {
    numbers.insert(NumberOf(set, key_count));
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < key_count; ++i) {
    fields.push_back(
        below.schema->field(static_cast<int>(key_columns[i]))->WithNullable(true));
  }
  fields.push_back(arrow::field("grouping_id", arrow::int64(), false));
  if (numbers.size() < sets.size()) {
    fields.push_back(arrow::field("grouping_set", arrow::int32(), false));
  }
  const size_t first_read = fields.size();
  fields.insert(fields.end(), below.schema->fields().begin(),
                below.schema->fields().end());
  expand->schema = arrow::schema(std::move(fields));
  for (size_t set = 0; set < sets.size(); ++set) {
    std::vector<ExprPtr> row;
    for (size_t i = 0; i < key_count; ++i) {
      const bool in_set = std::binary_search(sets[set].begin(), sets[set].end(), i);
      row.push_back(in_set ? ColumnAt(below, key_columns[i])
                           : plan::MakeLiteral(arrow::MakeNullScalar((*keys)[i]->type)));
    }
    row.push_back(Number<arrow::Int64Scalar>(NumberOf(sets[set], key_count)));
    if (first_read > key_count + 1) {
      row.push_back(Number<arrow::Int32Scalar>(static_cast<int32_t>(set)));
    }
    for (size_t i = 0; i < columns.items().size(); ++i) {
      row.push_back(ColumnAt(below, i));
    }
    expand->rows.push_back(std::move(row));
  }
  keys->clear();
  for (size_t i = 0; i < first_read; ++i) {
    keys->push_back(ColumnAt(*expand, i));
  }
  for (const auto& [expression, column] : read) {
    *expression = ColumnAt(*expand, first_read + column);
  }
  return expand;
}

arrow::Result<ExprPtr> BindGrouping(const GroupingCall& call,
                                    const std::vector<ExprPtr>& keys,
                                    const ExprPtr& set_number) {
  const auto equal = [](const ExprPtr& one, const ExprPtr& other) {
    return plan::Equals(*one, *other);
  };
  if (call.of_all) {
    const bool all =
        call.arguments.empty() || std::equal(call.arguments.begin(), call.arguments.end(),
                                             keys.begin(), keys.end(), equal);
    return all ? arrow::Result<ExprPtr>(set_number)
               : Invalid("GROUPING_ID_COLUMN_MISMATCH", call.range,
                         "grouping_id takes all keys of GROUP BY in their order, or "
                         "nothing");
  }
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const ExprPtr& one) {
    return plan::Equals(*one, *call.arguments[0]);
  });
  if (key == keys.end()) {
    return Invalid("GROUPING_COLUMN_MISMATCH", call.range,
                   "grouping takes one of the keys of GROUP BY");
  }
  const int64_t bit = BitOf(static_cast<size_t>(key - keys.begin()), keys.size());
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr of_key,
      plan::MakeCall(Function::kBitAnd, {set_number, Number<arrow::Int64Scalar>(bit)}));
  ARROW_ASSIGN_OR_RAISE(
      of_key,
      plan::MakeCall(Function::kEqual, {of_key, Number<arrow::Int64Scalar>(int64_t{0})}));
  return plan::MakeCall(Function::kCase,
                        {of_key, Number<arrow::Int8Scalar>(int8_t{0}),
                         Number<arrow::Int8Scalar>(int8_t{1})},
                        call.range);
}

}  // namespace wheelpit::sql
