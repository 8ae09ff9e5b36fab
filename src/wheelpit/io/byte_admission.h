// SPDX-License-Identifier: Apache-2.0
// ByteAdmission: who may come in when a bound in bytes is kept, and who is woken when
// room is made. Not locked: it is part of the state that a lock guards (ByteQueue,
// IoExecutor).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "wheelpit/core/wait.h"

namespace wheelpit::io {

class ByteAdmission {
 public:
  /// `items_max` 0: no bound in items.
  ByteAdmission(int64_t bytes_max, int64_t items_max)
      : bytes_max_(bytes_max), items_max_(items_max) {}

  /// Lets an item in when it fits or would be alone. Else *wait becomes ready when there
  /// was room for it.
  bool TryEnter(int64_t size_bytes, core::Wait* wait) {
    if (!HasRoom(std::max(size_bytes, room_wanted_))) {
      room_wanted_ = std::max(room_wanted_, std::min(size_bytes, bytes_max_));
      if (!room_) {
        room_.emplace();
      }
      *wait = room_->wait();
      return false;
    }
    room_wanted_ = 0;
    bytes_ += size_bytes;
    ++items_;
    return true;
  }

  /// Lets an item out. The signal is to be fired after the lock was released.
  std::optional<core::Signal> Leave(int64_t size_bytes) {
    bytes_ -= size_bytes;
    --items_;
    // Whoever waits for more room than there is now would be woken for nothing.
    return HasRoom(room_wanted_) ? TakeSignal() : std::nullopt;
  }

  /// Everybody who waits, to be woken for another reason than room.
  std::optional<core::Signal> TakeSignal() {
    std::optional<core::Signal> taken;
    taken.swap(room_);
    return taken;
  }

  int64_t bytes() const { return bytes_; }
  int64_t items() const { return items_; }

 private:
  bool HasRoom(int64_t size_bytes) const {
    return items_ == 0 || ((items_max_ == 0 || items_ < items_max_) &&
                           bytes_max_ - bytes_ >= size_bytes);
  }

  int64_t bytes_max_;
  int64_t items_max_;
  int64_t bytes_ = 0;
  int64_t items_ = 0;
  /// Room that must have been there once before anybody is let in again: the largest item
  /// refused, so that a stream of small ones cannot keep it out.
  int64_t room_wanted_ = 0;
  /// Shared by all who wait; replaced when fired.
  std::optional<core::Signal> room_;
};

}  // namespace wheelpit::io
