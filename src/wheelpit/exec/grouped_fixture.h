// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks of GroupedAggregate: a machine of threads, budgets and disk,
// on which a whole aggregation runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/exec/grouped_aggregate.h"
#include "wheelpit/io/testing/fault_syscalls.h"
#include "wheelpit/memory/mapped_pool.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::exec {

/// Where everything takes ten times as long.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

struct GroupedRun {
  std::vector<plan::ExprPtr> keys;
  std::vector<plan::Aggregate> aggregates;
  std::shared_ptr<arrow::Schema> input;
  std::vector<Batches> tasks;
  int slots = 1;
  /// 0: what all slots need at least.
  int64_t memory_bytes = int64_t{1} << 30;
  int64_t spill_bytes = int64_t{1} << 40;
  /// Counts steps of sources and sinks; what it returns as true is a stop.
  std::function<bool(int64_t step)> stop_at = {};
};

struct GroupedOutcome {
  arrow::Status status;
  Batches rows;
  int64_t row_count = 0;
  int64_t spilled_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t steps = 0;
};

class GroupedMachine {
 public:
  GroupedMachine();
  ~GroupedMachine();

  /// Runs it to its end. Whatever comes of it, everything was given back: checked, and
  /// told by `left` when not.
  GroupedOutcome Run(const GroupedRun& run, bool keep_rows = true);
  static int64_t MinimumBytes(int slots);

  io::FaultSyscalls& syscalls() { return syscalls_; }
  const std::string& folder() const { return folder_; }
  /// What was not given back; empty when all was.
  std::string left;

 private:
  struct Query;
  arrow::Status Open(const GroupedRun& run, Query* query);
  void RunStages(const GroupedRun& run, bool keep_rows, Query* query);

  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  std::string folder_;
  memory::MappedMemoryPool backend_;
  std::unique_ptr<core::ThreadPool> io_;
  std::unique_ptr<core::ThreadPool> compute_;
};

/// `rows` rows (k, 3 * k) with k out of so many; count(*), max(n) and sum(n) for each k.
GroupedRun ScatteredRun(int64_t rows, int64_t distinct, int tasks);

/// What is wrong with the groups of such a run; empty when each is there once, with its
/// own numbers in it, and all rows are in one.
std::string WrongOfScattered(const GroupedOutcome& outcome, int64_t rows);

}  // namespace wheelpit::exec
