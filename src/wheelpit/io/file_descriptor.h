// SPDX-License-Identifier: Apache-2.0
// A file descriptor with an owner. Not thread-safe.
#pragma once

#include <utility>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::io {

/// A descriptor that closes itself, on the thread where it ends: keep it off compute
/// threads.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(Syscalls* syscalls, int fd) : syscalls_(syscalls), fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : syscalls_(other.syscalls_), fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return fd_; }
  /// Not for one that could not be opened.
  bool ok() const { return fd_ >= 0; }

 private:
  Syscalls* syscalls_ = nullptr;
  int fd_ = -1;
};

}  // namespace wheelpit::io
