// SPDX-License-Identifier: Apache-2.0
// Syscalls that reach the kernel unless a test overrides one; the base of those that
// fail, count or delay calls of their choice.
#pragma once

#include "wheelpit/io/syscalls.h"

namespace wheelpit::fs_conformance {

class ForwardingSyscalls : public io::Syscalls {
 public:
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    return Next().Open(at_fd, path, flags, mode);
  }
  int Close(int fd) override { return Next().Close(fd); }
  ssize_t Read(int fd, void* data, size_t size) override {
    return Next().Read(fd, data, size);
  }
  ssize_t Write(int fd, const void* data, size_t size) override {
    return Next().Write(fd, data, size);
  }
  ssize_t Pread(int fd, void* data, size_t size, int64_t offset) override {
    return Next().Pread(fd, data, size, offset);
  }
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
    return Next().Pwrite(fd, data, size, offset);
  }
  ssize_t Getdents(int fd, void* data, size_t size) override {
    return Next().Getdents(fd, data, size);
  }
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    return Next().Statx(at_fd, path, flags, mask, out);
  }
  int Fstatfs(int fd, struct statfs* out) override { return Next().Fstatfs(fd, out); }
  int Fsync(int fd) override { return Next().Fsync(fd); }
  int Ftruncate(int fd, int64_t size) override { return Next().Ftruncate(fd, size); }
  int Fallocate(int fd, int mode, int64_t offset, int64_t size) override {
    return Next().Fallocate(fd, mode, offset, size);
  }
  int Fadvise(int fd, int64_t offset, int64_t size, int advice) override {
    return Next().Fadvise(fd, offset, size, advice);
  }
  int SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) override {
    return Next().SyncFileRange(fd, offset, size, flags);
  }
  int Mkdir(int at_fd, const char* path, mode_t mode) override {
    return Next().Mkdir(at_fd, path, mode);
  }
  int Unlink(int at_fd, const char* path, int flags) override {
    return Next().Unlink(at_fd, path, flags);
  }
  int Link(int from_fd, const char* from, int to_fd, const char* to, int flags) override {
    return Next().Link(from_fd, from, to_fd, to, flags);
  }
  int Rename(int from_fd, const char* from, int to_fd, const char* to) override {
    return Next().Rename(from_fd, from, to_fd, to);
  }
  ssize_t Readlink(int at_fd, const char* path, char* target, size_t size) override {
    return Next().Readlink(at_fd, path, target, size);
  }
  int Fchmod(int fd, mode_t mode) override { return Next().Fchmod(fd, mode); }
  int Flock(int fd, int operation) override { return Next().Flock(fd, operation); }

 protected:
  /// Who does the work of a call: the place to do something before every one.
  virtual io::Syscalls& Next() { return kernel_; }

  io::KernelSyscalls kernel_;
};

}  // namespace wheelpit::fs_conformance
