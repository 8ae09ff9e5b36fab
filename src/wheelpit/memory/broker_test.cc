// SPDX-License-Identifier: Apache-2.0
// What happens when several want more than there is: who waits, who is asked, who fails.
#include <atomic>
#include <functional>
#include <map>

#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::memory {
namespace {

using core::ErrorKind;
using core::KindOf;

constexpr int64_t kMiB = int64_t{1} << 20;

/// An operator that holds bytes, is asked for them, and gives them when the test lets it
/// come to a batch boundary.
class FakeOperator : public Spillable {
 public:
  int64_t reclaimable() const override {
    if (on_estimate) {
      on_estimate();
    }
    return can_give;
  }
  void RequestReclaim(int64_t bytes) override {
    ++asked_count;
    asked = std::max(asked, bytes);
    if (on_request) {
      on_request();
    }
  }
  double cost_per_byte() const override { return cost; }

  void Hold(int64_t bytes) {
    ASSERT_TRUE(budget->CountExternal(bytes).ok());
    held += bytes;
    can_give = held;
  }
  void Drop(int64_t bytes) {
    held -= bytes;
    can_give = held;
    budget->UncountExternal(bytes);
  }
  /// A batch boundary: gives what it was asked for.
  void Boundary() {
    if (asked > 0) {
      Drop(std::min(asked, held));
      asked = 0;
      budget->ReleaseUnusedReservation();
    }
  }
  bool Reserve(int64_t bytes) { return budget->Reserve(bytes, &wait).ValueOrDie(); }
  ErrorKind ReserveError(int64_t bytes) {
    return KindOf(budget->Reserve(bytes, &wait).status());
  }

  int64_t held = 0;
  int64_t can_give = 0;
  double cost = 1;
  int64_t asked = 0;
  int asked_count = 0;
  std::function<void()> on_request;
  std::function<void()> on_estimate;
  core::Wait wait;
  std::unique_ptr<OperatorBudget> budget;
};

class BrokerTest : public testing::Test {
 protected:
  void Open(int64_t limit) {
    process_ = ProcessBudget::Make(limit, arrow::default_memory_pool()).ValueOrDie();
  }
  QueryBudget& Query(const std::string& name, int64_t limit = 0, int64_t minimum = 0) {
    auto& query = queries_[name];
    if (!query) {
      query = process_->MakeQuery(name, limit, minimum).ValueOrDie();
    }
    return *query;
  }
  FakeOperator& Operator(const std::string& name, QueryBudget& query, int driver,
                         int64_t minimum = 0) {
    FakeOperator& op = operators_[name];
    op.budget = query.MakeOperator(name, minimum, &op, driver).ValueOrDie();
    return op;
  }
  FakeOperator& Unspillable(const std::string& name, QueryBudget& query, int driver,
                            int64_t minimum = 0) {
    FakeOperator& op = operators_[name];
    op.budget = query.MakeOperator(name, minimum, nullptr, driver).ValueOrDie();
    return op;
  }
  void TearDown() override {
    for (auto& [name, op] : operators_) {
      if (op.budget) {
        op.budget->UncountExternal(op.held);
        op.budget.reset();
      }
    }
    queries_.clear();
    EXPECT_EQ(process_->used_bytes(), 0);
  }

  std::unique_ptr<ProcessBudget> process_;
  std::map<std::string, std::unique_ptr<QueryBudget>> queries_;
  std::map<std::string, FakeOperator> operators_;
};

TEST_F(BrokerTest, AnotherQueryGivesWayAtItsNextBatchBoundary) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1);
  auto& join = Operator("join", Query("q2"), 1);
  sort.Hold(10 * kMiB);
  EXPECT_FALSE(join.Reserve(2 * kMiB));
  EXPECT_FALSE(join.wait.ready());
  EXPECT_EQ(sort.asked_count, 1);
  EXPECT_GE(sort.asked, 2 * kMiB);
  sort.Boundary();
  EXPECT_TRUE(join.wait.ready());
  EXPECT_TRUE(join.Reserve(2 * kMiB));
  join.Hold(2 * kMiB);
}

