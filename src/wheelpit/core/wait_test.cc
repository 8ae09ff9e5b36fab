// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/wait.h"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "wheelpit/core/executor.h"

namespace wheelpit::core {
namespace {

TEST(Wait, DefaultIsOverAndRunsCallbacksAtOnce) {
  int calls = 0;
  const Wait wait;
  EXPECT_TRUE(wait.ready());
  wait.OnReady([&] { ++calls; });
  wait.Block();
  EXPECT_EQ(calls, 1);
}

TEST(Wait, CallbacksRunOnceWhenFiredAndAtOnceAfter) {
  Signal signal;
  const Wait wait = signal.wait();
  int calls = 0;
  wait.OnReady([&] { ++calls; });
  EXPECT_FALSE(wait.ready());
  EXPECT_EQ(calls, 0);
  signal.Fire();
  signal.Fire();
  EXPECT_EQ(calls, 1);
  wait.OnReady([&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(Wait, RegistrationAndFiringMayRace) {
  auto pool = ThreadPool::Make({.thread_count = 2}).ValueOrDie();
  std::atomic<int> calls{0};
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    Signal signal;
    const Wait wait = signal.wait();
    pool->Submit([signal] { signal.Fire(); });
    wait.OnReady([&] { ++calls; });
    wait.Block();
  }
  pool.reset();
  EXPECT_EQ(calls.load(), kRounds);
}

TEST(WaitDeathTest, AComputeThreadThatBlocksAborts) {
#ifdef NDEBUG
  GTEST_SKIP() << "checked in debug builds only";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto pool = ThreadPool::Make({.thread_count = 1}).ValueOrDie();
        pool->Submit([] { Signal().wait().Block(); });
        pool.reset();
      },
      "must park, not block");
}

// Meant for tsan and asan: who waits may end the signal as soon as it has fired.
TEST(Signal, MayEndWhileItFires) {
  const auto pool = ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  for (int i = 0; i < 2000; ++i) {
    auto signal = std::make_unique<Signal>();
    pool->Submit([fired = signal.get()] { fired->Fire(); });
    while (!signal->fired()) {
    }
    signal.reset();
  }
}

}  // namespace
}  // namespace wheelpit::core
