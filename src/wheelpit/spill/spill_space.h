// SPDX-License-Identifier: Apache-2.0
// SpillSpace: where a query puts what does not fit into memory. It is empty until the
// first spill: making and dropping one costs an allocation, no system call and no lock,
// so that every query has one and only those pay that spill.
//
// What is written is an extent: bytes in one of the query's spill files. All operators
// of a query share one file per directory in use. Write and Read block: call them on I/O
// threads, or use SpillWriter and SpillReader (spill_stream.h) from drivers. Any number
// of threads may be in any of these at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/spill/extent_format.h"
#include "wheelpit/spill/file_ranges.h"
#include "wheelpit/spill/spill_directories.h"
#include "wheelpit/spill/spill_quota.h"

namespace wheelpit::spill {

class SpillStore;

/// What a process has once and its queries share. All of it outlives every space and
/// every extent.
struct SpillHost {
  SpillDirectories* directories = nullptr;
  SpillQuota* quota = nullptr;
  /// Closes files when the last extent ends on a compute thread; null where none does.
  core::Executor* io = nullptr;
};

struct SpillSpaceOptions {
  std::string query;  ///< its name, for messages
  int64_t limit_bytes = 0;
  core::MetricSet* metrics = nullptr;  ///< may be null, else outlives the extents
};

/// Bytes on disk. Dropping it gives its place and its quota back at once; any thread may,
/// compute threads too. It may outlive its space: the files last as long as anything is
/// in them.
class SpillExtent {
 public:
  SpillExtent(SpillExtent&&) noexcept = default;
  SpillExtent& operator=(SpillExtent&& other) noexcept;
  ~SpillExtent();

  /// The bytes that were written, verified against their identity and checksum. Memory
  /// comes from `pool`, which must outlive the buffer. kCorrupt when they are not what
  /// was written, naming directory, extent and offset. Blocks.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(arrow::MemoryPool* pool) const;

  int64_t payload_bytes() const { return payload_bytes_; }
  /// What it counts against the quota: the payload, its header, and up to 63 bytes.
  int64_t space_bytes() const { return reservation_.bytes(); }

 private:
  friend class SpillStore;
  SpillExtent(std::shared_ptr<SpillStore> store, SpillReservation reservation);

  // Shared by the space and all extents, whichever ends last: operators end on compute
  // threads, writes in flight on I/O threads. Null in an extent that was moved from.
  std::shared_ptr<SpillStore> store_;
  SpillReservation reservation_;
  ExtentIdentity identity_;
  size_t directory_ = 0;
  std::vector<FileRange> ranges_;
  int64_t payload_bytes_ = 0;
};

/// What a query has written to a directory, headers included.
struct SpillDirectoryUse {
  std::string path;
  int64_t bytes_written = 0;
};

class SpillSpace {
 public:
  static std::unique_ptr<SpillSpace> Make(SpillSpaceOptions options,
                                          const SpillHost& host);
  ~SpillSpace();

  /// Writes `payload` and returns it as an extent. Nothing is left behind by a failure:
  /// kSpillLimit names the limit in the way, kDiskFull the directory and the bytes; other
  /// kinds are the operating system's. `operator_id` tells the operators of the query
  /// apart. It is counted in `metrics`, if given, instead of the space's. Blocks.
  arrow::Result<SpillExtent> Write(uint64_t operator_id, std::span<const uint8_t> payload,
                                   core::MetricSet* metrics = nullptr);

  /// Of the extents that live now.
  int64_t used_bytes() const;
  int64_t peak_bytes() const;
  /// How long its files are together, without their headers, and how many.
  int64_t file_bytes() const;
  int64_t file_count() const;
  /// By directory, in the order of SpillDirectories, without those that got nothing.
  std::vector<SpillDirectoryUse> directory_use() const;

 private:
  SpillSpace(SpillSpaceOptions options, const SpillHost& host);
  // Null before the first spill.
  std::shared_ptr<SpillStore> store() const { return *store_.Lock(); }

  SpillSpaceOptions options_;
  const SpillHost host_;
  mutable core::Guarded<std::shared_ptr<SpillStore>> store_;
};

}  // namespace wheelpit::spill
