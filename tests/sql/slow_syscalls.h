// SPDX-License-Identifier: Apache-2.0
// The kernel's calls, each late: what is only right on a fast disk goes wrong over these.
#pragma once

#include <chrono>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::sqltest {

/// Waits before every call that may wait for a disk. Any thread.
class SlowSyscalls final : public io::Syscalls {
 public:
  explicit SlowSyscalls(std::chrono::microseconds delay) : delay_(delay) {}

  int Open(int at_fd, const char* path, int flags, mode_t mode) override;
  int Close(int fd) override;
  ssize_t Read(int fd, void* data, size_t size) override;
  ssize_t Write(int fd, const void* data, size_t size) override;
  ssize_t Pread(int fd, void* data, size_t size, int64_t offset) override;
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override;
  ssize_t Getdents(int fd, void* data, size_t size) override;
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override;
  int Fstatfs(int fd, struct statfs* out) override;
  int Fsync(int fd) override;
  int Ftruncate(int fd, int64_t size) override;
  int Fallocate(int fd, int mode, int64_t offset, int64_t size) override;
  int Fadvise(int fd, int64_t offset, int64_t size, int advice) override;
  int SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) override;
  int Mkdir(int at_fd, const char* path, mode_t mode) override;
  int Unlink(int at_fd, const char* path, int flags) override;
  int Link(int from_fd, const char* from, int to_fd, const char* to, int flags) override;
  int Rename(int from_fd, const char* from, int to_fd, const char* to) override;

 private:
  io::Syscalls& Late();

  const std::chrono::microseconds delay_;
  io::KernelSyscalls kernel_;
};

}  // namespace wheelpit::sqltest
