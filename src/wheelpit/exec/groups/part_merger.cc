// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/part_merger.h"

#include <array>
#include <cstring>

namespace wheelpit::exec {

namespace {
constexpr int64_t kStepRows = 256;
}

int64_t PartMerger::SlotBytes(const GroupPart& part) {
  return GroupSlots::CountFor(part.row_count + part.spilled_rows) *
         static_cast<int64_t>(sizeof(uint64_t));
}

arrow::Result<std::unique_ptr<PartMerger>> PartMerger::Make(const GroupLayout* layout,
                                                            const GroupPart* part,
                                                            int64_t slot_bytes,
                                                            arrow::MemoryPool* pool) {
  std::unique_ptr<PartMerger> merger(new PartMerger(layout, part));
  ARROW_ASSIGN_OR_RAISE(merger->memory_, arrow::AllocateBuffer(slot_bytes, pool));
  merger->slots_ = GroupSlots(merger->memory_->mutable_data_as<uint64_t>(),
                              slot_bytes / static_cast<int64_t>(sizeof(uint64_t)));
  return merger;
}

arrow::Result<bool> PartMerger::Step() {
  std::array<uint8_t*, kStepRows> rows;
  std::array<uint8_t*, kStepRows> to;
  std::array<const uint8_t*, kStepRows> from;
  size_t count = 0;
  while (count < rows.size()) {
    uint8_t* row = walk_.Next();
    if (row == nullptr) {
      break;
    }
    slots_.Prefetch(HashOf(row));
    rows[count++] = row;
  }
  size_t merged = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t hash = HashOf(rows[i]);
    uint64_t slot = 0;
    uint8_t* first = slots_.Find(*layout_, hash, layout_->KeyOf(rows[i]), &slot);
    if (first == nullptr) {
      if (slots_.room() == 0) {
        complete_ = false;
        slots_.Clear();
        slot = hash & slots_.mask();
      }
      slots_.Put(slot, hash, rows[i]);
    } else {
      layout_->SetDead(rows[i], true);
      to[merged] = first;
      from[merged] = rows[i];
      ++merged;
    }
  }
  const auto merged_count = static_cast<int64_t>(merged);
  ARROW_RETURN_NOT_OK(
      layout_->MergeTexts(to.data(), from.data(), merged_count, nullptr).status());
  ARROW_RETURN_NOT_OK(layout_->MergeOthers(to.data(), from.data(), merged_count));
  dead_rows_ += merged_count;
  return count < rows.size();
}

void DropDeadRows(const GroupLayout& layout, int64_t dead_rows, GroupPart* part) {
  RowWalk walk(&layout, &part->rows);
  size_t page = 0;
  int64_t used = 0;
  // Rows were laid out by the same rule, so none is written before it was read.
  while (uint8_t* row = walk.Next()) {
    if (layout.IsDead(row)) {
      continue;
    }
    const int64_t bytes = layout.RowBytes(row);
    while (bytes > part->rows.pages()[page].memory->size() - used) {
      part->rows.SetUsed(page++, used);
      used = 0;
    }
    std::memmove(part->rows.pages()[page].data() + used, row, static_cast<size_t>(bytes));
    used += bytes;
  }
  if (!part->rows.pages().empty()) {
    part->rows.SetUsed(page, used);
    part->rows.DropPagesAfter(page);
  }
  part->row_count -= dead_rows;
}

}  // namespace wheelpit::exec
