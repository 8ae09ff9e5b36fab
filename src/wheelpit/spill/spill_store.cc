// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_store.h"

#include <algorithm>
#include <cerrno>
#include <limits>
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

// Of two directories one that has less than this left comes second: it would soon fail.
constexpr int64_t kLeastFree = 4 * kBytesPerTurn;

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
  // From here on the extent owns its quota, and its ranges as soon as it has some.
  SpillExtent extent(std::move(store), std::move(reservation));
  extent.payload_bytes_ = std::ssize(payload);
  extent.identity_ = {.query = self.turn_, .operator_id = operator_id, .number = 0};
  std::vector<Status> refused;
  std::optional<size_t> index;
  while ((index = self.NextDirectory(size, &refused))) {
    const Status written = self.WriteIn(*index, payload, &extent);
    if (written.ok()) {
      break;
    }
    refused.resize(self.files_.size());
    refused[*index] = written;
  }
  if (!index) {
    return self.AllRefused(size, refused);
  }
  self.host_.directories->LookSoon(self.host_.io);
  metrics = metrics != nullptr ? metrics : self.metrics_;
  if (metrics != nullptr) {
    metrics->Add(core::Metric::kSpillExtents, 1);
    metrics->Add(core::Metric::kSpillBytesWritten,
                 kExtentHeaderBytes + std::ssize(payload));
  }
  return extent;
}

std::optional<size_t> SpillStore::NextDirectory(int64_t size,
                                                std::vector<Status>* refused) {
  std::optional<size_t> best;
  int64_t most = size - 1;
  for (size_t i = 0; i < files_.size(); ++i) {
    const int64_t room = MayFillHoles(i, *refused) ? files_[i].ranges.Lock()->room() : 0;
    if (room > most) {
      most = room;
      best = i;
    }
  }
  if (!best) {
    best = NextTurn(size, *refused);
  }
  for (size_t i = 0; i < files_.size() && !best; ++i) {
    if (!refused->empty() && !(*refused)[i].ok()) {
      continue;
    }
    refused->resize(files_.size());
    (*refused)[i] = host_.directories->Probe(i, size);
    if ((*refused)[i].ok()) {
      best = i;
    }
  }
  return best;
}

bool SpillStore::MayWrite(size_t index, const std::vector<Status>& refused) const {
  return host_.directories->health(index).usable() && !files_[index].broken &&
         (refused.empty() || refused[index].ok());
}

bool SpillStore::MayFillHoles(size_t index, const std::vector<Status>& refused) const {
  const bool full = host_.directories->health(index).full();
  return full ? !files_[index].broken && !files_[index].no_blocks &&
                    (refused.empty() || refused[index].ok())
              : MayWrite(index, refused);
}

std::optional<size_t> SpillStore::NextTurn(int64_t size,
                                           const std::vector<Status>& refused) {
  const auto turns = static_cast<size_t>(bytes_in_turns_.fetch_add(size) / kBytesPerTurn);
  int64_t least_queued = std::numeric_limits<int64_t>::max();
  int64_t most_free = 0;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (MayWrite(i, refused)) {
      const DirectoryHealth& health = host_.directories->health(i);
      least_queued = std::min(least_queued, health.queued_bytes());
      most_free = std::max(most_free, health.free_bytes());
    }
  }
  std::optional<size_t> next;
  for (size_t i = 0; i < files_.size(); ++i) {
    const size_t index = (turn_ + turns + i) % files_.size();
    if (!MayWrite(index, refused)) {
      continue;
    }
    const DirectoryHealth& health = host_.directories->health(index);
    if (health.free_bytes() >= std::min(most_free, kLeastFree) &&
        health.queued_bytes() <= 2 * least_queued + kBytesPerTurn) {
      return index;
    }
    next = next ? next : index;
  }
  return next;
}

Status SpillStore::WriteIn(size_t index, std::span<const uint8_t> payload,
                           SpillExtent* extent) {
  FileDescriptor directory;
  const auto fd = FileIn(index, &directory);
  if (!fd.ok()) {
    return Refused(index, fd.status());
  }
  extent->directory_ = index;
  extent->identity_.number = extents_begun_.fetch_add(1);
  extent->ranges_ = files_[index].ranges.Lock()->Take(extent->space_bytes());
  DirectoryHealth& health = host_.directories->health(index);
  health.BeginWrite(extent->space_bytes());
  Status written = WriteBytes(*fd, *extent, payload);
  health.EndWrite(extent->space_bytes());
  if (written.ok()) {
    health.Wrote();
    if (files_[index].bytes_written == 0) {
      // After the first bytes, which a query waits for. Only for who looks from outside:
      // a failure is none, and a second time does no harm.
      const FileHeader header = MakeFileHeader(query_);
      size_t ignored = 0;
      io::WriteFully(*host_.directories->syscalls(), *fd, header.data(), header.size(), 0,
                     &ignored);
    }
    files_[index].no_blocks = false;
    files_[index].broken = false;
    files_[index].bytes_written.fetch_add(kExtentHeaderBytes + std::ssize(payload));
    return written;
  }
  files_[index].ranges.Lock()->GiveBackUnwritten(std::exchange(extent->ranges_, {}));
  if (core::KindOf(written) != ErrorKind::kDiskFull) {
    files_[index].broken = true;
  }
  files_[index].no_blocks = health.full();
  return Refused(index, written);
}

Status SpillStore::Refused(size_t index, const Status& status) {
  // Want of descriptors or of kernel memory is the machine's, not the directory's.
  const ErrorKind kind = core::KindOf(status);
  if (kind != ErrorKind::kUnavailable && kind != ErrorKind::kMemoryLimit) {
    host_.directories->Out(index, status);
  }
  return status;
}

Status SpillStore::AllRefused(int64_t size, const std::vector<Status>& refused) const {
  if (refused.size() == 1) {
    return refused[0];
  }
  ErrorKind kind = core::KindOf(refused[0]);
  std::string reasons;
  for (size_t i = 0; i < refused.size(); ++i) {
    if (core::KindOf(refused[i]) == ErrorKind::kDiskFull) {
      kind = ErrorKind::kDiskFull;
    }
    reasons += (i == 0 ? "" : "; ") + refused[i].message();
  }
  return core::Error(kind, "query '", query_, "' cannot spill ",
                     core::FormatByteSize(size), ": none of the ", refused.size(),
                     " spill directories takes it: ", reasons);
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
  if (error == 0) {
    return Status::OK();
  }
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
    total += file.ranges.Lock()->peak_end() - kFileHeaderBytes;
  }
  return total;
}

int64_t SpillStore::file_count() const {
  return std::count_if(files_.begin(), files_.end(),
                       [](const File& file) { return file.fd.load() >= 0; });
}

std::vector<SpillDirectoryUse> SpillStore::directory_use() const {
  std::vector<SpillDirectoryUse> use;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (const int64_t bytes = files_[i].bytes_written.load(); bytes > 0) {
      use.push_back({.path = host_.directories->path(i), .bytes_written = bytes});
    }
  }
  return use;
}

void SpillStore::Count(core::Metric metric, int64_t amount) {
  if (metrics_ != nullptr) {
    metrics_->Add(metric, amount);
  }
}

}  // namespace wheelpit::spill
