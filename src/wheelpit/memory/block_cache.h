// SPDX-License-Identifier: Apache-2.0
// Private to the mapped pool: keeps some freed blocks of middle size for the next
// buffers. malloc splits and merges such blocks under one another's neighbours, which
// takes ten times as long as handing one out again (a twelfth of the CPU of a sort on
// disk).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wheelpit/core/guarded.h"

namespace wheelpit::memory {

/// Any thread.
class BlockCache {
 public:
  static constexpr int64_t kBytesMin = 1 << 10;     ///< malloc is fast below
  static constexpr int64_t kBytesMost = 257 << 10;  ///< mappings begin before that
  /// All that is ever kept.
  static constexpr int64_t kKeptBytesMax = int64_t{4} << 20;

  BlockCache() = default;
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  static bool Takes(int64_t block_bytes) {
    return block_bytes >= kBytesMin && block_bytes <= kBytesMost;
  }
  /// What is to be asked of malloc, a sixteenth more at most, so that blocks fit often.
  static int64_t RoundUp(int64_t block_bytes);

  /// A kept block of at least `rounded_bytes`, and how many it has; null: none.
  void* Take(int64_t rounded_bytes, int64_t* block_bytes);
  /// `block` of malloc, of RoundUp bytes; kept or freed.
  void Put(void* block, int64_t block_bytes);
  /// Frees all.
  void Drop();
  int64_t kept_bytes();

 private:
  static constexpr int kStepsPerDoubling = 16;
  static constexpr int kClasses = 8 * kStepsPerDoubling + 2;
  static constexpr size_t kShards = 4;

  struct Kept {
    Kept* next;
  };
  struct Shard {
    std::array<Kept*, kClasses> blocks{};
    int64_t bytes = 0;
    int oldest = 0;  // class that gives next when there are too many
  };
  struct alignas(64) Place {
    core::Guarded<Shard> shard;
  };

  static int ClassOf(int64_t rounded_bytes);
  static int64_t BytesOf(int block_class);
  static bool FreeOne(Shard& shard);
  core::Guarded<Shard>& ShardOfThread();

  std::array<Place, kShards> places_;
};

}  // namespace wheelpit::memory
