// SPDX-License-Identifier: Apache-2.0
// ORDER BY, with or without a limit. Each task of a stage collects and sorts its rows in
// a sink, and writes sorted runs to disk when memory is asked of it; behind them, each
// source merges one range of the keys, so that the sources' rows, one source after the
// other (GatherExchange), are the whole in order.
//
// Rows with equal keys keep the order of the input: of the tasks, then of arrival.
// docs/design/keys-groups-and-runs.md
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/exec/sort/cut_off.h"
#include "wheelpit/exec/task_context.h"

namespace wheelpit::exec {

struct SortKey {
  int column = 0;  ///< of SortOptions::schema
  bool descending = false;
  bool nulls_first = true;
};

struct SortOptions {
  std::vector<SortKey> keys;
  std::shared_ptr<arrow::Schema> schema;  ///< of the rows, in and out; any types
  /// How many rows are wanted (LIMIT and OFFSET together); -1: all. Then each task keeps
  /// no more, and there is one range.
  int64_t limit = -1;
  /// False: equal keys may come in any order, which makes runs of short tasks longer.
  bool stable = true;
  /// How many sources share the merge at most.
  int64_t range_count = 1;
  uint64_t operator_id = 0;  ///< of the query's, for the names of spilled extents
  block::Compression compression = block::Compression::kLz4;
};

class SortMerge {
 public:
  /// kUnsupported when a key column's type cannot be compared.
  static arrow::Result<std::unique_ptr<SortMerge>> Make(SortOptions options,
                                                        int64_t task_count);
  ~SortMerge();

  /// What a sink and a source need, each 8 MiB, in which they finish for rows of up to
  /// 1 MiB, keys included. `driver`: see OperatorMemoryOptions.
  static OperatorMemoryOptions SinkMemory(int driver);
  static OperatorMemoryOptions SourceMemory(int driver);

  /// Where a task's rows go. `memory` was made with SinkMemory; rows stay in it after the
  /// task, until the sources are done or the next task in it needs the room. It belongs
  /// into Pipeline::memories; it and `task_context` outlive what is made.
  std::unique_ptr<Sink> MakeSink(int64_t task, OperatorMemory* memory,
                                 const TaskContext* task_context);

  /// Of the sources; some may have no rows.
  int64_t range_count() const;
  /// Waits for every task, then gives the rows of a range in order. One consumer each.
  /// `memory` was made with SourceMemory.
  std::unique_ptr<Source> MakeSource(int64_t range, OperatorMemory* memory,
                                     const TaskContext* task_context);

  /// Null without a limit. A scan below may read it while the tasks run.
  std::shared_ptr<const CutOff> cut_off() const;

  struct State;  ///< what sinks and sources share (sort_state.h)

 private:
  explicit SortMerge(std::shared_ptr<State> state);
  // Shared with sinks and sources, which live in drivers that end on their own.
  std::shared_ptr<State> state_;
};

}  // namespace wheelpit::exec
