// SPDX-License-Identifier: Apache-2.0
// Reads the blocks of a sorted run one after another, by tasks on I/O threads; one block
// ahead where there is memory for it. At most one read is under way, so that one I/O
// thread serves any number of runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/task_group.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/sort/sorted_run.h"

namespace wheelpit::exec {

class BlockReader {
 public:
  /// Lets go of each extent as soon as it was read. `pool` and `io` outlive the reads in
  /// flight: close the group first.
  BlockReader(std::vector<SortedBlock> blocks, core::TaskGroup* io,
              arrow::MemoryPool* pool, bool ahead);
  ~BlockReader();

  struct Step {
    std::shared_ptr<arrow::Buffer> block;  ///< the next one
    std::optional<core::Wait> wait;        ///< or: call again when it is ready
    // or neither: the end
  };
  arrow::Result<Step> Next();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the task under way
};

}  // namespace wheelpit::exec
