// SPDX-License-Identifier: Apache-2.0
// What the two sides of a GroupedAggregate share. Not for others.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/grouped_aggregate.h"
#include "wheelpit/exec/groups/group_input.h"
#include "wheelpit/exec/groups/group_layout.h"
#include "wheelpit/exec/groups/group_part.h"
#include "wheelpit/exec/groups/group_table.h"
#include "wheelpit/exec/groups/part_writer.h"
#include "wheelpit/exec/keys/key_encoder.h"

namespace wheelpit::exec {

/// What a table takes of memory between two boundaries.
constexpr int64_t kGroupAllowanceBytes = int64_t{1} << 20;
/// Groups up to this size fit into the minimum.
constexpr int64_t kGroupBytesMax = int64_t{1} << 20;
/// Encoded blocks on their way to or from the disk; two blocks more may be there.
constexpr int64_t kGroupBufferedBytes = kRowBlockBytes;

using PartArray = std::array<GroupPart, kPartitionCount>;

struct GroupedAggregate::State {
  /// What the tasks of one slot fill, one after the other.
  struct Filled {
    std::unique_ptr<GroupTable> table;
    PartArray spilled;
  };
  /// Of one partition, once every task has ended.
  struct Pending {
    GroupPart part;
    bool taken = false;
    bool lost = false;  ///< the source that it was lent to has ended before its time
    std::optional<core::Signal> lent;  ///< somebody spills it: fired at the end of that
  };
  struct Inner {
    std::map<OperatorMemory*, std::unique_ptr<Filled>> filled;
    int64_t tasks_left = 0;
    core::Signal complete;
    std::vector<Pending> pending;
  };

  GroupedAggregateOptions options;
  std::unique_ptr<GroupLayout> layout;
  std::unique_ptr<KeyEncoder> encoder;
  std::unique_ptr<Evaluator> keys;
  std::unique_ptr<GroupArguments> arguments;
  core::Guarded<Inner> inner;
  /// Partitions of which some slot has spilled something, by bit: all of such a one is
  /// merged by way of a table, so that more of it goes to disk before others do.
  std::atomic<uint64_t> spilled{0};
  static_assert(kPartitionCount == 64);
  /// In memory, of partitions that no source has taken yet.
  std::atomic<int64_t> pending_bytes{0};

  std::unique_ptr<Filled> Take(OperatorMemory* memory);
  /// The end of a task.
  void End(OperatorMemory* memory, std::unique_ptr<Filled> filled);

  /// The part, once; a wait while somebody spills it or tasks still run.
  arrow::Result<std::optional<core::Wait>> TakePending(int64_t partition,
                                                       GroupPart* part);
  /// The largest part that is in memory and nobody's, to be spilled; none: false.
  bool LendPending(int64_t* partition, GroupPart* part);
  /// Nothing: it is lost.
  void ReturnPending(int64_t partition, std::optional<GroupPart> part);

  spill::SpillStreamOptions SpillStream(arrow::MemoryPool* pool) const {
    return options.task.SpillStream(pool, options.operator_id, kGroupBufferedBytes);
  }
  /// For an operator that spills.
  spill::SpillStreamOptions SpillStream(OperatorMemory* memory) const {
    auto stream = SpillStream(&memory->workspace());
    stream.metrics = memory->task_metrics();
    return stream;
  }
};

std::unique_ptr<Sink> MakeGroupSink(std::shared_ptr<GroupedAggregate::State> state,
                                    OperatorMemory* memory);
std::unique_ptr<Source> MakeGroupSource(std::shared_ptr<GroupedAggregate::State> state,
                                        int64_t partition, OperatorMemory* memory);

/// Reserve; where a group of more than kGroupBytesMax was the reason, an error says so.
arrow::Result<bool> ReserveForGroups(OperatorMemory* memory, int64_t bytes,
                                     int64_t group_bytes, core::Wait* wait);

/// More slots than stay in the cache, where they are of use, but only from memory that
/// nobody wants. Before what else is needed is reserved.
void GrowWhereThereIsRoom(GroupTable* table, OperatorMemory* memory);

}  // namespace wheelpit::exec
