// SPDX-License-Identifier: Apache-2.0
// What a SpillSpace turns into at its first spill: the query's quota, its files and which
// ranges of them are in use. Internal to this module.
//
// Locks: `opening` of a file is held across the system calls that open it, and only
// threads that write take it. The ranges are guarded by a lock that is held for the
// bookkeeping only, because extents are dropped on compute threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/spill/file_ranges.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::spill {

class SpillStore {
 public:
  SpillStore(const SpillSpaceOptions& options, const SpillHost& host);
  /// Closes the files; on an I/O thread when this is a compute thread.
  ~SpillStore();

  static arrow::Result<SpillExtent> Write(std::shared_ptr<SpillStore> store,
                                          uint64_t operator_id,
                                          std::span<const uint8_t> payload,
                                          core::MetricSet* metrics);
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(const SpillExtent& extent,
                                                     arrow::MemoryPool* pool);
  void Free(const SpillExtent& extent);

  const SpillQuota& quota() const { return quota_; }
  int64_t file_bytes();
  int64_t file_count() const;
  std::vector<SpillDirectoryUse> directory_use() const;

 private:
  // One per directory; opened when its turn comes.
  struct File {
    std::mutex opening;
    FileDescriptor descriptor;  // set once, under `opening`, before `fd` is
    std::atomic<int> fd{-1};
    // A write failed, and not for want of room: what is in it may still be read, and
    // more is written only when no other directory is left. (A second file in its place
    // would be one descriptor more.)
    std::atomic<bool> broken{false};
    // Its directory is full, and a write into what should have blocks failed too.
    std::atomic<bool> no_blocks{false};
    std::atomic<int64_t> bytes_written{0};
    core::Guarded<FileRanges> ranges{FileRanges(kFileHeaderBytes)};
  };

  // Where to try next; empty when every directory has refused. First a file with that
  // much room in it, then the rotation over directories that are usable, at last those
  // that are out or whose file is broken, if a probe says that they have come back.
  // `refused`: by directory, what this write met there; empty before it met anything.
  std::optional<size_t> NextDirectory(int64_t size, std::vector<arrow::Status>* refused);
  bool MayWrite(size_t index, const std::vector<arrow::Status>& refused) const;
  // Only where a file has blocks already.
  bool MayFillHoles(size_t index, const std::vector<arrow::Status>& refused) const;
  // The next of the rotation that is neither nearly full nor behind with its writes.
  std::optional<size_t> NextTurn(int64_t size, const std::vector<arrow::Status>& refused);
  arrow::Status WriteIn(size_t index, std::span<const uint8_t> payload,
                        SpillExtent* extent);
  // What a directory has done wrong, for all who may write there.
  arrow::Status Refused(size_t index, const arrow::Status& status);
  arrow::Status AllRefused(int64_t size, const std::vector<arrow::Status>& refused) const;
  // The descriptor of a directory's file. Opens it when it is not; `*directory` is what
  // that leaves to be closed.
  arrow::Result<int> FileIn(size_t index, FileDescriptor* directory);
  arrow::Status WriteBytes(int fd, const SpillExtent& extent,
                           std::span<const uint8_t> payload);
  // What an error about the extent says it is about.
  std::string Describe(const SpillExtent& extent) const;
  void Count(core::Metric metric, int64_t amount);

  const std::string query_;
  const SpillHost host_;
  core::MetricSet* const metrics_;
  SpillQuota quota_;
  const uint64_t turn_;  // identity of the query, and where its rotation begins
  std::atomic<uint64_t> extents_begun_{0};
  std::atomic<int64_t> bytes_in_turns_{0};
  std::vector<File> files_;
};

}  // namespace wheelpit::spill
