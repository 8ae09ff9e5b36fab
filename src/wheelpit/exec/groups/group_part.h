// SPDX-License-Identifier: Apache-2.0
// Rows of groups in pages, and what there is of one partition.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/groups/group_layout.h"
#include "wheelpit/spill/spill_stream.h"

namespace wheelpit::exec {

/// Memory that is handed out from its front and freed as a whole. Pages grow
/// with what there is already, so that at most a quarter of it (and a small
/// page) is unused.
class GroupPages {
 public:
  struct Page {
    std::unique_ptr<arrow::Buffer> memory;
    int64_t used = 0;
    uint8_t* data() const { return memory->mutable_data(); }
  };

  GroupPages() = default;
  GroupPages(GroupPages&& other) noexcept { *this = std::move(other); }
  GroupPages& operator=(GroupPages&& other) noexcept {
    pages_ = std::exchange(other.pages_, {});
    bytes_ = std::exchange(other.bytes_, 0);
    next_ = std::exchange(other.next_, nullptr);
    room_ = std::exchange(other.room_, 0);
    return *this;
  }

  /// `size` bytes (a multiple of 8), or null: then a page must be added first.
  uint8_t* Room(int64_t size) {
    if (size > room_) {
      return nullptr;
    }
    uint8_t* room = next_;
    next_ += size;
    room_ -= size;
    pages_.back().used += size;
    // Rows go to many pages in turn, each to its next line.
    __builtin_prefetch(next_ + 64, 1);
    return room;
  }
  /// The size of the page that has to be added for `size` bytes more.
  int64_t NextPageBytes(int64_t size) const;
  arrow::Status AddPage(int64_t page_bytes, arrow::MemoryPool* pool);
  /// A page that is full already.
  void AddFull(std::unique_ptr<arrow::Buffer> rows);
  void Append(GroupPages other);

  const std::vector<Page>& pages() const { return pages_; }
  void DropPage(size_t page);  ///< frees its memory; it has no rows then
  /// Before DropPagesAfter, which is to follow.
  void SetUsed(size_t page, int64_t used) { pages_[page].used = used; }
  void DropPagesAfter(size_t page);
  int64_t bytes() const { return bytes_; }  ///< allocated

 private:
  std::vector<Page> pages_;
  int64_t bytes_ = 0;
  // Of the last page what is free: beside each other, since it is looked at for each row.
  uint8_t* next_ = nullptr;
  int64_t room_ = 0;
};

/// The groups whose hashes begin alike, as far as they are together: in memory,
/// and on disk. A group may have several rows.
struct GroupPart {
  GroupPages rows;
  GroupPages texts;
  int64_t row_count = 0;  ///< in memory
  std::vector<spill::SpillRun> runs;
  int64_t spilled_rows = 0;
  int level = 0;         ///< how often the hash was looked at to get here
  bool distinct = true;  ///< no two rows in memory have the same key

  int64_t bytes() const { return rows.bytes() + texts.bytes(); }
  bool empty() const { return row_count == 0 && runs.empty(); }
  void Append(GroupPart other);
};

/// A level looks at 6 bits of the hash.
constexpr int kPartitionBits = 6;
constexpr int64_t kPartitionCount = int64_t{1} << kPartitionBits;
/// At the last one nothing is left that could tell groups apart.
constexpr int kLevelMax = 64 / kPartitionBits - 1;

inline size_t PartitionOf(uint64_t hash, int level) {
  return static_cast<size_t>(hash >> (64 - kPartitionBits * (level + 1))) &
         static_cast<size_t>(kPartitionCount - 1);
}

/// Goes through the rows of pages one after the other.
class RowWalk {
 public:
  RowWalk(const GroupLayout* layout, const GroupPages* pages)
      : layout_(layout), pages_(pages) {}

  /// Null at the end.
  uint8_t* Next() {
    while (page_ < pages_->pages().size()) {
      const GroupPages::Page& page = pages_->pages()[page_];
      if (offset_ < page.used) {
        uint8_t* row = page.data() + offset_;
        offset_ += layout_->RowBytes(row);
        return row;
      }
      ++page_;
      offset_ = 0;
    }
    return nullptr;
  }
  /// Pages before this one have been gone through.
  size_t page() const { return page_; }

 private:
  const GroupLayout* layout_;
  const GroupPages* pages_;
  size_t page_ = 0;
  int64_t offset_ = 0;
};

}  // namespace wheelpit::exec
