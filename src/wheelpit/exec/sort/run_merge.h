// SPDX-License-Identifier: Apache-2.0
// Merges sorted runs, in memory or on disk, into batches of sorted rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/exec/sort/merge_tree.h"
#include "wheelpit/exec/sort/row_gather.h"
#include "wheelpit/exec/sort/sorted_run.h"

namespace wheelpit::exec {

/// What the rows of a sort are: the same for all its parts, const, for any thread.
struct SortedRows {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<int> key_columns;
  std::shared_ptr<const KeyEncoder> encoder;
  /// On disk text is binary: a file may hold what is not UTF-8, and that is no reason to
  /// fail a sort.
  std::shared_ptr<arrow::Schema> stored_schema;
  std::shared_ptr<const block::IpcDecoder> decoder;  ///< of stored_schema

  arrow::ArrayVector KeyColumnsOf(const arrow::RecordBatch& batch) const;
};

/// The same columns with every text type at the top replaced by its binary one.
std::shared_ptr<arrow::Schema> StoredSchema(const arrow::Schema& schema);
/// The same bytes with the types of `schema`, to or from those of StoredSchema.
std::shared_ptr<arrow::RecordBatch> Retyped(const arrow::RecordBatch& batch,
                                            const std::shared_ptr<arrow::Schema>& schema);

struct RunMergeOptions {
  core::TaskGroup* io = nullptr;  ///< for runs on disk; else may be null
  /// Of blocks that are read, and their keys.
  arrow::MemoryPool* pool = nullptr;
  bool ahead = true;  ///< whether a block is read while the one before it is merged
};

class RunMerge {
 public:
  /// Of equal keys those of the first input come first. `rows` outlives it.
  RunMerge(const SortedRows* rows, std::vector<MergeInput> inputs, const KeyRange& range,
           const RunMergeOptions& options);
  ~RunMerge();

  struct Step {
    std::shared_ptr<arrow::RecordBatch> batch;  ///< the next rows, gathered
    std::string first_key;  ///< of the batch, as much as KeepKey keeps
    std::string last_key;
    int64_t raw_bytes = 0;
    int64_t key_bytes = 0;
    std::optional<core::Wait> wait;  ///< or: call again when it is ready
    // or neither: the end
  };
  /// A batch has at most `max_rows` rows, and at most `max_bytes` where it has more than
  /// one; fewer where a block ends, so that no block is kept but the current one of each
  /// run. It is allocated from `pool`.
  arrow::Result<Step> Next(int64_t max_bytes, int64_t max_rows, arrow::MemoryPool* pool);

  /// The last key that was given, in full. Valid until Next is called.
  std::string_view last_key() const { return last_key_; }

 private:
  struct Cursor;

  arrow::Result<std::optional<core::Wait>> LoadBlocks();
  arrow::Result<std::optional<core::Wait>> LoadNext(uint32_t input);
  bool Enter(uint32_t input, const EncodedKeys* keys);
  size_t CommonPrefix() const;
  void SetHead(uint32_t input);
  void Collect(int64_t max_bytes, int64_t max_rows, Step* step);

  const SortedRows* const rows_;
  const KeyRange range_;
  const RunMergeOptions options_;
  std::vector<Cursor> cursors_;
  std::vector<MergeHead> heads_;
  std::vector<uint32_t> to_load_;
  MergeTree tree_;
  RowGather gather_;
  size_t skip_ = 0;
  bool built_ = false;
  std::vector<RowRef> refs_;
  std::string_view last_key_;
};

/// What merging an input needs of memory, a block and the one ahead of it included.
int64_t MergeBytes(const MergeInput& input, bool ahead);

}  // namespace wheelpit::exec