TEST_F(BrokerTest, FreedMemoryWakesWithoutAnybodyBeingAsked) {
  Open(10 * kMiB);
  auto& sort = Unspillable("sort", Query("q1"), 1);
  auto& join = Unspillable("join", Query("q2"), 1);
  sort.Hold(10 * kMiB);
  EXPECT_FALSE(join.Reserve(2 * kMiB));
  sort.Drop(1 * kMiB);
  EXPECT_FALSE(join.wait.ready());
  sort.Drop(1 * kMiB);
  EXPECT_TRUE(join.wait.ready());
  EXPECT_TRUE(join.Reserve(2 * kMiB));
}

TEST_F(BrokerTest, CleanCachesGoFirst) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1);
  auto& cache = Operator("footers", Query("caches"), kNoDriver);
  cache.cost = 0;
  cache.on_request = [&] { cache.Boundary(); };
  auto& join = Operator("join", Query("q2"), 1);
  sort.Hold(7 * kMiB);
  cache.Hold(3 * kMiB);
  EXPECT_FALSE(join.Reserve(2 * kMiB));
  EXPECT_TRUE(join.wait.ready());
  EXPECT_TRUE(join.Reserve(2 * kMiB));
  EXPECT_EQ(sort.asked_count, 0);
  EXPECT_EQ(cache.held, 1 * kMiB);
  // An allocation without a reservation may have the rest of it too.
  EXPECT_TRUE(join.budget->CountExternal(3 * kMiB).ok());
  join.held = 3 * kMiB;
  EXPECT_EQ(cache.held, 0);
}

TEST_F(BrokerTest, OfThoseWithEnoughTheCheapestIsAsked) {
  Open(30 * kMiB);
  auto& cheap_but_small = Operator("a", Query("q1"), 1);
  auto& cheap = Operator("b", Query("q1"), 2);
  auto& dear = Operator("c", Query("q1"), 3);
  cheap_but_small.cost = 0.5;
  dear.cost = 3;
  cheap_but_small.Hold(2 * kMiB);
  cheap.Hold(8 * kMiB);
  dear.Hold(20 * kMiB);
  auto& join = Operator("join", Query("q2"), 1);
  EXPECT_FALSE(join.Reserve(6 * kMiB));
  EXPECT_EQ(cheap_but_small.asked_count, 0);
  EXPECT_EQ(cheap.asked, 6 * kMiB);
  EXPECT_EQ(dear.asked_count, 0);
}

TEST_F(BrokerTest, WhenNobodyHasEnoughSeveralAreAsked) {
  Open(12 * kMiB);
  auto& a = Operator("a", Query("q1"), 1);
  auto& b = Operator("b", Query("q1"), 2);
  auto& c = Operator("c", Query("q1"), 3);
  b.cost = 2;
  c.cost = 3;
  a.Hold(4 * kMiB);
  b.Hold(4 * kMiB);
  c.Hold(4 * kMiB);
  auto& join = Operator("join", Query("q2"), 1);
  EXPECT_FALSE(join.Reserve(6 * kMiB));
  EXPECT_EQ(a.asked, 4 * kMiB);
  EXPECT_EQ(b.asked, 2 * kMiB);
  EXPECT_EQ(c.asked_count, 0);
  a.Boundary();
  EXPECT_FALSE(join.wait.ready());
  b.Boundary();
  EXPECT_TRUE(join.wait.ready());
}

