// SPDX-License-Identifier: Apache-2.0
// Time as an object, so that tests can turn it. Any thread may call.
#pragma once

#include <atomic>
#include <cstdint>

namespace wheelpit::core {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since an arbitrary start; never goes back.
  virtual int64_t MonotonicNanos() const = 0;
  /// Milliseconds since 1970-01-01T00:00:00Z.
  virtual int64_t WallMillis() const = 0;
};

class SystemClock final : public Clock {
 public:
  int64_t MonotonicNanos() const override;
  int64_t WallMillis() const override;
};

/// A clock that stands still until it is advanced.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t wall_millis = 0) : wall_millis_(wall_millis) {}
  int64_t MonotonicNanos() const override { return nanos_.load(); }
  int64_t WallMillis() const override { return wall_millis_ + nanos_.load() / 1'000'000; }
  void AdvanceNanos(int64_t nanos) { nanos_ += nanos; }

 private:
  const int64_t wall_millis_;
  std::atomic<int64_t> nanos_{0};
};

/// CPU time of the calling thread in nanoseconds: what a driver's time slice is measured
/// in.
int64_t ThreadCpuNanos();

}  // namespace wheelpit::core
