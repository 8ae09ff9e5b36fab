// SPDX-License-Identifier: Apache-2.0
// What an operator has of memory, and what the broker asks of it. One for each operator
// and place where a task may run; it lives as long as the query, because batches made
// from it outlive the task, and serves one task after the other.
//
// How an operator that holds rows uses it, at batch boundaries (PipelinePart::AtBoundary)
// and nowhere else:
//   - asked_bytes() > 0: free that much (spill: exec/task_context.h), then Answer(), also
//     when there was nothing to give;
//   - budget().Reserve(most that the next batch takes): a wait is what AtBoundary
//     returns;
//   - set_reclaimable() after each change of what it holds.
// What is allocated between two boundaries is within the minimum and what was reserved.
// A refused Reserve gives up what the one before promised; the workspace stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <arrow/result.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::exec {

struct OperatorMemoryOptions {
  std::string name;           ///< for messages: "scan", "sort"
  int64_t minimum_bytes = 0;  ///< of what it holds: in which it always finishes
  /// Set aside besides, so that it can spill when there is nothing left: encoded blocks
  /// on their way to disk.
  int64_t workspace_bytes = 0;
  int driver = memory::kNoDriver;  ///< of the query's, the same for all that run as one
  bool can_spill = false;
};

class OperatorMemory final : public memory::Spillable {
 public:
  /// Both outlive it; `metrics` may be null. kMemoryLimit when the minimum was not part
  /// of what the query was admitted with and is not free.
  static arrow::Result<std::unique_ptr<OperatorMemory>> Make(
      memory::QueryBudget* query, OperatorMemoryOptions options,
      core::MetricSet* metrics);
  /// Everything must have been freed: wait for drained().
  ~OperatorMemory() override;

  /// Any thread, as budget.h says; it is a memory pool too.
  memory::OperatorBudget& budget() { return *budget_; }
  /// For what a SpillWriter allocates; of no bytes without workspace_bytes.
  memory::OperatorBudget& workspace() { return *workspace_; }
  /// Ready when nothing is allocated from either.
  core::Wait drained();

  /// Where the task counts that the memory serves now; null: nowhere of its own. Set
  /// before the task's parts are made, which read it on its thread.
  void SetTaskMetrics(core::MetricSet* metrics) { task_metrics_ = metrics; }
  core::MetricSet* task_metrics() const { return task_metrics_; }

  // The thread of the operator:
  /// How much a spill would free now.
  void set_reclaimable(int64_t bytes) { reclaimable_ = bytes; }
  /// What was asked for and not answered yet; 0: nothing.
  int64_t asked_bytes() const { return asked_.load(); }
  /// What could be freed was.
  void Answer();

  // The driver:
  /// `ring` is called by any thread when memory is asked for, and wakes the driver. Null
  /// at its end: nothing is held any more.
  void SetBell(std::function<void()> ring);

  int64_t reclaimable() const override { return reclaimable_.load(); }
  void RequestReclaim(int64_t bytes) override;

 private:
  explicit OperatorMemory(core::MetricSet* metrics) : metrics_(metrics) {}

  core::MetricSet* const metrics_;
  core::MetricSet* task_metrics_ = nullptr;
  std::atomic<int64_t> reclaimable_{0};
  std::atomic<int64_t> asked_{0};
  core::Guarded<std::function<void()>> bell_;
  std::unique_ptr<memory::OperatorBudget> budget_;
  std::unique_ptr<memory::OperatorBudget> workspace_;
};

}  // namespace wheelpit::exec
