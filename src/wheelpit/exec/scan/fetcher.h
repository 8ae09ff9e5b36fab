// SPDX-License-Identifier: Apache-2.0
// The I/O side of a scan: reads of byte ranges, done on I/O threads, awaited by parking.
//
// Threads: a Fetcher belongs to the compute side and is used by one thread at a time. A
// Fetch is made there, filled by an I/O thread, and read again on the compute side once
// its wait is ready: firing the signal publishes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/fs/file_system.h"

namespace wheelpit::exec {

struct ByteRange {
  int64_t offset = 0;
  int64_t size_bytes = 0;
};

/// A file that is opened by the first read of it. Any thread.
class ScanFile {
 public:
  /// `io_tasks` is where the file is closed when the last holder goes without having done
  /// it: that may be a compute thread, and reads that ran in another order than they were
  /// asked for reopen a file.
  ScanFile(std::string path, int64_t size_bytes, core::TaskGroup* io_tasks)
      : path_(std::move(path)), size_bytes_(size_bytes), io_tasks_(io_tasks) {}
  ~ScanFile();

  const std::string& path() const { return path_; }

  /// Blocks. Fails when the file is no longer as large as it was listed.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      fs::FileSystem* file_system, arrow::MemoryPool* pool);
  /// Blocks. Reads that go on keep their handle.
  void Close();

 private:
  const std::string path_;
  const int64_t size_bytes_;
  core::TaskGroup* const io_tasks_;
  core::Guarded<std::shared_ptr<arrow::io::RandomAccessFile>> handle_;
};

/// One read: ranges of one file.
struct Fetch {
  std::shared_ptr<ScanFile> file;
  std::vector<ByteRange> ranges;
  bool close_file = false;  ///< after this read: nothing more of the file is wanted
  core::Signal done;

  // Set by the I/O thread before `done` fires.
  arrow::Status status;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;  ///< by range
};

struct FetcherOptions {
  fs::FileSystem* file_system = nullptr;
  arrow::MemoryPool* pool = nullptr;
  core::TaskGroup* io_tasks = nullptr;  ///< over I/O threads
  core::MetricSet* metrics = nullptr;
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
};

class Fetcher {
 public:
  explicit Fetcher(FetcherOptions options);
  /// Reads that have not begun are given up. Never blocks.
  ~Fetcher();

  /// One I/O task does all of them, in order. Never blocks; a group that is closed fails
  /// them with kCancelled.
  void Start(std::vector<std::shared_ptr<Fetch>> fetches);

  arrow::MemoryPool* pool() const { return options_.pool; }

  /// Closes a file on an I/O thread.
  void Close(std::shared_ptr<ScanFile> file);

 private:
  FetcherOptions options_;
  // Shared with the tasks in flight.
  std::shared_ptr<std::atomic<bool>> abandoned_;
};

}  // namespace wheelpit::exec
