// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/memory/mapped_pool.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include <malloc.h>
#include <sys/mman.h>

#include "wheelpit/core/error.h"

namespace wheelpit::memory {

namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kStepsPerDoubling = 16;
/// From here on huge pages are asked for: seven times cheaper to touch (57 us per MiB
/// measured), and no more resident than what is counted, since a buffer counts whole.
constexpr int64_t kHugePagesMin = int64_t{4} << 20;
constexpr int64_t kSizeMax = int64_t{1} << 46;

/// What a buffer of no bytes points to, so that it is never null.
alignas(64) uint8_t zero_size_area[1];

bool IsMapped(int64_t size, int64_t alignment) {
  return size >= kMappedBytesMin && alignment <= kPageBytes;
}

arrow::Status OutOfMemory(const char* call, int64_t size) {
  return core::Error(core::ErrorKind::kMemoryLimit, "the operating system refused ", size,
                     " bytes (", call, ": ", std::strerror(errno),
                     "); lower memory.limit or free memory on this machine");
}

// Blocks of malloc are aligned here and not by posix_memalign, which cuts off fragments
// that malloc caches apart: freed neighbours do not merge then, and malloc_trim does not
// find them (up to 40 MiB of 1 GB stayed). It is faster too: blocks come from the
// thread's cache. The block begins before the buffer, and what it is stands right before
// that.

/// Blocks below this are not merged with their neighbours when they are freed.
constexpr int64_t kBlockBytesMin = 129;

// Right before a buffer: its block, and how long that is where it may be kept, else 0.
struct BlockOfBuffer {
  void* block;
  int64_t kept_bytes;
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsBlocks = false;  // what is freed is to be seen
#else
constexpr bool kKeepsBlocks = true;
#endif

arrow::Result<uint8_t*> FromMalloc(BlockCache& cache, int64_t size, int64_t alignment) {
  alignment = std::max<int64_t>(alignment, 16);
  int64_t block_size = std::max(size + alignment, kBlockBytesMin);
  BlockOfBuffer made{.block = nullptr, .kept_bytes = 0};
  if (kKeepsBlocks && BlockCache::Takes(block_size)) {
    block_size = BlockCache::RoundUp(block_size);
    made.kept_bytes = block_size;
    made.block = cache.Take(block_size, &made.kept_bytes);
  }
  if (made.block == nullptr) {
    made.block = std::malloc(static_cast<size_t>(block_size));
  }
  if (made.block == nullptr) {
    return OutOfMemory("malloc", size);
  }
  // malloc aligns to 16, so there is room for both before the next multiple.
  static_assert(sizeof(BlockOfBuffer) == 16);
  const auto address = reinterpret_cast<uintptr_t>(made.block);
  const auto mask = static_cast<uintptr_t>(alignment - 1);
  auto* const buffer = reinterpret_cast<uint8_t*>((address + 16 + mask) & ~mask);
  std::memcpy(buffer - sizeof(made), &made, sizeof(made));
  return buffer;
}

void BackToMalloc(BlockCache& cache, uint8_t* buffer) {
  BlockOfBuffer of_buffer{};
  std::memcpy(&of_buffer, buffer - sizeof(of_buffer), sizeof(of_buffer));
  if (of_buffer.kept_bytes > 0) {
    cache.Put(of_buffer.block, of_buffer.kept_bytes);
  } else {
    std::free(of_buffer.block);
  }
}

void Unmap(uint8_t* address, int64_t length) {
  WHEELPIT_CHECK(::munmap(address, static_cast<size_t>(length)) == 0,
                 "munmap of a buffer failed: freed twice, or with another size");
}

arrow::Result<uint8_t*> Remap(uint8_t* address, int64_t old_length, int64_t new_length) {
  void* moved = ::mremap(address, static_cast<size_t>(old_length),
                         static_cast<size_t>(new_length), MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    return OutOfMemory("mremap", new_length);
  }
  return static_cast<uint8_t*>(moved);
}

arrow::Status CheckSize(int64_t size) {
  if (size < 0) {
    return arrow::Status::Invalid("negative allocation size");
  }
  if (size > kSizeMax) {
    return core::Error(core::ErrorKind::kMemoryLimit, "no buffer can have ", size,
                       " bytes");
  }
  return arrow::Status::OK();
}

}  // namespace

void LimitMallocRetention() {
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMappedBytesMin));
  ::mallopt(M_TRIM_THRESHOLD, 2 * static_cast<int>(kMappedBytesMin));
}

