// SPDX-License-Identifier: Apache-2.0
// GroupTable: finds the row of a key, or adds one. Rows are appended to the
// pages of their partition; slots in front of them, few enough to stay in the
// cache, find them again. When those of a partition are full they are cleared
// and the rows stay, so that a group may have several rows: whoever takes the
// partitions merges them. Where that found next to no group twice, rows are
// appended for a while without looking anything up.
//
// Memory is taken only as far as SetAllowance allows; what more is needed is
// told.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/grouped_state.h"
#include "wheelpit/exec/groups/group_layout.h"
#include "wheelpit/exec/groups/group_part.h"
#include "wheelpit/exec/groups/group_slots.h"

namespace wheelpit::exec {

struct GroupTableOptions {
  const GroupLayout* layout = nullptr;
  arrow::MemoryPool* pool = nullptr;
  int level = 0;  ///< of the partitions
  bool may_skip_lookups = true;
};

class GroupTable final : public TextRoom {
 public:
  explicit GroupTable(const GroupTableOptions& options) : options_(options) {}

  /// How much may be allocated from now on.
  void SetAllowance(int64_t bytes) {
    allowance_ = bytes;
    wanted_ = 0;
  }
  /// What is needed to go on, after a call that stopped for want of memory.
  int64_t wanted_bytes() const { return wanted_; }

  /// Finds or adds the rows of keys[0 … count), until memory is short; returns
  /// how many.
  arrow::Result<int64_t> FindOrAdd(const std::string_view* keys, const uint64_t* hashes,
                                   int64_t count, uint8_t** rows);

  /// TextRoom; null when memory is short.
  arrow::Result<char*> MakeRoom(const uint8_t* row, int64_t size) override;

  /// Of rows and texts: what taking all parts would give.
  int64_t part_bytes() const;
  const GroupPart& part(int64_t partition) const {
    return parts_[static_cast<size_t>(partition)];
  }
  /// The partition with most bytes among those whose bits are set.
  int64_t largest(uint64_t partitions = ~uint64_t{0}) const;
  /// Takes a partition out. Rows of it that are found again get new ones.
  GroupPart TakePart(int64_t partition);
  /// Puts it back, with fewer rows perhaps.
  void PutPart(int64_t partition, GroupPart part);

  /// More slots would be of use, more than stay in the cache: bytes that Grow
  /// would allocate besides the allowance; 0 when not.
  int64_t growth_bytes() const;
  arrow::Status Grow();
  /// Gives what Grow has taken back: that many bytes.
  arrow::Result<int64_t> Shrink();

 private:
  // False when memory is short, which wanted_ then says.
  bool Allow(int64_t bytes);
  // Both null when memory is short.
  arrow::Result<uint8_t*> Room(GroupPages* pages, int64_t size);
  arrow::Result<uint8_t*> Append(GroupPart* part, uint64_t hash, std::string_view key);
  // False when memory is short.
  arrow::Result<bool> MakeSlots(int64_t count_each);
  arrow::Status Resize(int64_t count_each);
  // The slots of a partition are full.
  arrow::Result<bool> MakeSlotRoom(size_t partition);
  arrow::Result<int64_t> AppendAll(const std::string_view* keys, const uint64_t* hashes,
                                   int64_t count, uint8_t** rows);

  const GroupTableOptions options_;
  std::array<GroupPart, kPartitionCount> parts_;
  std::unique_ptr<arrow::Buffer> slot_memory_;
  std::array<GroupSlots, kPartitionCount> slots_;
  int64_t slots_each_ = 0;  ///< per partition
  int64_t allowance_ = 0;
  int64_t wanted_ = 0;
  // Since that was last judged: rows looked up, and groups that were new.
  int64_t looked_up_ = 0;
  int64_t added_ = 0;
  int64_t skip_ = 0;  ///< rows to append without looking anything up
  bool wants_growth_ = false;
};

}  // namespace wheelpit::exec
