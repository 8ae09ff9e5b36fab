// SPDX-License-Identifier: Apache-2.0
// LocalFile: an open file of this machine as Arrow's readers want it. Reads are pread,
// so that no call moves a position that another one uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <arrow/io/interfaces.h>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::fs {

/// ReadAt: any number of threads at once. Read, Seek and Tell (which Arrow's interface
/// asks for) keep a position of their own and are for one thread.
class LocalFile final : public arrow::io::RandomAccessFile {
 public:
  /// Takes `fd` over, on failure too (anything but a regular file is a kIo error).
  /// `syscalls` and `pool` must outlive the file.
  static arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Adopt(
      io::Syscalls& syscalls, int fd, std::string path, arrow::MemoryPool* pool);
  ~LocalFile() override;

  arrow::Status Close() override;
  bool closed() const override;
  /// The size when it was opened: what every later check is measured against.
  arrow::Result<int64_t> GetSize() override;

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, bool allow_short_read,
                                void* out) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t size,
                                                       bool allow_short_read) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position,
                                                       int64_t size) override;

  arrow::Result<int64_t> Read(int64_t size, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override;
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> Tell() const override;

 private:
  LocalFile(io::Syscalls& syscalls, int fd, std::string path, int64_t size_bytes,
            arrow::MemoryPool* pool);
  arrow::Status TooShort(int64_t position, int64_t size, int64_t got) const;

  io::Syscalls& syscalls_;
  std::atomic<int> fd_;  // -1: closed
  const std::string path_;
  const int64_t size_bytes_;
  arrow::MemoryPool* const pool_;
  int64_t position_ = 0;
};

}  // namespace wheelpit::fs
