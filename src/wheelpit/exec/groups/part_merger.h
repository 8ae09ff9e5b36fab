// SPDX-License-Identifier: Apache-2.0
// Merges, in place, the rows of a part in memory that have the same key: the
// first one stays, the others are marked dead.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/groups/group_part.h"
#include "wheelpit/exec/groups/group_slots.h"

namespace wheelpit::exec {

class PartMerger {
 public:
  /// What Make allocates.
  static int64_t SlotBytes(const GroupPart& part);

  /// Both outlive it. With less than SlotBytes some rows are not found to be of
  /// the same key: complete() is false then.
  static arrow::Result<std::unique_ptr<PartMerger>> Make(const GroupLayout* layout,
                                                         const GroupPart* part,
                                                         int64_t slot_bytes,
                                                         arrow::MemoryPool* pool);
  /// Some rows further; true at the end.
  arrow::Result<bool> Step();

  int64_t dead_rows() const { return dead_rows_; }
  bool complete() const { return complete_; }

 private:
  PartMerger(const GroupLayout* layout, const GroupPart* part)
      : layout_(layout), walk_(layout, &part->rows) {}

  const GroupLayout* layout_;
  RowWalk walk_;
  std::unique_ptr<arrow::Buffer> memory_;
  GroupSlots slots_;
  int64_t dead_rows_ = 0;
  bool complete_ = true;
};

/// Moves the rows that are not dead together, and frees pages that are empty
/// then.
void DropDeadRows(const GroupLayout& layout, int64_t dead_rows, GroupPart* part);

}  // namespace wheelpit::exec
