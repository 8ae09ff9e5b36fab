// SPDX-License-Identifier: Apache-2.0
// Which ranges of a spill file are in use. Bookkeeping only: no file, no lock, one thread
// at a time.
//
// A disk should hold little more than what lives on it. Extents differ in size, and a
// hole that one left rarely fits the next; taking the best hole and else growing the file
// was measured at 1.16 times the live bytes. So an extent may also lie in several holes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace wheelpit::spill {

struct FileRange {
  int64_t offset = 0;
  int64_t size = 0;
};

class FileRanges {
 public:
  /// Of a file whose first `begin` bytes are something else.
  explicit FileRanges(int64_t begin = 0) : end_(begin), peak_end_(begin) {}

  /// Takes `size` > 0 bytes: the smallest free range that is large enough, else a few
  /// smaller ones and what they lack at the end of the file. In the order in which they
  /// are to be filled.
  std::vector<FileRange> Take(int64_t size);

  /// Frees what Take gave. Ranges unite with their free neighbours; at the end of the
  /// file they make it shorter.
  void GiveBack(const std::vector<FileRange>& ranges);
  /// The same for ranges that could not be written: the file may be shorter than its
  /// peak.
  void GiveBackUnwritten(const std::vector<FileRange>& ranges);

  /// What can be taken without a longer file on disk: the holes and a tail that is free.
  int64_t room() const { return free_bytes_ + peak_end_ - end_; }
  /// The end of the last range in use.
  int64_t end() const { return end_; }
  /// The largest that end() has been: the length of the file on disk.
  int64_t peak_end() const { return peak_end_; }

 private:
  FileRange TakeFrom(std::map<int64_t, int64_t>::iterator free, int64_t size);
  FileRange Grow(int64_t size);
  void GiveBack(FileRange range);
  void AddFree(FileRange range);
  void RemoveFree(std::map<int64_t, int64_t>::iterator free);

  std::map<int64_t, int64_t> free_;                     // size by offset
  std::set<std::pair<int64_t, int64_t>> free_by_size_;  // (size, offset)
  int64_t free_bytes_ = 0;
  int64_t end_;
  int64_t peak_end_;
};

}  // namespace wheelpit::spill
