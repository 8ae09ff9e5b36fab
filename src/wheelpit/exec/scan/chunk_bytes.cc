// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/chunk_bytes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

ChunkBytes::ChunkBytes(Fetcher* fetcher, std::shared_ptr<ScanFile> file, ByteRange chunk,
                       std::vector<Window> windows, int64_t window_bytes)
    : fetcher_(fetcher),
      file_(std::move(file)),
      chunk_(chunk),
      window_bytes_(window_bytes),
      windows_(std::make_move_iterator(windows.begin()),
               std::make_move_iterator(windows.end())) {}

int64_t ChunkBytes::available(int64_t offset) const {
  if (windows_.empty() || offset < windows_.front().offset) return 0;
  int64_t end = windows_.front().end();
  for (size_t i = 1; i < windows_.size() && windows_[i].offset == end; ++i) {
    end = windows_[i].end();
  }
  return std::max<int64_t>(end - offset, 0);
}

arrow::Status ChunkBytes::TakeArrived() {
  if (pending_ == nullptr || !pending_->done.fired()) return arrow::Status::OK();
  const auto fetch = std::move(pending_);
  pending_ = nullptr;
  ARROW_RETURN_NOT_OK(fetch->status);
  if (loaded_end() != fetch->ranges[0].offset) windows_.clear();
  windows_.push_back({fetch->ranges[0].offset, fetch->buffers[0]});
  return arrow::Status::OK();
}

void ChunkBytes::Request(int64_t offset, int64_t size) {
  pending_ = std::make_shared<Fetch>();
  pending_->file = file_;
  pending_->ranges = {{offset, std::min(size, end() - offset)}};
  fetcher_->Start({pending_});
}

void ChunkBytes::DropBefore(int64_t offset) {
  while (!windows_.empty() && windows_.front().end() <= offset &&
         (windows_.size() > 1 || offset > windows_.front().end())) {
    windows_.pop_front();
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ChunkBytes::View(int64_t offset,
                                                               int64_t size,
                                                               core::Wait* wait) {
  ARROW_RETURN_NOT_OK(TakeArrived());
  DropBefore(offset);
  const int64_t last = offset + size;
  if (const int64_t have = available(offset); have < size) {
    if (pending_ == nullptr) {
      // Windows continue each other; after a jump a new row of them begins.
      const int64_t from = offset + have == loaded_end() ? loaded_end() : offset;
      Request(from, std::max(window_bytes_, last - from));
    }
    *wait = pending_->done.wait();
    return nullptr;
  }
  // One window ahead of the one in use.
  if (window_bytes_ > 0 && pending_ == nullptr && loaded_end() < end() &&
      offset >= windows_.back().offset) {
    Request(loaded_end(), window_bytes_);
  }
  if (const Window& front = windows_.front(); last <= front.end()) {
    return arrow::SliceBuffer(front.buffer, offset - front.offset, size);
  }
  auto allocated = arrow::AllocateBuffer(size, fetcher_->pool());
  if (!allocated.ok()) return core::WithContext(allocated.status(), file_->path());
  auto joined = *std::move(allocated);
  int64_t filled = 0;
  for (const Window& window : windows_) {
    const int64_t begin = std::max(window.offset, offset);
    const int64_t count = std::min(window.end(), last) - begin;
    if (count <= 0) continue;
    std::memcpy(joined->mutable_data() + filled,
                window.buffer->data() + (begin - window.offset),
                static_cast<size_t>(count));
    filled += count;
  }
  return joined;
}

}  // namespace wheelpit::exec
