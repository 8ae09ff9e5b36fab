// SPDX-License-Identifier: Apache-2.0
// Private to engine: how a query divides its memory. What a plan needs at least follows
// from its tables and from what its phases have to collect; what it gets beyond that goes
// to more tasks at once first, then to reading ahead. What is left is not divided:
// operators that collect rows ask for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/phases.h"

namespace wheelpit::engine {

/// What the tasks of a plan need.
struct TaskNeed {
  int64_t scan_bytes = 0;        ///< to decode, of any: does not depend on the budget
  int64_t expression_bytes = 0;  ///< for what expressions make of a batch
  int64_t tasks_max = 1;         ///< no more can be at work
  int64_t prefetch_max = 0;      ///< reading ahead more than that is of no use
  int64_t table_bytes = 0;       ///< footers and splits, once for the query
  /// Where the largest values are, when they are so large that they decide; else empty.
  std::string large_values;
  std::vector<scheduler::PhaseNeed> phases;
};

TaskNeed NeedOf(const plan::Node& plan, int compute_threads, int64_t prefetch_bytes);

struct MemoryPlan {
  int tasks_at_once = 1;
  int64_t prefetch_bytes = 0;      ///< of each task
  int64_t exchange_bytes = 0;      ///< that a task may be ahead of its receiver
  int64_t serial_more_bytes = 0;   ///< of a stage of one task that makes use of more
  int64_t scan_minimum_bytes = 0;  ///< of each task's scan, all that it reads ahead in it
  int64_t query_minimum_bytes = 0;  ///< what belongs to no task: results, expressions
  int64_t total_bytes = 0;  ///< what the query is admitted with: its largest phase
};

/// The best division of `room_bytes`; that of the least that will do when they are less.
MemoryPlan DivideMemory(const TaskNeed& need, int64_t room_bytes);

}  // namespace wheelpit::engine
