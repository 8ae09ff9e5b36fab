// SPDX-License-Identifier: Apache-2.0
// What budgets promise to one caller: counting, limits, messages, failing backends.
#include "wheelpit/memory/budget.h"

#include <cstring>

#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/memory/failing_pool.h"

namespace wheelpit::memory {
namespace {

using core::ErrorKind;
using core::KindOf;

constexpr int64_t kMiB = int64_t{1} << 20;

class BudgetTest : public testing::Test {
 protected:
  void Open(int64_t limit, int64_t query_minimum = 0, int64_t query_limit = 0) {
    process_ = ProcessBudget::Make(limit, &backend_).ValueOrDie();
    query_ = process_->MakeQuery("q1", query_limit, query_minimum).ValueOrDie();
  }

  std::unique_ptr<OperatorBudget> Operator(const std::string& name, int64_t minimum = 0,
                                           Spillable* spillable = nullptr) {
    return query_->MakeOperator(name, minimum, spillable).ValueOrDie();
  }

  void TearDown() override {
    query_.reset();
    if (process_) {
      EXPECT_EQ(process_->used_bytes(), 0);
    }
    process_.reset();
    EXPECT_EQ(backend_.bytes_allocated(), 0);
  }

  FailingPool backend_;
  std::unique_ptr<ProcessBudget> process_;
  std::unique_ptr<QueryBudget> query_;
};

TEST_F(BudgetTest, ReservesInStepsAndGivesBackDownToTheMinimum) {
  Open(100 * kMiB, 3 * kMiB);
  auto op = Operator("sort", 3 * kMiB);
  EXPECT_EQ(process_->used_bytes(), 3 * kMiB);
  uint8_t* data = nullptr;
  ASSERT_TRUE(op->Allocate(3 * kMiB, &data).ok());
  EXPECT_EQ(op->reserved_bytes(), 3 * kMiB);
  uint8_t* more = nullptr;
  ASSERT_TRUE(op->Allocate(1, &more).ok());
  EXPECT_EQ(op->reserved_bytes(), 4 * kMiB);
  EXPECT_EQ(query_->used_bytes(), 4 * kMiB);
  op->Free(data, 3 * kMiB);
  EXPECT_EQ(op->reserved_bytes(), 4 * kMiB);  // Kept for the next allocation …
  op->ReleaseUnusedReservation();
  EXPECT_EQ(op->reserved_bytes(), 3 * kMiB);  // … until it is given back.
  op->Free(more, 1);
  EXPECT_EQ(process_->peak_bytes(), 4 * kMiB);
  EXPECT_EQ(query_->peak_bytes(), 4 * kMiB);
}

TEST_F(BudgetTest, CountsWhatThePoolDoes) {
  Open(100 * kMiB);
  auto op = Operator("scan");
  uint8_t* data = nullptr;
  ASSERT_TRUE(op->Allocate(1000, &data).ok());
  ASSERT_TRUE(op->Reallocate(1000, 3000, &data).ok());
  ASSERT_TRUE(op->Reallocate(3000, 500, &data).ok());
  EXPECT_EQ(op->bytes_allocated(), 500);
  EXPECT_EQ(op->max_memory(), 3000);
  EXPECT_EQ(op->total_bytes_allocated(), 3000);
  EXPECT_EQ(op->num_allocations(), 2);
  ASSERT_TRUE(op->CountExternal(700).ok());
  EXPECT_EQ(op->bytes_allocated(), 500);
  op->UncountExternal(700);
  op->Free(data, 500);
  EXPECT_EQ(op->bytes_allocated(), 0);
  EXPECT_EQ(op->backend_name(), "failing");
}

TEST_F(BudgetTest, NoAllocationPassesTheLimit) {
  Open(4 * kMiB);
  auto op = Operator("sort");
  uint8_t* data = nullptr;
  ASSERT_TRUE(op->Allocate(4 * kMiB, &data).ok());
  uint8_t* more = nullptr;
  EXPECT_EQ(KindOf(op->Allocate(1, &more)), ErrorKind::kMemoryLimit);
  EXPECT_EQ(KindOf(op->Reallocate(4 * kMiB, 4 * kMiB + 1, &data)),
            ErrorKind::kMemoryLimit);
  EXPECT_EQ(KindOf(op->CountExternal(1)), ErrorKind::kMemoryLimit);
  EXPECT_EQ(op->bytes_allocated(), 4 * kMiB);
  op->Free(data, 4 * kMiB);
}

TEST_F(BudgetTest, TheErrorNamesTheThreeLargestHoldersAndABudgetThatWouldDo) {
  const auto run = [this](int64_t limit) {
    Open(limit);
    struct NeverSpills : Spillable {
      int64_t reclaimable() const override { return 0; }
      void RequestReclaim(int64_t) override {}
    } spillable;
    auto small = Operator("filter");
    auto scan = Operator("scan");
    auto sort = Operator("sort", 0, &spillable);
    auto join = Operator("join");
    EXPECT_TRUE(small->CountExternal(1 * kMiB).ok());
    EXPECT_TRUE(scan->CountExternal(2 * kMiB).ok());
    EXPECT_TRUE(sort->CountExternal(4 * kMiB).ok());
    EXPECT_TRUE(join->CountExternal(3 * kMiB).ok());
    const arrow::Status status = join->CountExternal(5 * kMiB);
    if (status.ok()) {
      join->UncountExternal(5 * kMiB);
    }
    small->UncountExternal(1 * kMiB);
    scan->UncountExternal(2 * kMiB);
    sort->UncountExternal(4 * kMiB);
    join->UncountExternal(3 * kMiB);
    scan.reset();
    small.reset();
    sort.reset();
    join.reset();
    query_.reset();
    process_.reset();
    return status;
  };
  const arrow::Status status = run(12 * kMiB);
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  EXPECT_EQ(status.message(),
            "operator join of query q1 needs 5 MiB more, and the query's memory limit is "
            "12 MiB: reserve before allocating, or give it more; the largest holders are "
            "sort of q1 4 MiB (can spill), join of q1 3 MiB (cannot spill), scan of q1 2 "
            "MiB (cannot spill); a limit of at least 15 MiB is needed (memory.limit)");
  EXPECT_TRUE(run(15 * kMiB).ok());
  EXPECT_FALSE(run(15 * kMiB - 1).ok());
}

TEST_F(BudgetTest, WhatAQueryMayUseIsBoundedByItsOwnLimit) {
  Open(100 * kMiB, 0, 2 * kMiB);
  auto op = Operator("sort");
  EXPECT_TRUE(op->CountExternal(2 * kMiB).ok());
  EXPECT_EQ(KindOf(op->CountExternal(1)), ErrorKind::kMemoryLimit);
  op->UncountExternal(2 * kMiB);
  EXPECT_EQ(query_->limit_bytes(), 2 * kMiB);
}

TEST_F(BudgetTest, TheMinimumIsThereWhateverOthersHold) {
  Open(10 * kMiB, 4 * kMiB);
  auto greedy = Operator("sort");
  EXPECT_TRUE(greedy->CountExternal(6 * kMiB).ok());
  EXPECT_FALSE(greedy->CountExternal(1).ok());
  auto later = Operator("merge", 4 * kMiB);
  EXPECT_TRUE(later->CountExternal(4 * kMiB).ok());
  later->UncountExternal(4 * kMiB);
  greedy->UncountExternal(6 * kMiB);
}

TEST_F(BudgetTest, AMinimumBeyondTheLimitNamesBoth) {
  process_ = ProcessBudget::Make(32 * kMiB, &backend_).ValueOrDie();
  const arrow::Status status = process_->MakeQuery("q7", 0, 40 * kMiB).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  EXPECT_EQ(status.message(),
            "query q7 needs at least 40 MiB of memory to run, its limit is 32 MiB; set "
            "memory.limit to at least 40 MiB");
  EXPECT_TRUE(process_->MakeQuery("q8", 0, 32 * kMiB).ok());
}

TEST_F(BudgetTest, AMinimumThatWasNotAdmittedIsTakenFromWhatIsFree) {
  Open(10 * kMiB, 2 * kMiB);
  auto first = Operator("scan", 2 * kMiB);
  auto second = Operator("sort", 3 * kMiB);
  EXPECT_EQ(process_->used_bytes(), 5 * kMiB);
  const arrow::Status status = query_->MakeOperator("join", 6 * kMiB, nullptr).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  second.reset();
  EXPECT_EQ(process_->used_bytes(), 2 * kMiB);
  EXPECT_TRUE(query_->MakeOperator("join", 6 * kMiB, nullptr).ok());
}

// A reservation that is larger than all that is left at once.
TEST_F(BudgetTest, AReservationLargerThanTheLimitFailsAtOnce) {
  Open(10 * kMiB, 3 * kMiB);
  auto scan = Operator("scan", 2 * kMiB);
  auto build = Operator("hash build", 1 * kMiB);
  core::Wait wait;
  EXPECT_TRUE(build->Reserve(8 * kMiB, &wait).ValueOrDie());
  build->ReleaseUnusedReservation();
  const arrow::Status status = build->Reserve(8 * kMiB + 1, &wait).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  EXPECT_NE(status.message().find("a limit of 11 MiB would do"), std::string::npos)
      << status;
}

TEST_F(BudgetTest, WhatWasReservedCanBeAllocatedWhateverOthersDo) {
  Open(10 * kMiB);
  auto sort = Operator("sort");
  auto scan = Operator("scan");
  core::Wait wait;
  ASSERT_TRUE(sort->Reserve(6 * kMiB, &wait).ValueOrDie());
  EXPECT_TRUE(scan->CountExternal(4 * kMiB).ok());
  EXPECT_FALSE(scan->CountExternal(1).ok());
  EXPECT_TRUE(sort->CountExternal(6 * kMiB).ok());
  sort->UncountExternal(6 * kMiB);
  // Freed, not used, not promised: the other one may have it without asking.
  ASSERT_TRUE(sort->Reserve(0, &wait).ValueOrDie());
  EXPECT_TRUE(scan->CountExternal(6 * kMiB).ok());
  EXPECT_EQ(sort->reserved_bytes(), 0);
  scan->UncountExternal(10 * kMiB);
}

// The spill workspace must be there when it is needed, although the pool shrinks.
TEST_F(BudgetTest, AnIdleMinimumIsNeverTaken) {
  Open(10 * kMiB, 4 * kMiB);
  auto sort = Operator("sort", 4 * kMiB);
  auto scan = Operator("scan");
  EXPECT_TRUE(scan->CountExternal(6 * kMiB).ok());
  EXPECT_FALSE(scan->CountExternal(1 * kMiB).ok());
  sort->ReleaseUnusedReservation();
  EXPECT_FALSE(scan->CountExternal(1 * kMiB).ok());
  EXPECT_TRUE(sort->CountExternal(4 * kMiB).ok());
  sort->UncountExternal(4 * kMiB);
  scan->UncountExternal(6 * kMiB);
}

// Idle consumers must not cut the share of the one that works.
TEST_F(BudgetTest, IdleOperatorsLeaveEverythingButTheirMinimumToTheActiveOne) {
  Open(100 * kMiB, 5 * kMiB);
  std::vector<std::unique_ptr<OperatorBudget>> sorts;
  for (int i = 0; i < 5; ++i) {
    sorts.push_back(Operator("sort " + std::to_string(i), kMiB));
  }
  EXPECT_TRUE(sorts[0]->CountExternal(96 * kMiB).ok());
  sorts[0]->UncountExternal(96 * kMiB);
}

TEST_F(BudgetTest, ZeroSizedAndNegativeAllocations) {
  Open(kMiB);
  auto op = Operator("scan");
  uint8_t* data = nullptr;
  ASSERT_TRUE(op->Allocate(0, &data).ok());
  EXPECT_NE(data, nullptr);
  ASSERT_TRUE(op->Reallocate(0, 100, &data).ok());
  std::memset(data, 1, 100);
  ASSERT_TRUE(op->Reallocate(100, 0, &data).ok());
  op->Free(data, 0);
  EXPECT_TRUE(op->Allocate(-1, &data).IsInvalid());
  EXPECT_TRUE(op->Reallocate(0, -1, &data).IsInvalid());
  EXPECT_EQ(op->bytes_allocated(), 0);
}

TEST_F(BudgetTest, ABackendThatFailsAtAnyCallLeavesEveryGaugeExact) {
  for (int failing = 0;; ++failing) {
    Open(16 * kMiB, kMiB);
    backend_.FailAfter(failing);
    auto op = Operator("sort", kMiB);
    arrow::Status status;
    {
      std::vector<std::shared_ptr<arrow::ResizableBuffer>> buffers;
      for (int i = 0; i < 4 && status.ok(); ++i) {
        auto buffer = arrow::AllocateResizableBuffer(700'000, op.get());
        status = buffer.status();
        if (buffer.ok()) {
          status = (*buffer)->Resize(2'500'000 * i, true);
          buffers.push_back(*std::move(buffer));
        }
      }
      int64_t held = 0;
      for (const auto& buffer : buffers) {
        held += buffer->capacity();
      }
      EXPECT_EQ(op->bytes_allocated(), held);
      EXPECT_EQ(backend_.bytes_allocated(), held);
    }
    EXPECT_EQ(op->bytes_allocated(), 0);
    op->ReleaseUnusedReservation();
    EXPECT_EQ(process_->used_bytes(), kMiB);
    op.reset();
    query_.reset();
    EXPECT_EQ(process_->used_bytes(), 0);
    if (status.ok()) {
      EXPECT_GT(failing, 4);
      break;
    }
    EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
    EXPECT_NE(status.message().find("operator sort of query q1"), std::string::npos);
  }
  backend_.FailAfter(-1);
}

TEST_F(BudgetTest, DrainedIsReadyWhenTheLastByteIsFreed) {
  Open(kMiB);
  auto op = Operator("scan");
  EXPECT_TRUE(op->drained().ready());
  uint8_t* data = nullptr;
  ASSERT_TRUE(op->Allocate(100, &data).ok());
  const core::Wait wait = op->drained();
  uint8_t* other = nullptr;
  ASSERT_TRUE(op->Allocate(50, &other).ok());  // Still allowed.
  op->Free(data, 100);
  EXPECT_FALSE(wait.ready());
  op->Free(other, 50);
  EXPECT_TRUE(wait.ready());
  EXPECT_EQ(op->bytes_allocated(), 0);
}

TEST_F(BudgetTest, HoldersComeLargestFirst) {
  Open(10 * kMiB);
  auto small = Operator("small");
  auto large = Operator("large");
  ASSERT_TRUE(small->CountExternal(kMiB).ok());
  ASSERT_TRUE(large->CountExternal(2 * kMiB).ok());
  const auto holders = process_->Holders(1);
  ASSERT_EQ(holders.size(), 1);
  EXPECT_EQ(holders[0].name, "large");
  EXPECT_EQ(holders[0].bytes, 2 * kMiB);
  EXPECT_EQ(holders[0].query, "q1");
  small->UncountExternal(kMiB);
  large->UncountExternal(2 * kMiB);
}

TEST(ProcessBudget, ALimitOfNothingIsAConfigurationError) {
  EXPECT_EQ(KindOf(ProcessBudget::Make(0, arrow::default_memory_pool()).status()),
            ErrorKind::kConfiguration);
}

TEST(BudgetDeathTest, ABudgetThatEndsBeforeItsMemoryAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto process =
            ProcessBudget::Make(kMiB, arrow::default_memory_pool()).ValueOrDie();
        auto query = process->MakeQuery("q", 0, 0).ValueOrDie();
        auto op = query->MakeOperator("scan", 0, nullptr).ValueOrDie();
        uint8_t* data = nullptr;
        static_cast<void>(op->Allocate(100, &data).ok());
        op.reset();
      },
      "memory of operator 'scan' is still in use: 100 bytes");
}

}  // namespace
}  // namespace wheelpit::memory
