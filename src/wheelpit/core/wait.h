// SPDX-License-Identifier: Apache-2.0
// Parked waits. Work that cannot go on returns a Wait instead of holding its thread;
// whoever can unblock it fires the Signal, and the callback puts the work back on an
// executor. One shot: a fired signal stays fired. Any thread may call anything here.
#pragma once

#include <functional>
#include <memory>

namespace wheelpit::core {

class Signal;

class Wait {
 public:
  /// A wait that is over already.
  Wait();

  bool ready() const;

  /// Calls `callback` once: here and now when ready, else on the thread that fires. The
  /// callback must be short and must not block (it runs wherever the signal is fired).
  void OnReady(std::function<void()> callback) const;

  /// Holds the calling thread. For client and test threads; a bug on a compute thread
  /// (checked).
  void Block() const;

 private:
  friend class Signal;
  struct State;
  explicit Wait(std::shared_ptr<State> state) : state_(std::move(state)) {}
  // Shared: the waiting and the firing side may each be the last to leave.
  std::shared_ptr<State> state_;
};

class Signal {
 public:
  Signal();
  Wait wait() const { return Wait(state_); }
  bool fired() const { return wait().ready(); }
  /// Idempotent. Callbacks run before this returns, outside any lock.
  void Fire() const;

 private:
  std::shared_ptr<Wait::State> state_;
};

}  // namespace wheelpit::core
