// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/group_part.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

constexpr int64_t kPageBytesMin = 4 << 10;
// From this size on buffers are mapped, and freed ones leave the process.
constexpr int64_t kPageBytesMax = 256 << 10;

}  // namespace

int64_t GroupPages::NextPageBytes(int64_t size) const {
  const int64_t quarter = bytes_ / 4 / kPageBytesMin * kPageBytesMin;
  return std::max(size, std::clamp(quarter, kPageBytesMin, kPageBytesMax));
}

arrow::Status GroupPages::AddPage(int64_t page_bytes, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto memory, arrow::AllocateBuffer(page_bytes, pool));
  if ((reinterpret_cast<uintptr_t>(memory->data()) + static_cast<uint64_t>(page_bytes)) >>
          48 !=
      0) {
    return core::Error(core::ErrorKind::kUnsupported,
                       "memory beyond 48 bits of address: not supported");
  }
  bytes_ += page_bytes;
  next_ = memory->mutable_data();
  room_ = page_bytes;
  pages_.push_back({std::move(memory), 0});
  return arrow::Status::OK();
}

void GroupPages::AddFull(std::unique_ptr<arrow::Buffer> rows) {
  const int64_t size = rows->size();
  bytes_ += size;
  room_ = 0;
  pages_.push_back({std::move(rows), size});
}

void GroupPages::Append(GroupPages other) {
  if (!other.pages_.empty()) {
    next_ = std::exchange(other.next_, nullptr);
    room_ = std::exchange(other.room_, 0);
  }
  bytes_ += std::exchange(other.bytes_, 0);
  std::move(other.pages_.begin(), other.pages_.end(), std::back_inserter(pages_));
  other.pages_.clear();
}

void GroupPages::DropPage(size_t page) {
  bytes_ -= pages_[page].memory == nullptr ? 0 : pages_[page].memory->size();
  pages_[page] = {};
  room_ = page + 1 == pages_.size() ? 0 : room_;
}

void GroupPages::DropPagesAfter(size_t page) {
  while (pages_.size() > page + 1) {
    DropPage(pages_.size() - 1);
    pages_.pop_back();
  }
  const Page& last = pages_.back();
  next_ = last.data() + last.used;
  room_ = last.memory->size() - last.used;
}

void GroupPart::Append(GroupPart other) {
  distinct = empty() ? other.distinct : other.empty() && distinct;
  rows.Append(std::move(other.rows));
  texts.Append(std::move(other.texts));
  row_count += other.row_count;
  std::move(other.runs.begin(), other.runs.end(), std::back_inserter(runs));
  spilled_rows += other.spilled_rows;
}

}  // namespace wheelpit::exec
