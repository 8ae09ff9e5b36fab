// SPDX-License-Identifier: Apache-2.0
// A part from memory to disk: rows as they stand there, packed, in blocks of
// one binary value each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/wait.h"
#include "wheelpit/exec/groups/group_part.h"
#include "wheelpit/spill/spill_stream.h"

namespace wheelpit::exec {

/// One column of binary values.
std::shared_ptr<arrow::Schema> RowBlockSchema();

/// The rows in a block that was read back. kCorrupt when it is none.
arrow::Result<std::pair<uint8_t*, int64_t>> RowsOfBlock(const arrow::RecordBatch& block);

/// Blocks are of about this size, or of one longer row.
constexpr int64_t kRowBlockBytes = 256 << 10;

class PartWriter {
 public:
  /// Takes the part; memory for blocks is the stream's pool's.
  PartWriter(const GroupLayout* layout, const spill::SpillStreamOptions& stream,
             GroupPart part);
  ~PartWriter();

  /// Goes on; pages are freed as they are written. A wait: call again when it
  /// is ready (it may be so already). None: all is written.
  arrow::Result<std::optional<core::Wait>> Advance();
  /// The part as it is on disk.
  arrow::Result<GroupPart> Finish();

 private:
  // Of the pages from page_ on; more than one row unless it is a long one.
  arrow::Result<std::shared_ptr<arrow::Buffer>> NextBlock();
  arrow::Result<std::shared_ptr<arrow::Buffer>> NextPackedBlock();

  const GroupLayout* layout_;
  arrow::MemoryPool* const pool_;
  GroupPart part_;
  spill::SpillWriter writer_;
  size_t page_ = 0;
  int64_t offset_ = 0;  // in the page, where rows are packed one by one
  bool await_ = false;  // a long block is being written
};

}  // namespace wheelpit::exec
