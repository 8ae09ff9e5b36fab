// SPDX-License-Identifier: Apache-2.0
// Where work runs. Two kinds of threads exist: compute threads, which never block, and
// I/O threads, which do nothing else. All of them are started here (std::thread is banned
// elsewhere).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <arrow/result.h>

#include "wheelpit/core/thread_role.h"

namespace wheelpit::core {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs `task` some time later on one of the executor's threads; never here and now.
  /// Any thread may call. The order of tasks is first in, first out; they must not throw.
  virtual void Submit(std::function<void()> task) = 0;
  /// The number of threads: how many tasks can run at once.
  virtual int thread_count() const = 0;
};

struct ThreadPoolOptions {
  int thread_count = 1;
  ThreadRole role = ThreadRole::kCompute;
  /// Shown by the operating system (at most 15 bytes are).
  std::string name = "wheelpit";
};

/// A fixed number of threads over one unbounded queue; who submits bounds what is queued.
/// The destructor runs every task already queued, then joins. Destroy it on a thread that
/// is not its own.
class ThreadPool final : public Executor {
 public:
  static arrow::Result<std::unique_ptr<ThreadPool>> Make(ThreadPoolOptions options);
  ~ThreadPool() override;
  void Submit(std::function<void()> task) override;
  int thread_count() const override;

 private:
  struct Impl;
  explicit ThreadPool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelpit::core
