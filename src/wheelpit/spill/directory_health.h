// SPDX-License-Identifier: Apache-2.0
// What is known of one spill directory: whether it takes bytes now, why not, and when to
// ask again. Shared by the queries of a process. Any thread may call; nothing blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include <arrow/status.h>

#include "wheelpit/core/guarded.h"

namespace wheelpit::spill {

class DirectoryHealth {
 public:
  /// Not asked again sooner than this after a failure; twice as long after each further
  /// one, up to kLongestPauseNanos, until bytes were written there.
  static constexpr int64_t kPauseNanos = 5'000'000'000;
  static constexpr int64_t kLongestPauseNanos = 300'000'000'000;

  /// Whether to write there. A directory that nobody looked at yet is usable.
  bool usable() const { return usable_.load(); }
  /// Out for want of room only: what has blocks already can be written again.
  bool full() const { return full_.load(); }
  /// Why it is out; OK when it is usable.
  arrow::Status reason() const { return inner_.Lock()->reason; }

  /// A write or an opening there failed.
  void Out(arrow::Status reason, int64_t now_nanos);
  /// A probe has failed: the next one comes later than this one did.
  void StillOut(int64_t now_nanos);
  /// A probe has succeeded.
  void Back();
  /// Whether it is out and may be asked again.
  bool DueForProbe(int64_t now_nanos) const;

  /// Bytes of its file system that may be written, as of the last look; the largest
  /// number before.
  int64_t free_bytes() const { return free_bytes_.load(); }
  void SetFreeBytes(int64_t bytes) { free_bytes_.store(bytes); }

  /// Bytes of writes that have begun and not ended.
  int64_t queued_bytes() const { return queued_bytes_.load(); }
  void BeginWrite(int64_t bytes) { queued_bytes_.fetch_add(bytes); }
  void EndWrite(int64_t bytes) { queued_bytes_.fetch_sub(bytes); }
  /// A write went well: the pause after the next failure is short again.
  void Wrote() {
    if (failures_.load() != 0 && usable()) {
      failures_.store(0);
    }
  }

 private:
  int64_t NextPause();

  struct Inner {
    arrow::Status reason;
    int64_t probe_at_nanos = 0;
  };

  std::atomic<bool> usable_{true};
  std::atomic<bool> full_{false};
  std::atomic<int64_t> failures_{0};  // since the last good write
  std::atomic<int64_t> free_bytes_{std::numeric_limits<int64_t>::max()};
  std::atomic<int64_t> queued_bytes_{0};
  mutable core::Guarded<Inner> inner_;
};

}  // namespace wheelpit::spill
