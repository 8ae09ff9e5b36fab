// SPDX-License-Identifier: Apache-2.0
// Guarded<T>: shared mutable state that cannot be reached without its lock. Functions
// that need the lock take T&, so that holding it shows in their signature.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

namespace wheelpit::core {

template <typename T>
class Guarded {
 public:
  /// The state, for as long as this object lives.
  class Locked {
   public:
    T* operator->() const { return value_; }
    T& operator*() const { return *value_; }

    /// Gives the lock up for good; the state may not be touched through this object
    /// after.
    void Unlock() {
      lock_.unlock();
      value_ = nullptr;
    }

    /// Gives the lock up until `condition` was notified and `ready(T&)` holds. Never call
    /// this on a compute thread: those park instead (core/wait.h).
    template <typename Ready>
    void Await(std::condition_variable& condition, Ready ready) {
      condition.wait(lock_, [&] { return ready(*value_); });
    }

    /// As above with a bound; whether `ready` held.
    template <typename Duration, typename Ready>
    bool AwaitFor(std::condition_variable& condition, Duration bound, Ready ready) {
      return condition.wait_for(lock_, bound, [&] { return ready(*value_); });
    }

   private:
    friend class Guarded;
    Locked(std::mutex& mutex, T& value) : lock_(mutex), value_(&value) {}
    std::unique_lock<std::mutex> lock_;
    T* value_;
  };

  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Locked Lock() { return Locked(mutex_, value_); }

 private:
  std::mutex mutex_;
  T value_{};
};

}  // namespace wheelpit::core
