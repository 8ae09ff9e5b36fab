// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_run.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/exec/operator_memory.h"

namespace wheelpit::scheduler {

struct StageRun::State : std::enable_shared_from_this<StageRun::State> {
  struct Progress {
    int64_t next_task = 0;
    int64_t running = 0;
    std::vector<int> free_slots = {};  // the next one last
    std::vector<std::unique_ptr<core::MetricSet>> slot_metrics = {};
    bool started = false;
    bool ended = false;
    bool released = false;  // and has given back what it closes
    StageFigures figures;
  };
  struct Inner {
    std::vector<Progress> stages;
    int64_t running = 0;  // tasks of all stages, and whoever starts or ends stages
    arrow::Status first_error;
  };

  std::vector<Stage> stages;
  StageRunOptions options;
  std::function<void(arrow::Status)> done;
  core::Guarded<Inner> inner;

  // Starts the stages that have nothing more to wait for.
  void StartReady() {
    for (size_t i = 0; i < stages.size(); ++i) {
      {
        auto locked = inner.Lock();
        Progress& progress = locked->stages[i];
        const auto before = [&](int stage) {
          return locked->stages[static_cast<size_t>(stage)].released;
        };
        if (progress.started || !locked->first_error.ok() ||
            !std::all_of(stages[i].after.begin(), stages[i].after.end(), before)) {
          continue;
        }
        progress.started = true;
      }
      if (options.observer != nullptr) {
        options.observer->StageStarted(i);
      }
      const arrow::Status opened = core::CatchBadAlloc([&] { return Open(i); });
      if (opened.ok()) {
        Fill(i);
      } else {
        Fail(opened);
      }
    }
  }

  arrow::Status Open(size_t stage) {
    for (StageMemory* memory : stages[stage].opens) {
      ARROW_RETURN_NOT_OK(memory->Open());
    }
    return arrow::Status::OK();
  }

  // Starts tasks of a stage until enough run; ends the stage when there was none left and
  // none runs.
  void Fill(size_t stage) {
    while (StartNext(stage)) {
    }
    {
      auto locked = inner.Lock();
      Progress& progress = locked->stages[stage];
      if (progress.ended || progress.running > 0 ||
          progress.next_task < stages[stage].task_count || !locked->first_error.ok()) {
        return;
      }
      progress.ended = true;
      ++locked->running;
    }
    if (options.observer != nullptr) {
      options.observer->StageEnded(stage);
    }
    // What it was made of holds rows, and memory.
    stages[stage].make_task = nullptr;
    Release(stage);
  }

  // Gives back what an ended stage closes, now or when it can be.
  void Release(size_t stage) {
    for (const StageMemory* memory : stages[stage].closes) {
      const core::Wait drained = memory->drained();
      if (!drained.ready()) {
        // A budget must not end inside its own callback.
        drained.OnReady([self = shared_from_this(), stage] {
          self->options.executor->Submit([self, stage] { self->Release(stage); });
        });
        return;
      }
    }
    for (StageMemory* memory : stages[stage].closes) {
      memory->Close();
    }
    inner.Lock()->stages[stage].released = true;
    StartReady();
    Leave();
  }

  // Whether a task was started, or could not be made.
  bool StartNext(size_t stage) {
    int64_t task = 0;
    int slot = 0;
    {
      auto locked = inner.Lock();
      Progress& progress = locked->stages[stage];
      const bool unwanted =
          stages[stage].receiver_done != nullptr && stages[stage].receiver_done();
      if (unwanted || !locked->first_error.ok()) {
        progress.next_task = stages[stage].task_count;
      }
      if (progress.next_task == stages[stage].task_count ||
          progress.running == stages[stage].tasks_at_once) {
        return false;
      }
      task = progress.next_task++;
      slot = progress.free_slots.back();
      progress.free_slots.pop_back();
      ++progress.running;
      ++locked->running;
      if (progress.figures.start_nanos == 0) {
        progress.figures.start_nanos = options.clock->MonotonicNanos();
      }
    }
    StartTask(stage, task, slot);
    return true;
  }

  // A task from its start to its end.
  struct RunningTask {
    size_t stage = 0;
    int64_t task = 0;
    int slot = 0;
    core::MetricSet* metrics = nullptr;
    TaskFigures before = {};  // of the slot, at the task's start
    std::vector<exec::OperatorMemory*> memories = {};
  };

