// SPDX-License-Identifier: Apache-2.0
// Aggregates: which arguments are evaluated, and for which rows.
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/aggregate_state.h"

namespace wheelpit::exec {

struct Aggregates::Entry {
  std::unique_ptr<AggregateState> state;
  int argument = -1;  ///< position in the arguments of its rows; -1 for count(*)
};

struct Aggregates::Group {
  std::unique_ptr<Filter> filter;        ///< null: all rows
  std::unique_ptr<Evaluator> arguments;  ///< each distinct one once
  std::vector<Entry> entries;
  std::vector<size_t> positions;  ///< of the entries, among all aggregates
};

namespace {

// The position of an expression among others, where it is added when it is new.
int PositionOf(const plan::ExprPtr& expression, std::vector<plan::ExprPtr>* all) {
  for (size_t i = 0; i < all->size(); ++i) {
    if (plan::Equals(*(*all)[i], *expression)) {
      return static_cast<int>(i);
    }
  }
  all->push_back(expression);
  return static_cast<int>(all->size()) - 1;
}

bool SameFilter(const plan::ExprPtr& a, const plan::ExprPtr& b) {
  return a == nullptr || b == nullptr ? a == b : plan::Equals(*a, *b);
}

}  // namespace

arrow::Result<std::unique_ptr<Aggregates>> Aggregates::Make(
    const std::vector<plan::Aggregate>& aggregates, const arrow::Schema& input,
    const EvaluatorOptions& options) {
  std::vector<Group> groups;
  std::vector<bool> placed(aggregates.size(), false);
  for (size_t first = 0; first < aggregates.size(); ++first) {
    if (placed[first]) {
      continue;
    }
    const plan::ExprPtr& filter = aggregates[first].filter;
    Group group;
    std::vector<plan::ExprPtr> arguments;
    for (size_t i = first; i < aggregates.size(); ++i) {
      if (placed[i] || !SameFilter(filter, aggregates[i].filter)) {
        continue;
      }
      placed[i] = true;
      Entry entry;
      ARROW_ASSIGN_OR_RAISE(entry.state,
                            AggregateState::Make(aggregates[i], options.pool));
      if (aggregates[i].argument != nullptr) {
        entry.argument = PositionOf(aggregates[i].argument, &arguments);
      }
      group.entries.push_back(std::move(entry));
      group.positions.push_back(i);
    }
    ARROW_ASSIGN_OR_RAISE(group.arguments, Evaluator::Make(arguments, input, options));
    if (filter != nullptr) {
      ARROW_ASSIGN_OR_RAISE(group.filter, Filter::Make({filter}, input, options));
    }
    groups.push_back(std::move(group));
  }
  return std::unique_ptr<Aggregates>(new Aggregates(std::move(groups)));
}

Aggregates::Aggregates(std::vector<Group> groups) : groups_(std::move(groups)) {}

Aggregates::~Aggregates() = default;

arrow::Status Aggregates::Update(const arrow::ArrayVector& columns, int64_t length,
                                 const Selection* selection) {
  for (Group& group : groups_) {
    Selection filtered;
    const Selection* rows = selection;
    if (group.filter != nullptr) {
      if (selection == nullptr) {
        ARROW_RETURN_NOT_OK(group.filter->Select(columns, length, &filtered));
      } else {
        filtered = *selection;
        ARROW_RETURN_NOT_OK(group.filter->Shrink(columns, &filtered));
      }
      rows = &filtered;
    }
    const int64_t count = rows == nullptr ? length : static_cast<int64_t>(rows->size());
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector values,
                          group.arguments->Evaluate(columns, length, rows));
    for (Entry& entry : group.entries) {
      ARROW_RETURN_NOT_OK(entry.state->Update(
          entry.argument < 0 ? nullptr : values[static_cast<size_t>(entry.argument)],
          count, nullptr));
    }
  }
  return arrow::Status::OK();
}

arrow::Status Aggregates::Merge(const Aggregates& other) {
  if (groups_.size() != other.groups_.size()) {
    return core::Error(core::ErrorKind::kInternal, "states of different plans");
  }
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t i = 0; i < groups_[g].entries.size(); ++i) {
      ARROW_RETURN_NOT_OK(
          groups_[g].entries[i].state->Merge(*other.groups_[g].entries[i].state));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<arrow::ScalarVector> Aggregates::Finish() const {
  size_t total = 0;
  for (const Group& group : groups_) {
    total += group.entries.size();
  }
  arrow::ScalarVector scalars(total);
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.entries.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(scalars[group.positions[i]],
                            group.entries[i].state->Finish());
    }
  }
  return scalars;
}

}  // namespace wheelpit::exec
