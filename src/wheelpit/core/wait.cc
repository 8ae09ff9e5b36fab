// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/wait.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "wheelpit/core/error.h"
#include "wheelpit/core/thread_role.h"

namespace wheelpit::core {

struct Wait::State {
  std::atomic<bool> fired{false};
  std::mutex mutex;
  std::condition_variable condition;
  std::vector<std::function<void()>> callbacks;
};

Wait::Wait() = default;

// A null state means "over already", so that the common case costs no allocation.
bool Wait::ready() const {
  return state_ == nullptr || state_->fired.load(std::memory_order_acquire);
}

void Wait::OnReady(std::function<void()> callback) const {
  if (!ready()) {
    std::lock_guard lock(state_->mutex);
    if (!state_->fired.load()) {
      state_->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

void Wait::Block() const {
  WHEELPIT_DCHECK(ThisThreadRole() != ThreadRole::kCompute,
                  "a compute thread must park, not block");
  if (ready()) {
    return;
  }
  std::unique_lock lock(state_->mutex);
  state_->condition.wait(lock, [&] { return state_->fired.load(); });
}

Signal::Signal() : state_(std::make_shared<Wait::State>()) {}

// Who waits may end this signal as soon as it has fired, so nothing of it is used then.
void Signal::Fire() const {
  const std::shared_ptr<Wait::State> state = state_;
  std::vector<std::function<void()>> callbacks;
  {
    std::lock_guard lock(state->mutex);
    if (state->fired.exchange(true)) {
      return;
    }
    callbacks.swap(state->callbacks);
    state->condition.notify_all();
  }
  for (auto& callback : callbacks) {
    callback();
  }
}

}  // namespace wheelpit::core
