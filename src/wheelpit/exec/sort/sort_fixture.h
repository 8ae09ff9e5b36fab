// SPDX-License-Identifier: Apache-2.0
// For tests of sorting: everything that a sort runs in, and a check of its rows against
// the input.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/keys/key_sample.h"
#include "wheelpit/exec/sort/sort_merge.h"
#include "wheelpit/io/testing/fault_syscalls.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::exec {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

struct SortCase {
  SortOptions options;  ///< the last column is "id": int64, the number of the row
  std::vector<Batches> tasks;
  int slots = 2;            ///< tasks that run at once
  int64_t limit_bytes = 0;  ///< of the process; 0: plenty
  int64_t spill_bytes = int64_t{1} << 40;
};

struct SortOutcome {
  arrow::Status status;
  Batches batches;  ///< copies that no budget counts
  int64_t row_count = 0;
  int64_t spilled_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t spill_files = 0;
};

class SortFixture : public testing::Test {
 protected:
  SortFixture();
  ~SortFixture() override;

  /// Runs the whole sort and checks that nothing is left behind. `on_batch` is called
  /// with the number of rows that have come out so far; true stops everything.
  SortOutcome Run(const SortCase& sort_case,
                  const std::function<bool(int64_t)>& on_batch = {});

  /// The sum of the least that the operators of a case need.
  static int64_t Minimum(const SortCase& sort_case);

  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  std::string folder_;
  std::unique_ptr<spill::SpillDirectories> directories_;
  std::unique_ptr<spill::SpillQuota> quota_;
  std::unique_ptr<core::ThreadPool> io_;
  std::unique_ptr<core::ThreadPool> compute_;
  /// Requested before the run, or by whoever wants it to end.
  arrow::StopSource stop_;
};

/// Rows with these key columns, in `task_count` tasks of batches of different sizes, and
/// a text, a list and an id after them. Sorted by all keys in turn.
SortCase MakeCase(const std::vector<KeyColumn>& keys, int task_count,
                  int64_t rows_of_task, const SampleOptions& options);

/// Whether the rows of `outcome` are those of the case (the first `limit` of them) in
/// order, equal keys in the order of the input.
testing::AssertionResult IsSorted(const SortCase& sort_case, const SortOutcome& outcome);

}  // namespace wheelpit::exec
