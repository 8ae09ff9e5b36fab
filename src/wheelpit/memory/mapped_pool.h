// SPDX-License-Identifier: Apache-2.0
// MappedMemoryPool: the backend under the budgets, made so that freed memory leaves the
// process. Buffers from 256 KiB are mapped and unmapped one by one (and moved by mremap
// when they grow, without a copy); smaller ones come from malloc. An allocator that keeps
// freed memory for itself would make the counters true and the resident set a lie.
//
// Mapping is not free: the kernel zeroes each page at its first touch (0.3 ms per MiB
// measured, against 1 us for pages that are there). So a bounded amount of freed mappings
// may be kept and handed out again (BufferRecycling). The same goes for blocks of malloc
// from 1 KiB on (block_cache.h).
//
// Threads: everything may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/memory/block_cache.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::memory {

/// Buffers from this size are mapped.
inline constexpr int64_t kMappedBytesMin = int64_t{256} << 10;

/// For main(), before it starts threads; libraries do not call it. Fixes two thresholds
/// of malloc that otherwise grow with the largest block ever freed: from then on each of
/// its arenas may keep up to 64 MiB at its end, where malloc_trim does not look. Without
/// this call ReleaseUnused gives back what it can reach, and that is all it promises.
void LimitMallocRetention();

/// The length of the mapping of a buffer: `size` rounded up to one of 16 steps per
/// doubling. So a buffer grows into the slack of at most 1/16 without a call, and
/// recycled mappings fit often.
int64_t MappedLength(int64_t size);

class MappedMemoryPool final : public arrow::MemoryPool {
 public:
  MappedMemoryPool() = default;
  /// Everything must have been freed, and recycling have ended.
  ~MappedMemoryPool() override;
  MappedMemoryPool(const MappedMemoryPool&) = delete;
  MappedMemoryPool& operator=(const MappedMemoryPool&) = delete;

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  /// Unmaps what is kept for recycling, frees blocks that are kept and makes malloc give
  /// whole free pages back (see LimitMallocRetention). May take milliseconds.
  void ReleaseUnused() override;
  int64_t bytes_allocated() const override;
  int64_t max_memory() const override;
  int64_t total_bytes_allocated() const override;
  int64_t num_allocations() const override;
  std::string backend_name() const override;

  /// Freed mappings that are kept.
  int64_t recycled_bytes() const { return recycled_bytes_.load(); }

 private:
  friend class BufferRecycling;

  struct Mapping {
    uint8_t* address;
    int64_t length;
  };

  struct Recycled {
    std::vector<Mapping> mappings;
    int64_t bytes_max = 0;
    OperatorBudget* charge = nullptr;  ///< counts them; null: nothing is kept
    int charge_users = 0;              ///< threads about to uncount
  };

  // Memory, without counting it.
  arrow::Result<uint8_t*> Provide(int64_t size, int64_t alignment);
  void Withdraw(uint8_t* buffer, int64_t size, int64_t alignment);
  arrow::Result<uint8_t*> Map(int64_t length);

  bool Keep(Mapping mapping);
  uint8_t* TakeKept(int64_t length);
  void DropKept(int64_t bytes);
  void StopKeeping();
  void Uncount(OperatorBudget* charge, int64_t bytes);

  void CountUp(int64_t size);

  BlockCache blocks_;
  core::Guarded<Recycled> recycled_;
  std::atomic<int64_t> recycled_bytes_{0};

  // Together on a line of their own: every allocation writes them all.
  alignas(64) std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> total_{0};
  std::atomic<int64_t> count_{0};
};

/// Keeps freed mappings of a pool for its next buffers while it lives. They are counted
/// as an operator "recycled buffers" of a query "process", only from memory that nobody
/// wants, and are the first to go when somebody does.
class BufferRecycling final : public Spillable {
 public:
  /// Both outlive it. A pool has at most one.
  static arrow::Result<std::unique_ptr<BufferRecycling>> Start(MappedMemoryPool* pool,
                                                               ProcessBudget* process,
                                                               int64_t bytes_max);
  ~BufferRecycling() override;

  int64_t reclaimable() const override { return pool_->recycled_bytes(); }
  void RequestReclaim(int64_t bytes) override { pool_->DropKept(bytes); }
  double cost_per_byte() const override { return 0; }

 private:
  explicit BufferRecycling(MappedMemoryPool* pool) : pool_(pool) {}

  MappedMemoryPool* pool_;
  std::unique_ptr<QueryBudget> query_;
  std::unique_ptr<OperatorBudget> charge_;
};

}  // namespace wheelpit::memory
