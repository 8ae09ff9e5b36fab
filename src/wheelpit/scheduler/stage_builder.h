// SPDX-License-Identifier: Apache-2.0
// Cuts a physical plan into stages. What lies below the first exchange runs once per
// split of the scan; what lies above runs in one task. The last stage's rows come out of
// `rows`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/exec/task_context.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/stage_run.h"

namespace wheelpit::scheduler {

struct BuildOptions {
  int task_slots = 1;         ///< compute threads: how finely small inputs are split
  int64_t batch_rows = 8192;  ///< of batches from the scan
  int64_t prefetch_bytes = 8 << 20;  ///< that one task reads ahead
  int64_t exchange_bytes = 1 << 20;  ///< that one task may be ahead of its receiver
  std::string time_zone = "UTC";
  exec::TaskContext task;
  /// Admitted with `tasks_at_once` times `scan_minimum_bytes`, besides what
  /// `task.context` has: the operators of each slot get budgets of their own from it.
  memory::QueryBudget* budget = nullptr;
  int tasks_at_once = 1;
  int64_t scan_minimum_bytes = 0;
};

struct BuiltStages {
  std::vector<Stage> stages;
  std::unique_ptr<exec::GatherExchange> rows;
  /// Outlive the stages and what came out of them.
  std::vector<std::unique_ptr<exec::OperatorMemory>> memories;
  int64_t file_count = 0;  ///< of all scans, for progress
  int64_t row_count = 0;   ///< that the scans will read at most
};

/// `plan` must outlive the stages. Counts what pruning leaves out. Does not block.
arrow::Result<BuiltStages> BuildStages(const plan::Node& plan,
                                       const BuildOptions& options);

}  // namespace wheelpit::scheduler
