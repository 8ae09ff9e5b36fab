// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/rules.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/sql/fold.h"
#include "wheelpit/sql/prune.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

// More rows are sorted as if all were wanted: ranges of them can be merged side by side.
constexpr int64_t kTopRowsMax = 1 << 20;

NodePtr Filtered(NodePtr input, const std::vector<ExprPtr>& conjuncts) {
  if (conjuncts.empty()) {
    return input;
  }
  return MakeFilter(std::move(input), plan::JoinConjuncts(conjuncts));
}

// No rows of the same columns.
NodePtr Empty(const Node& node) {
  auto values = std::make_unique<Node>();
  values->kind = NodeKind::kValues;
  values->schema = node.schema;
  return values;
}

// The expression with each column replaced by what a projection computes for it.
ExprPtr Substitute(const ExprPtr& expression, const std::vector<ExprPtr>& replacements) {
  if (expression->kind == ExprKind::kColumn) {
    return replacements[static_cast<size_t>(expression->column)];
  }
  if (expression->arguments.empty()) {
    return expression;
  }
  auto copy = std::make_shared<Expr>(*expression);
  for (ExprPtr& argument : copy->arguments) {
    argument = Substitute(argument, replacements);
  }
  return copy;
}

bool IsPlain(const ExprPtr& expression) {
  return expression->kind == ExprKind::kColumn || expression->kind == ExprKind::kLiteral;
}

// Columns and literals only: what costs something is computed once, by the projection.
bool ReadsOnlyPlainColumns(const Expr& conjunct, const std::vector<ExprPtr>& projected) {
  std::vector<int> columns = plan::ColumnsOf(conjunct);
  return std::all_of(columns.begin(), columns.end(), [&](int column) {
    return IsPlain(projected[static_cast<size_t>(column)]);
  });
}

NodePtr PushFilter(NodePtr input, std::vector<ExprPtr> conjuncts);

// The conjuncts that `goes` is true of go below `input`, which computes `expressions`;
// the others stay above.
template <typename Goes>
NodePtr PushSome(NodePtr input, const std::vector<ExprPtr>& expressions,
                 const std::vector<ExprPtr>& conjuncts, Goes goes) {
  std::vector<ExprPtr> below;
  std::vector<ExprPtr> above;
  for (const ExprPtr& conjunct : conjuncts) {
    if (goes(*conjunct) && ReadsOnlyPlainColumns(*conjunct, expressions)) {
      below.push_back(Fold(Substitute(conjunct, expressions)));
    } else {
      above.push_back(conjunct);
    }
  }
  if (!below.empty()) {
    input->inputs[0] = PushFilter(std::move(input->inputs[0]), std::move(below));
  }
  return Filtered(std::move(input), above);
}

// What is asked of keys alone decides on whole groups. Not of floating-point ones: the
// rows of a group may have several zeros or NaNs, of which its key is one.
NodePtr PushBelowGroups(NodePtr aggregate, const std::vector<ExprPtr>& conjuncts) {
  const std::vector<ExprPtr> keys = aggregate->keys;
  return PushSome(std::move(aggregate), keys, conjuncts, [&](const Expr& conjunct) {
    const std::vector<int> columns = plan::ColumnsOf(conjunct);
    return !columns.empty() &&
           std::all_of(columns.begin(), columns.end(), [&](int column) {
             const auto key = static_cast<size_t>(column);
             return key < keys.size() && !arrow::is_floating(keys[key]->type->id()) &&
                    !arrow::is_nested(keys[key]->type->id());
           });
  });
}

NodePtr PushIntoUnion(NodePtr node, const std::vector<ExprPtr>& conjuncts) {
  for (NodePtr& input : node->inputs) {
    std::vector<ExprPtr> columns;
    for (int i = 0; i < input->schema->num_fields(); ++i) {
      const arrow::Field& field = *input->schema->field(i);
      columns.push_back(
          plan::MakeColumn(i, field.name(), field.type(), field.nullable()));
    }
    std::vector<ExprPtr> own;
    for (const ExprPtr& conjunct : conjuncts) {
      own.push_back(Substitute(conjunct, columns));
    }
    input = PushFilter(std::move(input), std::move(own));
  }
  return node;
}

