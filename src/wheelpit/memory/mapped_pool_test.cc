// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/memory/mapped_pool.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include <arrow/buffer.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WHEELPIT_TEST_SANITIZED 1
#else
#define WHEELPIT_TEST_SANITIZED 0
#endif

namespace wheelpit::memory {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

/// The kernel's figure.
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

bool IsAligned(const uint8_t* data, int64_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment) == 0;
}

TEST(MappedLength, IsPagesAndAtMostASixteenthMore) {
  for (int64_t size = kMappedBytesMin; size < 64 * kMiB; size += size / 37 + 1) {
    const int64_t length = MappedLength(size);
    EXPECT_EQ(length % 4096, 0);
    EXPECT_GE(length, size);
    EXPECT_LE(length - size, std::max<int64_t>(size / 16, 4096));
    EXPECT_EQ(MappedLength(length), length);
  }
}

TEST(MappedMemoryPool, BuffersAreAlignedWritableAndKeepTheirBytesAcrossEveryResize) {
  MappedMemoryPool pool;
  const int64_t sizes[] = {
      0, 1, 1000, kMappedBytesMin - 1, kMappedBytesMin, 3 * kMiB, 3 * kMiB + 1, 9 * kMiB};
  for (const int64_t alignment : {64, 4096, 1 << 16}) {
    for (const int64_t from : sizes) {
      for (const int64_t to : sizes) {
        uint8_t* data = nullptr;
        ASSERT_TRUE(pool.Allocate(from, alignment, &data).ok());
        ASSERT_NE(data, nullptr);
        ASSERT_TRUE(from == 0 || IsAligned(data, alignment));
        std::memset(data, 0x5a, static_cast<size_t>(from));
        ASSERT_TRUE(pool.Reallocate(from, to, alignment, &data).ok());
        ASSERT_TRUE(to == 0 || IsAligned(data, alignment));
        const int64_t kept = std::min(from, to);
        EXPECT_EQ(std::count(data, data + kept, 0x5a), kept) << from << " to " << to;
        std::memset(data, 0xa5, static_cast<size_t>(to));
        EXPECT_EQ(pool.bytes_allocated(), to);
        pool.Free(data, to, alignment);
        EXPECT_EQ(pool.bytes_allocated(), 0);
      }
    }
  }
}

TEST(MappedMemoryPool, NoBytesAtAllHaveAnAddressThatIsAligned) {
  MappedMemoryPool pool;
  uint8_t* data = nullptr;
  ASSERT_TRUE(pool.Allocate(0, &data).ok());
  EXPECT_NE(data, nullptr);
  EXPECT_TRUE(IsAligned(data, 64));
  pool.Free(data, 0);
  EXPECT_EQ(pool.num_allocations(), 1);
}

