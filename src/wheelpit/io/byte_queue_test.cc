// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/byte_queue.h"

#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"

namespace wheelpit::io {
namespace {

using core::ErrorKind;

QueueOutcome TryPush(ByteQueue<int>& queue, int item, int64_t size_bytes,
                     core::Wait* wait = nullptr) {
  core::Wait unused;
  return queue.TryPush(item, size_bytes, wait == nullptr ? &unused : wait).ValueOrDie();
}

QueueOutcome TryPop(ByteQueue<int>& queue, int* item, core::Wait* wait = nullptr) {
  core::Wait unused;
  return queue.TryPop(item, wait == nullptr ? &unused : wait).ValueOrDie();
}

TEST(ByteQueue, GivesItemsInTheOrderInWhichTheyCame) {
  ByteQueue<int> queue({.bytes_max = 100});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(TryPush(queue, i, 10), QueueOutcome::kDone);
  }
  EXPECT_EQ(queue.size_bytes(), 50);
  EXPECT_EQ(queue.item_count(), 5);
  for (int i = 0; i < 5; ++i) {
    int item = -1;
    EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kDone);
    EXPECT_EQ(item, i);
  }
  EXPECT_EQ(queue.size_bytes(), 0);
}

TEST(ByteQueue, RefusesWhatDoesNotFitAndWakesWhenItDoes) {
  ByteQueue<int> queue({.bytes_max = 100});
  EXPECT_EQ(TryPush(queue, 1, 60), QueueOutcome::kDone);
  core::Wait wait;
  EXPECT_EQ(TryPush(queue, 2, 41, &wait), QueueOutcome::kWait);
  EXPECT_FALSE(wait.ready());
  int item = 0;
  EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kDone);
  EXPECT_TRUE(wait.ready());
  EXPECT_EQ(TryPush(queue, 2, 41), QueueOutcome::kDone);
}

TEST(ByteQueue, AnItemLargerThanTheBoundPassesAlone) {
  ByteQueue<int> queue({.bytes_max = 100});
  EXPECT_EQ(TryPush(queue, 1, 1), QueueOutcome::kDone);
  core::Wait wait;
  EXPECT_EQ(TryPush(queue, 2, 1000, &wait), QueueOutcome::kWait);
  int item = 0;
  EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kDone);
  EXPECT_TRUE(wait.ready());
  EXPECT_EQ(TryPush(queue, 2, 1000), QueueOutcome::kDone);
  EXPECT_EQ(TryPush(queue, 3, 1), QueueOutcome::kWait);
}

TEST(ByteQueue, ARefusedItemIsNotOvertakenBySmallOnes) {
  ByteQueue<int> queue({.bytes_max = 100});
  EXPECT_EQ(TryPush(queue, 1, 50), QueueOutcome::kDone);
  EXPECT_EQ(TryPush(queue, 2, 20), QueueOutcome::kDone);
  core::Wait large;
  EXPECT_EQ(TryPush(queue, 3, 80, &large), QueueOutcome::kWait);
  core::Wait small;
  EXPECT_EQ(TryPush(queue, 4, 10, &small), QueueOutcome::kWait);
  int item = 0;
  EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kDone);
  EXPECT_TRUE(large.ready());  // 80 of 100 are free.
  EXPECT_TRUE(small.ready());
  EXPECT_EQ(TryPush(queue, 3, 80), QueueOutcome::kDone);
}

TEST(ByteQueue, IsBoundedInItemsToo) {
  ByteQueue<int> queue({.bytes_max = 100, .items_max = 2});
  EXPECT_EQ(TryPush(queue, 1, 0), QueueOutcome::kDone);
  EXPECT_EQ(TryPush(queue, 2, 0), QueueOutcome::kDone);
  EXPECT_EQ(TryPush(queue, 3, 0), QueueOutcome::kWait);
}

TEST(ByteQueue, ARefusedItemIsNotMovedFrom) {
  ByteQueue<std::unique_ptr<int>> queue({.bytes_max = 1});
  core::Wait wait;
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(queue.TryPush(first, 1, &wait).ValueOrDie(), QueueOutcome::kDone);
  EXPECT_EQ(queue.TryPush(second, 1, &wait).ValueOrDie(), QueueOutcome::kWait);
  EXPECT_EQ(first, nullptr);
  ASSERT_NE(second, nullptr);
}

TEST(ByteQueue, CloseDrainsThenEnds) {
  ByteQueue<int> queue({.bytes_max = 100});
  EXPECT_EQ(TryPush(queue, 7, 1), QueueOutcome::kDone);
  queue.Close();
  EXPECT_EQ(TryPush(queue, 8, 1), QueueOutcome::kEnd);
  int item = 0;
  EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kDone);
  EXPECT_EQ(item, 7);
  EXPECT_EQ(TryPop(queue, &item), QueueOutcome::kEnd);
}

TEST(ByteQueue, CloseWakesBothSides) {
  ByteQueue<int> full({.bytes_max = 1});
  ByteQueue<int> empty({.bytes_max = 1});
  core::Wait room;
  core::Wait items;
  int item = 0;
  EXPECT_EQ(TryPush(full, 1, 1), QueueOutcome::kDone);
  EXPECT_EQ(TryPush(full, 2, 1, &room), QueueOutcome::kWait);
  EXPECT_EQ(TryPop(empty, &item, &items), QueueOutcome::kWait);
  full.Close();
  empty.Close();
  EXPECT_TRUE(room.ready());
  EXPECT_TRUE(items.ready());
}