// Below what gives the same rows when fewer of them come in.
NodePtr PushThrough(NodePtr input, std::vector<ExprPtr> conjuncts) {
  switch (input->kind) {
    case NodeKind::kScan:
      input->filter.insert(input->filter.end(), conjuncts.begin(), conjuncts.end());
      return input;
    case NodeKind::kFilter: {
      std::vector<ExprPtr> all = plan::SplitConjuncts(input->condition);
      all.insert(all.end(), conjuncts.begin(), conjuncts.end());
      return PushFilter(std::move(input->inputs[0]), std::move(all));
    }
    case NodeKind::kProject: {
      const std::vector<ExprPtr> projected = input->expressions;
      return PushSome(std::move(input), projected, conjuncts,
                      [](const Expr&) { return true; });
    }
    case NodeKind::kAggregate:
      return PushBelowGroups(std::move(input), conjuncts);
    case NodeKind::kUnion:
      return PushIntoUnion(std::move(input), conjuncts);
    case NodeKind::kSort:
      if (input->limit < 0) {
        input->inputs[0] = PushFilter(std::move(input->inputs[0]), std::move(conjuncts));
        return input;
      }
      break;
    case NodeKind::kValues:
    case NodeKind::kExpand:
    case NodeKind::kLimit:
    case NodeKind::kWrite:
      break;
  }
  return Filtered(std::move(input), conjuncts);
}

// Puts conjuncts over `input`, as far down as they go.
NodePtr PushFilter(NodePtr input, std::vector<ExprPtr> conjuncts) {
  std::erase_if(conjuncts, [](const ExprPtr& one) { return IsBoolean(*one, true); });
  bool never = std::any_of(conjuncts.begin(), conjuncts.end(), [](const ExprPtr& one) {
    return IsBoolean(*one, false) ||
           (one->kind == ExprKind::kLiteral && !one->literal->is_valid);
  });
  if (never) {
    return Empty(*input);
  }
  if (conjuncts.empty()) {
    return input;
  }
  return PushThrough(std::move(input), std::move(conjuncts));
}

NodePtr PushFilters(NodePtr node) {
  for (NodePtr& input : node->inputs) {
    input = PushFilters(std::move(input));
  }
  if (node->kind != NodeKind::kFilter) {
    return node;
  }
  return PushFilter(std::move(node->inputs[0]), plan::SplitConjuncts(node->condition));
}

// Groups by what tells rows apart: no literals, no key twice. A projection puts them
// back. One key stays, even so: without any, no rows would be one group.
NodePtr DropKnownKeys(NodePtr aggregate) {
  const std::vector<ExprPtr>& keys = aggregate->keys;
  const bool all_literals = std::all_of(keys.begin(), keys.end(), [](const ExprPtr& key) {
    return key->kind == ExprKind::kLiteral;
  });
  std::vector<ExprPtr> kept;
  arrow::FieldVector fields;
  std::vector<ExprPtr> outputs;
  const auto column = [&](size_t position) {
    const arrow::Field& field = *fields[position];
    return plan::MakeColumn(static_cast<int>(position), field.name(), field.type(),
                            field.nullable());
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]->kind == ExprKind::kLiteral && !(all_literals && i == 0)) {
      outputs.push_back(keys[i]);
      continue;
    }
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const ExprPtr& one) {
      return plan::Equals(*one, *keys[i]);
    });
    const auto position = static_cast<size_t>(std::distance(kept.begin(), same));
    if (position == kept.size()) {
      kept.push_back(keys[i]);
      fields.push_back(aggregate->schema->field(static_cast<int>(i)));
    }
    outputs.push_back(column(position));
  }
  if (kept.size() == keys.size()) {
    return aggregate;
  }
  for (size_t i = 0; i < aggregate->aggregates.size(); ++i) {
    fields.push_back(aggregate->schema->field(static_cast<int>(keys.size() + i)));
    outputs.push_back(column(fields.size() - 1));
  }
  auto project = std::make_unique<Node>();
  project->kind = NodeKind::kProject;
  project->schema = aggregate->schema;
  project->expressions = std::move(outputs);
  aggregate->keys = std::move(kept);
  aggregate->schema = arrow::schema(std::move(fields));
  project->inputs.push_back(std::move(aggregate));
  return project;
}

