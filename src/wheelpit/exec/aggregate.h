// SPDX-License-Identifier: Apache-2.0
// Ungrouped aggregation. Each task of a stage keeps partial states; AggregateMerge puts
// them together in the order of the tasks, so that a sum of doubles does not depend on
// threads, and gives one row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/driver.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

struct AggregateOptions {
  std::vector<plan::Aggregate> aggregates;
  std::shared_ptr<arrow::Schema> input;   ///< what arguments and filters refer to
  std::shared_ptr<arrow::Schema> output;  ///< one field per aggregate
  std::string time_zone = "UTC";
  arrow::MemoryPool* pool = nullptr;
};

class AggregateMerge {
 public:
  static arrow::Result<std::unique_ptr<AggregateMerge>> Make(AggregateOptions options,
                                                             int64_t task_count);
  ~AggregateMerge();

  /// Where a task's rows go.
  std::unique_ptr<Sink> MakeSink(int64_t task);
  /// Waits for every task, then gives the row. One consumer.
  std::unique_ptr<Source> MakeSource();

 private:
  struct State;
  explicit AggregateMerge(std::shared_ptr<State> state);
  // Shared with sinks and the source, which live in drivers that end on their own.
  std::shared_ptr<State> state_;
};

/// The same in one task: takes all rows, gives one at the end.
arrow::Result<std::unique_ptr<Operator>> MakeAggregateOperator(AggregateOptions options);

}  // namespace wheelpit::exec
