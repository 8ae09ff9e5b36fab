// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/executor.h"

#include <atomic>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::core {
namespace {

TEST(ThreadPool, RunsEveryTaskBeforeItEnds) {
  std::atomic<int> ran{0};
  auto pool = ThreadPool::Make({.thread_count = 3}).ValueOrDie();
  for (int i = 0; i < 1000; ++i) {
    pool->Submit([&] { ++ran; });
  }
  pool.reset();
  EXPECT_EQ(ran.load(), 1000);
}

TEST(ThreadPool, TasksSubmittedByTasksRunToo) {
  std::atomic<int> ran{0};
  auto pool = ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  pool->Submit([&, raw = pool.get()] { raw->Submit([&] { ++ran; }); });
  pool.reset();
  EXPECT_EQ(ran.load(), 1);
}

TEST(ThreadPool, ThreadsCarryTheirRole) {
  std::atomic<ThreadRole> seen{ThreadRole::kForeign};
  auto pool = ThreadPool::Make({.thread_count = 1, .role = ThreadRole::kIo}).ValueOrDie();
  pool->Submit([&] { seen = ThisThreadRole(); });
  pool.reset();
  EXPECT_EQ(seen.load(), ThreadRole::kIo);
  EXPECT_EQ(ThisThreadRole(), ThreadRole::kForeign);
}

TEST(ThreadPool, NoThreadsIsAConfigurationError) {
  const auto pool = ThreadPool::Make({.thread_count = 0});
  EXPECT_EQ(KindOf(pool.status()), ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace wheelpit::core
