// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/engine/engine_state.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/index/time_zone.h"

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

arrow::Status MakeThreads(const EngineContext& context, EngineState* state) {
  const core::Config& config = state->config;
  if (context.io != nullptr) {
    state->borrowed_io = std::make_unique<BorrowedExecutor>(context.io);
    state->io = state->borrowed_io.get();
  } else {
    const auto threads = static_cast<int>(config.Number(ConfigKey::kIoThreads));
    ARROW_ASSIGN_OR_RAISE(state->own_io, io::IoExecutor::Make({.thread_count = threads,
                                                               .name = "wheelpit-io"}));
    state->io = state->own_io.get();
  }
  if (context.compute != nullptr) {
    state->borrowed_compute = std::make_unique<BorrowedExecutor>(context.compute);
    state->compute = state->borrowed_compute.get();
  } else {
    const auto threads = static_cast<int>(config.Number(ConfigKey::kComputeThreads));
    ARROW_ASSIGN_OR_RAISE(state->own_compute,
                          core::ThreadPool::Make({.thread_count = threads,
                                                  .role = core::ThreadRole::kCompute,
                                                  .name = "wheelpit-cpu"}));
    state->compute = state->own_compute.get();
  }
  return arrow::Status::OK();
}

std::unique_ptr<events::EventLog> MakeEventLog(const EngineContext& context,
                                               EngineState* state) {
  const core::Config& config = state->config;
  const std::string& directory = config.Text(ConfigKey::kEventsDirectory);
  if (directory.empty() || directory == "auto" || directory == "none") {
    return nullptr;
  }
  events::Application application{.user = context.user,
                                  .host = context.host,
                                  .start_millis = state->clock->WallMillis(),
                                  .cores = state->compute->thread_count(),
                                  .memory_bytes = config.Number(ConfigKey::kMemoryLimit)};
  for (const core::ConfigRow& row : core::ConfigTable()) {
    application.settings.emplace_back(row.name, config.Text(row.key));
  }
  // No system call: the first event makes the log.
  return events::EventLog::Make(
      std::move(application),
      {.directory = directory,
       .roll_bytes = config.Number(ConfigKey::kEventsRollBytes),
       .total_limit_bytes = config.Number(ConfigKey::kEventsTotalLimit)},
      *state->syscalls,
      {.io = state->io, .clock = state->clock, .logger = state->logger});
}

}  // namespace

arrow::Result<std::unique_ptr<Engine>> Engine::Make(const core::Config& config,
                                                    const EngineContext& context) {
  return core::CatchBadAlloc([&] { return TryMake(config, context); });
}

arrow::Result<std::unique_ptr<Engine>> Engine::TryMake(const core::Config& config,
                                                       const EngineContext& context) {
  ARROW_RETURN_NOT_OK(CheckWorkedOut(config));
  // Read here, on a thread that may block: expressions find the zone in memory.
  ARROW_RETURN_NOT_OK(
      index::TimeZone::Find(config.Text(ConfigKey::kSessionTimeZone)).status());
  auto state = std::make_unique<EngineState>();
  state->config = config;
  state->clock = context.clock != nullptr ? context.clock : &state->system_clock;
  state->logger = context.logger != nullptr ? context.logger : &state->null_logger;
  state->syscalls =
      context.syscalls != nullptr ? context.syscalls : &state->kernel_syscalls;

  state->pool = context.pool != nullptr ? context.pool : &state->own_pool;

  const int64_t limit = config.Number(ConfigKey::kMemoryLimit);
  ARROW_ASSIGN_OR_RAISE(state->budget, memory::ProcessBudget::Make(limit, state->pool));
  if (context.pool == nullptr) {
    ARROW_ASSIGN_OR_RAISE(state->recycling,
                          memory::BufferRecycling::Start(
                              &state->own_pool, state->budget.get(), kRecycledBytes));
  }
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
  ARROW_RETURN_NOT_OK(MakeThreads(context, state.get()));
  state->event_log = MakeEventLog(context, state.get());
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Engine::Engine(std::unique_ptr<EngineState> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

arrow::Status Engine::FinishLog(int exit_code, int64_t timeout_ms) {
  return state_->event_log == nullptr ? arrow::Status::OK()
                                      : state_->event_log->Finish(exit_code, timeout_ms);
}

}  // namespace wheelpit::engine
