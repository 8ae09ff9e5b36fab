// SPDX-License-Identifier: Apache-2.0
// The memory of one operator of a stage, by slot: set aside when the stage starts, given
// back when nobody needs its rows any more, so that a query of several phases needs at
// once what its largest phase needs.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::scheduler {

/// Open and Close are called by one thread at a time, not while the other runs.
class StageMemory {
 public:
  /// `each`: what a slot's operator gets. The budget and the metrics outlive this.
  StageMemory(memory::QueryBudget* budget, exec::OperatorMemoryOptions each, int slots,
              core::MetricSet* metrics);
  ~StageMemory();

  /// What runs in a slot is one driver: that of slot 0; the others follow.
  void SetDriver(int driver) { each_.driver = driver; }
  /// Never blocks: what the query was admitted with covers it.
  arrow::Status Open();
  bool open() const { return !slots_.empty(); }
  /// Of an open one.
  exec::OperatorMemory* at(int slot) const {
    return slots_[static_cast<size_t>(slot)].get();
  }
  /// Ready when nothing is allocated in any slot.
  core::Wait drained() const;
  /// After drained() was ready; not within a callback of it.
  void Close();

  const exec::OperatorMemoryOptions& each() const { return each_; }
  int slot_count() const { return slot_count_; }

 private:
  memory::QueryBudget* const budget_;
  exec::OperatorMemoryOptions each_;
  const int slot_count_;
  core::MetricSet* const metrics_;
  std::vector<std::unique_ptr<exec::OperatorMemory>> slots_;
};

}  // namespace wheelpit::scheduler
