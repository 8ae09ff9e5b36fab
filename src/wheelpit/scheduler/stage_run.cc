// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_run.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/guarded.h"

namespace wheelpit::scheduler {

struct StageRun::State : std::enable_shared_from_this<StageRun::State> {
  struct Progress {
    int64_t next_task = 0;
    int64_t running = 0;
    std::vector<int> free_slots = {};  // the next one last
    StageFigures figures;
  };
  struct Inner {
    std::vector<Progress> stages;
    int64_t running = 0;  // tasks of all stages, and the starter itself
    arrow::Status first_error;
  };

  std::vector<Stage> stages;
  StageRunOptions options;
  std::function<void(arrow::Status)> done;
  core::Guarded<Inner> inner;

  // Starts tasks of a stage until enough run; false when there is none left to start.
  void Fill(size_t stage) {
    while (true) {
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
            progress.running == options.tasks_at_once) {
          return;
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
    }
  }

  void StartTask(size_t stage, int64_t task, int slot) {
    auto pipeline = stages[stage].make_task(task, slot);
    if (!pipeline.ok()) {
      // Never the last one to leave: whoever fills the stage is counted too.
      EndTask(stage, slot, pipeline.status());
      Leave();
      return;
    }
    options.metrics->Add(core::Metric::kTasks, 1);
    exec::StartDriver(
        *std::move(pipeline),
        {.stop = options.stop, .stopped = options.stopped, .metrics = options.metrics},
        options.executor,
        [self = shared_from_this(), stage, slot](const arrow::Status& status) {
          self->EndTask(stage, slot, status);
          self->Fill(stage);
          self->Leave();
        });
  }

  void EndTask(size_t stage, int slot, const arrow::Status& status) {
    bool first = false;
    {
      auto locked = inner.Lock();
      Progress& progress = locked->stages[stage];
      --progress.running;
      progress.free_slots.push_back(slot);
      if (status.ok()) {
        ++progress.figures.tasks;
      } else if (locked->first_error.ok()) {
        locked->first_error = status;
        first = true;
      }
      progress.figures.end_nanos = options.clock->MonotonicNanos();
    }
    if (first && options.on_error) {
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
      for (int slot = state->options.tasks_at_once; slot-- > 0;) {
        locked->stages[i].free_slots.push_back(slot);
      }
    }
    locked->running = 1;
  }
  // Tasks are made on a compute thread, where making them must not block, as the header
  // says.
  state->options.executor->Submit([state] {
    for (size_t i = 0; i < state->stages.size(); ++i) {
      state->Fill(i);
    }
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
