// SPDX-License-Identifier: Apache-2.0
// Makes sorted chunks out of the batches that come in: about a megabyte of rows, so that
// sorting and gathering them stay within the cache. Small batches are put together.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/sort/row_gather.h"
#include "wheelpit/exec/sort/run_merge.h"
#include "wheelpit/exec/sort/sorted_run.h"

namespace wheelpit::exec {

class ChunkBuilder {
 public:
  static constexpr int64_t kChunkBytes = 1 << 20;
  static constexpr int64_t kChunkRows = 16 << 10;
  static constexpr size_t kBatchesMax = 128;

  /// `rows` outlives it.
  explicit ChunkBuilder(const SortedRows* rows);
  ~ChunkBuilder();

  void Add(std::shared_ptr<arrow::RecordBatch> batch);
  bool empty() const { return pending_.empty(); }
  /// Whether there is enough for a chunk.
  bool full() const;

  /// What Build would allocate at most now. Not for empty().
  arrow::Result<int64_t> Measure();

  struct Limits {
    int64_t rows = -1;            ///< that are wanted of a chunk; -1: all
    std::string_view below = {};  ///< only keys that are smaller; empty: all
    std::string_view up_to = {};  ///< only keys that are not larger; empty: all
  };
  /// The rows that were measured, sorted; null when none of them is within the limits.
  arrow::Result<ChunkPtr> Build(const Limits& limits, arrow::MemoryPool* pool);

 private:
  struct Entry;
  struct Pending {
    std::shared_ptr<arrow::RecordBatch> batch;
    int64_t begin = 0;  // rows before are in chunks
    int64_t end = 0;    // rows before are measured
  };

  arrow::Status EncodeKeys(arrow::MemoryPool* pool);
  void MakeEntries(const Limits& limits);
  void SortEntries();
  void DropMeasured();
  std::string_view KeyOf(const Entry& entry) const;

  const SortedRows* const rows_;
  RowGather gather_;
  std::vector<Pending> pending_;
  int64_t pending_bytes_ = 0;
  int64_t pending_rows_ = 0;
  bool built_columns_ = false;     // some column goes through a builder
  std::vector<EncodedKeys> keys_;  // by pending batch, of its measured rows
  std::vector<Entry> entries_;
  std::vector<RowRef> refs_;
};

}  // namespace wheelpit::exec