TEST(MappedMemoryPool, CountsAreExact) {
  MappedMemoryPool pool;
  uint8_t* small = nullptr;
  uint8_t* large = nullptr;
  ASSERT_TRUE(pool.Allocate(100, &small).ok());
  ASSERT_TRUE(pool.Allocate(kMiB + 1, &large).ok());
  ASSERT_TRUE(pool.Reallocate(kMiB + 1, kMiB + 5, &large).ok());
  EXPECT_EQ(pool.bytes_allocated(), kMiB + 105);
  EXPECT_EQ(pool.max_memory(), kMiB + 105);
  EXPECT_EQ(pool.total_bytes_allocated(), kMiB + 105);
  EXPECT_EQ(pool.num_allocations(), 3);
  ASSERT_TRUE(pool.Reallocate(kMiB + 5, 10, &large).ok());
  EXPECT_EQ(pool.bytes_allocated(), 110);
  EXPECT_EQ(pool.max_memory(), kMiB + 105);
  pool.Free(small, 100);
  pool.Free(large, 10);
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

TEST(BlockCache, RoundsUpByASixteenthAtMost) {
  for (int64_t bytes = BlockCache::kBytesMin; bytes <= BlockCache::kBytesMost; ++bytes) {
    const int64_t rounded = BlockCache::RoundUp(bytes);
    ASSERT_GE(rounded, bytes);
    ASSERT_LE(rounded - bytes, bytes / 16) << bytes;
    ASSERT_EQ(BlockCache::RoundUp(rounded), rounded);
  }
}

TEST(BlockCache, HandsOutWhatItKeepsAndNoMoreThanItsLimit) {
  BlockCache cache;
  const int64_t bytes = BlockCache::RoundUp(100'000);
  void* const block = std::malloc(static_cast<size_t>(bytes));
  cache.Put(block, bytes);
  int64_t taken_bytes = 0;
  EXPECT_EQ(cache.Take(BlockCache::RoundUp(50'000), &taken_bytes), nullptr) << "wasteful";
  EXPECT_EQ(cache.Take(BlockCache::RoundUp(99'000), &taken_bytes), block);
  EXPECT_EQ(taken_bytes, bytes);
  EXPECT_EQ(cache.Take(bytes, &taken_bytes), nullptr);
  cache.Put(block, bytes);
  for (int i = 0; i < 1000; ++i) {
    const int64_t size = BlockCache::RoundUp(1024 + i * 200);
    cache.Put(std::malloc(static_cast<size_t>(size)), size);
  }
  EXPECT_LE(cache.kept_bytes(), BlockCache::kKeptBytesMax);
  EXPECT_GT(cache.kept_bytes(), 0);
  cache.Drop();
  EXPECT_EQ(cache.kept_bytes(), 0);
}

TEST(MappedMemoryPool, SizesThatCannotBeAreErrors) {
  MappedMemoryPool pool;
  uint8_t* data = nullptr;
  EXPECT_TRUE(pool.Allocate(-1, &data).IsInvalid());
  EXPECT_EQ(core::KindOf(pool.Allocate(int64_t{1} << 45, &data)),
            core::ErrorKind::kMemoryLimit);
  EXPECT_EQ(core::KindOf(pool.Allocate(std::numeric_limits<int64_t>::max(), &data)),
            core::ErrorKind::kMemoryLimit);
  ASSERT_TRUE(pool.Allocate(kMiB, &data).ok());
  data[5] = 7;
  EXPECT_FALSE(pool.Reallocate(kMiB, int64_t{1} << 45, &data).ok());
  EXPECT_EQ(data[5], 7) << "a failed resize touched the buffer";
  EXPECT_EQ(pool.bytes_allocated(), kMiB);
  pool.Free(data, kMiB);
}

/// Buffers of one thread: a third of the bytes in sizes up to 1 KiB, a third up to the
/// mapped ones, a third from there to 8 MiB; freed in another order.
class MixedBuffers {
 public:
  /// What keeps track of the buffers is resident from the start.
  MixedBuffers(MappedMemoryPool& pool, size_t count_max) : pool_(pool) {
    buffers_.resize(count_max);
    buffers_.clear();
  }

  void Fill(uint32_t seed, int64_t bytes) {
    std::mt19937 random(seed);
    for (const auto& [low, high] : {std::pair{4, 10}, {10, 18}, {18, 23}}) {
      std::uniform_real_distribution<double> exponent(low, high);
      for (int64_t left = bytes / 3; left > 0;) {
        const auto size = static_cast<int64_t>(std::exp2(exponent(random)));
        uint8_t* data = nullptr;
        if (buffers_.size() == buffers_.capacity() || !pool_.Allocate(size, &data).ok()) {
          ADD_FAILURE() << "no memory for the test";
          return;
        }
        std::memset(data, 1, static_cast<size_t>(size));
        buffers_.push_back({data, size});
        left -= size;
      }
    }
    std::shuffle(buffers_.begin(), buffers_.end(), random);
  }

  void FreeAll() {
    for (const auto& [data, size] : buffers_) {
      pool_.Free(data, size);
    }
    buffers_.clear();
  }

 private:
  MappedMemoryPool& pool_;
  std::vector<std::pair<uint8_t*, int64_t>> buffers_;
};

/// How much larger the process is than at the start when `bytes` were allocated on four
/// threads, touched, freed on other threads, and released.
int64_t ResidentGrowthAfter(MappedMemoryPool& pool, int64_t bytes) {
  LimitMallocRetention();  // As a program does at its start.
  constexpr size_t kThreads = 4;
  auto threads = core::ThreadPool::Make({.thread_count = kThreads}).ValueOrDie();
  std::vector<std::unique_ptr<MixedBuffers>> buffers;
  for (size_t i = 0; i < kThreads; ++i) {
    buffers.push_back(std::make_unique<MixedBuffers>(pool, 500'000));
  }
  const auto on_all = [&](const std::function<void(size_t)>& body) {
    core::TaskGroup group(threads.get());
    for (size_t i = 0; i < kThreads; ++i) {
      group.Spawn([&body, i]() -> arrow::Status {
        body(i);
        return arrow::Status::OK();
      });
    }
    EXPECT_TRUE(group.Close().ok());
  };
  // The threads' stacks and the allocator's own arenas are there from the start.
  on_all([&](size_t i) {
    buffers[i]->Fill(static_cast<uint32_t>(i), kMiB);
    buffers[i]->FreeAll();
  });
  pool.ReleaseUnused();
  const int64_t before = ResidentBytes();
  on_all([&](size_t i) {
    buffers[i]->Fill(10 + static_cast<uint32_t>(i),
                     bytes / static_cast<int64_t>(kThreads));
  });
  EXPECT_GT(ResidentBytes() - before, bytes * 9 / 10);
  on_all([&](size_t i) { buffers[(i + 1) % kThreads]->FreeAll(); });
  pool.ReleaseUnused();
  EXPECT_EQ(pool.bytes_allocated(), 0);
  const int64_t growth = ResidentBytes() - before;
  std::printf("resident growth: %.2f MiB\n",
              static_cast<double>(growth) / static_cast<double>(kMiB));
  return growth;
}

TEST(MemoryTruth, OneGigabyteInMixedSizesOnFourThreadsGoesBack) {
  if (WHEELPIT_TEST_SANITIZED) {
    GTEST_SKIP() << "sanitizers keep freed memory";
  }
  MappedMemoryPool pool;
  EXPECT_LE(ResidentGrowthAfter(pool, 1'000'000'000), 8 * kMiB);
}

TEST(MemoryTruth, AlsoWhenBuffersAreRecycled) {
  if (WHEELPIT_TEST_SANITIZED) {
    GTEST_SKIP() << "sanitizers keep freed memory";
  }
  MappedMemoryPool pool;
  auto process = ProcessBudget::Make(2000 * kMiB, &pool).ValueOrDie();
  auto recycling = BufferRecycling::Start(&pool, process.get(), 64 * kMiB).ValueOrDie();
  EXPECT_LE(ResidentGrowthAfter(pool, 200'000'000), 8 * kMiB);
  EXPECT_EQ(pool.recycled_bytes(), 0);
}

class RecyclingTest : public testing::Test {
 protected:
  void Start(int64_t limit, int64_t bytes_max) {
    process_ = ProcessBudget::Make(limit, &pool_).ValueOrDie();
    recycling_ = BufferRecycling::Start(&pool_, process_.get(), bytes_max).ValueOrDie();
    query_ = process_->MakeQuery("q", 0, 0).ValueOrDie();
    op_ = query_->MakeOperator("scan", 0, nullptr).ValueOrDie();
  }
  void TearDown() override {
    op_.reset();
    query_.reset();
    recycling_.reset();
    EXPECT_EQ(process_->used_bytes(), 0);
    EXPECT_EQ(pool_.recycled_bytes(), 0);
  }
  void AllocateAndFree(int64_t size) {
    uint8_t* data = nullptr;
    ASSERT_TRUE(op_->Allocate(size, &data).ok());
    std::memset(data, 3, static_cast<size_t>(size));
    op_->Free(data, size);
  }

  MappedMemoryPool pool_;
  std::unique_ptr<ProcessBudget> process_;
  std::unique_ptr<BufferRecycling> recycling_;
  std::unique_ptr<QueryBudget> query_;
  std::unique_ptr<OperatorBudget> op_;
};

TEST_F(RecyclingTest, FreedMappingsAreKeptCountedAndHandedOutAgain) {
  Start(64 * kMiB, 8 * kMiB);
  AllocateAndFree(2 * kMiB);
  op_->ReleaseUnusedReservation();
  EXPECT_EQ(pool_.recycled_bytes(), 2 * kMiB);
  EXPECT_EQ(process_->used_bytes(), 2 * kMiB);
  EXPECT_EQ(process_->Holders(1)[0].name, "recycled buffers");
  // Of another size too, in one piece.
  uint8_t* data = nullptr;
  ASSERT_TRUE(op_->Allocate(3 * kMiB, &data).ok());
  EXPECT_EQ(pool_.recycled_bytes(), 0);
  std::memset(data, 4, 3 * kMiB);
  op_->Free(data, 3 * kMiB);
  ASSERT_TRUE(op_->Allocate(2 * kMiB, &data).ok());
  EXPECT_EQ(pool_.recycled_bytes(), 0);
  std::memset(data, 4, 2 * kMiB);
  op_->Free(data, 2 * kMiB);
}

TEST_F(RecyclingTest, NoMoreIsKeptThanAllowed) {
  Start(64 * kMiB, 8 * kMiB);
  std::vector<uint8_t*> buffers(20);
  for (auto& data : buffers) {
    ASSERT_TRUE(op_->Allocate(kMiB, &data).ok());
  }
  for (auto* data : buffers) {
    op_->Free(data, kMiB);
  }
  EXPECT_EQ(pool_.recycled_bytes(), 8 * kMiB);
  op_->ReleaseUnused();
  EXPECT_EQ(pool_.recycled_bytes(), 0);
}

TEST_F(RecyclingTest, GoesFirstWhenSomebodyNeedsTheMemory) {
  Start(10 * kMiB, 8 * kMiB);
  AllocateAndFree(5 * kMiB);
  op_->ReleaseUnusedReservation();
  ASSERT_EQ(pool_.recycled_bytes(), 5 * kMiB);
  // A mapping is not taken from what is kept when it is too short; it makes room instead.
  AllocateAndFree(10 * kMiB);
  EXPECT_EQ(pool_.recycled_bytes(), 0);
  AllocateAndFree(5 * kMiB);
  op_->ReleaseUnusedReservation();
  core::Wait wait;
  auto reserved = op_->Reserve(9 * kMiB, &wait);
  while (reserved.ok() && !*reserved && wait.ready()) {
    reserved = op_->Reserve(9 * kMiB, &wait);
  }
  EXPECT_TRUE(reserved.ok() && *reserved);
  EXPECT_EQ(pool_.recycled_bytes(), 0);
}

TEST_F(RecyclingTest, NothingIsKeptFromMemoryThatOthersUse) {
  Start(10 * kMiB, 8 * kMiB);
  ASSERT_TRUE(op_->CountExternal(9 * kMiB).ok());
  AllocateAndFree(kMiB);  // Still reserved for the operator when it is freed.
  EXPECT_EQ(pool_.recycled_bytes(), 0);
  op_->UncountExternal(9 * kMiB);
}

TEST_F(RecyclingTest, ManyThreadsShareThePoolWhileRecyclingStops) {
  Start(64 * kMiB, 8 * kMiB);
  auto threads =
      core::ThreadPool::Make({.thread_count = 4, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  core::TaskGroup group(threads.get());
  for (uint32_t t = 0; t < 4; ++t) {
    group.Spawn([&, t]() -> arrow::Status {
      std::mt19937 random(t);
      for (int i = 0; i < 300; ++i) {
        const int64_t size = 1 + static_cast<int64_t>(random() % (4 * kMiB));
        ARROW_ASSIGN_OR_RAISE(auto buffer,
                              arrow::AllocateResizableBuffer(size, op_.get()));
        buffer->mutable_data()[size - 1] = 1;
        ARROW_RETURN_NOT_OK(
            buffer->Resize(1 + static_cast<int64_t>(random() % (4 * kMiB))));
        if (i % 100 == 50 && t == 0) {
          op_->ReleaseUnused();
        }
        if (i == 200 && t == 1) {
          recycling_.reset();
        }
      }
      return arrow::Status::OK();
    });
  }
  EXPECT_EQ(group.Close(), arrow::Status::OK());
}

}  // namespace
}  // namespace wheelpit::memory