// Somebody else holds the memory: a small sorter must not be made to write tiny spills
// again and again.
TEST_F(BrokerTest, VictimsBelowTheFloorAreSparedAndNobodyIsAskedTwice) {
  Open(20 * kMiB);
  auto& sorter = Operator("sorter", Query("q1"), 1);
  auto& hoarder = Operator("hoarder", Query("q1"), 2);
  hoarder.cost = 5;
  sorter.Hold(kMiB / 2);
  hoarder.Hold(19 * kMiB);
  auto& join = Operator("join", Query("q2"), 1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(join.Reserve(kMiB / 4));
    sorter.Drop(100);
    sorter.Hold(100);
  }
  EXPECT_EQ(sorter.asked_count, 0);
  EXPECT_EQ(hoarder.asked_count, 1);
  EXPECT_GE(hoarder.asked, 19 * kMiB / 4);
}

TEST_F(BrokerTest, AWaitingOperatorIsItselfReclaimable) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1, 0);
  sort.Hold(9 * kMiB);
  EXPECT_FALSE(sort.Reserve(3 * kMiB));
  EXPECT_EQ(sort.asked_count, 1);
  EXPECT_TRUE(sort.wait.ready()) << "its driver must wake to spill";
  sort.Boundary();
  EXPECT_TRUE(sort.Reserve(3 * kMiB));
}

// The sink holds memory, the source of the same driver waits for some: the sink can act
// only when the driver is woken.
TEST_F(BrokerTest, AParkedDriverIsWokenToReclaimFromAnyOfItsOperators) {
  Open(10 * kMiB);
  auto& scan = Unspillable("scan", Query("q1"), 1);
  auto& sort = Operator("sort", Query("q1"), 1);
  sort.Hold(9 * kMiB);
  EXPECT_FALSE(scan.Reserve(4 * kMiB));
  EXPECT_EQ(sort.asked_count, 1);
  EXPECT_TRUE(scan.wait.ready());
  sort.Boundary();
  EXPECT_TRUE(scan.Reserve(4 * kMiB));
}

TEST_F(BrokerTest, ADriverThatMissedTheRequestIsSentBackOnce) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1);
  auto& join = Unspillable("join", Query("q2"), 1);
  sort.Hold(8 * kMiB);
  EXPECT_FALSE(join.Reserve(4 * kMiB));  // Asks the sort, which runs and goes on to …
  EXPECT_FALSE(sort.Reserve(1 * kMiB));
  EXPECT_TRUE(sort.wait.ready());  // … be told to look first.
  sort.Boundary();
  EXPECT_TRUE(join.wait.ready());
}

TEST_F(BrokerTest, WaitersAreServedInTheOrderInWhichTheyCame) {
  Open(10 * kMiB);
  auto& holder = Unspillable("holder", Query("q1"), 1);
  holder.Hold(10 * kMiB);
  auto& large = Unspillable("large", Query("q2"), 1);
  auto& small = Unspillable("small", Query("q3"), 1);
  EXPECT_FALSE(large.Reserve(5 * kMiB));
  EXPECT_FALSE(small.Reserve(1 * kMiB));
  holder.Drop(4 * kMiB);
  EXPECT_FALSE(large.wait.ready());
  EXPECT_FALSE(small.wait.ready()) << "overtook a large request";
  holder.Drop(2 * kMiB);
  EXPECT_TRUE(large.wait.ready());
  EXPECT_TRUE(small.wait.ready());
  EXPECT_TRUE(large.Reserve(5 * kMiB));
  EXPECT_TRUE(small.Reserve(1 * kMiB));
}

TEST_F(BrokerTest, AStreamOfSmallRequestsDoesNotStarveALargeOne) {
  Open(16 * kMiB);
  auto& large = Unspillable("large", Query("q0"), 1);
  std::vector<FakeOperator*> small;
  for (int i = 0; i < 16; ++i) {
    small.push_back(
        &Unspillable("s" + std::to_string(i), Query("q" + std::to_string(i + 1)), 1));
    small.back()->Hold(kMiB);
  }
  EXPECT_FALSE(large.Reserve(8 * kMiB));
  int turns = 0;
  // Each takes its memory back as soon as it may.
  for (; turns < 100 && !large.wait.ready(); ++turns) {
    FakeOperator& op = *small[static_cast<size_t>(turns) % 16];
    if (op.held > 0) {
      op.Drop(kMiB);
    }
    if (op.Reserve(kMiB)) {
      op.Hold(kMiB);
    }
  }
  EXPECT_EQ(turns, 8);
}

