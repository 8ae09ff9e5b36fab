// SPDX-License-Identifier: Apache-2.0
// The kernel's calls, each late: what is only right on a fast disk goes wrong over these.
#pragma once

#include <chrono>
#include <thread>

#include "fs_conformance/forwarding_syscalls.h"

namespace wheelpit::sqltest {

/// Waits before every call but Close. Any thread.
class SlowSyscalls final : public fs_conformance::ForwardingSyscalls {
 public:
  explicit SlowSyscalls(std::chrono::microseconds delay) : delay_(delay) {}

  int Close(int fd) override { return kernel_.Close(fd); }

 private:
  io::Syscalls& Next() override {
    std::this_thread::sleep_for(delay_);
    return kernel_;
  }

  const std::chrono::microseconds delay_;
};

}  // namespace wheelpit::sqltest
