// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_store.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/core/thread_role.h"

namespace wheelpit::spill {

namespace {

using arrow::Buffer;
using arrow::Result;
using arrow::Status;
using core::ErrorKind;

// Headers start at multiples of a cache line, and so do payloads in memory.
constexpr int64_t kExtentAlignment = 64;

// A query stays with a directory for this many bytes, so that a small spill opens one
// file and a large one uses all disks alike.
constexpr int64_t kBytesPerTurn = 16 << 20;

int64_t SpaceOf(std::span<const uint8_t> payload) {
  const int64_t size = kExtentHeaderBytes + std::ssize(payload);
  return (size + kExtentAlignment - 1) / kExtentAlignment * kExtentAlignment;
}

}  // namespace

SpillStore::SpillStore(const SpillSpaceOptions& options, const SpillHost& host)
    : query_(options.query),
      host_(host),
      metrics_(options.metrics),
      quota_({.owner = "query '" + options.query + "'",
              .setting = "spill.limit",
              .limit_bytes = options.limit_bytes},
             host.quota),
      turn_(host.directories->NextTurn()),
      files_(host.directories->size()) {}

SpillStore::~SpillStore() {
  if (core::ThisThreadRole() != core::ThreadRole::kCompute || file_count() == 0) {
    return;
  }
  // Closing an unnamed file frees its blocks, which takes the file system a while.
  auto descriptors = std::make_shared<std::vector<FileDescriptor>>();
  for (File& file : files_) {
    descriptors->push_back(std::move(file.descriptor));
  }
  host_.io->Submit([descriptors] { descriptors->clear(); });
}

Result<SpillExtent> SpillStore::Write(std::shared_ptr<SpillStore> store,
                                      uint64_t operator_id,
                                      std::span<const uint8_t> payload,
                                      core::MetricSet* metrics) {
  SpillStore& self = *store;
  const int64_t size = SpaceOf(payload);
  ARROW_ASSIGN_OR_RAISE(SpillReservation reservation, self.quota_.Reserve(size));
  const size_t index = self.NextDirectory(size);
  FileDescriptor directory;
  ARROW_ASSIGN_OR_RAISE(const int fd, self.FileIn(index, &directory));
  // From here on the extent owns its range and its quota, also when the write fails.
  SpillExtent extent(std::move(store), std::move(reservation));
  extent.directory_ = index;
  extent.ranges_ = self.files_[index].ranges.Lock()->Take(size);
  extent.payload_bytes_ = std::ssize(payload);
  extent.identity_ = {.query = self.turn_,
                      .operator_id = operator_id,
                      .number = self.extents_begun_.fetch_add(1)};
  ARROW_RETURN_NOT_OK(self.WriteBytes(fd, extent, payload));
  metrics = metrics != nullptr ? metrics : self.metrics_;
  if (metrics != nullptr) {
    metrics->Add(core::Metric::kSpillExtents, 1);
    metrics->Add(core::Metric::kSpillBytesWritten,
                 kExtentHeaderBytes + std::ssize(payload));
  }
  return extent;
}

size_t SpillStore::NextDirectory(int64_t size) {
  size_t best = files_.size();
  int64_t most = size - 1;
  for (size_t i = 0; i < files_.size(); ++i) {
    const int64_t room = files_[i].failed ? 0 : files_[i].ranges.Lock()->room();
    if (room > most) {
      most = room;
      best = i;
    }
  }
  if (best < files_.size()) {
    return best;
  }
  const int64_t turns = bytes_in_turns_.fetch_add(size) / kBytesPerTurn;
  return (turn_ + static_cast<uint64_t>(turns)) % files_.size();
}

void SpillStore::EndTurn() {
  bytes_in_turns_.fetch_add(kBytesPerTurn);
}

Result<int> SpillStore::FileIn(size_t index, FileDescriptor* directory) {
  File& file = files_[index];
  if (const int fd = file.fd.load(); fd >= 0) {
    return fd;
  }
  std::lock_guard lock(file.opening);
  if (file.fd.load() < 0) {
    auto opened = host_.directories->OpenUnnamed(index);
    if (!opened.ok()) {
      EndTurn();
      return core::WithContext(opened.status(), "query '" + query_ + "'");
    }
    *directory = std::move(opened->directory);
    file.descriptor = std::move(opened->file);
    file.fd.store(file.descriptor.get());
  }
  return file.fd.load();
}

Status SpillStore::WriteBytes(int fd, const SpillExtent& extent,
                              std::span<const uint8_t> payload) {
  io::Syscalls& syscalls = *host_.directories->syscalls();
  const ExtentHeader header = MakeExtentHeader(extent.identity_, payload);
  size_t written = 0;
  int error = io::WriteFully(syscalls, fd, header.data(), header.size(),
                             extent.ranges_[0].offset, &written);
  auto left = payload;
  int64_t skip = kExtentHeaderBytes;  // what the first range holds already
  for (const FileRange& range : extent.ranges_) {
    const auto part =
        left.first(std::min(left.size(), static_cast<size_t>(range.size - skip)));
    if (error == 0) {
      error = io::WriteFully(syscalls, fd, part.data(), part.size(), range.offset + skip,
                             &written);
    }
    left = left.subspan(part.size());
    skip = 0;
  }
  files_[extent.directory_].failed = error != 0;
  if (error == 0) {
    return Status::OK();
  }
  EndTurn();
  const auto status = core::ErrnoStatus(-error, "cannot write " + Describe(extent));
  return core::KindOf(status) != ErrorKind::kDiskFull
             ? status
             : status.WithMessage(
                   status.message(),
                   "; free space there, or name another directory in spill.directories");
}

Result<std::shared_ptr<Buffer>> SpillStore::Read(const SpillExtent& extent,
                                                 arrow::MemoryPool* pool) {
  io::Syscalls& syscalls = *host_.directories->syscalls();
  const int fd = files_[extent.directory_].fd.load();
  const int64_t size = kExtentHeaderBytes + extent.payload_bytes_;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> bytes, arrow::AllocateBuffer(size, pool));
  int64_t done = 0;
  for (const FileRange& range : extent.ranges_) {
    const int64_t part = std::min(range.size, size - done);
    const ssize_t got = io::ReadFully(syscalls, fd, bytes->mutable_data() + done,
                                      static_cast<size_t>(part), range.offset);
    if (got < 0) {
      return core::ErrnoStatus(static_cast<int>(-got), "cannot read " + Describe(extent));
    }
    done += got;
    if (got < part) {
      break;  // the file ends early: what is there cannot pass the check
    }
  }
  const auto checked =
      CheckExtent(extent.identity_, {bytes->data(), static_cast<size_t>(done)});
  if (!checked.ok()) {
    return core::WithContext(checked, Describe(extent));
  }
  Count(core::Metric::kSpillBytesRead, size);
  return arrow::SliceBuffer(std::move(bytes), kExtentHeaderBytes);
}

std::string SpillStore::Describe(const SpillExtent& extent) const {
  return "extent " + std::to_string(extent.identity_.number) + " of query '" + query_ +
         "', " + core::FormatByteSize(extent.payload_bytes_) + " at byte " +
         std::to_string(extent.ranges_[0].offset) + " of its spill file in '" +
         host_.directories->path(extent.directory_) + "'";
}

void SpillStore::Free(const SpillExtent& extent) {
  files_[extent.directory_].ranges.Lock()->GiveBack(extent.ranges_);
}

int64_t SpillStore::file_bytes() {
  int64_t total = 0;
  for (File& file : files_) {
    total += file.ranges.Lock()->peak_end();
  }
  return total;
}

int64_t SpillStore::file_count() const {
  return std::count_if(files_.begin(), files_.end(),
                       [](const File& file) { return file.fd.load() >= 0; });
}

void SpillStore::Count(core::Metric metric, int64_t amount) {
  if (metrics_ != nullptr) {
    metrics_->Add(metric, amount);
  }
}

}  // namespace wheelpit::spill
