// SPDX-License-Identifier: Apache-2.0
// Aggregation by groups, and DISTINCT (groups without aggregates), in bounded memory.
//
// Each slot of the input's stage fills a table of groups with the rows of the tasks that
// run there, one after the other. The groups are partitioned by their hash; when memory
// is asked for, whole partitions are spilled, the largest first. When every task has
// ended, each partition is one task of the next stage: it merges what the tables have of
// it and what was spilled of it, in parts that fit.
//
// Groups come in no particular order. Sums of doubles depend, in their last digits, on
// which slot saw which rows: they are the same again only with one slot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/exec/task_context.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

struct GroupedAggregateOptions {
  std::vector<plan::ExprPtr> keys;          ///< at least one; not nested
  std::vector<plan::Aggregate> aggregates;  ///< none: the distinct keys
  std::shared_ptr<arrow::Schema> input;     ///< what expressions refer to
  std::shared_ptr<arrow::Schema> output;    ///< the keys, then the aggregates
  std::string time_zone = "UTC";
  uint64_t operator_id = 0;  ///< of what it spills
  TaskContext task;
};

class GroupedAggregate {
 public:
  /// Of an OperatorMemory for either side: what it holds, and what spilling takes, 8 MiB
  /// together. In that it finishes for groups of at most 1 MiB; an error says what a
  /// larger one needs. Evaluated arguments come from TaskContext's pool.
  static constexpr int64_t kMinimumBytes = int64_t{5} << 20;
  static constexpr int64_t kWorkspaceBytes = int64_t{3} << 20;
  /// The same as options for a sink's and a source's memory.
  static OperatorMemoryOptions SinkMemory(int driver);
  static OperatorMemoryOptions SourceMemory(int driver);

  /// kUnsupported where a key's or an argument's type is not supported.
  static arrow::Result<std::unique_ptr<GroupedAggregate>> Make(
      GroupedAggregateOptions options, int64_t task_count);
  ~GroupedAggregate();

  /// Where a task's rows go. `memory` is of the task's slot and of no other operator; one
  /// task at a time uses it; in the pipeline's `memories`, as it can spill. What the
  /// table has in it at the end of a task stays there.
  std::unique_ptr<Sink> MakeSink(int64_t task, OperatorMemory* memory);

  int64_t partition_count() const;
  /// Waits for every task, then gives the groups of a partition. `memory` likewise, and
  /// not one that sinks have.
  std::unique_ptr<Source> MakeSource(int64_t partition, OperatorMemory* memory);

  struct State;  ///< what both sides share: not for others

 private:
  explicit GroupedAggregate(std::shared_ptr<State> state);
  // Shared with sinks and sources, which live in drivers that end on their own.
  std::shared_ptr<State> state_;
};

}  // namespace wheelpit::exec
