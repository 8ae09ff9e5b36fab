// SPDX-License-Identifier: Apache-2.0
// Private to engine: what an Engine owns, in the order in which it must be made.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/log.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/engine/run_log.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/events/event_log.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/index/footer_cache.h"
#include "wheelpit/io/io_executor.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/memory/mapped_pool.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::engine {

/// An embedder's threads. Its end waits for what was submitted here, as the end of a pool
/// of our own does: tasks use what the engine owns.
class BorrowedExecutor final : public core::Executor {
 public:
  explicit BorrowedExecutor(core::Executor* executor)
      : executor_(executor), tasks_(executor) {}

  // A task that comes after the end is dropped, and with it what it holds.
  void Submit(std::function<void()> task) override {
    static_cast<void>(tasks_.Spawn([task = std::move(task)] {
      task();
      return arrow::Status::OK();
    }));
  }
  int thread_count() const override { return executor_->thread_count(); }

 private:
  core::Executor* const executor_;
  core::TaskGroup tasks_;
};

struct EngineState {
  core::Config config;
  core::SystemClock system_clock;
  core::NullLogger null_logger;
  io::KernelSyscalls kernel_syscalls;
  const core::Clock* clock = nullptr;
  core::Logger* logger = nullptr;
  io::Syscalls* syscalls = nullptr;

  memory::MappedMemoryPool own_pool;
  arrow::MemoryPool* pool = nullptr;
  std::unique_ptr<memory::ProcessBudget> budget;
  std::unique_ptr<memory::BufferRecycling> recycling;
  std::unique_ptr<fs::LocalFileSystem> file_system;
  std::unique_ptr<index::FooterCache> footer_cache;
  std::unique_ptr<spill::SpillDirectories> spill_directories;
  std::unique_ptr<spill::SpillQuota> spill_quota;
  // Threads last: they end first, and what they use is still there.
  std::unique_ptr<io::IoExecutor> own_io;
  std::unique_ptr<core::ThreadPool> own_compute;
  std::unique_ptr<BorrowedExecutor> borrowed_io;
  std::unique_ptr<BorrowedExecutor> borrowed_compute;
  core::Executor* io = nullptr;
  core::Executor* compute = nullptr;
  // Ends before the threads that write it. Null: none is wanted.
  std::unique_ptr<events::EventLog> event_log;
  RunLogIds log_ids;

  spill::SpillHost spill_host() const {
    return {.directories = spill_directories.get(), .quota = spill_quota.get(), .io = io};
  }
};

}  // namespace wheelpit::engine
