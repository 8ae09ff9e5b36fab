// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/sql/fold.h"

namespace wheelpit::sql {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

NodePtr Filtered(NodePtr input, const std::vector<ExprPtr>& conjuncts) {
  if (conjuncts.empty()) {
    return input;
  }
  auto filter = std::make_unique<Node>();
  filter->kind = NodeKind::kFilter;
  filter->schema = input->schema;
  filter->condition = plan::JoinConjuncts(conjuncts);
  filter->inputs.push_back(std::move(input));
  return filter;
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

// Columns and literals only: what costs something is computed once, by the projection.
bool ReadsOnlyPlainColumns(const Expr& conjunct, const std::vector<ExprPtr>& projected) {
  std::vector<int> columns = plan::ColumnsOf(conjunct);
  return std::all_of(columns.begin(), columns.end(), [&](int column) {
    ExprKind kind = projected[static_cast<size_t>(column)]->kind;
    return kind == ExprKind::kColumn || kind == ExprKind::kLiteral;
  });
}

NodePtr PushIntoScan(NodePtr scan, std::vector<ExprPtr> conjuncts) {
  scan->filter.insert(scan->filter.end(), conjuncts.begin(), conjuncts.end());
  return scan;
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
  if (input->kind == NodeKind::kScan) {
    return PushIntoScan(std::move(input), std::move(conjuncts));
  }
  if (input->kind == NodeKind::kFilter) {
    std::vector<ExprPtr> all = plan::SplitConjuncts(input->condition);
    all.insert(all.end(), conjuncts.begin(), conjuncts.end());
    return PushFilter(std::move(input->inputs[0]), std::move(all));
  }
  if (input->kind != NodeKind::kProject) {
    return Filtered(std::move(input), conjuncts);
  }
  std::vector<ExprPtr> below;
  std::vector<ExprPtr> above;
  for (const ExprPtr& conjunct : conjuncts) {
    bool plain = ReadsOnlyPlainColumns(*conjunct, input->expressions);
    (plain ? below : above)
        .push_back(plain ? Fold(Substitute(conjunct, input->expressions)) : conjunct);
  }
  if (!below.empty()) {
    input->inputs[0] = PushFilter(std::move(input->inputs[0]), std::move(below));
  }
  return Filtered(std::move(input), above);
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

// Which of a node's columns are used, by position.
using Needed = std::vector<bool>;

void Need(const Expr& expression, Needed* needed) {
  for (int column : plan::ColumnsOf(expression)) {
    (*needed)[static_cast<size_t>(column)] = true;
  }
}

Needed NeedNothing(const Node& node) {
  return Needed(static_cast<size_t>(node.schema->num_fields()), false);
}

// New positions of the kept ones, -1 for the others.
std::vector<int> MappingOf(const Needed& needed) {
  std::vector<int> mapping(needed.size(), -1);
  int next = 0;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      mapping[i] = next++;
    }
  }
  return mapping;
}

std::shared_ptr<arrow::Schema> Kept(const arrow::Schema& schema, const Needed& needed) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      fields.push_back(schema.field(static_cast<int>(i)));
    }
  }
  return arrow::schema(std::move(fields));
}

template <typename Item>
void Keep(const Needed& needed, std::vector<Item>* items) {
  size_t next = 0;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      if (next != i) {
        (*items)[next] = std::move((*items)[i]);
      }
      ++next;
    }
  }
  items->resize(next);
}

void Remap(const std::vector<int>& mapping, ExprPtr* expression) {
  if (*expression != nullptr) {
    *expression = plan::RemapColumns(*expression, mapping);
  }
}

// Makes the node give the needed columns (at least) and says where they are now.
std::vector<int> Prune(Node* node, Needed needed);

std::vector<int> PruneScan(Node* scan, Needed needed) {
  for (const ExprPtr& conjunct : scan->filter) {
    Need(*conjunct, &needed);
  }
  std::vector<int> mapping = MappingOf(needed);
  scan->schema = Kept(*scan->schema, needed);
  Keep(needed, &scan->columns);
  for (ExprPtr& conjunct : scan->filter) {
    Remap(mapping, &conjunct);
  }
  scan->predicate = plan::LowerPredicate(scan->filter, *scan->schema);
  return mapping;
}

