// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/operator_memory.h"

#include <algorithm>
#include <utility>

namespace wheelpit::exec {

arrow::Result<std::unique_ptr<OperatorMemory>> OperatorMemory::Make(
    memory::QueryBudget* query, OperatorMemoryOptions options, core::MetricSet* metrics) {
  std::unique_ptr<OperatorMemory> made(new OperatorMemory(metrics));
  ARROW_ASSIGN_OR_RAISE(
      made->budget_,
      query->MakeOperator(options.name, options.minimum_bytes,
                          options.can_spill ? made.get() : nullptr, options.driver));
  made->budget_->SetRunning(false);
  ARROW_ASSIGN_OR_RAISE(
      made->workspace_,
      query->MakeOperator(options.name + " spill workspace", options.workspace_bytes,
                          nullptr, memory::kNoDriver));
  return made;
}

OperatorMemory::~OperatorMemory() {
  // Before what the broker may still call.
  budget_.reset();
}

void OperatorMemory::RequestReclaim(int64_t bytes) {
  int64_t asked = asked_.load();
  while (asked < bytes && !asked_.compare_exchange_weak(asked, bytes)) {
  }
  if (metrics_ != nullptr) {
    metrics_->Add(core::Metric::kMemoryReclaims, 1);
  }
  std::function<void()> ring;
  {
    auto bell = bell_.Lock();
    ring = *bell;
    if (!ring) {
      // No task runs here, so nothing is held. Under the lock, so that the next task does
      // not begin meanwhile.
      Answer();
      return;
    }
  }
  ring();
}

core::Wait OperatorMemory::drained() {
  const core::Wait wait = budget_->drained();
  return wait.ready() ? workspace_->drained() : wait;
}

void OperatorMemory::Answer() {
  asked_ = 0;
  budget_->ReleaseUnusedReservation();
}

void OperatorMemory::SetBell(std::function<void()> ring) {
  const bool runs = ring != nullptr;
  *bell_.Lock() = std::move(ring);
  if (!runs) {
    reclaimable_ = 0;
    Answer();
  }
  budget_->SetRunning(runs);
}

}  // namespace wheelpit::exec