int64_t MappedLength(int64_t size) {
  const auto below = std::bit_floor(static_cast<uint64_t>(size));
  const int64_t step =
      std::max(static_cast<int64_t>(below) / kStepsPerDoubling, kPageBytes);
  return (size + step - 1) / step * step;
}

MappedMemoryPool::~MappedMemoryPool() {
  WHEELPIT_CHECK(recycled_.Lock()->charge == nullptr,
                 "a pool ended before the recycling of its buffers");
}

// --- Mappings ---

arrow::Result<uint8_t*> MappedMemoryPool::Map(int64_t length) {
  if (uint8_t* kept = TakeKept(length)) {
    return kept;
  }
  void* mapped = ::mmap(nullptr, static_cast<size_t>(length), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return OutOfMemory("mmap", length);
  }
  if (length >= kHugePagesMin) {
    // A hint: without it everything works, only slower.
    static_cast<void>(::madvise(mapped, static_cast<size_t>(length), MADV_HUGEPAGE));
  }
  return static_cast<uint8_t*>(mapped);
}

bool MappedMemoryPool::Keep(Mapping mapping) {
  auto recycled = recycled_.Lock();
  // TryCountExternal calls nobody back, so it may be called under this lock.
  if (recycled->charge == nullptr ||
      recycled_bytes_.load() + mapping.length > recycled->bytes_max ||
      !recycled->charge->TryCountExternal(mapping.length)) {
    return false;
  }
  recycled->mappings.push_back(mapping);
  recycled_bytes_ += mapping.length;
  return true;
}

// The kept mapping nearest in length that is at most twice as long or half as long; what
// it has too much is unmapped, what it lacks is mapped to it.
uint8_t* MappedMemoryPool::TakeKept(int64_t length) {
  if (recycled_bytes_.load() == 0) {
    return nullptr;
  }
  Mapping taken{};
  OperatorBudget* charge = nullptr;
  {
    auto recycled = recycled_.Lock();
    auto& mappings = recycled->mappings;
    const auto distance = [&](const Mapping& mapping) {
      return std::abs(mapping.length - length);
    };
    const auto nearest = std::min_element(
        mappings.begin(), mappings.end(),
        [&](const Mapping& a, const Mapping& b) { return distance(a) < distance(b); });
    if (nearest == mappings.end() || nearest->length > 2 * length ||
        length > 2 * nearest->length) {
      return nullptr;
    }
    taken = *nearest;
    *nearest = mappings.back();
    mappings.pop_back();
    recycled_bytes_ -= taken.length;
    charge = recycled->charge;
    ++recycled->charge_users;
  }
  Uncount(charge, taken.length);
  if (taken.length == length) {
    return taken.address;
  }
  const auto fitted = Remap(taken.address, taken.length, length);
  if (!fitted.ok()) {
    Unmap(taken.address, taken.length);
    return nullptr;
  }
  return *fitted;
}

void MappedMemoryPool::DropKept(int64_t bytes) {
  std::vector<Mapping> dropped;
  int64_t dropped_bytes = 0;
  OperatorBudget* charge = nullptr;
  {
    auto recycled = recycled_.Lock();
    while (dropped_bytes < bytes && !recycled->mappings.empty()) {
      dropped.push_back(recycled->mappings.back());
      dropped_bytes += dropped.back().length;
      recycled->mappings.pop_back();
    }
    if (dropped.empty()) {
      return;
    }
    recycled_bytes_ -= dropped_bytes;
    charge = recycled->charge;
    ++recycled->charge_users;
  }
  for (const Mapping& mapping : dropped) {
    Unmap(mapping.address, mapping.length);
  }
  Uncount(charge, dropped_bytes);
}

void MappedMemoryPool::StopKeeping() {
  recycled_.Lock()->bytes_max = 0;
  DropKept(std::numeric_limits<int64_t>::max());
  while (true) {
    {
      auto recycled = recycled_.Lock();
      if (recycled->charge_users == 0) {
        recycled->charge = nullptr;
        return;
      }
    }
    std::this_thread::yield();  // Another thread is about to uncount what it took.
  }
}

