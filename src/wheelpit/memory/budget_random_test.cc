// SPDX-License-Identifier: Apache-2.0
// Properties that must hold whatever happens: gauges end at zero, limits are never
// passed, nobody waits for ever, and more memory never makes a success a failure.
#include <atomic>
#include <deque>
#include <random>

#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/memory/failing_pool.h"

namespace wheelpit::memory {
namespace {

using core::ErrorKind;
using core::KindOf;

constexpr int64_t kMiB = int64_t{1} << 20;

/// An operator of a random thread: buffers, a flag, and what to do at a batch boundary.
class RandomOperator : public Spillable {
 public:
  RandomOperator(QueryBudget& query, const std::string& name, int64_t minimum, int driver,
                 bool can_spill) {
    budget_ = query.MakeOperator(name, minimum, can_spill ? this : nullptr, driver)
                  .ValueOrDie();
  }
  ~RandomOperator() override {
    buffers_.clear();
    budget_.reset();  // Before the Spillable part goes.
  }

  int64_t reclaimable() const override { return held_.load(); }
  void RequestReclaim(int64_t bytes) override { asked_ = std::max(asked_.load(), bytes); }

  void Boundary() {
    const int64_t bytes = asked_.exchange(0);
    if (bytes > 0) {
      for (int64_t freed = 0; freed < bytes && !buffers_.empty();) {
        freed += Drop();
      }
      budget_->ReleaseUnusedReservation();
    }
  }

  arrow::Status Add(int64_t size) {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(size, budget_.get()));
    held_ += buffer->capacity();
    buffers_.push_back(std::move(buffer));
    return arrow::Status::OK();
  }

  int64_t Drop() {
    const int64_t size = buffers_.front()->capacity();
    held_ -= size;
    buffers_.pop_front();
    return size;
  }

  bool empty() const { return buffers_.empty(); }
  OperatorBudget& budget() { return *budget_; }

 private:
  std::unique_ptr<OperatorBudget> budget_;
  std::deque<std::unique_ptr<arrow::Buffer>> buffers_;
  std::atomic<int64_t> held_{0};
  std::atomic<int64_t> asked_{0};
};

struct World {
  FailingPool backend;
  std::unique_ptr<ProcessBudget> process;
  std::atomic<int> successes{0};
  std::atomic<int> limit_errors{0};
  std::atomic<bool> over{false};
};

/// One query from its admission to its end, on the calling thread; it reserves,
/// allocates, frees and reclaims at random.
arrow::Status RunQuery(World& world, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random()) % bound;
  };
  // Every other one learns what it needs after it has begun to hold memory.
  const bool plans = below(2) == 0;
  ARROW_ASSIGN_OR_RAISE(auto query, world.process->MakeQuery("q" + std::to_string(seed),
                                                             0, plans ? 0 : 2 * kMiB));
  query->admitted().Block();
  RandomOperator planning(*query, "planning", 0, memory::kNoDriver, false);
  if (plans) {
    ARROW_RETURN_NOT_OK(planning.Add(1 + below(kMiB)));
    ARROW_RETURN_NOT_OK(query->RaiseMinimum(2 * kMiB));
    query->admitted().Block();
    ARROW_RETURN_NOT_OK(query->admission());
  }
  RandomOperator source(*query, "scan", kMiB, 0, false);
  RandomOperator sink(*query, "sort", kMiB, 0, below(4) != 0);
  for (int turn = 0; turn < 60; ++turn) {
    sink.Boundary();
    RandomOperator& op = below(3) == 0 ? source : sink;
    const int64_t size = below(5) == 0 ? 1 + below(4 * kMiB) : 1 + below(100'000);
    if (below(3) != 0) {
      core::Wait wait;
      while (true) {
        ARROW_ASSIGN_OR_RAISE(const bool reserved, op.budget().Reserve(size + 64, &wait));
        if (reserved) {
          break;
        }
        wait.Block();
        sink.Boundary();
      }
    }
    ARROW_RETURN_NOT_OK(op.Add(size));
    if (world.process->used_bytes() > world.process->limit_bytes() ||
        world.backend.bytes_allocated() > world.process->limit_bytes()) {
      world.over = true;
    }
    while (!source.empty() && below(2) == 0) {
      source.Drop();
    }
    if (below(10) == 0) {
      source.budget().ReleaseUnusedReservation();
    }
  }
  return arrow::Status::OK();
}

