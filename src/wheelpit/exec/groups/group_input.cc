// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/group_input.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>

namespace wheelpit::exec {

namespace {

bool SameFilter(const plan::ExprPtr& a, const plan::ExprPtr& b) {
  return a == nullptr || b == nullptr ? a == b : plan::Equals(*a, *b);
}

// The values from `begin` on; of text the offsets.
expr::Vector From(const expr::Vector& vector, int64_t begin) {
  expr::Vector part = vector;
  if (!vector.constant) {
    part.values = static_cast<const uint8_t*>(vector.values) +
                  begin * expr::WidthOf(vector.type_class);
    part.valid = vector.valid == nullptr ? nullptr : vector.valid + begin;
    part.length = vector.length - begin;
  }
  return part;
}

}  // namespace

arrow::Result<std::unique_ptr<GroupArguments>> GroupArguments::Make(
    const std::vector<plan::Aggregate>& aggregates, const GroupLayout& layout,
    const arrow::Schema& input, const EvaluatorOptions& options) {
  std::unique_ptr<GroupArguments> made(new GroupArguments());
  made->pool_ = options.pool;
  const auto& states = layout.states();
  std::vector<bool> placed(states.size(), false);
  for (size_t first = 0; first < states.size(); ++first) {
    if (placed[first]) {
      continue;
    }
    const plan::ExprPtr& filter = aggregates[states[first].aggregate].filter;
    Filtered filtered;
    std::vector<plan::ExprPtr> arguments;
    for (size_t i = first; i < states.size(); ++i) {
      const plan::Aggregate& aggregate = aggregates[states[i].aggregate];
      if (placed[i] || !SameFilter(filter, aggregate.filter)) {
        continue;
      }
      placed[i] = true;
      Taker taker{.state = &states[i]};
      if (aggregate.argument != nullptr) {
        const auto same = std::find_if(
            arguments.begin(), arguments.end(), [&](const plan::ExprPtr& argument) {
              return plan::Equals(*argument, *aggregate.argument);
            });
        taker.argument = static_cast<int>(same - arguments.begin());
        if (same == arguments.end()) {
          arguments.push_back(aggregate.argument);
        }
      }
      filtered.takers.push_back(taker);
    }
    ARROW_ASSIGN_OR_RAISE(filtered.arguments, Evaluator::Make(arguments, input, options));
    if (filter != nullptr) {
      ARROW_ASSIGN_OR_RAISE(filtered.filter, Filter::Make({filter}, input, options));
    }
    made->filtered_.push_back(std::move(filtered));
  }
  return made;
}

GroupArguments::~GroupArguments() = default;

arrow::Status GroupInput::Evaluate(const arrow::RecordBatch& batch) {
  values_.clear();
  for (const auto& filtered : arguments_->filtered_) {
    Values values;
    const Selection* selection = nullptr;
    int64_t count = batch.num_rows();
    if (filtered.filter != nullptr) {
      ARROW_RETURN_NOT_OK(filtered.filter->Select(batch, &values.rows));
      selection = &values.rows;
      count = static_cast<int64_t>(values.rows.size());
    }
    ARROW_ASSIGN_OR_RAISE(
        const arrow::ArrayVector arrays,
        filtered.arguments->Evaluate(batch.columns(), batch.num_rows(), selection));
    for (const auto& array : arrays) {
      ARROW_ASSIGN_OR_RAISE(
          auto vector, expr::VectorFromArray(array, nullptr, count, arguments_->pool_));
      values.vectors.push_back(std::move(vector));
    }
    values_.push_back(std::move(values));
  }
  return arrow::Status::OK();
}

arrow::Result<int64_t> GroupInput::TakeTexts(int64_t begin, int64_t count,
                                             uint8_t* const* groups, TextRoom* room) {
  return Take(What::kTexts, begin, count, groups, room);
}

arrow::Status GroupInput::TakeOthers(int64_t begin, int64_t count,
                                     uint8_t* const* groups) {
  return Take(What::kOthers, begin, count, groups, nullptr).status();
}

arrow::Status GroupInput::TakeFiltered(int64_t begin, int64_t count,
                                       uint8_t* const* groups) {
  return Take(What::kFilteredOthers, begin, count, groups, nullptr).status();
}

bool GroupInput::has_filters() const {
  return std::any_of(arguments_->filtered_.begin(), arguments_->filtered_.end(),
                     [](const auto& filtered) { return filtered.filter != nullptr; });
}

void GroupInput::TakeByGroup(const RowsByGroup& rows) {
  for (size_t f = 0; f < arguments_->filtered_.size(); ++f) {
    const auto& filtered = arguments_->filtered_[f];
    if (filtered.filter != nullptr) {
      continue;
    }
    for (const auto& taker : filtered.takers) {
      const GroupedState& state = *taker.state->state;
      if (state.is_text()) {
        continue;
      }
      const expr::Vector* values =
          taker.argument < 0 ? nullptr
                             : &values_[f].vectors[static_cast<size_t>(taker.argument)];
      for (size_t group = 0; group < rows.groups.size(); ++group) {
        const int32_t start = rows.starts[group];
        state.UpdateGroup(rows.groups[group], taker.state->offset, values,
                          rows.rows.data() + start, rows.starts[group + 1] - start);
      }
    }
  }
}

arrow::Result<int64_t> GroupInput::Take(What what, int64_t begin, int64_t count,
                                        uint8_t* const* groups, TextRoom* room) {
  for (size_t f = 0; f < arguments_->filtered_.size(); ++f) {
    const auto& filtered = arguments_->filtered_[f];
    if (what == What::kFilteredOthers && filtered.filter == nullptr) {
      continue;
    }
    const Values& values = values_[f];
    int64_t first = begin;
    int64_t chosen_count = count;
    uint8_t* const* rows = groups;
    Selection::const_iterator selected = values.rows.begin();
    if (filtered.filter != nullptr) {
      selected = std::lower_bound(values.rows.begin(), values.rows.end(), begin);
      chosen_.clear();
      for (auto row = selected; row != values.rows.end() && *row < begin + count; ++row) {
        chosen_.push_back(groups[*row - begin]);
      }
      first = selected - values.rows.begin();
      chosen_count = static_cast<int64_t>(chosen_.size());
      rows = chosen_.data();
    }
    for (const auto& taker : filtered.takers) {
      const GroupedState& state = *taker.state->state;
      if (state.is_text() != (what == What::kTexts)) {
        continue;
      }
      expr::Vector vector;
      if (taker.argument >= 0) {
        vector = From(values.vectors[static_cast<size_t>(taker.argument)], first);
      }
      ARROW_ASSIGN_OR_RAISE(
          const int64_t taken,
          state.Update(rows, taker.state->offset, taker.argument < 0 ? nullptr : &vector,
                       chosen_count, room));
      if (taken < chosen_count) {
        count = filtered.filter == nullptr ? taken : selected[taken] - begin;
        chosen_count = taken;
      }
    }
  }
  return count;
}

}  // namespace wheelpit::exec