// Outside the lock, since it may wake others and make the broker look around.
void MappedMemoryPool::Uncount(OperatorBudget* charge, int64_t bytes) {
  charge->UncountExternal(bytes);
  --recycled_.Lock()->charge_users;
}

// --- The pool ---

arrow::Result<uint8_t*> MappedMemoryPool::Provide(int64_t size, int64_t alignment) {
  if (size == 0) {
    return zero_size_area;
  }
  return IsMapped(size, alignment) ? Map(MappedLength(size))
                                   : FromMalloc(blocks_, size, alignment);
}

void MappedMemoryPool::Withdraw(uint8_t* buffer, int64_t size, int64_t alignment) {
  if (size == 0) {
    WHEELPIT_DCHECK(buffer == zero_size_area, "a buffer freed with a size of 0");
  } else if (!IsMapped(size, alignment)) {
    BackToMalloc(blocks_, buffer);
  } else if (const int64_t length = MappedLength(size); !Keep({buffer, length})) {
    Unmap(buffer, length);
  }
}

arrow::Status MappedMemoryPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(CheckSize(size));
  ARROW_ASSIGN_OR_RAISE(*out, Provide(size, alignment));
  CountUp(size);
  return arrow::Status::OK();
}

arrow::Status MappedMemoryPool::Reallocate(int64_t old_size, int64_t new_size,
                                           int64_t alignment, uint8_t** ptr) {
  ARROW_RETURN_NOT_OK(CheckSize(new_size));
  if (IsMapped(old_size, alignment) && IsMapped(new_size, alignment)) {
    const int64_t old_length = MappedLength(old_size);
    const int64_t new_length = MappedLength(new_size);
    if (old_length != new_length) {
      ARROW_ASSIGN_OR_RAISE(*ptr, Remap(*ptr, old_length, new_length));
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(uint8_t* const moved, Provide(new_size, alignment));
    std::memcpy(moved, *ptr, static_cast<size_t>(std::min(old_size, new_size)));
    Withdraw(*ptr, old_size, alignment);
    *ptr = moved;
  }
  if (new_size > old_size) {
    CountUp(new_size - old_size);
  } else {
    bytes_ -= old_size - new_size;
  }
  return arrow::Status::OK();
}

void MappedMemoryPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  Withdraw(buffer, size, alignment);
  bytes_ -= size;
}

void MappedMemoryPool::ReleaseUnused() {
  DropKept(std::numeric_limits<int64_t>::max());
  blocks_.Drop();
  ::malloc_trim(0);
}

void MappedMemoryPool::CountUp(int64_t size) {
  const int64_t bytes = bytes_.fetch_add(size) + size;
  // Relaxed: figures, which order nothing.
  total_.fetch_add(size, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  int64_t seen = peak_.load(std::memory_order_relaxed);
  while (seen < bytes &&
         !peak_.compare_exchange_weak(seen, bytes, std::memory_order_relaxed)) {
  }
}

int64_t MappedMemoryPool::bytes_allocated() const {
  return bytes_.load();
}

int64_t MappedMemoryPool::max_memory() const {
  return peak_.load();
}

int64_t MappedMemoryPool::total_bytes_allocated() const {
  return total_.load();
}

int64_t MappedMemoryPool::num_allocations() const {
  return count_.load();
}

std::string MappedMemoryPool::backend_name() const {
  return "mapped";
}

// --- Recycling ---

arrow::Result<std::unique_ptr<BufferRecycling>> BufferRecycling::Start(
    MappedMemoryPool* pool, ProcessBudget* process, int64_t bytes_max) {
  std::unique_ptr<BufferRecycling> recycling(new BufferRecycling(pool));
  ARROW_ASSIGN_OR_RAISE(recycling->query_, process->MakeQuery("process", 0, 0));
  ARROW_ASSIGN_OR_RAISE(
      recycling->charge_,
      recycling->query_->MakeOperator("recycled buffers", 0, recycling.get(), kNoDriver));
  auto recycled = pool->recycled_.Lock();
  WHEELPIT_CHECK(recycled->charge == nullptr, "buffers of a pool are recycled twice");
  recycled->charge = recycling->charge_.get();
  recycled->bytes_max = bytes_max;
  return recycling;
}

BufferRecycling::~BufferRecycling() {
  pool_->StopKeeping();
}

}  // namespace wheelpit::memory
