// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/memory/block_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <pthread.h>

namespace wheelpit::memory {

BlockCache::~BlockCache() {
  Drop();
}

// Class 0 is kBytesMin; 16 of them double it.
int BlockCache::ClassOf(int64_t rounded_bytes) {
  const auto bytes = static_cast<uint64_t>(rounded_bytes);
  const int doublings =
      static_cast<int>(std::bit_width(bytes) - std::bit_width(uint64_t{kBytesMin}));
  const uint64_t below = uint64_t{kBytesMin} << doublings;
  return doublings * kStepsPerDoubling +
         static_cast<int>((bytes - below) * kStepsPerDoubling / below);
}

int64_t BlockCache::BytesOf(int block_class) {
  const int64_t below = kBytesMin << (block_class / kStepsPerDoubling);
  return below + below / kStepsPerDoubling * (block_class % kStepsPerDoubling);
}

int64_t BlockCache::RoundUp(int64_t block_bytes) {
  const int block_class = ClassOf(block_bytes);
  const int64_t bytes = BytesOf(block_class);
  return bytes == block_bytes ? bytes : BytesOf(block_class + 1);
}

core::Guarded<BlockCache::Shard>& BlockCache::ShardOfThread() {
  // It is the address of what a thread has; these lie a stack apart.
  const auto thread = static_cast<uint64_t>(::pthread_self());
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  return places_[(thread * kSpread >> 32) % kShards].shard;
}

void* BlockCache::Take(int64_t rounded_bytes, int64_t* block_bytes) {
  // A somewhat larger one is better than none.
  constexpr int kClassesAbove = 2;
  const int first = ClassOf(rounded_bytes);
  const int last = std::min(first + kClassesAbove, kClasses - 1);
  auto shard = ShardOfThread().Lock();
  for (int i = first; i <= last; ++i) {
    if (Kept* const block = shard->blocks[static_cast<size_t>(i)]) {
      shard->blocks[static_cast<size_t>(i)] = block->next;
      *block_bytes = BytesOf(i);
      shard->bytes -= *block_bytes;
      return block;
    }
  }
  return nullptr;
}

void BlockCache::Put(void* block, int64_t block_bytes) {
  constexpr int64_t kShardBytes = kKeptBytesMax / int64_t{kShards};
  auto shard = ShardOfThread().Lock();
  while (shard->bytes + block_bytes > kShardBytes && FreeOne(*shard)) {
  }
  auto* const kept = static_cast<Kept*>(block);
  Kept*& blocks = shard->blocks[static_cast<size_t>(ClassOf(block_bytes))];
  kept->next = blocks;
  blocks = kept;
  shard->bytes += block_bytes;
}

bool BlockCache::FreeOne(Shard& shard) {
  for (int i = 0; i < kClasses; ++i) {
    shard.oldest = (shard.oldest + 1) % kClasses;
    if (Kept*& blocks = shard.blocks[static_cast<size_t>(shard.oldest)]) {
      Kept* const block = blocks;
      blocks = block->next;
      shard.bytes -= BytesOf(shard.oldest);
      std::free(block);
      return true;
    }
  }
  return false;
}

void BlockCache::Drop() {
  for (Place& place : places_) {
    auto shard = place.shard.Lock();
    while (FreeOne(*shard)) {
    }
  }
}

int64_t BlockCache::kept_bytes() {
  int64_t bytes = 0;
  for (Place& place : places_) {
    bytes += place.shard.Lock()->bytes;
  }
  return bytes;
}

}  // namespace wheelpit::memory
