// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_file.h"

#include <algorithm>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::fs {

namespace {

arrow::Result<int64_t> SizeOf(io::Syscalls& syscalls, int fd, const std::string& path) {
  struct statx stat = {};
  const int outcome =
      syscalls.Statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &stat);
  if (outcome < 0) {
    return core::ErrnoStatus(-outcome, "cannot look at " + Quoted(path));
  }
  if (!S_ISREG(stat.stx_mode)) {
    return core::Error(core::ErrorKind::kIo, Quoted(path), " is ",
                       S_ISDIR(stat.stx_mode) ? "a directory" : "a device or pipe",
                       ", not a file");
  }
  return static_cast<int64_t>(stat.stx_size);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> LocalFile::Adopt(
    io::Syscalls& syscalls, int fd, std::string path, arrow::MemoryPool* pool) {
  const arrow::Result<int64_t> size_bytes = SizeOf(syscalls, fd, path);
  if (!size_bytes.ok()) {
    syscalls.Close(fd);
    return size_bytes.status();
  }
  return std::shared_ptr<LocalFile>(
      new LocalFile(syscalls, fd, std::move(path), *size_bytes, pool));
}

LocalFile::LocalFile(io::Syscalls& syscalls, int fd, std::string path, int64_t size_bytes,
                     arrow::MemoryPool* pool)
    : syscalls_(syscalls),
      fd_(fd),
      path_(std::move(path)),
      size_bytes_(size_bytes),
      pool_(pool) {}

LocalFile::~LocalFile() {
  static_cast<void>(LocalFile::Close());
}

arrow::Status LocalFile::Close() {
  const int fd = fd_.exchange(-1);
  if (fd >= 0) {
    // The descriptor is gone whatever close returns, and a file that was only read has
    // nothing to lose.
    syscalls_.Close(fd);
  }
  return arrow::Status::OK();
}

bool LocalFile::closed() const {
  return fd_.load() < 0;
}

arrow::Result<int64_t> LocalFile::GetSize() {
  return size_bytes_;
}

// Why a read inside the file as it was opened came back short.
arrow::Status LocalFile::TooShort(int64_t position, int64_t size, int64_t got) const {
  return core::Error(
      core::ErrorKind::kIo, Quoted(path_), " was truncated while open: ", size,
      " bytes at offset ", position, " gave ", got, ", though the file had ", size_bytes_,
      " bytes when it was opened; do not change files while they are read");
}

arrow::Result<int64_t> LocalFile::ReadAt(int64_t position, int64_t size,
                                         bool allow_short_read, void* out) {
  const int fd = fd_.load();
  if (fd < 0) {
    return core::Error(core::ErrorKind::kInternal, Quoted(path_),
                       " is read after it was closed");
  }
  if (position < 0 || size < 0) {
    return core::Error(core::ErrorKind::kInternal, "read of ", size, " bytes at offset ",
                       position, " of ", Quoted(path_));
  }
  const int64_t expected = std::clamp<int64_t>(size_bytes_ - position, 0, size);
  if (expected < size && !allow_short_read) {
    return core::Error(core::ErrorKind::kCorrupt, Quoted(path_), " ends at byte ",
                       size_bytes_, ", but ", size, " bytes are wanted at offset ",
                       position);
  }
  // What was appended since the file was opened is never read: it is no part of what the
  // caller knows of the file.
  const ssize_t got =
      io::ReadFully(syscalls_, fd, out, static_cast<size_t>(expected), position);
  if (got < 0) {
    return core::ErrnoStatus(
        static_cast<int>(-got),
        "cannot read " + Quoted(path_) + " at offset " + std::to_string(position));
  }
  if (got < expected) {
    return TooShort(position, expected, got);
  }
  return got;
}

arrow::Result<int64_t> LocalFile::ReadAt(int64_t position, int64_t size, void* out) {
  return ReadAt(position, size, true, out);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> LocalFile::ReadAt(int64_t position,
                                                                int64_t size,
                                                                bool allow_short_read) {
  // A length that the file cannot hold must not be allocated first. The rest of the
  // checks, and the errors of bad arguments, are those of the read itself.
  const int64_t present =
      std::max<int64_t>(size_bytes_ - std::max<int64_t>(position, 0), 0);
  ARROW_ASSIGN_OR_RAISE(
      std::unique_ptr<arrow::ResizableBuffer> buffer,
      arrow::AllocateResizableBuffer(std::clamp<int64_t>(size, 0, present), pool_));
  ARROW_ASSIGN_OR_RAISE(const int64_t got,
                        ReadAt(position, size, allow_short_read, buffer->mutable_data()));
  if (got < buffer->size()) {
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
  }
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> LocalFile::ReadAt(int64_t position,
                                                                int64_t size) {
  return ReadAt(position, size, true);
}

arrow::Result<int64_t> LocalFile::Read(int64_t size, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, size, true, out));
  position_ += got;
  return got;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> LocalFile::Read(int64_t size) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, size, true));
  position_ += buffer->size();
  return buffer;
}

arrow::Status LocalFile::Seek(int64_t position) {
  if (position < 0) {
    return core::Error(core::ErrorKind::kInternal, "seek to ", position, " in ",
                       Quoted(path_));
  }
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> LocalFile::Tell() const {
  return position_;
}

}  // namespace wheelpit::fs
