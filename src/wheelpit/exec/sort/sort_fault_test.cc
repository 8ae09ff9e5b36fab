// SPDX-License-Identifier: Apache-2.0
// What a sort does when disks fail, limits are reached or somebody stops it: it ends with
// an error that says why, and nothing of it is left, in memory or on disk (SortFixture
// checks that after every run).
#include <cerrno>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/sort_fixture.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Spills several times its memory, and merges in more than one step: of rows as long as
// these, two runs at a time are all that there is room for.
SortCase SpillingCase() {
  auto made = TextCase(2, 14, 2, [](int64_t id) {
    return std::string(700'000, static_cast<char>('a' + Mixed(id) % 5)) + RandomText(id);
  });
  made.slots = 1;
  made.options.compression = block::Compression::kNone;
  made.limit_bytes = MinimumOf(made);
  return made;
}

using SortFaultTest = SortFixture;

TEST_F(SortFaultTest, SpillsInTheseTests) {
  const auto made = SpillingCase();
  const auto outcome = Run(made);
  EXPECT_TRUE(IsSorted(made, outcome));
  // More than once.
  EXPECT_GT(outcome.spilled_bytes, 28 * 700'000 * 3 / 2);
}

TEST_F(SortFaultTest, TheSpillLimitEndsItNamingTheQuery) {
  auto made = SpillingCase();
  for (const int64_t limit : {int64_t{1}, 2 * kMiB, 12 * kMiB}) {
    made.spill_bytes = limit;
    const auto outcome = Run(made);
    EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kSpillLimit)
        << outcome.status;
    EXPECT_NE(outcome.status.message().find("q1"), std::string::npos) << outcome.status;
  }
}

TEST_F(SortFaultTest, AnyWriteOrReadMayFail) {
  auto made = SpillingCase();
  made.keep_rows = false;
  for (const auto kind : {io::SyscallKind::kOpen, io::SyscallKind::kPwrite,
                          io::SyscallKind::kPread, io::SyscallKind::kFallocate}) {
    // Every call at the beginning, then ever fewer.
    for (int64_t call = 0, hits = 1; hits > 0; call += 1 + call / 4) {
      // A directory that failed is not used again.
      SortHarness harness(folder_, &syscalls_);
      syscalls_.Set(
          {.kind = kind, .first = call, .count = INT64_MAX, .error_number = EIO});
      const auto outcome = harness.Run(made);
      hits = syscalls_.hits();
      syscalls_.Clear();
      EXPECT_EQ(outcome.left_bytes, 0);
      if (hits > 0 &&
          (kind == io::SyscallKind::kPwrite || kind == io::SyscallKind::kPread)) {
        EXPECT_FALSE(outcome.status.ok());
        EXPECT_NE(outcome.status.message().find(folder_), std::string::npos)
            << outcome.status;
      }
    }
  }
}

TEST_F(SortFaultTest, AFullDiskIsNamed) {
  const auto made = SpillingCase();
  syscalls_.Set({.kind = io::SyscallKind::kPwrite,
                 .first = 10,
                 .count = INT64_MAX,
                 .error_number = ENOSPC});
  const auto outcome = Run(made);
  EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kDiskFull) << outcome.status;
}

TEST_F(SortFaultTest, CancelledInAnyPhaseItLeavesNothing) {
  auto made = SpillingCase();
  made.keep_rows = false;
  // The first calls come while the tasks run, the later ones while rows come out.
  int64_t calls = 0;
  for (int64_t at = 0;; at += 1 + at / 3) {
    calls = 0;
    const auto outcome = Run(made, [&](int64_t) { return calls++ == at; });
    if (calls <= at) {
      break;
    }
    EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kCancelled)
        << outcome.status;
  }
  EXPECT_GT(calls, 15);
}

}  // namespace
}  // namespace wheelpit::exec