TEST(ByteQueue, FailWakesEverybodyDropsItemsAndKeepsTheFirstError) {
  ByteQueue<std::shared_ptr<int>> queue({.bytes_max = 1});
  auto item = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = item;
  core::Wait room;
  EXPECT_EQ(queue.TryPush(item, 1, &room).ValueOrDie(), QueueOutcome::kDone);
  auto refused = std::make_shared<int>(2);
  EXPECT_EQ(queue.TryPush(refused, 1, &room).ValueOrDie(), QueueOutcome::kWait);
  queue.Fail(core::Error(ErrorKind::kDiskFull, "no space"));
  queue.Fail(core::Error(ErrorKind::kIo, "later"));
  EXPECT_TRUE(room.ready());
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(queue.size_bytes(), 0);
  EXPECT_EQ(core::KindOf(queue.TryPush(refused, 1, &room).status()),
            ErrorKind::kDiskFull);
  std::shared_ptr<int> out;
  EXPECT_EQ(core::KindOf(queue.TryPop(&out, &room).status()), ErrorKind::kDiskFull);
  EXPECT_EQ(core::KindOf(queue.Pop(&out).status()), ErrorKind::kDiskFull);
}

// Several writers that end at different times: nothing is lost, nothing comes twice, and
// the bound holds whenever anybody looks.
TEST(ByteQueue, ManyProducersAndConsumersLoseNothing) {
  constexpr int kProducers = 4;
  constexpr int kConsumers = 3;
  constexpr int64_t kLargest = 80;  // Above the bound, so it passes alone.
  ByteQueue<int> queue({.bytes_max = 64, .items_max = 9});
  auto pool = core::ThreadPool::Make({.thread_count = kProducers + kConsumers,
                                      .role = core::ThreadRole::kIo})
                  .ValueOrDie();
  std::atomic<int> producers_left{kProducers};
  std::atomic<int64_t> popped_sum{0};
  std::atomic<int64_t> pushed_sum{0};
  std::atomic<bool> over{false};
  core::TaskGroup group(pool.get());
  for (int p = 0; p < kProducers; ++p) {
    group.Spawn([&, p]() -> arrow::Status {
      for (int i = 0; i < 500 * (p + 1); ++i) {
        const int64_t size_bytes = 1 + (i * 7 + p) % kLargest;
        ARROW_ASSIGN_OR_RAISE(auto outcome, queue.Push(i, size_bytes));
        EXPECT_EQ(outcome, QueueOutcome::kDone);
        pushed_sum += i;
        if (queue.size_bytes() > kLargest) {
          over = true;
        }
      }
      if (--producers_left == 0) {
        queue.Close();
      }
      return arrow::Status::OK();
    });
  }
  for (int c = 0; c < kConsumers; ++c) {
    group.Spawn([&]() -> arrow::Status {
      int item = 0;
      while (true) {
        ARROW_ASSIGN_OR_RAISE(auto outcome, queue.Pop(&item));
        if (outcome == QueueOutcome::kEnd) {
          return arrow::Status::OK();
        }
        popped_sum += item;
      }
    });
  }
  EXPECT_TRUE(group.Close().ok());
  EXPECT_EQ(popped_sum.load(), pushed_sum.load());
  EXPECT_FALSE(over.load());
  EXPECT_EQ(queue.size_bytes(), 0);
}

// Parked producers and consumers on compute threads: no thread is ever held, and no
// wake-up is lost.
TEST(ByteQueue, ParkedUsersOnOneComputeThreadComeToAnEnd) {
  struct Producer {
    int next = 0;
    void Run(ByteQueue<int>& queue, core::Executor& executor) {
      core::Wait wait;
      while (next < 300) {
        if (queue.TryPush(next, 3, &wait).ValueOrDie() == QueueOutcome::kWait) {
          wait.OnReady([this, &queue, &executor] {
            executor.Submit([this, &queue, &executor] { Run(queue, executor); });
          });
          return;
        }
        ++next;
      }
      queue.Close();
    }
  };
  struct Consumer {
    int64_t sum = 0;
    core::Signal done;
    void Run(ByteQueue<int>& queue, core::Executor& executor) {
      core::Wait wait;
      int item = 0;
      while (true) {
        const QueueOutcome outcome = queue.TryPop(&item, &wait).ValueOrDie();
        if (outcome == QueueOutcome::kEnd) {
          done.Fire();
          return;
        }
        if (outcome == QueueOutcome::kWait) {
          wait.OnReady([this, &queue, &executor] {
            executor.Submit([this, &queue, &executor] { Run(queue, executor); });
          });
          return;
        }
        sum += item;
      }
    }
  };
  ByteQueue<int> queue({.bytes_max = 10});
  auto pool = core::ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  Producer producer;
  Consumer consumer;
  pool->Submit([&] { consumer.Run(queue, *pool); });
  pool->Submit([&] { producer.Run(queue, *pool); });
  consumer.done.wait().Block();
  pool.reset();
  EXPECT_EQ(consumer.sum, 300 * 299 / 2);
}

}  // namespace
}  // namespace wheelpit::io
