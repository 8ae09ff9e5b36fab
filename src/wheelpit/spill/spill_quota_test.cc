// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_quota.h"

#include <atomic>
#include <random>
#include <vector>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

TEST(SpillQuota, TakesUpToTheLastByteAndNoFurther) {
  SpillQuota quota({.owner = "the process", .setting = "s", .limit_bytes = 100}, nullptr);
  const auto most = quota.Reserve(99);
  ASSERT_TRUE(most.ok());
  const auto last = quota.Reserve(1);
  ASSERT_TRUE(last.ok());
  EXPECT_FALSE(quota.Reserve(1).ok());
  EXPECT_EQ(quota.used_bytes(), 100);
  EXPECT_EQ(quota.peak_bytes(), 100);
}

TEST(SpillQuota, TheErrorNamesOwnerLimitUseAndSetting) {
  SpillQuota process(
      {.owner = "the process", .setting = "spill.process_limit", .limit_bytes = 1000},
      nullptr);
  SpillQuota query({.owner = "query 'q7'", .setting = "spill.limit", .limit_bytes = 100},
                   &process);
  const auto held = query.Reserve(60).ValueOrDie();
  const auto refused = query.Reserve(50).status();
  EXPECT_EQ(core::KindOf(refused), core::ErrorKind::kSpillLimit);
  for (const char* part : {"query 'q7'", "100 B", "60 B", "50 B", "spill.limit"}) {
    EXPECT_NE(refused.message().find(part), std::string::npos)
        << part << " in " << refused.message();
  }
}

TEST(SpillQuota, WhatTheParentRefusesIsGivenBackBelow) {
  SpillQuota process(
      {.owner = "the process", .setting = "spill.process_limit", .limit_bytes = 100},
      nullptr);
  SpillQuota query({.owner = "query 'q7'", .setting = "spill.limit", .limit_bytes = 1000},
                   &process);
  const auto refused = query.Reserve(101).status();
  EXPECT_NE(refused.message().find("the process"), std::string::npos);
  EXPECT_NE(refused.message().find("spill.process_limit"), std::string::npos);
  EXPECT_EQ(query.used_bytes(), 0);
  EXPECT_EQ(process.used_bytes(), 0);
}

TEST(SpillQuota, AThousandRefusalsLeaveTheWholeQuota) {
  SpillQuota quota({.owner = "the process", .setting = "s", .limit_bytes = 1000},
                   nullptr);
  {
    const auto held = quota.Reserve(1).ValueOrDie();
    for (int i = 0; i < 1000; ++i) {
      EXPECT_FALSE(quota.Reserve(1000).ok());
    }
  }
  EXPECT_EQ(quota.used_bytes(), 0);
  EXPECT_TRUE(quota.Reserve(999).ok());
}

TEST(SpillQuota, AbsurdSizesDoNotWrapAround) {
  SpillQuota quota({.owner = "the process", .setting = "s", .limit_bytes = INT64_MAX},
                   nullptr);
  const auto held = quota.Reserve(INT64_MAX - 1).ValueOrDie();
  EXPECT_FALSE(quota.Reserve(INT64_MAX).ok());
  EXPECT_EQ(quota.used_bytes(), INT64_MAX - 1);
}

TEST(SpillQuota, TheLastByteGoesToOneThreadAtATime) {
  SpillQuota quota({.owner = "the process", .setting = "s", .limit_bytes = 1}, nullptr);
  const auto threads =
      core::ThreadPool::Make({.thread_count = 8, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  std::atomic<int> holders{0};
  std::atomic<int64_t> held{0};
  ASSERT_TRUE(core::ParallelFor(threads.get(), 8, [&](int64_t) {
                for (int i = 0; i < 20'000; ++i) {
                  const auto reservation = quota.Reserve(1);
                  if (reservation.ok()) {
                    EXPECT_EQ(++holders, 1);
                    EXPECT_EQ(quota.used_bytes(), 1);
                    ++held;
                    --holders;
                  }
                }
                return arrow::Status::OK();
              }).ok());
  EXPECT_GT(held, 0);
  EXPECT_EQ(quota.used_bytes(), 0);
}

class SpillQuotaUnderLoad : public SpillFixture {};

// Eight threads write, drop and fail at random; a ninth looks all the time.
TEST_F(SpillQuotaUnderLoad, NoGaugeIsEverAboveItsLimitAndAllEndAtZero) {
  constexpr int64_t kQueryLimit = 200'000;
  constexpr int64_t kProcessLimit = 500'000;
  SpillQuota process({.owner = "the process",
                      .setting = "spill.process_limit",
                      .limit_bytes = kProcessLimit},
                     nullptr);
  const SpillHost host{
      .directories = directories_.get(), .quota = &process, .io = io_.get()};
  std::vector<std::unique_ptr<SpillSpace>> spaces;
  for (int i = 0; i < 4; ++i) {
    spaces.push_back(SpillSpace::Make(
        {.query = "q" + std::to_string(i), .limit_bytes = kQueryLimit}, host));
  }
  const auto threads =
      core::ThreadPool::Make({.thread_count = 9, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  std::atomic<int> writers{8};
  std::atomic<int64_t> written{0};
  std::atomic<int64_t> refused{0};
  std::atomic<int64_t> failed{0};
  const auto write = [&](int64_t thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread));
    std::vector<SpillExtent> live;
    for (int i = 0; i < 1000; ++i) {
      if (random() % 50 == 0) {
        const int error = random() % 2 == 0 ? ENOSPC : EIO;
        syscalls_.Set(
            {.first = static_cast<int64_t>(random() % 4), .error_number = error});
      }
      if (!live.empty() && random() % 3 == 0) {
        std::swap(live[random() % live.size()], live.back());
        live.pop_back();
      }
      auto extent =
          spaces[random() % spaces.size()]->Write(1, Payload(random() % 20'000, 1));
      if (extent.ok()) {
        ++written;
        live.push_back(std::move(extent).ValueUnsafe());
      } else if (core::KindOf(extent.status()) == core::ErrorKind::kSpillLimit) {
        ++refused;
        live.clear();
      } else {
        ++failed;
      }
    }
    --writers;
  };
  const auto sample = [&] {
    while (writers > 0) {
      EXPECT_LE(process.used_bytes(), kProcessLimit);
      for (const auto& space : spaces) {
        EXPECT_LE(space->used_bytes(), kQueryLimit);
      }
    }
  };
  ASSERT_TRUE(core::ParallelFor(threads.get(), 9, [&](int64_t i) {
                i == 8 ? sample() : write(i);
                return arrow::Status::OK();
              }).ok());
  syscalls_.Clear();
  EXPECT_GT(written, 1000);
  EXPECT_GT(refused, 10);
  EXPECT_GT(failed, 10);
  EXPECT_EQ(process.used_bytes(), 0);
  for (const auto& space : spaces) {
    EXPECT_EQ(space->used_bytes(), 0);
    EXPECT_LE(space->peak_bytes(), kQueryLimit);
  }
}

}  // namespace

}  // namespace wheelpit::spill
