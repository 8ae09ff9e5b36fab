// SPDX-License-Identifier: Apache-2.0
// The files of this machine, by openat, getdents64, statx and pread. Directories are read
// in 64 KiB pieces and their entries looked at relative to the open directory, so that
// the kernel never walks a long path twice.
#pragma once

#include <memory>
#include <string>

#include "wheelpit/fs/file_system.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::fs {

/// Stateless: any number of threads at once. Paths may be absolute or relative to the
/// working directory.
class LocalFileSystem final : public FileSystem {
 public:
  /// `syscalls` must outlive the file system and the files opened by it.
  static arrow::Result<std::unique_ptr<LocalFileSystem>> Make(io::Syscalls& syscalls);

  arrow::Result<FileInfo> Stat(const std::string& path) override;
  arrow::Result<Listing> List(const std::string& directory, const EntryFilter& wanted,
                              const arrow::StopToken& stop) override;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      const std::string& path, arrow::MemoryPool* pool) override;

 private:
  explicit LocalFileSystem(io::Syscalls& syscalls) : syscalls_(syscalls) {}

  io::Syscalls& syscalls_;
};

}  // namespace wheelpit::fs
