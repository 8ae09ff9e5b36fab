// SPDX-License-Identifier: Apache-2.0
// Spilling from drivers, which never block: rows are encoded and decoded on the calling
// (compute) thread, and tasks on I/O threads move the bytes. At most one task per writer
// or reader is under way, so that a process with one I/O thread makes progress with any
// number of them.
//
// A writer and a reader are used by one thread at a time. Destroying one does not wait:
// its last task may still be running, so close the task group before the space's host,
// the pool, or anything else in SpillStreamOptions ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::spill {

struct SpillStreamOptions {
  SpillSpace* space = nullptr;
  uint64_t operator_id = 0;
  core::TaskGroup* io = nullptr;  ///< of an executor whose threads may block
  arrow::MemoryPool* pool = nullptr;
  block::EncodeOptions encode;
  /// Bytes encoded and not written yet, or read and not decoded yet. One block more than
  /// that may be there, whatever its size.
  int64_t buffered_bytes_max = 4 << 20;
  /// Where what is written is counted; null: where the space counts.
  core::MetricSet* metrics = nullptr;
};

/// Rows on disk, in the order in which they were appended. Dropping it frees them.
struct SpillRun {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<SpillExtent> extents;
  int64_t row_count = 0;
};

class SpillWriter {
 public:
  SpillWriter(SpillStreamOptions options, std::shared_ptr<arrow::Schema> schema);
  ~SpillWriter();

  /// Takes the batch, always. A wait means: taken, and no more until it is ready. An
  /// error is the first that any write had; nothing more is written after it.
  arrow::Result<std::optional<core::Wait>> Append(const arrow::RecordBatch& batch);

  /// Ready when nothing is left to write, or a write has failed.
  core::Wait written() const;

  /// What was appended, or the first error. Only once written() is ready.
  arrow::Result<SpillRun> Finish();

 private:
  struct State;
  const SpillStreamOptions options_;
  const std::shared_ptr<arrow::Schema> schema_;
  int64_t row_count_ = 0;
  std::shared_ptr<State> state_;  // shared with the task under way
};

class SpillReader {
 public:
  /// Takes the run: each extent is freed as soon as it has been read.
  static arrow::Result<std::unique_ptr<SpillReader>> Make(SpillStreamOptions options,
                                                          SpillRun run);
  ~SpillReader();

  struct Step {
    std::shared_ptr<arrow::RecordBatch> batch;  ///< the next rows
    std::optional<core::Wait> wait;             ///< or: call again when it is ready
    // or neither: the end
  };
  arrow::Result<Step> Next();

 private:
  struct State;
  SpillReader(const SpillStreamOptions& options,
              std::unique_ptr<block::IpcDecoder> decoder, SpillRun run);
  const SpillStreamOptions options_;
  const std::unique_ptr<block::IpcDecoder> decoder_;
  std::shared_ptr<State> state_;  // shared with the task under way
};

}  // namespace wheelpit::spill
