// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/footer_cache.h"

#include <memory>
#include <string>
#include <utility>

#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "wheelpit/core/executor.h"

namespace wheelpit::index {
namespace {

constexpr int64_t kNowMillis = 1'700'000'000'000;

fs::FileInfo File(const std::string& path) {
  fs::FileInfo info;
  info.path = path;
  info.size_bytes = 100;
  info.mtime_nanos = (kNowMillis - 60'000) * 1'000'000;
  info.device = 1;
  info.inode = 2;
  return info;
}

std::shared_ptr<const ParquetFooter> Footer(
    int64_t row_count, std::shared_ptr<const ParquetSchema> schema = nullptr) {
  auto footer = std::make_shared<ParquetFooter>();
  footer->row_count = row_count;
  footer->schema =
      schema == nullptr ? std::make_shared<const ParquetSchema>() : std::move(schema);
  footer->raw.assign(1000, 'x');
  return footer;
}

std::unique_ptr<memory::ProcessBudget> Process(int64_t limit_bytes = 1 << 30) {
  return memory::ProcessBudget::Make(limit_bytes, arrow::default_memory_pool())
      .ValueOrDie();
}

TEST(FooterCache, GivesBackWhatWasPutIn) {
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  EXPECT_EQ(cache.Find(File("a")), nullptr);
  const auto footer = Footer(7);
  cache.Insert(File("a"), footer, kNowMillis);
  EXPECT_EQ(cache.Find(File("a")), footer);
  EXPECT_EQ(cache.Find(File("b")), nullptr);
}

TEST(FooterCache, AnyChangeOfTheFileIsAMiss) {
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  cache.Insert(File("a"), Footer(7), kNowMillis);
  for (const auto change :
       {+[](fs::FileInfo* f) { ++f->size_bytes; },
        +[](fs::FileInfo* f) { ++f->mtime_nanos; }, +[](fs::FileInfo* f) { ++f->device; },
        +[](fs::FileInfo* f) { ++f->inode; }}) {
    fs::FileInfo changed = File("a");
    change(&changed);
    EXPECT_EQ(cache.Find(changed), nullptr);
  }
  EXPECT_NE(cache.Find(File("a")), nullptr);
}

TEST(FooterCache, ANewVersionReplacesTheOldOne) {
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  cache.Insert(File("a"), Footer(7), kNowMillis);
  const int64_t bytes = cache.memory_bytes();
  fs::FileInfo changed = File("a");
  ++changed.inode;
  cache.Insert(changed, Footer(8), kNowMillis);
  EXPECT_EQ(cache.entry_count(), 1);
  EXPECT_EQ(cache.memory_bytes(), bytes);
  EXPECT_EQ(cache.Find(changed)->row_count, 8);
}

TEST(FooterCache, FilesChangedJustNowAreNotTaken) {
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  fs::FileInfo fresh = File("a");
  fresh.mtime_nanos = (kNowMillis - 1999) * 1'000'000;
  cache.Insert(fresh, Footer(7), kNowMillis);
  EXPECT_EQ(cache.Find(fresh), nullptr);
  fresh.mtime_nanos = (kNowMillis + 5000) * 1'000'000;  // from a clock ahead of ours
  cache.Insert(fresh, Footer(7), kNowMillis);
  EXPECT_EQ(cache.Find(fresh), nullptr);
  fresh.mtime_nanos = (kNowMillis - 2001) * 1'000'000;
  cache.Insert(fresh, Footer(7), kNowMillis);
  EXPECT_NE(cache.Find(fresh), nullptr);
}

TEST(FooterCache, ItsLimitHoldsAndTheLeastRecentlyUsedGoesFirst) {
  const auto process = Process();
  const auto owned = FooterCache::Make(20'000, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  for (int i = 0; i < 100; ++i) {
    cache.Insert(File("f" + std::to_string(i)), Footer(i), kNowMillis);
    EXPECT_LE(cache.memory_bytes(), 20'000);
    EXPECT_NE(cache.Find(File("f0")), nullptr);
  }
  EXPECT_GT(cache.entry_count(), 5);
  EXPECT_EQ(cache.Find(File("f1")), nullptr);
  EXPECT_NE(cache.Find(File("f99")), nullptr);
}

TEST(FooterCache, OneLargerThanTheLimitIsNotTakenAndPushesNothingOut) {
  const auto process = Process();
  const auto owned = FooterCache::Make(5000, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  cache.Insert(File("a"), Footer(1), kNowMillis);
  auto huge = std::make_shared<ParquetFooter>();
  huge->schema = std::make_shared<const ParquetSchema>();
  huge->raw.assign(10'000, 'x');
  cache.Insert(File("b"), huge, kNowMillis);
  EXPECT_EQ(cache.Find(File("b")), nullptr);
  EXPECT_NE(cache.Find(File("a")), nullptr);
}

TEST(FooterCache, SharedSchemasCountOnce) {
  auto schema = std::make_shared<ParquetSchema>();
  schema->bytes.assign(1000, 's');
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  cache.Insert(File("a"), Footer(1, schema), kNowMillis);
  const int64_t first = cache.memory_bytes();
  cache.Insert(File("b"), Footer(2, schema), kNowMillis);
  EXPECT_LT(cache.memory_bytes(), 2 * first - 1000);
  cache.Release(1 << 20);
  EXPECT_EQ(cache.memory_bytes(), 0);
  EXPECT_EQ(cache.entry_count(), 0);
}

TEST(FooterCache, ReleaseFreesAtLeastWhatIsAskedWhereItCan) {
  const auto process = Process();
  const auto owned = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  for (int i = 0; i < 10; ++i) {
    cache.Insert(File("f" + std::to_string(i)), Footer(i), kNowMillis);
  }
  const int64_t before = cache.memory_bytes();
  const int64_t freed = cache.Release(2000);
  EXPECT_GE(freed, 2000);
  EXPECT_LT(freed, 5000);
  EXPECT_EQ(cache.memory_bytes(), before - freed);
  EXPECT_NE(cache.Find(File("f9")), nullptr);
}

TEST(FooterCache, IsCountedAndTheFirstToGoWhenMemoryIsShort) {
  const auto process = Process(2 << 20);
  const auto cache = FooterCache::Make(1 << 20, process.get()).ValueOrDie();
  cache->Insert(File("a"), Footer(7), kNowMillis);
  EXPECT_GT(cache->memory_bytes(), 0);
  EXPECT_EQ(process->cache_bytes(), 1 << 20) << "in whole steps";
  EXPECT_EQ(process->Holders(1)[0].name, "footer cache");
  const auto query = process->MakeQuery("q1", 0, 0).ValueOrDie();
  const auto scan = query->MakeOperator("scan", 0, nullptr).ValueOrDie();
  ASSERT_TRUE(scan->CountExternal(2 << 20).ok());
  EXPECT_EQ(cache->entry_count(), 0);
  cache->Insert(File("a"), Footer(7), kNowMillis);
  EXPECT_EQ(cache->entry_count(), 0) << "taken where nothing was free";
  scan->UncountExternal(2 << 20);
}

TEST(FooterCache, AnyThreadMayUseIt) {
  const auto process = Process();
  const auto owned = FooterCache::Make(10'000, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  {
    const auto threads =
        core::ThreadPool::Make({.thread_count = 4, .role = core::ThreadRole::kIo})
            .ValueOrDie();
    for (int t = 0; t < 4; ++t) {
      threads->Submit([&cache, t] {
        for (int i = 0; i < 500; ++i) {
          const std::string name = std::to_string((i * 7 + t) % 20);
          if (const auto footer = cache.Find(File(name))) {
            EXPECT_EQ(std::to_string(footer->row_count), name);
          }
          cache.Insert(File(name), Footer((i * 7 + t) % 20), kNowMillis);
          cache.Release(i % 10 == 0 ? 1000 : 0);
        }
      });
    }
  }
  EXPECT_LE(cache.memory_bytes(), 10'000);
}

}  // namespace
}  // namespace wheelpit::index
