// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/group_table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

constexpr int64_t kSlotsFirst = 64;
// Per partition: 1 MiB together, half of a second-level cache.
constexpr int64_t kSlotsCached = 2048;
// 8 MiB together: slower than the cache, quicker than merging the same groups
// again.
constexpr int64_t kSlotsMax = 16384;
// From this size on the slots of a row are fetched before they are looked at.
constexpr int64_t kPrefetchSlots = 512;
constexpr int64_t kPrefetchRows = 64;

}  // namespace

bool GroupTable::Allow(int64_t bytes) {
  if (bytes > allowance_) {
    wanted_ = bytes;
    return false;
  }
  allowance_ -= bytes;
  return true;
}

arrow::Result<uint8_t*> GroupTable::Room(GroupPages* pages, int64_t size) {
  uint8_t* room = pages->Room(size);
  if (room == nullptr) {
    const int64_t page_bytes = pages->NextPageBytes(size);
    if (!Allow(page_bytes)) {
      return nullptr;
    }
    ARROW_RETURN_NOT_OK(pages->AddPage(page_bytes, options_.pool));
    room = pages->Room(size);
  }
  return room;
}

arrow::Result<uint8_t*> GroupTable::Append(GroupPart* part, uint64_t hash,
                                           std::string_view key) {
  const int64_t bytes = options_.layout->RowBytes(static_cast<int64_t>(key.size()));
  ARROW_ASSIGN_OR_RAISE(uint8_t* const row, Room(&part->rows, bytes));
  if (row == nullptr) {
    return nullptr;
  }
  ++part->row_count;
  options_.layout->Begin(row, hash, key);
  return row;
}

arrow::Result<bool> GroupTable::MakeSlots(int64_t count_each) {
  const int64_t bytes = count_each * kPartitionCount * 8;
  if (!Allow(bytes)) {
    return false;
  }
  ARROW_RETURN_NOT_OK(Resize(count_each));
  return true;
}

arrow::Status GroupTable::Resize(int64_t count_each) {
  ARROW_ASSIGN_OR_RAISE(
      auto memory,
      arrow::AllocateBuffer(count_each * kPartitionCount * 8, options_.pool));
  auto* words = memory->mutable_data_as<uint64_t>();
  for (size_t i = 0; i < slots_.size(); ++i) {
    GroupSlots slots(words + static_cast<int64_t>(i) * count_each, count_each);
    if (slot_memory_ != nullptr) {
      slots.PutAll(slots_[i]);
    }
    slots_[i] = slots;
  }
  slot_memory_ = std::move(memory);
  slots_each_ = count_each;
  return arrow::Status::OK();
}

arrow::Result<bool> GroupTable::MakeSlotRoom(size_t partition) {
  if (slots_each_ < kSlotsCached) {
    return MakeSlots(std::clamp(4 * slots_each_, kSlotsFirst, kSlotsCached));
  }
  // Groups that come again after so many others are worth more slots, when
  // there is memory; those that hardly ever do are not worth being looked up.
  wants_growth_ = !options_.may_skip_lookups || looked_up_ > added_ + added_ / 32;
  if (options_.may_skip_lookups && looked_up_ < added_ + added_ / 4 &&
      added_ > slots_each_ * kPartitionCount / 3) {
    skip_ = 16 * slots_each_ * kPartitionCount;
    for (GroupPart& part : parts_) {
      part.distinct = false;
    }
  }
  if (added_ > slots_each_ * kPartitionCount / 3) {
    looked_up_ = 0;
    added_ = 0;
  }
  slots_[partition].Clear();
  parts_[partition].distinct = false;
  return true;
}

arrow::Result<int64_t> GroupTable::AppendAll(const std::string_view* keys,
                                             const uint64_t* hashes, int64_t count,
                                             uint8_t** rows) {
  for (int64_t i = 0; i < count; ++i) {
    GroupPart& part = parts_[PartitionOf(hashes[i], options_.level)];
    ARROW_ASSIGN_OR_RAISE(rows[i], Append(&part, hashes[i], keys[i]));
    if (rows[i] == nullptr) {
      return i;
    }
    part.distinct = false;
  }
  return count;
}

