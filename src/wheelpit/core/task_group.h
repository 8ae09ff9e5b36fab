// SPDX-License-Identifier: Apache-2.0
// TaskGroup: work that is spawned is also waited for. The owner closes the group: new
// work is refused, running work is asked to stop, and Close returns when the last task
// has ended.
#pragma once

#include <functional>
#include <memory>

#include <arrow/status.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/wait.h"

namespace wheelpit::core {

class TaskGroup {
 public:
  /// `executor` must outlive the group.
  explicit TaskGroup(Executor* executor);
  /// Closes, if the owner has not.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Runs `task` on the executor. False, and no run, when the group is closed or has
  /// failed.
  bool Spawn(std::function<arrow::Status()> task);

  /// True once a task has failed or the group is closed: long tasks poll it and return
  /// early.
  bool stopping() const;

  /// Ready when no task is left; new ones may come until Close. For drivers.
  Wait idle() const;

  /// Refuses new tasks, holds the calling thread until none is left, and returns the
  /// first error of any. Not for compute threads.
  arrow::Status Close();

 private:
  struct State;
  Executor* executor_;
  // Shared with the tasks in flight, whose last act touches it after Close may have
  // returned.
  std::shared_ptr<State> state_;
};

/// Calls body(0) … body(count - 1), on the calling thread and on as many threads of
/// `executor` as are free, and returns the first error; the rest is skipped then. The
/// caller works too, so that this ends even when every thread of the executor is inside
/// such a call.
arrow::Status ParallelFor(Executor* executor, int64_t count,
                          const std::function<arrow::Status(int64_t)>& body);

}  // namespace wheelpit::core
