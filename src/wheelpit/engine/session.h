// SPDX-License-Identifier: Apache-2.0
// The one public door of the query side. An Engine owns what a process has once: threads,
// memory budget, spill quota, caches. A Session holds settings and views. Submit gives a
// Query: a handle to pull batches from, cancel, and ask for figures. Many queries run at
// once, from any threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/log.h"
#include "wheelpit/core/metrics.h"

namespace wheelpit::io {
class Syscalls;
}  // namespace wheelpit::io

namespace wheelpit::engine {

struct StageTimes {
  std::string name;
  double seconds = 0;
  int64_t tasks = 0;
};

/// Figures of a query, final once Next has returned null or an error; before that, a
/// snapshot.
/// What a query has written to a spill directory.
struct SpilledTo {
  std::string directory;
  int64_t bytes = 0;
};

struct QueryStats {
  double seconds = 0;       ///< from Submit to now or to the end
  double plan_seconds = 0;  ///< of it, before the first task started
  double cpu_seconds = 0;   ///< on compute threads
  int64_t peak_budget_bytes = 0;
  std::vector<int64_t> metrics;  ///< by core::Metric
  int64_t files_total = 0;       ///< known after planning, for progress
  int64_t rows_total = 0;
  std::vector<StageTimes> stages;
  std::vector<SpilledTo> spilled_to;  ///< without directories that got nothing
};

/// Batches are counted in the query's budget; they may outlive the query, not the engine.
class Query {
 public:
  ~Query();  ///< cancels what still runs and waits for it; not on an engine's thread
  /// Blocks until the plan is made; the schema of the result.
  arrow::Result<std::shared_ptr<arrow::Schema>> schema();
  /// Blocks until a batch is there; null at the end. One thread at a time.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();
  /// Any thread and any number of times; Next then gives kCancelled. Not from signal
  /// handlers.
  void Cancel();
  /// Any thread.
  QueryStats stats() const;

 private:
  friend class Session;
  struct Impl;
  explicit Query(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Engine;
struct EngineState;

class Session {
 public:
  ~Session();
  /// Starts one statement (without or with a trailing ";") and returns at once: SELECT,
  /// VALUES, EXPLAIN [ANALYZE], DESCRIBE, COPY, CREATE VIEW, DROP VIEW, SET, SHOW. Syntax
  /// errors come from here, the others from the query. A setting counts for what is
  /// submitted after it; a view is there, or gone, when its statement has ended. Errors
  /// about the text carry their range (core::ErrorInfo).
  arrow::Result<std::unique_ptr<Query>> Submit(std::string sql);
  /// Settings that SET changed since; a copy.
  core::Config config() const;

 private:
  friend class Engine;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  arrow::Result<std::unique_ptr<Query>> TrySubmit(const std::string& sql);
  std::unique_ptr<Impl> impl_;
};

/// What an embedder may replace; null members are made by the engine. All of it outlives
/// the engine.
struct EngineContext {
  /// Where the memory that budgets count comes from. The engine's own gives freed memory
  /// back to the system, and keeps some for the next buffers.
  arrow::MemoryPool* pool = nullptr;
  /// Threads that never block, and threads that may; instead of compute.threads and
  /// io.threads of them. A query is ended on a thread of neither.
  core::Executor* compute = nullptr;
  core::Executor* io = nullptr;
  const core::Clock* clock = nullptr;
  core::Logger* logger = nullptr;    ///< told of every query that ends
  io::Syscalls* syscalls = nullptr;  ///< every file access of the engine goes through it
  /// Who runs it and where, for its event log (events.directory).
  std::string user = {};
  std::string host = "localhost";
};

class Engine {
 public:
  /// Every "auto" among memory.limit, compute.threads and spill.directories must have
  /// been worked out by the caller: libraries do not look at the machine or its
  /// environment. An events.directory that still is "auto" means no event log.
  static arrow::Result<std::unique_ptr<Engine>> Make(const core::Config& config,
                                                     const EngineContext& context);
  ~Engine();
  /// Sessions must end before their engine.
  arrow::Result<std::unique_ptr<Session>> MakeSession();

  /// Ends the event log with the exit code of the program and waits until it is written,
  /// for `timeout_ms` at most. The error is what cut the log short: queries do not fail
  /// by it. OK when there is none. Without this call the engine's end does it. After the
  /// last query; not on an engine's thread.
  arrow::Status FinishLog(int exit_code, int64_t timeout_ms);

 private:
  explicit Engine(std::unique_ptr<EngineState> state);
  static arrow::Result<std::unique_ptr<Engine>> TryMake(const core::Config& config,
                                                        const EngineContext& context);
  std::unique_ptr<EngineState> state_;
};

/// One statement of a text with several.
struct StatementText {
  std::string text;
  int64_t offset = 0;  ///< of its first byte in the whole text
};

/// The statements of a text with several, split at semicolons outside strings and
/// comments, empty ones left out. A part that is still open at the end of the text is
/// returned too.
std::vector<StatementText> SplitStatements(std::string_view text);

}  // namespace wheelpit::engine