arrow::Result<int64_t> GroupTable::FindOrAdd(const std::string_view* keys,
                                             const uint64_t* hashes, int64_t count,
                                             uint8_t** rows) {
  if (skip_ > 0) {
    ARROW_ASSIGN_OR_RAISE(const int64_t done, AppendAll(keys, hashes, count, rows));
    skip_ -= done;
    return done;
  }
  for (int64_t begin = 0; begin < count; begin += kPrefetchRows) {
    const int64_t end = std::min(begin + kPrefetchRows, count);
    if (slots_each_ >= kPrefetchSlots) {
      for (int64_t i = begin; i < end; ++i) {
        slots_[PartitionOf(hashes[i], options_.level)].Prefetch(hashes[i]);
      }
      for (int64_t i = begin; i < end; ++i) {
        slots_[PartitionOf(hashes[i], options_.level)].PrefetchRow(hashes[i]);
      }
    }
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t hash = hashes[i];
      const size_t partition = PartitionOf(hash, options_.level);
      GroupSlots& slots = slots_[partition];
      if (slots.room() == 0) {
        ARROW_ASSIGN_OR_RAISE(const bool made, MakeSlotRoom(partition));
        if (!made) {
          return i;
        }
      }
      ++looked_up_;
      uint64_t slot = 0;
      uint8_t* row = slots.Find(*options_.layout, hash, keys[i], &slot);
      if (row == nullptr) {
        ARROW_ASSIGN_OR_RAISE(row, Append(&parts_[partition], hash, keys[i]));
        if (row == nullptr) {
          return i;
        }
        slots.Put(slot, hash, row);
        ++added_;
      }
      rows[i] = row;
    }
  }
  return count;
}

arrow::Result<char*> GroupTable::MakeRoom(const uint8_t* row, int64_t size) {
  GroupPart& part = parts_[PartitionOf(HashOf(row), options_.level)];
  ARROW_ASSIGN_OR_RAISE(uint8_t* const room, Room(&part.texts, PaddedTo8(size)));
  return reinterpret_cast<char*>(room);
}

int64_t GroupTable::part_bytes() const {
  int64_t bytes = 0;
  for (const GroupPart& part : parts_) {
    bytes += part.bytes();
  }
  return bytes;
}

int64_t GroupTable::largest(uint64_t partitions) const {
  size_t largest = 0;
  int64_t bytes = -1;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if ((partitions >> i & 1) != 0 && parts_[i].bytes() > bytes) {
      largest = i;
      bytes = parts_[i].bytes();
    }
  }
  return static_cast<int64_t>(largest);
}

GroupPart GroupTable::TakePart(int64_t partition) {
  const auto i = static_cast<size_t>(partition);
  if (slots_each_ > 0) {
    slots_[i].Clear();
  }
  GroupPart part = std::move(parts_[i]);
  parts_[i] = GroupPart();
  part.level = options_.level + 1;
  return part;
}

void GroupTable::PutPart(int64_t partition, GroupPart part) {
  part.distinct = false;  // its rows are not found any more
  parts_[static_cast<size_t>(partition)] = std::move(part);
}

int64_t GroupTable::growth_bytes() const {
  return wants_growth_ && slots_each_ < kSlotsMax ? 4 * slots_each_ * kPartitionCount * 8
                                                  : 0;
}

arrow::Status GroupTable::Grow() {
  wants_growth_ = false;
  ARROW_RETURN_NOT_OK(Resize(std::min(4 * slots_each_, kSlotsMax)));
  skip_ = 0;
  return arrow::Status::OK();
}

arrow::Result<int64_t> GroupTable::Shrink() {
  if (slots_each_ <= kSlotsCached) {
    return 0;
  }
  const int64_t bytes = (slots_each_ - kSlotsCached) * kPartitionCount * 8;
  slot_memory_ = nullptr;
  ARROW_RETURN_NOT_OK(Resize(kSlotsCached));
  for (GroupPart& part : parts_) {
    part.distinct = false;
  }
  return bytes;
}

}  // namespace wheelpit::exec
