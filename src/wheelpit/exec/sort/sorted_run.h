// SPDX-License-Identifier: Apache-2.0
// Sorted rows, as the parts of a sort hand them to one another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/exec/keys/key_encoder.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::exec {

/// How much of a key is kept in memory of what is on disk: enough to cut ranges.
inline constexpr size_t kKeptKeyBytes = 64;

inline std::string KeepKey(std::string_view key) {
  return std::string(key.substr(0, kKeptKeyBytes));
}

/// Sorted rows in memory, with their keys.
struct SortedChunk {
  std::shared_ptr<arrow::RecordBatch> rows;
  EncodedKeys keys;
  int64_t bytes = 0;  ///< of both
  std::string_view last_key() const { return keys[keys.count() - 1]; }
};

// Shared: by the ranges that merge it, the last of which frees it.
using ChunkPtr = std::shared_ptr<const SortedChunk>;

/// Sorted rows on disk, at least one.
struct SortedBlock {
  // Shared by the ranges that read it, the last of which frees it.
  std::shared_ptr<const spill::SpillExtent> extent;
  std::string first_key;  ///< its first kKeptKeyBytes
  int64_t raw_bytes = 0;  ///< in memory, not compressed
  int64_t key_bytes = 0;  ///< of its keys, encoded
};

/// One run on disk: blocks in order.
struct SortedRun {
  std::vector<SortedBlock> blocks;
  std::string last_key;  ///< its first kKeptKeyBytes
};

/// What a merge takes: a run in memory (chunk) or on disk (blocks), or a part of one.
struct MergeInput {
  ChunkPtr chunk;
  SortedRun run;
};

/// A part of all keys: low <= key < high. An empty bound is none.
struct KeyRange {
  std::string low;
  std::string high;
};

}  // namespace wheelpit::exec
