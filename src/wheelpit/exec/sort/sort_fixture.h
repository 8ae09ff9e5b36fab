// SPDX-License-Identifier: Apache-2.0
// For tests of sorting: random cases, and a check of the rows against the input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/exec/keys/key_sample.h"
#include "wheelpit/exec/sort/sort_harness.h"
#include "wheelpit/io/testing/fault_syscalls.h"

namespace wheelpit::exec {

class SortFixture : public testing::Test {
 protected:
  ~SortFixture() override;

  /// SortHarness::Run, and a check that nothing is left behind and the limit was kept.
  SortOutcome Run(const SortCase& sort_case,
                  const std::function<bool(int64_t)>& on_rows = {});

  static std::string MakeFolder();

  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  const std::string folder_ = MakeFolder();
  SortHarness harness_{folder_, &syscalls_};
};

/// Rows with these key columns, in `task_count` tasks of batches of different sizes, and
/// a text, a list and an id after them. Sorted by all keys in turn.
SortCase MakeCase(const std::vector<KeyColumn>& keys, int task_count,
                  int64_t rows_of_task, const SampleOptions& options);

/// Rows of a text key, text_of(id), and an id.
SortCase TextCase(int task_count, int64_t rows_of_task, int64_t rows_of_batch,
                  const std::function<std::string(int64_t)>& text_of);

/// A number without a pattern, always the same for an id.
uint64_t Mixed(int64_t id);
/// 64 such letters.
std::string RandomText(int64_t id);

/// Whether the rows of `outcome` are those of the case (the first `limit` of them) in
/// order, equal keys in the order of the input.
testing::AssertionResult IsSorted(const SortCase& sort_case, const SortOutcome& outcome);

}  // namespace wheelpit::exec
