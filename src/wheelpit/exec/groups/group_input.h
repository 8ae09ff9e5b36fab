// SPDX-License-Identifier: Apache-2.0
// What the aggregates of groups take from a batch: filters and arguments,
// evaluated once for all of its rows, then taken into the rows of groups piece
// by piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/exec/groups/group_layout.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

/// Const after Make: shared by threads.
class GroupArguments {
 public:
  static arrow::Result<std::unique_ptr<GroupArguments>> Make(
      const std::vector<plan::Aggregate>& aggregates, const GroupLayout& layout,
      const arrow::Schema& input, const EvaluatorOptions& options);
  ~GroupArguments();

 private:
  friend class GroupInput;
  struct Taker {
    const GroupLayout::State* state = nullptr;
    int argument = -1;  ///< of its filter's; -1 for count(*)
  };
  struct Filtered {
    std::unique_ptr<Filter> filter;  ///< null: all rows
    std::unique_ptr<Evaluator> arguments;
    std::vector<Taker> takers;
  };
  GroupArguments() = default;
  std::vector<Filtered> filtered_;
  arrow::MemoryPool* pool_ = nullptr;
};

/// Rows of a batch in the order of their groups, where those are few.
struct RowsByGroup {
  std::vector<uint8_t*> groups;
  std::vector<int32_t> rows;    ///< of the first group, of the second, …
  std::vector<int32_t> starts;  ///< of each group's in `rows`, and the end
};

/// Of one batch, on one thread.
class GroupInput {
 public:
  explicit GroupInput(const GroupArguments* arguments) : arguments_(arguments) {}

  /// Evaluates everything for all rows of the batch.
  arrow::Status Evaluate(const arrow::RecordBatch& batch);

  /// Takes rows [begin, begin + count) of the batch into groups[0 … count).
  /// Texts first: returns for how many rows there was room; those may be taken
  /// again. Then the others, for so many rows.
  arrow::Result<int64_t> TakeTexts(int64_t begin, int64_t count, uint8_t* const* groups,
                                   TextRoom* room);
  arrow::Status TakeOthers(int64_t begin, int64_t count, uint8_t* const* groups);
  /// Of aggregates without a filter that are no texts: all rows. TakeFiltered
  /// is for the rest of what is no text.
  void TakeByGroup(const RowsByGroup& rows);
  arrow::Status TakeFiltered(int64_t begin, int64_t count, uint8_t* const* groups);
  bool has_filters() const;

 private:
  enum class What : uint8_t { kTexts, kOthers, kFilteredOthers };
  struct Values {
    Selection rows;  // where there is a filter
    std::vector<expr::Vector> vectors;
  };
  arrow::Result<int64_t> Take(What what, int64_t begin, int64_t count,
                              uint8_t* const* groups, TextRoom* room);

  const GroupArguments* const arguments_;
  std::vector<Values> values_;
  std::vector<uint8_t*> chosen_;
};

}  // namespace wheelpit::exec
