// SPDX-License-Identifier: Apache-2.0
// Reads of many ranges of one file, coalesced and done ahead on I/O threads. Who decodes
// the bytes asks for all of them first, parks on wait(), and then takes each range from
// memory: nothing here ever reads on the thread that asks.
//
// The buffers are allocated when the request is made. So a request that does not fit the
// budget of its pool fails at once (reserve PlannedBytes first), and one that was made
// cannot run out of memory later. At most one read per I/O thread is queued per request,
// so that requests take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"

namespace wheelpit::io {

struct ReadRange {
  int64_t offset = 0;
  int64_t size_bytes = 0;
  friend auto operator<=>(const ReadRange&, const ReadRange&) = default;
};

struct ReadRangeOptions {
  /// Ranges nearer than this are read together with the hole between them: at 1 GB/s a
  /// hole of 64 KiB costs about as much as one more call.
  int64_t hole_bytes_max = int64_t{64} << 10;
  /// Ranges are joined up to this size, and longer ones are read in pieces of it (into
  /// one buffer), which may run at the same time.
  int64_t read_bytes_max = int64_t{4} << 20;
};

/// Where and with what to read. Everything but `file` is borrowed: executor and metrics
/// until wait() is ready, pool until the buffers are gone too.
struct PrefetchRequest {
  std::shared_ptr<arrow::io::RandomAccessFile> file;  ///< its ReadAt from any thread
  std::string path;                                   ///< for errors
  core::Executor* executor = nullptr;                 ///< I/O threads
  arrow::MemoryPool* pool = nullptr;
  /// Looked at before each read: a requested stop makes the request fail with kCancelled.
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  core::MetricSet* metrics = nullptr;  ///< bytes_read (holes included) and reads, or null
  ReadRangeOptions options;
};

/// The ranges of one request. One thread at a time; destroying it abandons what was not
/// read yet and never blocks.
class PrefetchedRanges {
 public:
  ~PrefetchedRanges();
  PrefetchedRanges(const PrefetchedRanges&) = delete;
  PrefetchedRanges& operator=(const PrefetchedRanges&) = delete;

  /// Ready when everything was read or given up, and no thread is inside this request or
  /// will be: from then on the request uses neither file nor executor, and, once this
  /// object and the buffers taken are gone, not the pool either. Stays valid after this
  /// object.
  core::Wait wait() const;

  /// The bytes of a range exactly as it was asked for; each is given once. Never blocks.
  /// Errors: the request's failure (read error, truncated file, stop); kInternal when
  /// wait() is not ready or the range was never asked for or was taken already. Joined
  /// ranges share memory, which goes when the last of them does.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Take(ReadRange range);

 private:
  friend arrow::Result<std::unique_ptr<PrefetchedRanges>> PrefetchRanges(
      PrefetchRequest request, const std::vector<ReadRange>& ranges);
  struct State;
  explicit PrefetchedRanges(std::shared_ptr<State> state);
  // Shared with the reads in flight, which may outlive this object.
  std::shared_ptr<State> state_;
};

/// Begins to read; never blocks. Ranges may come in any order, overlap, repeat and be
/// empty. Errors: kMemoryLimit from the pool; kCorrupt for a range that no file has
/// (negative, beyond 2^63). What goes wrong later comes from Take and names path, offset
/// and size; a file that ends within a range was truncated while it was read (kCorrupt).
arrow::Result<std::unique_ptr<PrefetchedRanges>> PrefetchRanges(
    PrefetchRequest request, const std::vector<ReadRange>& ranges);

/// Bytes that a request for these ranges allocates from its pool: the joined ranges with
/// the holes between them. Bad ranges count nothing.
int64_t PlannedBytes(const std::vector<ReadRange>& ranges,
                     const ReadRangeOptions& options = {});

}  // namespace wheelpit::io
