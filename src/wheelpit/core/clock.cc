// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/clock.h"

#include <chrono>
#include <ctime>

namespace wheelpit::core {

int64_t SystemClock::MonotonicNanos() const {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t SystemClock::WallMillis() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t ThreadCpuNanos() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace wheelpit::core
