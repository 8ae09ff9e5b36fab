// SPDX-License-Identifier: Apache-2.0
// What the sinks and the sources of a sort share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/sort/run_merge.h"
#include "wheelpit/exec/sort/sort_merge.h"
#include "wheelpit/exec/sort/sorted_run.h"

namespace wheelpit::exec {

/// Rows of a task in memory, in the order in which they came.
struct HeldChunks {
  int64_t task = 0;
  std::vector<ChunkPtr> chunks;
};

struct SortMerge::State {
  SortOptions options;
  SortedRows rows;
  std::shared_ptr<CutOff> cut_off;  // null without a limit; read by scans

  /// What ended tasks have left in `memory`; the caller has it now.
  std::vector<HeldChunks> TakeHeld(OperatorMemory* memory);
  /// A run of `task`, later than those before, earlier than what it holds in memory.
  void AddRun(int64_t task, SortedRun run);
  /// A task has ended and leaves `held` in `memory`.
  void End(OperatorMemory* memory, std::vector<HeldChunks> held);

  /// What a source has to merge.
  struct Work {
    std::vector<MergeInput> inputs;  // of equal keys those of the first come first
    KeyRange range;
  };
  /// A wait as long as a task runs. Each range is taken once.
  std::optional<core::Wait> Take(int64_t range, Work* work);

 private:
  friend class SortMerge;
  struct Inner {
    std::vector<std::vector<SortedRun>> runs;  // by task
    std::map<OperatorMemory*, std::vector<HeldChunks>> held;
    int64_t running = 0;
    std::vector<Work> work;  // by range; made when the last task has ended
    core::Signal complete;
  };
  void MakeWork(Inner& locked) const;

  core::Guarded<Inner> inner_;
};

/// Cuts all inputs into `range_count` ranges of about the same number of bytes.
std::vector<KeyRange> CutRanges(const std::vector<MergeInput>& inputs,
                                int64_t range_count);

/// The part of an input that may have keys within the range; without chunk and blocks
/// when there is none.
MergeInput PartOf(const MergeInput& input, const KeyRange& range);

std::unique_ptr<Sink> MakeSortSink(std::shared_ptr<SortMerge::State> state, int64_t task,
                                   OperatorMemory* memory, const TaskContext* context);
std::unique_ptr<Source> MakeSortSource(std::shared_ptr<SortMerge::State> state,
                                       int64_t range, OperatorMemory* memory,
                                       const TaskContext* context);

/// Above what `memory` has set aside: true when `bytes` more can be allocated, without
/// asking anybody to give memory up.
bool TryReserve(OperatorMemory* memory, int64_t bytes);

}  // namespace wheelpit::exec
