// SPDX-License-Identifier: Apache-2.0
// What the operators of a task may use beside their memory: handed to what makes them.
#pragma once

#include <cstdint>

#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/spill/spill_space.h"
#include "wheelpit/spill/spill_stream.h"

namespace wheelpit::exec {

/// All of it outlives the task; the owner closes `io_tasks` before anything else of it
/// ends.
struct TaskContext {
  core::Context context;  ///< pool: of the query, for what has no own budget
  core::TaskGroup* io_tasks = nullptr;  ///< where reads and writes run
  spill::SpillSpace* spill = nullptr;   ///< of the query; empty until the first write
  core::MetricSet* metrics = nullptr;

  /// For an operator's SpillWriter (pool: its workspace) and SpillReader (its budget).
  /// Either takes `buffered_bytes_max` and two blocks more at most.
  spill::SpillStreamOptions SpillStream(arrow::MemoryPool* pool, uint64_t operator_id,
                                        int64_t buffered_bytes_max) const {
    return {.space = spill,
            .operator_id = operator_id,
            .io = io_tasks,
            .pool = pool,
            .encode = {},
            .buffered_bytes_max = buffered_bytes_max};
  }
};

}  // namespace wheelpit::exec