NodePtr DropAllKnownKeys(NodePtr node) {
  for (NodePtr& input : node->inputs) {
    input = DropAllKnownKeys(std::move(input));
  }
  return node->kind == NodeKind::kAggregate ? DropKnownKeys(std::move(node))
                                            : std::move(node);
}

// What those above want of a node's rows.
struct Demand {
  bool in_order = true;
  int64_t first_rows = -1;  // only so many; -1: all
};

Demand LimitDemand(const Node& limit, const Demand& above) {
  int64_t rows = limit.limit;
  if (above.first_rows >= 0) {
    rows = rows < 0 ? above.first_rows : std::min(rows, above.first_rows);
  }
  if (rows >= 0 && __builtin_add_overflow(rows, limit.offset, &rows)) {
    rows = -1;
  }
  return {.in_order = true, .first_rows = rows};
}

// Sorts whose order nobody sees go; those of which a limit takes the first rows sort no
// more than these.
NodePtr SettleSorts(NodePtr node, Demand demand) {
  switch (node->kind) {
    case NodeKind::kSort:
      if (node->limit < 0 && !demand.in_order) {
        return SettleSorts(std::move(node->inputs[0]), demand);
      }
      if (demand.first_rows >= 0 && demand.first_rows <= kTopRowsMax) {
        node->limit = node->limit < 0 ? demand.first_rows
                                      : std::min(node->limit, demand.first_rows);
      }
      demand = {.in_order = false};
      break;
    case NodeKind::kAggregate:
      demand = {.in_order = false};
      break;
    case NodeKind::kLimit:
      if (node->limit == 0) {
        return Empty(*node);
      }
      demand = LimitDemand(*node, demand);
      break;
    case NodeKind::kFilter:
    case NodeKind::kExpand:
    case NodeKind::kWrite:
      demand.first_rows = -1;
      break;
    case NodeKind::kValues:
    case NodeKind::kScan:
    case NodeKind::kProject:
    case NodeKind::kUnion:
      break;
  }
  for (NodePtr& input : node->inputs) {
    input = SettleSorts(std::move(input), demand);
  }
  return node;
}

// A projection of every column of its input, in order and under its name.
bool ChangesNothing(const Node& project) {
  const arrow::Schema& below = *project.inputs[0]->schema;
  if (project.schema->num_fields() != below.num_fields()) {
    return false;
  }
  for (int i = 0; i < below.num_fields(); ++i) {
    const Expr& expression = *project.expressions[static_cast<size_t>(i)];
    if (expression.kind != ExprKind::kColumn || expression.column != i ||
        !project.schema->field(i)->Equals(*below.field(i))) {
      return false;
    }
  }
  return true;
}

// Whether no column is taken twice, nor anything done with one.
bool MovesOnly(const std::vector<ExprPtr>& expressions) {
  std::vector<int> columns;
  for (const ExprPtr& expression : expressions) {
    if (expression->kind == ExprKind::kColumn) {
      columns.push_back(expression->column);
    }
  }
  std::sort(columns.begin(), columns.end());
  return std::all_of(expressions.begin(), expressions.end(), IsPlain) &&
         std::adjacent_find(columns.begin(), columns.end()) == columns.end();
}

// Of two projections of which one only moves columns, one.
NodePtr MergeProjects(NodePtr project) {
  Node& below = *project->inputs[0];
  if (below.kind != NodeKind::kProject) {
    return project;
  }
  if (!MovesOnly(project->expressions) &&
      !std::all_of(below.expressions.begin(), below.expressions.end(), IsPlain)) {
    return project;
  }
  for (ExprPtr& expression : project->expressions) {
    expression = Substitute(expression, below.expressions);
  }
  project->inputs[0] = std::move(below.inputs[0]);
  return project;
}

NodePtr DropIdleProjects(NodePtr node) {
  for (NodePtr& input : node->inputs) {
    input = DropIdleProjects(std::move(input));
  }
  if (node->kind != NodeKind::kProject) {
    return node;
  }
  node = MergeProjects(std::move(node));
  return ChangesNothing(*node) ? std::move(node->inputs[0]) : std::move(node);
}

}  // namespace

NodePtr Optimize(NodePtr root) {
  root = DropAllKnownKeys(std::move(root));
  root = PushFilters(std::move(root));
  root = SettleSorts(std::move(root), {});
  PruneColumns(root.get());
  return DropIdleProjects(std::move(root));
}

}  // namespace wheelpit::sql
