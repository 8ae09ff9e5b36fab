// SPDX-License-Identifier: Apache-2.0
// The directories that a process may spill to. Nothing here is remembered about a
// directory between two files: each file is opened afresh and its directory checked then,
// so that a disk that was mounted late, or removed and made again, is simply used.
// Any thread may call; OpenUnnamed blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::spill {

/// A descriptor that closes itself, on the thread where it ends: keep it off compute
/// threads.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(io::Syscalls* syscalls, int fd) : syscalls_(syscalls), fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : syscalls_(other.syscalls_), fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return fd_; }

 private:
  io::Syscalls* syscalls_ = nullptr;
  int fd_ = -1;
};

struct UnnamedFile {
  FileDescriptor file;
  /// Not needed any more. Handed out so that closing it need not come before the first
  /// byte.
  FileDescriptor directory;
};

class SpillDirectories {
 public:
  /// Makes no system call: a directory is looked at when a file is opened in it. At least
  /// one path, none twice, else kConfiguration. `syscalls` must outlive this.
  static arrow::Result<std::unique_ptr<SpillDirectories>> Make(
      std::vector<std::string> paths, io::Syscalls* syscalls);

  size_t size() const { return paths_.size(); }
  const std::string& path(size_t index) const { return paths_[index]; }
  io::Syscalls* syscalls() const { return syscalls_; }

  /// A number for a query that spills: unique in the process, and, modulo size(), the
  /// directory it begins with, so that queries spread.
  uint64_t NextTurn() { return next_turn_.fetch_add(1); }

  /// Opens a file that has no name and can never get one, readable by its owner only. Its
  /// bytes are gone when the process is, however it ends. Where the file system has no
  /// such files: made under a name that no other file has, and unlinked before this
  /// returns.
  ///
  /// The directory must not be a symbolic link and must belong to this user or to root,
  /// or have the sticky bit; one that everybody may write to must have it (kPermission).
  arrow::Result<UnnamedFile> OpenUnnamed(size_t index) const;

 private:
  SpillDirectories(std::vector<std::string> paths, io::Syscalls* syscalls)
      : paths_(std::move(paths)), syscalls_(syscalls) {}

  const std::vector<std::string> paths_;
  io::Syscalls* const syscalls_;
  std::atomic<uint64_t> next_turn_{0};
};

}  // namespace wheelpit::spill