void RunMany(World& world, int64_t limit_bytes, int threads, int queries_each) {
  world.process = ProcessBudget::Make(limit_bytes, &world.backend).ValueOrDie();
  auto pool =
      core::ThreadPool::Make({.thread_count = threads, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  core::TaskGroup group(pool.get());
  for (int t = 0; t < threads; ++t) {
    group.Spawn([&world, t, queries_each]() -> arrow::Status {
      for (int i = 0; i < queries_each; ++i) {
        const arrow::Status status =
            RunQuery(world, static_cast<uint32_t>(t * 1000 + i + 1));
        EXPECT_TRUE(status.ok() || KindOf(status) == ErrorKind::kMemoryLimit) << status;
        ++(status.ok() ? world.successes : world.limit_errors);
      }
      return arrow::Status::OK();
    });
  }
  EXPECT_TRUE(group.Close().ok());
  EXPECT_EQ(world.process->used_bytes(), 0);
  EXPECT_EQ(world.backend.bytes_allocated(), 0);
  EXPECT_LE(world.process->peak_bytes(), limit_bytes);
  EXPECT_FALSE(world.over.load()) << "the limit was passed";
  EXPECT_EQ(world.successes + world.limit_errors, threads * queries_each);
}

class RandomQueries : public testing::TestWithParam<int64_t> {};

TEST_P(RandomQueries, EndWithEveryGaugeAtZeroAndWithinTheLimit) {
  World world;
  RunMany(world, GetParam() * kMiB, 8, 20);
  if (GetParam() >= 1000) {
    EXPECT_EQ(world.limit_errors.load(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, RandomQueries, testing::Values(4, 9, 20, 64, 2000));

TEST(RandomQueries, EndWithEveryGaugeAtZeroWhenTheBackendFailsNowAndThen) {
  for (const int64_t every : {1, 2, 3, 7, 50, 1000}) {
    World world;
    world.backend.FailEvery(every);
    RunMany(world, 24 * kMiB, 8, 4);
    if (every <= 3) {
      EXPECT_EQ(world.successes.load(), 0);
    }
  }
}

TEST(OperatorBudget, ManyThreadsMayUseOneOperator) {
  FailingPool backend;
  auto process = ProcessBudget::Make(8 * kMiB, &backend).ValueOrDie();
  auto query = process->MakeQuery("q", 0, 0).ValueOrDie();
  auto op = query->MakeOperator("scan", 0, nullptr).ValueOrDie();
  auto rival = query->MakeOperator("sort", 0, nullptr, 1).ValueOrDie();
  auto pool = core::ThreadPool::Make({.thread_count = 8, .role = core::ThreadRole::kIo})
                  .ValueOrDie();
  core::TaskGroup group(pool.get());
  std::atomic<int> refused{0};
  for (uint32_t t = 0; t < 8; ++t) {
    group.Spawn([&, t]() -> arrow::Status {
      std::mt19937 random(t);
      OperatorBudget& budget = t % 2 == 0 ? *op : *rival;
      int64_t held = 0;
      for (int i = 0; i < 2000; ++i) {
        const int64_t size = 1 + static_cast<int64_t>(random() % (5 * kMiB));
        if (!budget.CountExternal(size).ok()) {
          ++refused;
          continue;
        }
        EXPECT_LE(process->used_bytes(), 8 * kMiB);
        budget.UncountExternal(std::exchange(held, size));
        if (i % 16 == 0 && t < 2) {
          budget.ReleaseUnusedReservation();
        }
      }
      budget.UncountExternal(held);
      return arrow::Status::OK();
    });
  }
  EXPECT_TRUE(group.Close().ok());
  EXPECT_GT(refused.load(), 0);
  op->ReleaseUnusedReservation();
  rival->ReleaseUnusedReservation();
  EXPECT_EQ(process->used_bytes(), 0);
}

// --- Success is monotone ---

/// A deterministic set of drivers, each a source and a sorting sink over `input_bytes`,
/// run in turns on one thread. A sink that is asked spills all it holds. Batches up to
/// 1 MiB are within what source and sink declare as their minimum.
struct SimulatedPlan {
  int drivers = 1;
  int64_t input_bytes = 0;
  int64_t batch_bytes = 0;
  bool sinks_can_spill = true;
  int64_t minimum_per_driver = 2 * kMiB;
};

class SimulatedDriver : public Spillable {
 public:
  SimulatedDriver(QueryBudget& query, const SimulatedPlan& plan, int driver)
      : plan_(plan), left_(plan.input_bytes) {
    source_ = query.MakeOperator("scan", kMiB, nullptr, driver).ValueOrDie();
    sink_ = query
                .MakeOperator("sort", plan.minimum_per_driver - kMiB,
                              plan.sinks_can_spill ? this : nullptr, driver)
                .ValueOrDie();
  }
  ~SimulatedDriver() override {
    source_->UncountExternal(batch_);
    sink_->UncountExternal(held_);
  }

  int64_t reclaimable() const override { return held_; }
  void RequestReclaim(int64_t bytes) override { asked_ = std::max(asked_, bytes); }

  bool done() const { return left_ == 0; }
  bool runnable() const { return !done() && wait_.ready(); }

  /// One batch, or as far as it comes.
  arrow::Status Turn() {
    if (asked_ > 0) {
      sink_->UncountExternal(held_);  // Spilled, whole.
      held_ = 0;
      asked_ = 0;
      sink_->ReleaseUnusedReservation();
    }
    const int64_t size = std::min(left_, plan_.batch_bytes);
    if (batch_ == 0) {
      ARROW_ASSIGN_OR_RAISE(const bool got, source_->Reserve(size, &wait_));
      if (!got) {
        return arrow::Status::OK();
      }
      ARROW_RETURN_NOT_OK(source_->CountExternal(size));
      batch_ = size;
    }
    ARROW_ASSIGN_OR_RAISE(const bool got, sink_->Reserve(size, &wait_));
    if (!got) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(sink_->CountExternal(size));
    held_ += size;
    source_->UncountExternal(batch_);
    batch_ = 0;
    left_ -= size;
    if (done()) {
      sink_->UncountExternal(held_);
      held_ = 0;
      sink_->ReleaseUnusedReservation();
      source_->ReleaseUnusedReservation();
    }
    return arrow::Status::OK();
  }

 private:
  SimulatedPlan plan_;
  int64_t left_;
  int64_t batch_ = 0;
  int64_t held_ = 0;
  int64_t asked_ = 0;
  core::Wait wait_;
  std::unique_ptr<OperatorBudget> source_;
  std::unique_ptr<OperatorBudget> sink_;
};

arrow::Status Simulate(const SimulatedPlan& plan, int64_t limit_bytes) {
  ARROW_ASSIGN_OR_RAISE(auto process,
                        ProcessBudget::Make(limit_bytes, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(
      auto query, process->MakeQuery("q", 0, plan.drivers * plan.minimum_per_driver));
  std::vector<std::unique_ptr<SimulatedDriver>> drivers;
  for (int i = 0; i < plan.drivers; ++i) {
    drivers.push_back(std::make_unique<SimulatedDriver>(*query, plan, i));
  }
  while (true) {
    bool all_done = true;
    bool any_ran = false;
    for (auto& driver : drivers) {
      all_done = all_done && driver->done();
      if (driver->runnable()) {
        any_ran = true;
        ARROW_RETURN_NOT_OK(driver->Turn());
      }
    }
    if (all_done) {
      return arrow::Status::OK();
    }
    if (!any_ran) {
      return core::Error(ErrorKind::kInternal, "everybody waits and nobody is woken");
    }
  }
}

/// Tries budgets upwards and expects no failure above a success; the least that succeeds.
int64_t SweepBudgets(const SimulatedPlan& plan) {
  int64_t least = 0;
  for (int64_t limit = kMiB; limit <= 160 * kMiB; limit += kMiB / 2 + 77'777) {
    const arrow::Status status = Simulate(plan, limit);
    if (status.ok()) {
      least = least == 0 ? limit : least;
      continue;
    }
    EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit) << status;
    EXPECT_EQ(least, 0) << "fails at " << limit << ": " << status << "; " << plan.drivers
                        << " drivers, batches of " << plan.batch_bytes;
  }
  return least;
}

TEST(SimulatedQueries, SuccessIsMonotoneInTheBudget) {
  for (const int drivers : {1, 2, 5, 16}) {
    for (const int64_t batch_bytes : {kMiB / 10, kMiB / 2 + 1, kMiB}) {
      EXPECT_GT(
          SweepBudgets(
              {.drivers = drivers, .input_bytes = 20 * kMiB, .batch_bytes = batch_bytes}),
          0);
    }
  }
}

TEST(SimulatedQueries, OneDriverBeyondItsDeclaredMinimumIsMonotoneToo) {
  for (const int64_t batch_bytes : {kMiB / 10, 3 * kMiB, 7 * kMiB}) {
    for (const bool can_spill : {true, false}) {
      EXPECT_GT(SweepBudgets({.input_bytes = 20 * kMiB,
                              .batch_bytes = batch_bytes,
                              .sinks_can_spill = can_spill}),
                0);
    }
  }
}

// Several drivers that take more than they declared and cannot spill may block each
// other, and whether one of them gets through first is luck. Then one fails; none waits
// for ever.
TEST(SimulatedQueries, DriversThatBlockEachOtherEndInAnErrorNotInAWait) {
  for (int64_t limit = 10 * kMiB; limit <= 120 * kMiB; limit += kMiB + 77'777) {
    const SimulatedPlan plan{.drivers = 5,
                             .input_bytes = 20 * kMiB,
                             .batch_bytes = 3 * kMiB,
                             .sinks_can_spill = false};
    const arrow::Status status = Simulate(plan, limit);
    EXPECT_TRUE(status.ok() || KindOf(status) == ErrorKind::kMemoryLimit) << status;
    EXPECT_TRUE(status.ok() || limit < 5 * 24 * kMiB) << status;
  }
}

TEST(SimulatedQueries, WhatCanSpillSucceedsFromItsDeclaredMinimum) {
  for (const int drivers : {1, 2, 5, 16}) {
    const SimulatedPlan plan{
        .drivers = drivers, .input_bytes = 20 * kMiB, .batch_bytes = kMiB};
    const int64_t minimum = drivers * plan.minimum_per_driver;
    EXPECT_EQ(Simulate(plan, minimum), arrow::Status::OK());
    EXPECT_EQ(KindOf(Simulate(plan, minimum - 1)), ErrorKind::kMemoryLimit);
  }
}

TEST(SimulatedQueries, MoreInputInTheSameBudgetSucceedsToo) {
  for (int64_t input = kMiB; input < 40 * kMiB; input += kMiB / 2) {
    const SimulatedPlan plan{.drivers = 2, .input_bytes = input, .batch_bytes = kMiB};
    EXPECT_EQ(Simulate(plan, 10 * kMiB), arrow::Status::OK()) << input;
  }
}

}  // namespace
}  // namespace wheelpit::memory
