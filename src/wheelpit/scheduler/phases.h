// SPDX-License-Identifier: Apache-2.0
// What the phases of a plan need of memory. A phase ends where an operator has to have
// all rows before it gives the first: aggregates, sorting. Its stages run side by side;
// what the operator has collected is there until the next phase is over.
#pragma once

#include <cstdint>
#include <vector>

#include "wheelpit/plan/plan.h"

namespace wheelpit::scheduler {

struct StageNeed {
  /// A slot runs a task of one of these, or one that merges, at a time.
  std::vector<const plan::Node*> scans;
  int64_t source_bytes = 0;  ///< of a slot that merges what was collected before
  /// Of each slot besides, also where a scan runs in it: for spilling what is merged.
  int64_t source_workspace_bytes = 0;
  int64_t sink_bytes = 0;         ///< of a slot that collects
  int64_t serial_bytes = 0;       ///< of the stage, which has one task then
  int64_t serial_more_bytes = 0;  ///< that such a stage makes good use of besides
};

struct PhaseNeed {
  std::vector<StageNeed> stages;
  /// Of each slot of earlier phases, collected there and still held.
  int64_t held_bytes = 0;
};

/// In the order in which they run. What scans need is the caller's to know.
std::vector<PhaseNeed> PhasesOf(const plan::Node& plan);

}  // namespace wheelpit::scheduler