TEST_F(BrokerTest, AQueryAtItsOwnLimitDoesNotHoldUpOthers) {
  Open(20 * kMiB);
  auto& first = Unspillable("a", Query("q1", 4 * kMiB), 1);
  auto& second = Unspillable("b", Query("q1"), 2);
  first.Hold(4 * kMiB);
  EXPECT_FALSE(second.Reserve(1 * kMiB));
  auto& other = Unspillable("c", Query("q2"), 1);
  EXPECT_TRUE(other.Reserve(10 * kMiB));
  first.Drop(1 * kMiB);
  EXPECT_TRUE(second.wait.ready());
}

TEST_F(BrokerTest, AdmissionWaitsForRunningQueriesAndTheyGiveWay) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1", 0, 2 * kMiB), 1, 2 * kMiB);
  sort.Hold(10 * kMiB);
  QueryBudget& second = Query("q2", 0, 6 * kMiB);
  const core::Wait admitted = second.admitted();
  EXPECT_FALSE(admitted.ready());
  EXPECT_EQ(sort.asked, 6 * kMiB);
  auto& join = Operator("join", second, 1, 6 * kMiB);
  EXPECT_FALSE(join.Reserve(kMiB));
  EXPECT_FALSE(join.wait.ready());
  EXPECT_EQ(KindOf(join.budget->CountExternal(1)), ErrorKind::kMemoryLimit);
  sort.Boundary();
  EXPECT_TRUE(admitted.ready());
  EXPECT_TRUE(join.wait.ready());
  EXPECT_TRUE(join.Reserve(6 * kMiB));
  EXPECT_TRUE(second.admitted().ready());
}

TEST_F(BrokerTest, AQueryThatIsGivenUpBeforeItsAdmissionLeavesTheQueue) {
  Open(10 * kMiB);
  auto& holder = Unspillable("holder", Query("q1"), 1);
  holder.Hold(8 * kMiB);
  Query("q2", 0, 5 * kMiB);
  EXPECT_FALSE(Query("q3", 0, 2 * kMiB).admitted().ready());
  queries_.erase("q2");
  EXPECT_TRUE(Query("q3").admitted().ready());
}

TEST_F(BrokerTest, TwoThatWaitForEachOtherAreBothAskedAndGoOn) {
  Open(10 * kMiB);
  auto& a = Operator("a", Query("q1"), 1);
  auto& b = Operator("b", Query("q2"), 1);
  a.Hold(5 * kMiB);
  b.Hold(5 * kMiB);
  EXPECT_FALSE(a.Reserve(6 * kMiB));
  EXPECT_FALSE(b.Reserve(6 * kMiB));
  int turns = 0;
  bool a_done = false;
  bool b_done = false;
  for (; turns < 20 && !(a_done && b_done); ++turns) {
    for (auto [op, done] : {std::pair{&a, &a_done}, std::pair{&b, &b_done}}) {
      if (!*done && op->wait.ready()) {
        op->Boundary();
        if (op->Reserve(6 * kMiB)) {
          op->Hold(6 * kMiB);
          op->Drop(op->held);  // It comes to its end.
          op->budget->ReleaseUnusedReservation();
          *done = true;
        }
      } else if (!*done) {
        op->Boundary();
      }
    }
  }
  EXPECT_TRUE(a_done && b_done);
  EXPECT_LE(turns, 6);
}

