// SPDX-License-Identifier: Apache-2.0
// The compressed bytes of one column chunk, as far as they are in memory: all of them,
// those of the pages that are wanted, or a window that moves forward with one read ahead
// of it. Compute side, one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "wheelpit/core/wait.h"
#include "wheelpit/exec/scan/fetcher.h"

namespace wheelpit::exec {

class ChunkBytes {
 public:
  struct Window {
    int64_t offset;  ///< in the file
    std::shared_ptr<arrow::Buffer> buffer;
    int64_t end() const { return offset + buffer->size(); }
  };

  /// `windows` is what was read already, ascending, with holes where nobody wants what is
  /// there. What is missing is read through `fetcher`, `window_bytes` at a time.
  ChunkBytes(Fetcher* fetcher, std::shared_ptr<ScanFile> file, ByteRange chunk,
             std::vector<Window> windows, int64_t window_bytes);

  /// The `size` bytes at `offset` of the file, which must lie in the chunk. Null when
  /// they are not there yet: *wait says when to ask again. Bytes before `offset` are
  /// given up.
  arrow::Result<std::shared_ptr<arrow::Buffer>> View(int64_t offset, int64_t size,
                                                     core::Wait* wait);

  /// Bytes from `offset` on that View gives without waiting.
  int64_t available(int64_t offset) const;
  int64_t end() const { return chunk_.offset + chunk_.size_bytes; }

 private:
  arrow::Status TakeArrived();
  void Request(int64_t offset, int64_t size);
  void DropBefore(int64_t offset);
  int64_t loaded_end() const { return windows_.empty() ? -1 : windows_.back().end(); }

  Fetcher* fetcher_;
  std::shared_ptr<ScanFile> file_;
  const ByteRange chunk_;
  const int64_t window_bytes_;
  std::deque<Window> windows_;  // ascending
  std::shared_ptr<Fetch> pending_;
};

}  // namespace wheelpit::exec
