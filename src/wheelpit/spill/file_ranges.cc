// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/file_ranges.h"

#include <algorithm>
#include <iterator>

namespace wheelpit::spill {

namespace {

// Each piece is a system call, so pieces are few, and none is smaller than a page or than
// this share of its extent.
constexpr int64_t kPiecesMax = 8;
constexpr int64_t kLeastPiece = 4096;

}  // namespace

std::vector<FileRange> FileRanges::Take(int64_t size) {
  const int64_t least = std::max(size / kPiecesMax, kLeastPiece);
  std::vector<FileRange> taken;
  while (size > 0) {
    auto hole = free_by_size_.lower_bound({size, 0});
    if (hole == free_by_size_.end() && !free_by_size_.empty() &&
        std::ssize(taken) + 1 < kPiecesMax && std::prev(hole)->first >= least) {
      --hole;  // the largest
    }
    taken.push_back(hole == free_by_size_.end()
                        ? Grow(size)
                        : TakeFrom(free_.find(hole->second), size));
    size -= taken.back().size;
  }
  return taken;
}

void FileRanges::GiveBack(const std::vector<FileRange>& ranges) {
  for (const FileRange& range : ranges) {
    GiveBack(range);
  }
}

void FileRanges::GiveBackUnwritten(const std::vector<FileRange>& ranges) {
  GiveBack(ranges);
  peak_end_ = end_;
}

FileRange FileRanges::TakeFrom(std::map<int64_t, int64_t>::iterator free, int64_t size) {
  const auto [offset, free_size] = *free;
  RemoveFree(free);
  if (free_size > size) {
    AddFree({.offset = offset + size, .size = free_size - size});
  }
  return {.offset = offset, .size = std::min(size, free_size)};
}

FileRange FileRanges::Grow(int64_t size) {
  const FileRange grown{.offset = end_, .size = size};
  end_ += size;
  peak_end_ = std::max(peak_end_, end_);
  return grown;
}

void FileRanges::GiveBack(FileRange range) {
  const auto next = free_.lower_bound(range.offset);
  if (next != free_.end() && next->first == range.offset + range.size) {
    range.size += next->second;
    RemoveFree(next);
  }
  const auto after = free_.lower_bound(range.offset);
  if (after != free_.begin()) {
    const auto previous = std::prev(after);
    if (previous->first + previous->second == range.offset) {
      range = {.offset = previous->first, .size = range.size + previous->second};
      RemoveFree(previous);
    }
  }
  if (range.offset + range.size == end_) {
    end_ = range.offset;
  } else {
    AddFree(range);
  }
}

void FileRanges::AddFree(FileRange range) {
  free_.emplace(range.offset, range.size);
  free_by_size_.emplace(range.size, range.offset);
  free_bytes_ += range.size;
}

void FileRanges::RemoveFree(std::map<int64_t, int64_t>::iterator free) {
  free_bytes_ -= free->second;
  free_by_size_.erase({free->second, free->first});
  free_.erase(free);
}

}  // namespace wheelpit::spill
