// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/task_group.h"

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::core {
namespace {

std::unique_ptr<ThreadPool> IoThreads(int count) {
  return ThreadPool::Make({.thread_count = count, .role = ThreadRole::kIo}).ValueOrDie();
}

TEST(TaskGroup, CloseWaitsAndGivesTheFirstError) {
  auto pool = IoThreads(1);
  TaskGroup group(pool.get());
  std::atomic<int> ran{0};
  EXPECT_TRUE(group.Spawn([&] {
    ++ran;
    return arrow::Status::OK();
  }));
  EXPECT_TRUE(group.Spawn([&] {
    ++ran;
    return Error(ErrorKind::kIo, "first");
  }));
  const auto status = group.Close();
  EXPECT_EQ(status.message(), "first");
  EXPECT_EQ(ran.load(), 2);
  EXPECT_FALSE(group.Spawn([] { return arrow::Status::OK(); }));
}

TEST(TaskGroup, ATaskThatRunsOutOfMemoryFailsWithTheMemoryLimit) {
  auto pool = IoThreads(1);
  TaskGroup group(pool.get());
  group.Spawn([]() -> arrow::Status { throw std::bad_alloc(); });
  EXPECT_EQ(KindOf(group.Close()), ErrorKind::kMemoryLimit);
}

// Refuses every task, as a queue does that cannot grow.
class FullExecutor final : public Executor {
 public:
  void Submit(std::function<void()>) override { throw std::bad_alloc(); }
  int thread_count() const override { return 1; }
};

TEST(TaskGroup, ATaskThatCannotBeQueuedIsNotWaitedFor) {
  FullExecutor full;
  TaskGroup group(&full);
  EXPECT_FALSE(group.Spawn([] { return arrow::Status::OK(); }));
  EXPECT_EQ(KindOf(group.Close()), ErrorKind::kMemoryLimit);
}

TEST(ParallelFor, ABodyThatRunsOutOfMemoryFailsWithTheMemoryLimit) {
  auto pool = IoThreads(2);
  const auto status = ParallelFor(pool.get(), 100, [](int64_t i) -> arrow::Status {
    if (i == 50) {
      throw std::bad_alloc();
    }
    return arrow::Status::OK();
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit) << status;
}

TEST(TaskGroup, IdleFiresWhenTheLastTaskEnds) {
  auto pool = IoThreads(2);
  TaskGroup group(pool.get());
  EXPECT_TRUE(group.idle().ready());
  Signal gate;
  group.Spawn([&] {
    gate.wait().Block();
    return arrow::Status::OK();
  });
  const Wait idle = group.idle();
  EXPECT_FALSE(idle.ready());
  gate.Fire();
  idle.Block();
  EXPECT_TRUE(group.Close().ok());
}

TEST(ParallelFor, RunsEveryIndexOnce) {
  auto pool = IoThreads(4);
  std::vector<std::atomic<int>> counts(1000);
  ASSERT_TRUE(ParallelFor(pool.get(), 1000, [&](int64_t i) {
                ++counts[static_cast<size_t>(i)];
                return arrow::Status::OK();
              }).ok());
  for (const auto& count : counts) {
    EXPECT_EQ(count.load(), 1);
  }
  EXPECT_TRUE(ParallelFor(pool.get(), 0, [](int64_t) {
                return Error(ErrorKind::kInternal, "no index");
              }).ok());
}

TEST(ParallelFor, NestedOnOneThreadDoesNotDeadlock) {
  auto pool = IoThreads(1);
  std::atomic<int> ran{0};
  TaskGroup group(pool.get());
  for (int i = 0; i < 3; ++i) {
    group.Spawn([&] {
      return ParallelFor(pool.get(), 5, [&](int64_t) {
        return ParallelFor(pool.get(), 5, [&](int64_t) {
          ++ran;
          return arrow::Status::OK();
        });
      });
    });
  }
  EXPECT_TRUE(group.Close().ok());
  EXPECT_EQ(ran.load(), 75);
}

TEST(ParallelFor, StopsAfterAnError) {
  auto pool = IoThreads(2);
  std::atomic<int> ran{0};
  const auto status = ParallelFor(pool.get(), 100'000, [&](int64_t i) {
    ++ran;
    return i == 10 ? Error(ErrorKind::kIo, "index 10") : arrow::Status::OK();
  });
  EXPECT_EQ(status.message(), "index 10");
  EXPECT_LT(ran.load(), 100'000);
}

}  // namespace
}  // namespace wheelpit::core
