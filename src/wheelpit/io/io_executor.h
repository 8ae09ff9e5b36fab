// SPDX-License-Identifier: Apache-2.0
// IoExecutor: the threads that may block. Beside core::Executor's Submit it admits tasks
// by the bytes that they hold while queued or running (buffers to be written, say), so
// that slow storage pushes back on whoever fills it.
//
// Threads: everything may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <arrow/result.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/wait.h"

namespace wheelpit::io {

struct IoExecutorOptions {
  int thread_count = 4;
  /// Bytes of the tasks admitted by TrySubmit and not ended, at most; one task that is
  /// larger passes alone.
  int64_t bytes_max = int64_t{64} << 20;
  std::string name = "wheelpit-io";
};

struct IoExecutorCounts {
  int64_t queued = 0;   ///< tasks that no thread has begun
  int64_t running = 0;  ///< tasks that a thread is in
  int64_t bytes = 0;    ///< of both kinds
};

class IoExecutor final : public core::Executor {
 public:
  static arrow::Result<std::unique_ptr<IoExecutor>> Make(IoExecutorOptions options);
  /// Runs what is queued, then joins. Not on one of its own threads.
  ~IoExecutor() override;

  /// Takes a task that holds no memory worth counting, whatever is queued.
  void Submit(std::function<void()> task) override;

  /// Takes a task that holds `size_bytes` until it has run and been destroyed. False: too
  /// much is outstanding; `task` is untouched, try again when *wait is ready. A task that
  /// was refused is not overtaken by smaller ones until there was room for it.
  bool TrySubmit(int64_t size_bytes, std::function<void()>& task, core::Wait* wait);

  int thread_count() const override;
  IoExecutorCounts counts() const;

 private:
  struct Impl;
  explicit IoExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelpit::io
