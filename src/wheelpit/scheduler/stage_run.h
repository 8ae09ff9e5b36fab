// SPDX-License-Identifier: Apache-2.0
// Runs the stages of one query: each is a number of tasks, a task is a driver, and a
// bounded number of a stage's tasks run at once, started in order (exchanges rely on
// that). Stages run side by side, where a later one parks until its exchange has
// something, but for those that come after others: what collects all rows (a sort,
// groups) ends a phase.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/driver.h"
#include "wheelpit/scheduler/stage_memory.h"

namespace wheelpit::scheduler {

/// Where a task runs. Tasks of a stage that run at once have different slots.
struct TaskSlot {
  int number = 0;  ///< below the stage's `tasks_at_once`
  /// Counts for the query, and for the task alone until it ends. Lives as long as the
  /// run.
  core::MetricSet* metrics = nullptr;
};

struct Stage {
  std::string name;
  int64_t task_count = 0;
  /// Makes the pipeline of a task when it starts, on a compute thread: must not block.
  std::function<arrow::Result<exec::Pipeline>(int64_t task, TaskSlot slot)> make_task =
      {};
  /// True when the stage's receiver wants no more: tasks not started yet are skipped. May
  /// be empty.
  std::function<bool()> receiver_done = {};
  int tasks_at_once = 1;
  /// Stages, by their index, that come before this one, which starts when they have ended
  /// and given back what they close.
  std::vector<int> after = {};
  /// Stages, by their index, whose rows it takes.
  std::vector<int> inputs = {};
  /// Opened before the first task.
  std::vector<StageMemory*> opens = {};
  /// Closed once the last task has ended, as soon as nothing is allocated in them. Not
  /// after an error.
  std::vector<StageMemory*> closes = {};
};

struct StageFigures {
  std::string name;
  int64_t tasks = 0;        ///< ended successfully
  int64_t start_nanos = 0;  ///< of the clock; 0 before the first task starts
  int64_t end_nanos = 0;    ///< 0 until the last task has ended
};

/// What a task used, by its own account.
struct TaskFigures {
  std::array<int64_t, static_cast<size_t>(core::Metric::kMetricCount)> metrics{};
  /// The most that the operators of its slot have had, its own and those of tasks that
  /// ran there before it.
  int64_t peak_bytes = 0;
};

/// Told what happens, by the compute threads on which it does: must not block, and two
/// may call at once. Each call about a stage comes between its start and its end, each
/// about a task too.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void StageStarted(size_t stage) = 0;
  virtual void TaskStarted(size_t stage, int64_t task) = 0;
  virtual void TaskEnded(size_t stage, int64_t task, const arrow::Status& status,
                         const TaskFigures& figures) = 0;
  /// All its tasks have ended well, or were not wanted.
  virtual void StageEnded(size_t stage) = 0;
};

struct StageRunOptions {
  core::Executor* executor = nullptr;
  const core::Clock* clock = nullptr;
  core::MetricSet* metrics = nullptr;
  StageObserver* observer = nullptr;  ///< may be null, else outlives the run
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  core::Wait stopped = {};
  /// Called once with the first error, while other tasks still run: the place to stop
  /// them and to fail the exchange that the client reads. May be empty.
  std::function<void(const arrow::Status&)> on_error = {};
};

class StageRun {
 public:
  /// Starts the first tasks and returns. `done` is called once, on a compute thread,
  /// after every task that was started has ended, with the first error of any. What
  /// stages open and close outlives that.
  static std::unique_ptr<StageRun> Start(std::vector<Stage> stages,
                                         StageRunOptions options,
                                         std::function<void(arrow::Status)> done);
  ~StageRun();

  /// A snapshot; any thread.
  std::vector<StageFigures> figures() const;

 private:
  struct State;
  explicit StageRun(std::shared_ptr<State> state);
  // Shared with the drivers' callbacks.
  std::shared_ptr<State> state_;
};

}  // namespace wheelpit::scheduler