TEST_F(BrokerTest, WhenNobodyCanGiveTheYoungestFailsAndTheOthersGoOn) {
  Open(10 * kMiB);
  auto& a = Unspillable("a", Query("q1"), 1);
  auto& b = Unspillable("b", Query("q2"), 1);
  a.Hold(5 * kMiB);
  b.Hold(5 * kMiB);
  EXPECT_FALSE(a.Reserve(2 * kMiB));
  EXPECT_FALSE(a.wait.ready());  // b runs, and may end.
  EXPECT_FALSE(b.Reserve(2 * kMiB));
  EXPECT_TRUE(b.wait.ready());
  const arrow::Status status = b.budget->Reserve(2 * kMiB, &b.wait).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  EXPECT_NE(status.message().find("a of q1 5 MiB (cannot spill), b of q2 5 MiB"),
            std::string::npos)
      << status;
  EXPECT_NE(status.message().find("a limit of 12 MiB would do"), std::string::npos)
      << status;
  EXPECT_FALSE(a.wait.ready());
  b.Drop(5 * kMiB);  // As a failing query does.
  EXPECT_TRUE(a.wait.ready());
  EXPECT_TRUE(a.Reserve(2 * kMiB));
}

TEST_F(BrokerTest, WithinAQueryTheLargestRequestFails) {
  Open(10 * kMiB);
  auto& a = Unspillable("a", Query("q1"), 1);
  auto& b = Unspillable("b", Query("q1"), 2);
  a.Hold(5 * kMiB);
  b.Hold(5 * kMiB);
  EXPECT_FALSE(a.Reserve(3 * kMiB));
  EXPECT_FALSE(b.Reserve(2 * kMiB));
  EXPECT_TRUE(a.wait.ready());
  EXPECT_FALSE(b.wait.ready());
  EXPECT_EQ(a.ReserveError(3 * kMiB), ErrorKind::kMemoryLimit);
}

TEST_F(BrokerTest, AVictimThatClaimsMoreThanItGivesIsNotAskedForEver) {
  Open(10 * kMiB);
  auto& liar = Operator("liar", Query("q1"), 1);
  liar.Hold(10 * kMiB);
  liar.on_request = [] {};
  EXPECT_FALSE(liar.Reserve(2 * kMiB));
  int tries = 0;
  arrow::Result<bool> outcome = false;
  for (; tries < 10 && outcome.ok() && !*outcome && liar.wait.ready(); ++tries) {
    outcome = liar.budget->Reserve(2 * kMiB, &liar.wait);
  }
  EXPECT_EQ(KindOf(outcome.status()), ErrorKind::kMemoryLimit);
  EXPECT_EQ(liar.asked_count, 1);
}

TEST_F(BrokerTest, WhoWaitsBehindALargeRequestMayPassWhenAllAreStuck) {
  Open(10 * kMiB);
  auto& holder = Unspillable("holder", Query("q1"), 1);
  auto& large = Unspillable("large", Query("q2"), 1);
  holder.Hold(6 * kMiB);
  EXPECT_FALSE(large.Reserve(8 * kMiB));
  // The large one waits for the holder to end, and the holder needs a little to get
  // there.
  EXPECT_FALSE(holder.Reserve(1 * kMiB));
  EXPECT_TRUE(holder.wait.ready());
  EXPECT_TRUE(holder.Reserve(1 * kMiB));
  EXPECT_FALSE(large.wait.ready());
  holder.Drop(6 * kMiB);
  holder.budget->ReleaseUnusedReservation();
  EXPECT_TRUE(large.Reserve(8 * kMiB));
}

// A callback that reaches back into the budget from wherever it is called: were any lock
// held there, this would hang or be found by the lock-order checks of the sanitizer.
TEST_F(BrokerTest, CallbacksMayCallBackIntoAnyBudget) {
  Open(10 * kMiB);
  auto& a = Operator("a", Query("q1"), 1);
  auto& b = Operator("b", Query("q2"), 1);
  const auto poke = [&] {
    static_cast<void>(process_->Holders(3));
    EXPECT_GT(process_->used_bytes(), 0);
    static_cast<void>(Query("q1").used_bytes());
    if (b.budget->CountExternal(1).ok()) {
      b.budget->UncountExternal(1);
    }
    core::Wait wait;
    static_cast<void>(a.budget->Reserve(9 * kMiB, &wait).ok());
    a.Boundary();
    b.Boundary();
  };
  a.on_request = poke;
  b.on_request = poke;
  a.Hold(5 * kMiB);
  b.Hold(4 * kMiB);
  auto& c = Operator("c", Query("q3"), 1);
  c.Reserve(8 * kMiB);
  EXPECT_GT(a.asked_count + b.asked_count, 0);
}

