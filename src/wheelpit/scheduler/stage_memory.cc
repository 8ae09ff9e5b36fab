// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_memory.h"

#include <utility>

namespace wheelpit::scheduler {

StageMemory::StageMemory(memory::QueryBudget* budget, exec::OperatorMemoryOptions each,
                         int slots, core::MetricSet* metrics)
    : budget_(budget), each_(std::move(each)), slot_count_(slots), metrics_(metrics) {}

StageMemory::~StageMemory() = default;

arrow::Status StageMemory::Open() {
  for (int slot = 0; slot < slot_count_; ++slot) {
    exec::OperatorMemoryOptions options = each_;
    options.driver += slot;
    ARROW_ASSIGN_OR_RAISE(
        auto memory, exec::OperatorMemory::Make(budget_, std::move(options), metrics_));
    slots_.push_back(std::move(memory));
  }
  return arrow::Status::OK();
}

core::Wait StageMemory::drained() const {
  for (const auto& memory : slots_) {
    core::Wait wait = memory->drained();
    if (!wait.ready()) {
      return wait;
    }
  }
  return {};
}

void StageMemory::Close() {
  slots_.clear();
}

}  // namespace wheelpit::scheduler
