// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/fetcher.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using core::Error;
using core::ErrorKind;
using core::Metric;

// A hole of this size costs about as much to read as one more call.
constexpr int64_t kHoleBytesMax = int64_t{64} << 10;
// Ranges are joined up to this size, so that a buffer that lives as long as its last
// range does not hold much more than that range.
constexpr int64_t kJoinedBytesMax = int64_t{4} << 20;

struct Read {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<size_t> ranges;
};

std::vector<Read> Join(const std::vector<ByteRange>& ranges) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return ranges[a].offset < ranges[b].offset; });
  std::vector<Read> reads;
  for (const size_t i : order) {
    const int64_t begin = ranges[i].offset;
    const int64_t end = begin + ranges[i].size_bytes;
    const bool joined =
        !reads.empty() && begin - reads.back().end <= kHoleBytesMax &&
        std::max(end, reads.back().end) - reads.back().begin <= kJoinedBytesMax;
    if (!joined) reads.push_back({.begin = begin, .end = begin, .ranges = {}});
    reads.back().end = std::max(reads.back().end, end);
    reads.back().ranges.push_back(i);
  }
  return reads;
}

arrow::Status ReadOne(const Read& read, arrow::io::RandomAccessFile& handle,
                      const FetcherOptions& options, Fetch* fetch) {
  const int64_t size = read.end - read.begin;
  ARROW_ASSIGN_OR_RAISE(auto owned, arrow::AllocateBuffer(size, options.pool));
  ARROW_ASSIGN_OR_RAISE(const int64_t got,
                        handle.ReadAt(read.begin, size, owned->mutable_data()));
  options.metrics->Add(Metric::kReads, 1);
  options.metrics->Add(Metric::kBytesRead, got);
  if (got != size) {
    return Error(ErrorKind::kCorrupt, "it ends at byte ", read.begin + got,
                 ", before byte ", read.end,
                 ": it was cut short while it was read; run the query again");
  }
  const std::shared_ptr<arrow::Buffer> buffer = std::move(owned);
  for (const size_t i : read.ranges) {
    const ByteRange& range = fetch->ranges[i];
    fetch->buffers[i] =
        arrow::SliceBuffer(buffer, range.offset - read.begin, range.size_bytes);
  }
  return arrow::Status::OK();
}

arrow::Status ReadAll(const FetcherOptions& options, Fetch* fetch) {
  ARROW_ASSIGN_OR_RAISE(auto handle,
                        fetch->file->Open(options.file_system, options.pool));
  fetch->buffers.resize(fetch->ranges.size());
  for (const Read& read : Join(fetch->ranges)) {
    ARROW_RETURN_NOT_OK(options.stop.Poll());
    const auto status = ReadOne(read, *handle, options, fetch);
    if (!status.ok()) return core::WithContext(status, fetch->file->path());
  }
  return arrow::Status::OK();
}

arrow::Status Cancelled() {
  return Error(ErrorKind::kCancelled, "the query was cancelled");
}

void Run(const FetcherOptions& options, bool abandoned, Fetch* fetch) {
  if (abandoned) {
    fetch->status = Cancelled();
  } else {
    fetch->status = core::CatchBadAlloc([&] { return ReadAll(options, fetch); });
    if (fetch->status.IsCancelled()) fetch->status = Cancelled();
  }
  if (!fetch->status.ok()) fetch->buffers.clear();
  if (fetch->close_file || abandoned) fetch->file->Close();
  fetch->done.Fire();
}

}  // namespace

ScanFile::~ScanFile() {
  auto last = std::move(*handle_.Lock());
  if (last == nullptr) return;
  // A group that is closed takes nothing more; its owner closes it on a thread that may
  // block, after the drivers have ended, and this is that thread.
  static_cast<void>(
      io_tasks_->Spawn([last = std::move(last)] { return arrow::Status::OK(); }));
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> ScanFile::Open(
    fs::FileSystem* file_system, arrow::MemoryPool* pool) {
  auto handle = handle_.Lock();
  if (*handle != nullptr) return *handle;
  auto found = file_system->Open(path_, pool);
  if (!found.ok() && core::KindOf(found.status()) == ErrorKind::kNotFound) {
    return Error(ErrorKind::kNotFound, path_,
                 ": it was removed since it was listed; run the query again");
  }
  ARROW_ASSIGN_OR_RAISE(auto opened, std::move(found));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, opened->GetSize());
  if (size != size_bytes_) {
    return Error(ErrorKind::kCorrupt, path_, ": it has ", size, " bytes and had ",
                 size_bytes_, " when it was listed: it was written or cut short since; ",
                 "run the query again");
  }
  *handle = std::move(opened);
  return *handle;
}

void ScanFile::Close() {
  std::shared_ptr<arrow::io::RandomAccessFile> last;
  last.swap(*handle_.Lock());
}

Fetcher::Fetcher(FetcherOptions options)
    : options_(std::move(options)),
      abandoned_(std::make_shared<std::atomic<bool>>(false)) {}

Fetcher::~Fetcher() {
  *abandoned_ = true;
}

void Fetcher::Start(std::vector<std::shared_ptr<Fetch>> fetches) {
  if (fetches.empty()) return;
  auto task = [options = options_, abandoned = abandoned_, fetches]() mutable {
    for (auto& fetch : fetches) {
      Run(options, abandoned->load(), fetch.get());
      fetch = nullptr;
    }
    return arrow::Status::OK();
  };
  if (options_.io_tasks->Spawn(std::move(task))) return;
  for (const auto& fetch : fetches) {
    fetch->status = Cancelled();
    fetch->done.Fire();
  }
}

void Fetcher::Close(std::shared_ptr<ScanFile> file) {
  options_.io_tasks->Spawn([file = std::move(file)] {
    file->Close();
    return arrow::Status::OK();
  });
}

}  // namespace wheelpit::exec
