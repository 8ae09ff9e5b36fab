// SPDX-License-Identifier: Apache-2.0
// Private to engine: what an Engine owns, in the order in which it must be made.
#pragma once

#include <memory>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/log.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/index/footer_cache.h"
#include "wheelpit/io/io_executor.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/memory/mapped_pool.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::engine {

struct EngineState {
  core::Config config;
  core::SystemClock system_clock;
  core::NullLogger null_logger;
  io::KernelSyscalls kernel_syscalls;
  const core::Clock* clock = nullptr;
  core::Logger* logger = nullptr;
  io::Syscalls* syscalls = nullptr;

  memory::MappedMemoryPool pool;
  std::unique_ptr<memory::ProcessBudget> budget;
  std::unique_ptr<memory::BufferRecycling> recycling;
  std::unique_ptr<fs::LocalFileSystem> file_system;
  std::unique_ptr<index::FooterCache> footer_cache;
  std::unique_ptr<spill::SpillDirectories> spill_directories;
  std::unique_ptr<spill::SpillQuota> spill_quota;
  // Threads last: they end first, and what they use is still there.
  std::unique_ptr<io::IoExecutor> io;
  std::unique_ptr<core::ThreadPool> compute;

  spill::SpillHost spill_host() const {
    return {.directories = spill_directories.get(),
            .quota = spill_quota.get(),
            .io = io.get()};
  }
};

}  // namespace wheelpit::engine
