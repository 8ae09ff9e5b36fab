// SPDX-License-Identifier: Apache-2.0
// Cuts a physical plan into stages, at its exchanges. What lies below the first exchange
// runs once per split of the scan; groups are merged by one task per partition, sorted
// rows by one task per range of keys; what lies above a gathering exchange runs in one
// task. The last stage's rows come out of `rows`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/task_context.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/stage_run.h"

namespace wheelpit::scheduler {

struct BuildOptions {
  int task_slots = 1;         ///< compute threads: how finely small inputs are split
  int64_t batch_rows = 8192;  ///< of batches from the scan
  int64_t prefetch_bytes = 8 << 20;  ///< that one task reads ahead
  bool page_index = true;            ///< leave pages out by it
  int64_t exchange_bytes = 1 << 20;  ///< that one task may be ahead of its receiver
  bool stable_sort = true;           ///< equal keys keep the order of the input
  std::string time_zone = "UTC";
  io::Syscalls* syscalls = nullptr;  ///< for files that are written
  exec::TaskContext task;
  /// Admitted with what the phases need (phases.h), besides what `task.context` has: the
  /// operators of each slot get budgets of their own from it.
  memory::QueryBudget* budget = nullptr;
  int tasks_at_once = 1;
  int64_t scan_minimum_bytes = 0;
  int64_t serial_more_bytes = 0;  ///< of phases.h, as much as there is
};

struct BuiltStages {
  std::vector<Stage> stages;
  std::unique_ptr<exec::GatherExchange> rows;
  /// Both outlive the stages, and what came out of them.
  std::unique_ptr<const exec::TaskContext> task_context;
  std::vector<std::unique_ptr<StageMemory>> memories;
  int64_t file_count = 0;  ///< of all scans, for progress
  int64_t row_count = 0;   ///< that the scans will read at most
};

/// `plan` must outlive the stages. Counts what pruning leaves out. Does not block.
arrow::Result<BuiltStages> BuildStages(const plan::Node& plan,
                                       const BuildOptions& options);

}  // namespace wheelpit::scheduler
