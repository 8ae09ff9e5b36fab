// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/engine/engine_state.h"
#include "wheelpit/engine/session.h"

namespace wheelpit::engine {

namespace {

using core::ConfigKey;

// Footers of some 50,000 files; the cache is dropped first when memory is short.
constexpr int64_t kFooterCacheBytes = 64 << 20;
// Freed buffers that wait for the next one: a few pages' and row groups' worth.
constexpr int64_t kRecycledBytes = 8 << 20;

arrow::Status CheckWorkedOut(const core::Config& config) {
  for (const ConfigKey key : {ConfigKey::kMemoryLimit, ConfigKey::kComputeThreads,
                              ConfigKey::kSpillDirectories}) {
    if (config.Text(key) == "auto") {
      const auto& row = core::ConfigTable()[static_cast<size_t>(key)];
      return core::Error(
          core::ErrorKind::kConfiguration, row.name,
          " is still \"auto\": an embedder sets it before it makes an engine");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::unique_ptr<Engine>> Engine::Make(const core::Config& config,
                                                    const EngineContext& context) {
  ARROW_RETURN_NOT_OK(CheckWorkedOut(config));
  auto state = std::make_unique<EngineState>();
  state->config = config;
  state->clock = context.clock != nullptr ? context.clock : &state->system_clock;
  state->logger = context.logger != nullptr ? context.logger : &state->null_logger;
  state->syscalls =
      context.syscalls != nullptr ? context.syscalls : &state->kernel_syscalls;

  const int64_t limit = config.Number(ConfigKey::kMemoryLimit);
  ARROW_ASSIGN_OR_RAISE(state->budget, memory::ProcessBudget::Make(limit, &state->pool));
  ARROW_ASSIGN_OR_RAISE(
      state->recycling,
      memory::BufferRecycling::Start(&state->pool, state->budget.get(), kRecycledBytes));
  ARROW_ASSIGN_OR_RAISE(state->file_system, fs::LocalFileSystem::Make(*state->syscalls));
  ARROW_ASSIGN_OR_RAISE(state->footer_cache,
                        index::FooterCache::Make(std::min(kFooterCacheBytes, limit / 8),
                                                 state->budget.get()));
  // No system call: a directory is looked at when somebody spills.
  ARROW_ASSIGN_OR_RAISE(state->spill_directories,
                        spill::SpillDirectories::Make(
                            config.List(ConfigKey::kSpillDirectories), state->syscalls));
  state->spill_quota = std::make_unique<spill::SpillQuota>(
      spill::SpillQuotaOptions{
          .owner = "the process",
          .setting = "spill.process_limit",
          .limit_bytes = config.Number(ConfigKey::kSpillProcessLimit)},
      nullptr);
  ARROW_ASSIGN_OR_RAISE(state->io,
                        io::IoExecutor::Make({.thread_count = static_cast<int>(
                                                  config.Number(ConfigKey::kIoThreads)),
                                              .name = "wheelpit-io"}));
  ARROW_ASSIGN_OR_RAISE(
      state->compute,
      core::ThreadPool::Make(
          {.thread_count = static_cast<int>(config.Number(ConfigKey::kComputeThreads)),
           .role = core::ThreadRole::kCompute,
           .name = "wheelpit-cpu"}));
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Engine::Engine(std::unique_ptr<EngineState> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

}  // namespace wheelpit::engine