// Another thread's request comes and is served between the two looks of a decision.
TEST_F(BrokerTest, WhatIsServedDuringADecisionDoesNotUndoIt) {
  Open(20 * kMiB);
  auto& holder = Operator("holder", Query("q1", 10 * kMiB), 1);
  auto& waiter = Unspillable("waiter", Query("q1"), 2);
  auto& other = Unspillable("other", Query("q2"), 1);
  holder.Hold(10 * kMiB);
  int estimates = 0;
  holder.on_estimate = [&] {
    if (++estimates == 1) {
      EXPECT_TRUE(other.Reserve(1 * kMiB));
    }
  };
  EXPECT_FALSE(waiter.Reserve(2 * kMiB));
  EXPECT_EQ(holder.asked_count, 1) << "nobody was asked, and nobody will be";
}

// The victim's thread is quick: it has acted before RequestReclaim has returned.
TEST_F(BrokerTest, AnAnswerThatComesDuringTheRequestCounts) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1);
  auto& join = Unspillable("join", Query("q2"), 1);
  sort.Hold(10 * kMiB);
  sort.on_request = [&] {
    sort.asked = 0;
    sort.Drop(2 * kMiB);
    sort.budget->ReleaseUnusedReservation();
  };
  EXPECT_FALSE(join.Reserve(5 * kMiB));
  EXPECT_EQ(sort.asked_count, 3) << "it gave a part, and can give the rest";
  EXPECT_TRUE(join.wait.ready());
}

TEST_F(BrokerTest, ALateOperatorsMinimumIsWorthACleanCache) {
  Open(10 * kMiB);
  auto& cache = Operator("footers", Query("caches"), kNoDriver);
  cache.cost = 0;
  cache.on_request = [&] { cache.Boundary(); };
  cache.Hold(6 * kMiB);
  auto late = Query("q1").MakeOperator("merge", 6 * kMiB, nullptr);
  EXPECT_TRUE(late.ok()) << late.status();
  EXPECT_LE(cache.held, 4 * kMiB);
}

TEST_F(BrokerTest, AMinimumIsRaisedWhenOthersHaveGivenWay) {
  Open(10 * kMiB);
  auto& sort = Operator("sort", Query("q1"), 1);
  sort.Hold(8 * kMiB);
  QueryBudget& second = Query("q2");
  EXPECT_TRUE(second.admitted().ready());
  auto& table = Unspillable("table", second, 0);
  table.Hold(2 * kMiB);
  ASSERT_TRUE(second.RaiseMinimum(5 * kMiB).ok());
  const core::Wait admitted = second.admitted();
  EXPECT_FALSE(admitted.ready());
  EXPECT_EQ(sort.asked, 5 * kMiB);
  sort.Boundary();
  EXPECT_TRUE(admitted.ready());
  EXPECT_TRUE(second.admission().ok());
  EXPECT_TRUE(second.MakeOperator("scan", 5 * kMiB, nullptr, 1).ok());
}

TEST_F(BrokerTest, AMinimumBesideWhatTheQueryHoldsNamesTheLimitThatWouldDo) {
  for (const int64_t limit : {7 * kMiB - 1, 7 * kMiB}) {
    Open(limit);
    QueryBudget& query = Query("q1");
    auto& table = Unspillable("table", query, 0);
    table.Hold(2 * kMiB - 100);
    const arrow::Status status = query.RaiseMinimum(5 * kMiB);
    EXPECT_EQ(status.ok(), limit == 7 * kMiB) << status;
    if (!status.ok()) {
      EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
      EXPECT_NE(status.message().find("at least 7 MiB"), std::string::npos) << status;
    }
    TearDown();
    operators_.clear();
  }
  Open(kMiB);
}

