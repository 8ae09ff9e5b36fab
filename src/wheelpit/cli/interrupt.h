// SPDX-License-Identifier: Apache-2.0
// Ctrl-C. The first one asks the running query to stop; if the program is still there 150
// ms later (it may be blocked writing to a full pipe), or at the second one, it ends at
// once with 130. Spill files have no names, so an end at once leaves nothing behind.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <arrow/result.h>

#include "wheelpit/core/executor.h"

namespace wheelpit::cli {

class Interrupt {
 public:
  /// Installs the handler for SIGINT and SIGTERM and starts the watcher. One per process.
  static arrow::Result<std::unique_ptr<Interrupt>> Make();
  ~Interrupt();

  /// What to do at Ctrl-C, on the watcher's thread; empty for nothing.
  void OnInterrupt(std::function<void()> action);
  /// True once there was a Ctrl-C.
  bool interrupted() const { return interrupted_.load(); }

 private:
  Interrupt() = default;
  void Watch();

  int pipe_read_ = -1;
  std::atomic<bool> interrupted_{false};
  std::mutex mutex_;
  std::function<void()> action_;
  std::unique_ptr<core::ThreadPool> watcher_;
};

}  // namespace wheelpit::cli
