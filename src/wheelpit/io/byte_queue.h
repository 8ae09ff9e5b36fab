// SPDX-License-Identifier: Apache-2.0
// ByteQueue: the bounded queue between threads that compute and threads that block. Many
// producers, many consumers, first in first out, bounded in bytes and, if wanted, in
// items. TryPush and TryPop never block: they hand out a wait to park on. Push and Pop
// hold the thread and are for I/O and client threads.
//
// Threads: everything may be called from any thread. Signals fire outside the lock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/io/byte_admission.h"

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
  explicit ByteQueue(ByteQueueOptions options) : state_(State(options)) {}

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

  int64_t size_bytes() const { return state_.Lock()->admission.bytes(); }
  int64_t item_count() const { return state_.Lock()->admission.items(); }

 private:
  struct Entry {
    T item;
    int64_t size_bytes;
  };

  struct State {
    explicit State(ByteQueueOptions options)
        : admission(options.bytes_max, options.items_max) {}
    std::deque<Entry> entries;
    ByteAdmission admission;
    bool closed = false;
    arrow::Status failure;
    std::optional<core::Signal> items;  ///< fired and replaced when something comes
  };

  static void Fire(const std::optional<core::Signal>& signal) {
    if (signal) {
      signal->Fire();
    }
  }

  mutable core::Guarded<State> state_;
};

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::TryPush(T& item, int64_t size_bytes,
                                                  core::Wait* wait) {
  WHEELPIT_DCHECK(size_bytes >= 0, "a queue item of negative size");
  std::optional<core::Signal> items;
  {
    auto state = state_.Lock();
    ARROW_RETURN_NOT_OK(state->failure);
    if (state->closed) {
      return QueueOutcome::kEnd;
    }
    if (!state->admission.TryEnter(size_bytes, wait)) {
      return QueueOutcome::kWait;
    }
    state->entries.push_back({std::move(item), size_bytes});
    items.swap(state->items);
  }
  Fire(items);
  return QueueOutcome::kDone;
}

template <typename T>
arrow::Result<QueueOutcome> ByteQueue<T>::TryPop(T* item, core::Wait* wait) {
  std::optional<core::Signal> room;
  {
    auto state = state_.Lock();
    ARROW_RETURN_NOT_OK(state->failure);
    if (state->entries.empty()) {
      if (state->closed) {
        return QueueOutcome::kEnd;
      }
      if (!state->items) {
        state->items.emplace();
      }
      *wait = state->items->wait();
      return QueueOutcome::kWait;
    }
    *item = std::move(state->entries.front().item);
    room = state->admission.Leave(state->entries.front().size_bytes);
    state->entries.pop_front();
  }
  Fire(room);
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
    room = state->admission.TakeSignal();
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
    room = state->admission.TakeSignal();
    dropped.swap(state->entries);
    for (const Entry& entry : dropped) {
      state->admission.Leave(entry.size_bytes);
    }
    items.swap(state->items);
  }
  Fire(room);
  Fire(items);
}

}  // namespace wheelpit::io
