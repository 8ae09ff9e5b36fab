// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/io_executor.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::io {
namespace {

std::unique_ptr<IoExecutor> MakeExecutor(int thread_count, int64_t bytes_max) {
  return IoExecutor::Make({.thread_count = thread_count, .bytes_max = bytes_max})
      .ValueOrDie();
}

TEST(IoExecutor, TasksRunOnIoThreads) {
  auto executor = MakeExecutor(2, 100);
  std::atomic<core::ThreadRole> role{core::ThreadRole::kForeign};
  core::Signal done;
  executor->Submit([&role, done] {
    role = core::ThisThreadRole();
    done.Fire();
  });
  done.wait().Block();
  EXPECT_EQ(role.load(), core::ThreadRole::kIo);
  EXPECT_EQ(executor->thread_count(), 2);
}

TEST(IoExecutor, RefusesBeyondItsBoundUntilBytesAreGivenBack) {
  auto executor = MakeExecutor(1, 100);
  core::Signal go;
  core::Wait wait;
  std::function<void()> holder = [go] { go.wait().Block(); };
  ASSERT_TRUE(executor->TrySubmit(80, holder, &wait));
  std::atomic<int> ran{0};
  std::function<void()> task = [&] { ++ran; };
  EXPECT_FALSE(executor->TrySubmit(30, task, &wait));
  EXPECT_TRUE(task) << "a refused task was moved from";
  EXPECT_FALSE(wait.ready());
  EXPECT_EQ(executor->counts().bytes, 80);
  go.Fire();
  wait.Block();
  EXPECT_TRUE(executor->TrySubmit(30, task, &wait));
  executor.reset();
  EXPECT_EQ(ran.load(), 1);
}

TEST(IoExecutor, ATaskLargerThanTheBoundPassesAlone) {
  auto executor = MakeExecutor(1, 100);
  core::Signal go;
  core::Wait wait;
  std::function<void()> holder = [go] { go.wait().Block(); };
  ASSERT_TRUE(executor->TrySubmit(1, holder, &wait));
  core::Signal ran;
  std::function<void()> large = [ran] { ran.Fire(); };
  EXPECT_FALSE(executor->TrySubmit(1000, large, &wait));
  go.Fire();
  wait.Block();
  EXPECT_TRUE(executor->TrySubmit(1000, large, &wait));
  ran.wait().Block();
}

TEST(IoExecutor, PlainTasksPassWhateverIsOutstanding) {
  auto executor = MakeExecutor(2, 10);
  core::Signal go;
  core::Wait wait;
  std::function<void()> holder = [go] { go.wait().Block(); };
  ASSERT_TRUE(executor->TrySubmit(10, holder, &wait));
  core::Signal ran;
  executor->Submit([ran] { ran.Fire(); });
  ran.wait().Block();
  go.Fire();
}

TEST(IoExecutor, WhatATaskHeldIsGoneBeforeItsBytesAreGivenBack) {
  auto executor = MakeExecutor(1, 10);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  core::Signal go;
  core::Wait wait;
  std::function<void()> holder = [go, held] { go.wait().Block(); };
  held.reset();
  ASSERT_TRUE(executor->TrySubmit(10, holder, &wait));
  holder = nullptr;
  std::function<void()> other = [] {};
  ASSERT_FALSE(executor->TrySubmit(10, other, &wait));
  go.Fire();
  wait.Block();
  EXPECT_TRUE(watch.expired());
}

TEST(IoExecutor, CountsAreExactAndEndAtZero) {
  auto executor = MakeExecutor(1, 1000);
  core::Signal started;
  core::Signal go;
  core::Wait wait;
  std::function<void()> first = [started, go] {
    started.Fire();
    go.wait().Block();
  };
  std::function<void()> second = [] {};
  ASSERT_TRUE(executor->TrySubmit(5, first, &wait));
  started.wait().Block();
  ASSERT_TRUE(executor->TrySubmit(6, second, &wait));
  executor->Submit([] {});
  EXPECT_EQ(executor->counts().running, 1);
  EXPECT_EQ(executor->counts().queued, 2);
  EXPECT_EQ(executor->counts().bytes, 11);
  // With the bound used up the next one waits for all of them.
  std::function<void()> last = [] {};
  ASSERT_FALSE(executor->TrySubmit(1000, last, &wait));
  go.Fire();
  wait.Block();
  EXPECT_EQ(executor->counts().bytes, 0);
}

TEST(IoExecutor, ABoundBelowOneByteIsAConfigurationError) {
  EXPECT_EQ(core::KindOf(IoExecutor::Make({.bytes_max = 0}).status()),
            core::ErrorKind::kConfiguration);
  EXPECT_EQ(core::KindOf(IoExecutor::Make({.thread_count = 0}).status()),
            core::ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace wheelpit::io
