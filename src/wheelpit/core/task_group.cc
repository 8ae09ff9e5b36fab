// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/task_group.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <optional>
#include <utility>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::core {

struct TaskGroup::State {
  struct Inner {
    int64_t running = 0;
    bool closed = false;
    arrow::Status first_error;
    std::optional<Signal> idle;
  };
  Guarded<Inner> inner;
  std::condition_variable changed;
  std::atomic<bool> stopping{false};

  void End(const arrow::Status& status) {
    std::optional<Signal> idle;
    {
      auto locked = inner.Lock();
      if (!status.ok()) {
        stopping = true;
        if (locked->first_error.ok()) {
          locked->first_error = status;
        }
      }
      if (--locked->running == 0) {
        idle.swap(locked->idle);
        changed.notify_all();
      }
    }
    if (idle) {
      idle->Fire();
    }
  }
};

TaskGroup::TaskGroup(Executor* executor)
    : executor_(executor), state_(std::make_shared<State>()) {}

TaskGroup::~TaskGroup() {
  static_cast<void>(Close());
}

bool TaskGroup::Spawn(std::function<arrow::Status()> task) {
  {
    auto locked = state_->inner.Lock();
    if (locked->closed || !locked->first_error.ok()) {
      return false;
    }
    ++locked->running;
  }
  const arrow::Status submitted = CatchBadAlloc([&] {
    executor_->Submit([state = state_, task = std::move(task)]() mutable {
      arrow::Status status = CatchBadAlloc(task);
      // What the task holds goes before the group may be seen as idle.
      task = nullptr;
      state->End(status);
    });
    return arrow::Status::OK();
  });
  if (!submitted.ok()) {
    state_->End(submitted);
  }
  return submitted.ok();
}

bool TaskGroup::stopping() const {
  return state_->stopping.load();
}

Wait TaskGroup::idle() const {
  auto locked = state_->inner.Lock();
  if (locked->running == 0) {
    return {};
  }
  if (!locked->idle) {
    locked->idle.emplace();
  }
  return locked->idle->wait();
}

arrow::Status TaskGroup::Close() {
  auto locked = state_->inner.Lock();
  locked->closed = true;
  state_->stopping = true;
  locked.Await(state_->changed, [](State::Inner& inner) { return inner.running == 0; });
  return locked->first_error;
}

namespace {

// Outlives the call: a helper that starts late finds no index left and touches only this.
struct Loop {
  int64_t count = 0;
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  const std::function<arrow::Status(int64_t)>* body = nullptr;

  struct Ends {
    int64_t active = 0;
    arrow::Status first_error;
  };
  Guarded<Ends> ends;
  std::condition_variable changed;

  // False when there was nothing left to join.
  bool Enter() {
    auto locked = ends.Lock();
    if (next.load() >= count || failed.load()) {
      return false;
    }
    ++locked->active;
    return true;
  }

  void Work() {
    arrow::Status status;
    while (!failed.load()) {
      const int64_t index = next.fetch_add(1);
      if (index >= count) {
        break;
      }
      status = CatchBadAlloc([&] { return (*body)(index); });
      if (!status.ok()) {
        failed = true;
      }
    }
    auto locked = ends.Lock();
    if (!status.ok() && locked->first_error.ok()) {
      locked->first_error = std::move(status);
    }
    if (--locked->active == 0) {
      changed.notify_all();
    }
  }
};

}  // namespace

arrow::Status ParallelFor(Executor* executor, int64_t count,
                          const std::function<arrow::Status(int64_t)>& body) {
  // Shared with helpers that the executor may start after this call has returned.
  auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->body = &body;
  const int64_t helpers = std::min<int64_t>(count - 1, executor->thread_count());
  for (int64_t i = 0; i < helpers; ++i) {
    executor->Submit([loop] {
      if (loop->Enter()) {
        loop->Work();
      }
    });
  }
  if (loop->Enter()) {
    loop->Work();
  }
  auto locked = loop->ends.Lock();
  locked.Await(loop->changed, [](Loop::Ends& ends) { return ends.active == 0; });
  return locked->first_error;
}

}  // namespace wheelpit::core
