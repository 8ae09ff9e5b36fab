// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks of sorting: everything that a sort runs in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/exec/sort/sort_merge.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/spill/spill_directories.h"

namespace wheelpit::exec {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

struct SortCase {
  SortOptions options;  ///< for IsSorted the last column is the row's number, int64
  std::vector<Batches> tasks;
  int slots = 2;            ///< tasks that run at once
  int64_t limit_bytes = 0;  ///< of the process; 0: plenty
  int64_t spill_bytes = int64_t{1} << 40;
  bool keep_rows = true;  ///< whether the outcome has them
};

/// The sum of the least that the operators of a case need.
int64_t MinimumOf(const SortCase& sort_case);

struct SortOutcome {
  arrow::Status status;
  Batches batches;  ///< copies that no budget counts
  int64_t row_count = 0;
  int64_t spilled_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t spill_files = 0;
  int64_t left_bytes = 0;  ///< of memory and disk, at the end
};

class SortHarness {
 public:
  /// Spills to `folder`, by `syscalls`, which outlives it.
  SortHarness(const std::string& folder, io::Syscalls* syscalls);

  /// Runs the whole sort. `on_rows` is called with the number of rows that have come out
  /// so far, and first with 0 while the tasks run; true cancels everything.
  SortOutcome Run(const SortCase& sort_case,
                  const std::function<bool(int64_t)>& on_rows = {});

 private:
  std::unique_ptr<spill::SpillDirectories> directories_;
  std::unique_ptr<core::ThreadPool> io_;
  std::unique_ptr<core::ThreadPool> compute_;
};

}  // namespace wheelpit::exec
