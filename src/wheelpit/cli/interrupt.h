// SPDX-License-Identifier: Apache-2.0
// Signals. The first Ctrl-C asks the running query to stop; if the program is still there
// 100 ms later (it may be blocked writing to a full pipe), or at the second one, it ends
// at once with 130. SIGTERM does the same with 143. Spill files have no names, so an end
// at once leaves nothing behind. SIGUSR1 makes a report and changes nothing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <arrow/result.h>

#include "wheelpit/core/executor.h"

namespace wheelpit::cli {

class Interrupt {
 public:
  /// Installs the handler for SIGINT, SIGTERM and SIGUSR1 and starts the watcher. One per
  /// process.
  static arrow::Result<std::unique_ptr<Interrupt>> Make();
  ~Interrupt();

  /// What to do at Ctrl-C, on the watcher's thread; empty for nothing.
  void OnInterrupt(std::function<void()> action);
  /// What to do at SIGUSR1, on the watcher's thread; set before anything runs.
  void OnReport(std::function<void()> action);
  /// True once there was a Ctrl-C.
  bool interrupted() const { return interrupted_.load(); }
  /// What the program ends with then: 130, or 143 after SIGTERM.
  int exit_code() const { return exit_code_.load(); }

 private:
  Interrupt() = default;
  void Watch();

  int pipe_read_ = -1;
  std::atomic<bool> interrupted_{false};
  std::atomic<int> exit_code_{0};
  std::mutex mutex_;
  std::function<void()> action_;
  std::function<void()> report_;
  std::unique_ptr<core::ThreadPool> watcher_;
};

}  // namespace wheelpit::cli
