// SPDX-License-Identifier: Apache-2.0
// ByteQueue: the bounded queue between threads that compute and threads that block. Many
// producers, many consumers, first in first out, bounded in bytes and, if wanted, in
// items. TryPush and TryPop never block: they hand out a wait to park on. Push and Pop
// hold the thread and are for I/O and client threads.
//
// Threads: everything may be called from any thread. Signals fire outside the lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/core/wait.h"

namespace wheelpit::io {

struct ByteQueueOptions {
  /// Bytes queued at most, except that one item larger than this passes alone.
  int64_t bytes_max = 0;
  int64_t items_max = 0;  ///< 0: no bound in items
};

enum class QueueOutcome : uint8_t {
  kDone,  ///< pushed or popped
  kWait,  ///< full or empty: try again when the wait is ready
  kEnd,   ///< closed: nothing more is taken, or nothing more comes
};

template <typename T>
class ByteQueue {
 public:
  explicit ByteQueue(ByteQueueOptions options) : options_(options) {}

  /// Puts `item` at the end; it is moved from only for kDone. An item that was refused is
  /// not overtaken by smaller ones until there was room for it. The error is Fail's.
  arrow::Result<QueueOutcome> TryPush(T& item, int64_t size_bytes, core::Wait* wait);

  /// Takes the first item. kEnd: closed and drained. The error is Fail's.
  arrow::Result<QueueOutcome> TryPop(T* item, core::Wait* wait);

  /// As above, holding the thread instead of kWait. Not for compute threads.
  arrow::Result<QueueOutcome> Push(T item, int64_t size_bytes);
  arrow::Result<QueueOutcome> Pop(T* item);

  /// Takes no more; what is queued can still be popped. Idempotent.
  void Close();

  /// Drops what is queued; every later call returns `status`, which must not be OK. The
  /// first failure stays.
  void Fail(arrow::Status status);

  int64_t size_bytes() const { return state_.Lock()->bytes; }
  int64_t item_count() const {
    return static_cast<int64_t>(state_.Lock()->entries.size());
  }

 private:
  struct Entry {
    T item;
    int64_t size_bytes;
  };

  struct State {
    std::deque<Entry> entries;
    int64_t bytes = 0;
    /// Room that must have been there once before anybody is let in again: the largest
    /// item refused, so that a stream of small ones cannot keep it out.
    int64_t room_wanted = 0;
    bool closed = false;
    arrow::Status failure;
    /// Shared by all who wait for the same thing; replaced when fired.
    std::optional<core::Signal> room;
    std::optional<core::Signal> items;
  };

  static core::Wait WaitOn(std::optional<core::Signal>& signal) {
    if (!signal) {
      signal.emplace();
    }
    return signal->wait();
  }

  static void Fire(const std::optional<core::Signal>& signal) {
    if (signal) {
      signal->Fire();
    }
  }

  bool HasRoom(const State& state, int64_t size_bytes) const {
    if (state.entries.empty()) {
      return true;
    }
    if (options_.items_max > 0 &&
        static_cast<int64_t>(state.entries.size()) >= options_.items_max) {
      return false;
    }
    return options_.bytes_max - state.bytes >= size_bytes;
  }

  const ByteQueueOptions options_;
  mutable core::Guarded<State> state_;
};

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::TryPush(T& item, int64_t size_bytes,
                                                  core::Wait* wait) {
  WHEELPIT_DCHECK(size_bytes >= 0, "a queue item of negative size");
  std::optional<core::Signal> fired;
  {
    auto state = state_.Lock();
    ARROW_RETURN_NOT_OK(state->failure);
    if (state->closed) {
      return QueueOutcome::kEnd;
    }
    if (!HasRoom(*state, std::max(size_bytes, state->room_wanted))) {
      state->room_wanted =
          std::max(state->room_wanted, std::min(size_bytes, options_.bytes_max));
      *wait = WaitOn(state->room);
      return QueueOutcome::kWait;
    }
    state->room_wanted = 0;
    state->entries.push_back({std::move(item), size_bytes});
    state->bytes += size_bytes;
    fired.swap(state->items);
  }
  Fire(fired);
  return QueueOutcome::kDone;
}

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::TryPop(T* item, core::Wait* wait) {
  std::optional<core::Signal> fired;
  {
    auto state = state_.Lock();
    ARROW_RETURN_NOT_OK(state->failure);
    if (state->entries.empty()) {
      if (state->closed) {
        return QueueOutcome::kEnd;
      }
      *wait = WaitOn(state->items);
      return QueueOutcome::kWait;
    }
    *item = std::move(state->entries.front().item);
    state->bytes -= state->entries.front().size_bytes;
    state->entries.pop_front();
    // Whoever waits for more room than there is now would be woken for nothing.
    if (HasRoom(*state, state->room_wanted)) {
      fired.swap(state->room);
    }
  }
  Fire(fired);
  return QueueOutcome::kDone;
}

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::Push(T item, int64_t size_bytes) {
  while (true) {
    core::Wait wait;
    ARROW_ASSIGN_OR_RAISE(const QueueOutcome outcome, TryPush(item, size_bytes, &wait));
    if (outcome != QueueOutcome::kWait) {
      return outcome;
    }
    wait.Block();
  }
}

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::Pop(T* item) {
  while (true) {
    core::Wait wait;
    ARROW_ASSIGN_OR_RAISE(const QueueOutcome outcome, TryPop(item, &wait));
    if (outcome != QueueOutcome::kWait) {
      return outcome;
    }
    wait.Block();
  }
}

template <typename T>
void ByteQueue<T>::Close() {
  std::optional<core::Signal> room;
  std::optional<core::Signal> items;
  {
    auto state = state_.Lock();
    state->closed = true;
    room.swap(state->room);
    items.swap(state->items);
  }
  Fire(room);
  Fire(items);
}

template <typename T>
void ByteQueue<T>::Fail(arrow::Status status) {
  WHEELPIT_DCHECK(!status.ok(), "a queue cannot fail with success");
  std::deque<Entry> dropped;  // Items are destroyed outside the lock.
  std::optional<core::Signal> room;
  std::optional<core::Signal> items;
  {
    auto state = state_.Lock();
    if (state->failure.ok()) {
      state->failure = std::move(status);
    }
    dropped.swap(state->entries);
    state->bytes = 0;
    room.swap(state->room);
    items.swap(state->items);
  }
  Fire(room);
  Fire(items);
}

}  // namespace wheelpit::io