  void StartTask(size_t stage, int64_t task, int slot) {
    RunningTask running{.stage = stage, .task = task, .slot = slot};
    running.metrics = MetricsOf(stage, slot);
    if (options.observer != nullptr) {
      running.before = FiguresOf(running);
      options.observer->TaskStarted(stage, task);
    }
    auto pipeline = core::CatchBadAlloc([&] {
      return stages[stage].make_task(task, {.number = slot, .metrics = running.metrics});
    });
    if (!pipeline.ok()) {
      // Never the last one to leave: whoever fills the stage is counted too.
      EndTask(running, pipeline.status());
      Leave();
      return;
    }
    running.metrics->Add(core::Metric::kTasks, 1);
    running.memories = pipeline->memories;
    exec::StartDriver(
        *std::move(pipeline),
        {.stop = options.stop, .stopped = options.stopped, .metrics = running.metrics},
        options.executor,
        [self = shared_from_this(), stage,
         running = std::move(running)](const arrow::Status& status) {
          self->EndTask(running, status);
          self->Fill(stage);
          self->Leave();
        });
  }

  core::MetricSet* MetricsOf(size_t stage, int slot) {
    return inner.Lock()->stages[stage].slot_metrics[static_cast<size_t>(slot)].get();
  }

  // What the task's slot has used up to now.
  static TaskFigures FiguresOf(const RunningTask& task) {
    TaskFigures figures;
    for (size_t i = 0; i < figures.metrics.size(); ++i) {
      figures.metrics[i] = task.metrics->Get(static_cast<core::Metric>(i));
    }
    for (exec::OperatorMemory* memory : task.memories) {
      figures.peak_bytes +=
          memory->budget().max_memory() + memory->workspace().max_memory();
    }
    return figures;
  }

  void TellEnd(const RunningTask& task, const arrow::Status& status) {
    TaskFigures figures = FiguresOf(task);
    for (size_t i = 0; i < figures.metrics.size(); ++i) {
      figures.metrics[i] -= task.before.metrics[i];
    }
    options.observer->TaskEnded(task.stage, task.task, status, figures);
  }

  void EndTask(const RunningTask& task, const arrow::Status& status) {
    if (options.observer != nullptr) {
      TellEnd(task, status);
    }
    {
      auto locked = inner.Lock();
      Progress& progress = locked->stages[task.stage];
      --progress.running;
      progress.free_slots.push_back(task.slot);
      if (status.ok()) {
        ++progress.figures.tasks;
      }
      progress.figures.end_nanos = options.clock->MonotonicNanos();
    }
    if (!status.ok()) {
      Fail(status);
    }
  }

  void Fail(const arrow::Status& status) {
    {
      auto locked = inner.Lock();
      if (!locked->first_error.ok()) {
        return;
      }
      locked->first_error = status;
    }
    if (options.on_error) {
      options.on_error(status);
    }
  }

  // The count of what keeps the run alive goes down; the last one out reports.
  void Leave() {
    arrow::Status status;
    {
      auto locked = inner.Lock();
      if (--locked->running > 0) {
        return;
      }
      status = locked->first_error;
    }
    auto report = std::move(done);
    report(status);
  }
};

std::unique_ptr<StageRun> StageRun::Start(std::vector<Stage> stages,
                                          StageRunOptions options,
                                          std::function<void(arrow::Status)> done) {
  auto state = std::make_shared<State>();
  state->stages = std::move(stages);
  state->options = std::move(options);
  state->done = std::move(done);
  {
    auto locked = state->inner.Lock();
    locked->stages.resize(state->stages.size());
    for (size_t i = 0; i < state->stages.size(); ++i) {
      locked->stages[i].figures.name = state->stages[i].name;
      for (int slot = state->stages[i].tasks_at_once; slot-- > 0;) {
        locked->stages[i].free_slots.push_back(slot);
        locked->stages[i].slot_metrics.push_back(
            std::make_unique<core::MetricSet>(state->options.metrics));
      }
    }
    locked->running = 1;
  }
  // Tasks are made on a compute thread, where making them must not block, as the header
  // says.
  state->options.executor->Submit([state] {
    state->StartReady();
    state->Leave();
  });
  return std::unique_ptr<StageRun>(new StageRun(std::move(state)));
}

StageRun::StageRun(std::shared_ptr<State> state) : state_(std::move(state)) {}

StageRun::~StageRun() = default;

std::vector<StageFigures> StageRun::figures() const {
  std::vector<StageFigures> figures;
  auto locked = state_->inner.Lock();
  for (size_t i = 0; i < locked->stages.size(); ++i) {
    const auto& progress = locked->stages[i];
    figures.push_back(progress.figures);
    const bool ended =
        progress.running == 0 && progress.next_task == state_->stages[i].task_count;
    if (!ended) {
      figures.back().end_nanos = 0;
    }
  }
  return figures;
}

}  // namespace wheelpit::scheduler