std::vector<int> PruneFilter(Node* filter, Needed needed) {
  Need(*filter->condition, &needed);
  std::vector<int> mapping = Prune(filter->inputs[0].get(), std::move(needed));
  Remap(mapping, &filter->condition);
  filter->schema = filter->inputs[0]->schema;
  return mapping;
}

std::vector<int> PruneProject(Node* project, const Needed& needed) {
  std::vector<int> mapping = MappingOf(needed);
  project->schema = Kept(*project->schema, needed);
  Keep(needed, &project->expressions);
  Needed below = NeedNothing(*project->inputs[0]);
  for (const ExprPtr& expression : project->expressions) {
    Need(*expression, &below);
  }
  std::vector<int> moved = Prune(project->inputs[0].get(), std::move(below));
  for (ExprPtr& expression : project->expressions) {
    Remap(moved, &expression);
  }
  return mapping;
}

std::vector<int> PruneAggregate(Node* aggregate, Needed needed) {
  if (!aggregate->keys.empty()) needed.assign(needed.size(), true);
  std::vector<int> mapping = MappingOf(needed);
  aggregate->schema = Kept(*aggregate->schema, needed);
  if (aggregate->keys.empty()) Keep(needed, &aggregate->aggregates);
  Needed below = NeedNothing(*aggregate->inputs[0]);
  for (const plan::Aggregate& one : aggregate->aggregates) {
    for (const ExprPtr& expression : {one.argument, one.filter}) {
      if (expression != nullptr) {
        Need(*expression, &below);
      }
    }
  }
  for (const auto& key : aggregate->keys) Need(*key, &below);
  std::vector<int> moved = Prune(aggregate->inputs[0].get(), std::move(below));
  for (auto& key : aggregate->keys) Remap(moved, &key);
  for (plan::Aggregate& one : aggregate->aggregates) {
    Remap(moved, &one.argument);
    Remap(moved, &one.filter);
  }
  return mapping;
}

std::vector<int> Prune(Node* node, Needed needed) {
  switch (node->kind) {
    case NodeKind::kScan:
      return PruneScan(node, std::move(needed));
    case NodeKind::kFilter:
      return PruneFilter(node, std::move(needed));
    case NodeKind::kProject:
      return PruneProject(node, needed);
    case NodeKind::kAggregate:
      return PruneAggregate(node, needed);
    case NodeKind::kLimit: {
      std::vector<int> mapping = Prune(node->inputs[0].get(), std::move(needed));
      node->schema = node->inputs[0]->schema;
      return mapping;
    }
    case NodeKind::kExpand:
    case NodeKind::kSort:
    case NodeKind::kUnion:
    case NodeKind::kWrite:
      for (const NodePtr& input : node->inputs) {
        Prune(input.get(),
              Needed(static_cast<size_t>(input->schema->num_fields()), true));
      }
      return MappingOf(Needed(static_cast<size_t>(node->schema->num_fields()), true));
    case NodeKind::kValues:
      break;
  }
  std::vector<int> mapping = MappingOf(needed);
  node->schema = Kept(*node->schema, needed);
  for (std::vector<ExprPtr>& row : node->rows) {
    Keep(needed, &row);
  }
  return mapping;
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

NodePtr DropIdleProjects(NodePtr node) {
  for (NodePtr& input : node->inputs) {
    input = DropIdleProjects(std::move(input));
  }
  if (node->kind == NodeKind::kProject && ChangesNothing(*node)) {
    return std::move(node->inputs[0]);
  }
  return node;
}

}  // namespace

NodePtr Optimize(NodePtr root) {
  root = PushFilters(std::move(root));
  Prune(root.get(), Needed(static_cast<size_t>(root->schema->num_fields()), true));
  return DropIdleProjects(std::move(root));
}

}  // namespace wheelpit::sql