// Each holds its table and waits for the room to run: none would ever get it.
TEST_F(BrokerTest, QueriesThatBlockEachOthersAdmissionDoNotWaitForEver) {
  Open(10 * kMiB);
  auto& a = Unspillable("table", Query("q1"), 0);
  auto& b = Unspillable("index", Query("q2"), 0);
  a.Hold(3 * kMiB);
  b.Hold(3 * kMiB);
  ASSERT_TRUE(Query("q1").RaiseMinimum(5 * kMiB).ok());
  EXPECT_FALSE(Query("q1").admitted().ready()) << "q2 may still end";
  ASSERT_TRUE(Query("q2").RaiseMinimum(5 * kMiB).ok());
  EXPECT_TRUE(Query("q2").admitted().ready());
  EXPECT_EQ(KindOf(Query("q2").admission()), ErrorKind::kMemoryLimit);
  EXPECT_FALSE(Query("q1").admitted().ready());
  b.Drop(3 * kMiB);
  EXPECT_TRUE(Query("q1").admitted().ready());
  EXPECT_TRUE(Query("q1").admission().ok());
}

// The place of a task that has ended, or of one to come, must not count as a driver that
// is about to end.
TEST_F(BrokerTest, AnOperatorThatDoesNotRunHoldsNoDecisionUp) {
  Open(10 * kMiB);
  auto& idle = Unspillable("idle", Query("q1", 0, 4 * kMiB), 1, 4 * kMiB);
  auto& a = Unspillable("a", Query("q1"), 2);
  auto& b = Unspillable("b", Query("q2"), 1);
  a.Hold(3 * kMiB);
  b.Hold(3 * kMiB);
  EXPECT_FALSE(b.Reserve(2 * kMiB));
  EXPECT_FALSE(a.Reserve(2 * kMiB));
  EXPECT_FALSE(a.wait.ready() || b.wait.ready()) << "the idle one runs, and may end";
  idle.budget->SetRunning(false);
  EXPECT_TRUE(b.wait.ready());
  EXPECT_EQ(b.ReserveError(2 * kMiB), ErrorKind::kMemoryLimit);
}

TEST_F(BrokerTest, ACacheThatGivesNothingIsAskedOnceAndHoldsNobodyUp) {
  Open(4 * kMiB);
  auto& cache = Operator("cache", Query("caches"), kNoDriver);
  cache.cost = 0;
  cache.Hold(1 * kMiB);
  auto& a = Unspillable("a", Query("q1"), 1);
  a.Hold(3 * kMiB);
  EXPECT_FALSE(a.Reserve(1 * kMiB));
  EXPECT_TRUE(a.wait.ready());
  EXPECT_EQ(a.ReserveError(1 * kMiB), ErrorKind::kMemoryLimit);
  EXPECT_EQ(cache.asked_count, 1);
}

TEST_F(BrokerTest, AnOperatorThatEndsWhileItWaitsLeavesTheQueue) {
  Open(10 * kMiB);
  auto& holder = Unspillable("holder", Query("q1"), 1);
  holder.Hold(10 * kMiB);
  auto& gone = Unspillable("gone", Query("q2"), 1);
  auto& next = Unspillable("next", Query("q3"), 1);
  EXPECT_FALSE(gone.Reserve(9 * kMiB));
  EXPECT_FALSE(next.Reserve(2 * kMiB));
  holder.Drop(2 * kMiB);
  EXPECT_FALSE(next.wait.ready());
  gone.budget.reset();
  EXPECT_TRUE(next.wait.ready());
}

}  // namespace
}  // namespace wheelpit::memory
