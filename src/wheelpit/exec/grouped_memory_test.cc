// SPDX-License-Identifier: Apache-2.0
// Aggregation by groups in little memory: every budget, disks that fail, limits, and
// queries that are stopped. Nothing may be left behind, whatever happens.
#include <cerrno>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/grouped_fixture.h"

namespace wheelpit::exec {
namespace {

using plan::AggregateFunction;

constexpr int64_t kMiB = int64_t{1} << 20;

class GroupedMemoryTest : public testing::Test {
 protected:
  GroupedMachine machine_;
};

TEST_F(GroupedMemoryTest, AMillionGroupsInEveryBudget) {
  constexpr int64_t kRows = kSanitized ? 250'000 : 1'000'000;
  GroupedRun run = ScatteredRun(kRows, 8'000'000, 4);
  int64_t groups = 0;
  int64_t spilled_bytes = kRows * 72 * 6 / 5;
  for (const int64_t memory : {int64_t{0}, 40 * kMiB, 64 * kMiB, 1024 * kMiB}) {
    run.memory_bytes = memory;
    const GroupedOutcome outcome = machine_.Run(run);
    ASSERT_EQ(WrongOfScattered(outcome, kRows), "") << memory;
    EXPECT_EQ(machine_.left, "");
    groups = groups == 0 ? outcome.row_count : groups;
    EXPECT_EQ(outcome.row_count, groups);
    // Each group about once (a group is 72 bytes), less with more memory, and none when
    // there is enough.
    EXPECT_LE(outcome.spilled_bytes, spilled_bytes);
    EXPECT_TRUE(memory != 0 || outcome.spilled_bytes > 0);
    spilled_bytes = outcome.spilled_bytes;
    EXPECT_LE(outcome.peak_bytes, memory == 0 ? machine_.MinimumBytes(2) : memory);
  }
  EXPECT_EQ(spilled_bytes, 0);
}

TEST_F(GroupedMemoryTest, SuccessIsMonotoneInTheBudget) {
  constexpr int64_t kRows = 200'000;
  GroupedRun run = ScatteredRun(kRows, 100'000, 2);
  run.slots = 1;
  for (int64_t memory = machine_.MinimumBytes(1); memory < 40 * kMiB;
       memory += 2 * kMiB) {
    run.memory_bytes = memory;
    EXPECT_EQ(WrongOfScattered(machine_.Run(run), kRows), "") << memory;
    EXPECT_EQ(machine_.left, "");
  }
  run.memory_bytes = machine_.MinimumBytes(1) - 1;
  EXPECT_EQ(core::KindOf(machine_.Run(run).status), core::ErrorKind::kMemoryLimit);
}

// Groups that come again so long after that rows are not looked up any more.
TEST_F(GroupedMemoryTest, RowsOfTheSameGroupAreMergedBeforeAnythingIsSpilled) {
  constexpr int64_t kRows = kSanitized ? 400'000 : 10'000'000;
  GroupedRun run = ScatteredRun(kRows, kRows / 4, 2);
  run.slots = 1;
  run.memory_bytes = machine_.MinimumBytes(1) + kRows * 38;
  const GroupedOutcome outcome = machine_.Run(run);
  EXPECT_EQ(WrongOfScattered(outcome, kRows), "");
  EXPECT_EQ(outcome.spilled_bytes, 0);
}

TEST_F(GroupedMemoryTest, AllRowsInOneGroupNeedNoDisk) {
  GroupedRun run = ScatteredRun(300'000, 1, 3);
  run.memory_bytes = 0;
  const GroupedOutcome outcome = machine_.Run(run);
  EXPECT_EQ(WrongOfScattered(outcome, 300'000), "");
  EXPECT_EQ(outcome.row_count, 1);
  EXPECT_EQ(outcome.spilled_bytes, 0);
}

// Text of `bytes` bytes that begins with its number; `rows` of them out of `distinct`, a
// row in a batch; and a number.
GroupedRun LongTexts(int64_t rows, int64_t distinct, int64_t bytes) {
  GroupedRun run;
  run.input = arrow::schema(
      {arrow::field("t", arrow::utf8()), arrow::field("n", arrow::int64())});
  run.tasks.resize(2);
  for (int64_t i = 0; i < rows; ++i) {
    arrow::StringBuilder text;
    arrow::Int64Builder number;
    const int64_t value = i * 7 % distinct;
    std::string begin = std::to_string(1000 + value);
    begin.resize(static_cast<size_t>(bytes), 'x');
    EXPECT_TRUE(text.Append(begin).ok() && number.Append(value % 3).ok());
    run.tasks[static_cast<size_t>(i % 2)].push_back(arrow::RecordBatch::Make(
        run.input, 1,
        arrow::ArrayVector{text.Finish().ValueOrDie(), number.Finish().ValueOrDie()}));
  }
  run.slots = 2;
  run.memory_bytes = 0;
  return run;
}

const std::string_view FirstText(const arrow::RecordBatch& batch, int column) {
  return static_cast<const arrow::StringArray&>(*batch.column(column)).GetView(0);
}

TEST_F(GroupedMemoryTest, KeysOfAMegabyte) {
  constexpr int64_t kBytes = 1'000'000;
  GroupedRun run = LongTexts(120, 40, kBytes);
  run.keys = {plan::MakeColumn(0, "t", arrow::utf8(), true)};
  run.aggregates = {
      plan::MakeAggregate(AggregateFunction::kCountAll, nullptr, nullptr, {})
          .ValueOrDie()};
  const GroupedOutcome outcome = machine_.Run(run);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(machine_.left, "");
  EXPECT_EQ(outcome.row_count, 40);
  EXPECT_GT(outcome.spilled_bytes, 0);
  for (const auto& batch : outcome.rows) {
    EXPECT_EQ(static_cast<int64_t>(FirstText(*batch, 0).size()), kBytes);
    EXPECT_EQ(static_cast<const arrow::Int64Array&>(*batch->column(1)).Value(0), 3);
  }
}

TEST_F(GroupedMemoryTest, ExtremesOfAMegabyte) {
  constexpr int64_t kBytes = 450'000;
  GroupedRun run = LongTexts(240, 240, kBytes);
  const auto text = plan::MakeColumn(0, "t", arrow::utf8(), true);
  run.keys = {plan::MakeColumn(1, "n", arrow::int64(), true)};
  run.aggregates = {
      plan::MakeAggregate(AggregateFunction::kMin, text, nullptr, {}).ValueOrDie(),
      plan::MakeAggregate(AggregateFunction::kMax, text, nullptr, {}).ValueOrDie()};
  const GroupedOutcome outcome = machine_.Run(run);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(machine_.left, "");
  EXPECT_EQ(outcome.row_count, 3);
  for (const auto& batch : outcome.rows) {
    ASSERT_EQ(batch->num_rows(), 1);
    const int64_t group =
        static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(0);
    EXPECT_EQ(FirstText(*batch, 1).substr(0, 4), std::to_string(1000 + group));
    EXPECT_EQ(FirstText(*batch, 2).substr(0, 4), std::to_string(1237 + group));
    EXPECT_EQ(static_cast<int64_t>(FirstText(*batch, 2).size()), kBytes);
  }
}

TEST_F(GroupedMemoryTest, AGroupThatDoesNotFitSaysHowLargeItIs) {
  GroupedRun run = LongTexts(4, 2, 40'000'000);
  run.keys = {plan::MakeColumn(0, "t", arrow::utf8(), true)};
  const GroupedOutcome outcome = machine_.Run(run);
  EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kMemoryLimit);
  EXPECT_NE(outcome.status.message().find("a group of "), std::string::npos)
      << outcome.status;
  EXPECT_EQ(machine_.left, "");
  // In more memory it does.
  run.memory_bytes = 1024 * kMiB;
  EXPECT_EQ(machine_.Run(run).row_count, 2);
}

TEST_F(GroupedMemoryTest, TheSpillLimitIsAnErrorOfThisQueryOnly) {
  constexpr int64_t kRows = 400'000;
  GroupedRun run = ScatteredRun(kRows, 8'000'000, 2);
  run.memory_bytes = 0;
  run.spill_bytes = 2 * kMiB;
  const GroupedOutcome outcome = machine_.Run(run);
  EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kSpillLimit);
  EXPECT_NE(outcome.status.message().find("q1"), std::string::npos) << outcome.status;
  EXPECT_EQ(machine_.left, "");
  run.spill_bytes = 100 * kMiB;
  EXPECT_EQ(WrongOfScattered(machine_.Run(run), kRows), "");
}

// Whichever call fails, the answer is right or there is an error; nothing is left.
TEST_F(GroupedMemoryTest, DisksThatFailAtAnyCall) {
  constexpr int64_t kRows = 120'000;
  GroupedRun run = ScatteredRun(kRows, 8'000'000, 2);
  run.memory_bytes = 0;
  run.slots = 1;
  machine_.syscalls().Forget();
  ASSERT_EQ(WrongOfScattered(machine_.Run(run), kRows), "");
  int64_t failed = 0;
  for (const auto kind :
       {io::SyscallKind::kOpen, io::SyscallKind::kPwrite, io::SyscallKind::kPread}) {
    const int64_t calls = machine_.syscalls().count(kind);
    ASSERT_GT(calls, 0) << io::ToString(kind);
    for (int64_t call = 0; call < calls;
         call += std::max<int64_t>(1, calls / (kSanitized ? 3 : 6))) {
      for (const int error : {EIO, 0}) {
        machine_.syscalls().Set({.kind = kind,
                                 .first = call,
                                 .count = error == 0 ? 1 : 1000,
                                 .error_number = error,
                                 .short_bytes = 100});
        const GroupedOutcome outcome = machine_.Run(run);
        machine_.syscalls().Clear();
        EXPECT_EQ(machine_.left, "") << io::ToString(kind) << " " << call;
        if (outcome.status.ok()) {
          EXPECT_EQ(WrongOfScattered(outcome, kRows), "");
        } else {
          ++failed;
        }
      }
    }
  }
  EXPECT_GT(failed, 2);
}

TEST_F(GroupedMemoryTest, StoppedInAnyPhaseNothingIsLeft) {
  GroupedRun run = ScatteredRun(150'000, 8'000'000, 2);
  run.memory_bytes = 0;
  const int64_t steps = machine_.Run(run).steps;
  ASSERT_GT(steps, 30);
  for (int64_t at = 0; at < steps;
       at += std::max<int64_t>(1, steps / (kSanitized ? 8 : 25))) {
    run.stop_at = [at](int64_t step) { return step == at; };
    const GroupedOutcome outcome = machine_.Run(run);
    EXPECT_EQ(machine_.left, "") << at;
    if (!outcome.status.ok()) {
      EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kCancelled);
    }
  }
}

}  // namespace
}  // namespace wheelpit::exec
