// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/prune.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/type.h>

namespace wheelpit::sql {
namespace {

using plan::Expr;
using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

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

// Has the input give what the expressions read, and lets them read it there.
void PruneBelow(Node* node, const std::vector<ExprPtr*>& expressions) {
  Needed below = NeedNothing(*node->inputs[0]);
  for (const ExprPtr* expression : expressions) {
    if (*expression != nullptr) {
      Need(**expression, &below);
    }
  }
  const std::vector<int> moved = Prune(node->inputs[0].get(), std::move(below));
  for (ExprPtr* expression : expressions) {
    Remap(moved, expression);
  }
}

std::vector<int> PruneProject(Node* project, const Needed& needed) {
  std::vector<int> mapping = MappingOf(needed);
  project->schema = Kept(*project->schema, needed);
  Keep(needed, &project->expressions);
  std::vector<ExprPtr*> expressions;
  for (ExprPtr& expression : project->expressions) {
    expressions.push_back(&expression);
  }
  PruneBelow(project, expressions);
  return mapping;
}

// Groups are what they are by all of their keys.
std::vector<int> PruneAggregate(Node* aggregate, Needed needed) {
  const auto key_count = static_cast<std::ptrdiff_t>(aggregate->keys.size());
  std::fill_n(needed.begin(), key_count, true);
  std::vector<int> mapping = MappingOf(needed);
  aggregate->schema = Kept(*aggregate->schema, needed);
  Keep(Needed(needed.begin() + key_count, needed.end()), &aggregate->aggregates);
  std::vector<ExprPtr*> expressions;
  for (ExprPtr& key : aggregate->keys) {
    expressions.push_back(&key);
  }
  for (plan::Aggregate& one : aggregate->aggregates) {
    expressions.push_back(&one.argument);
    expressions.push_back(&one.filter);
  }
  PruneBelow(aggregate, expressions);
  return mapping;
}

std::vector<int> PruneExpand(Node* expand, const Needed& needed) {
  std::vector<int> mapping = MappingOf(needed);
  expand->schema = Kept(*expand->schema, needed);
  std::vector<ExprPtr*> expressions;
  for (std::vector<ExprPtr>& row : expand->rows) {
    Keep(needed, &row);
    for (ExprPtr& expression : row) {
      expressions.push_back(&expression);
    }
  }
  PruneBelow(expand, expressions);
  return mapping;
}

std::vector<int> PruneSort(Node* sort, Needed needed) {
  for (const plan::SortKey& key : sort->sort_keys) {
    needed[static_cast<size_t>(key.column)] = true;
  }
  std::vector<int> mapping = Prune(sort->inputs[0].get(), std::move(needed));
  for (plan::SortKey& key : sort->sort_keys) {
    key.column = mapping[static_cast<size_t>(key.column)];
  }
  sort->schema = sort->inputs[0]->schema;
  return mapping;
}

// The columns at `positions` and no others.
NodePtr Select(NodePtr input, const std::vector<int>& positions) {
  auto project = std::make_unique<Node>();
  project->kind = NodeKind::kProject;
  arrow::FieldVector fields;
  for (int position : positions) {
    const auto& field = input->schema->field(position);
    fields.push_back(field);
    project->expressions.push_back(
        plan::MakeColumn(position, field->name(), field->type(), field->nullable()));
  }
  project->schema = arrow::schema(std::move(fields));
  project->inputs.push_back(std::move(input));
  return project;
}

// Each input gives the same columns, even if it has to keep others for itself.
std::vector<int> PruneUnion(Node* node, const Needed& needed) {
  std::vector<int> mapping = MappingOf(needed);
  node->schema = Kept(*node->schema, needed);
  for (NodePtr& input : node->inputs) {
    std::vector<int> moved = Prune(input.get(), needed);
    if (input->schema->num_fields() != node->schema->num_fields()) {
      Keep(needed, &moved);
      input = Select(std::move(input), moved);
    }
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
      return PruneAggregate(node, std::move(needed));
    case NodeKind::kExpand:
      return PruneExpand(node, needed);
    case NodeKind::kSort:
      return PruneSort(node, std::move(needed));
    case NodeKind::kUnion:
      return PruneUnion(node, needed);
    case NodeKind::kLimit: {
      std::vector<int> mapping = Prune(node->inputs[0].get(), std::move(needed));
      node->schema = node->inputs[0]->schema;
      return mapping;
    }
    case NodeKind::kWrite:
      PruneColumns(node->inputs[0].get());
      return MappingOf(needed);
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

}  // namespace

void PruneColumns(Node* root) {
  Prune(root, Needed(static_cast<size_t>(root->schema->num_fields()), true));
}

}  // namespace wheelpit::sql
