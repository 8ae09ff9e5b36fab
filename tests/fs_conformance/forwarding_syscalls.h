// SPDX-License-Identifier: Apache-2.0
// Syscalls that reach the kernel unless a test overrides one.
#pragma once

#include "wheelpit/io/syscalls.h"

namespace wheelpit::fs_conformance {

class ForwardingSyscalls : public io::Syscalls {
 public:
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    return kernel_.Open(at_fd, path, flags, mode);
  }
  int Close(int fd) override { return kernel_.Close(fd); }
  ssize_t Read(int fd, void* data, size_t size) override {
    return kernel_.Read(fd, data, size);
  }
  ssize_t Write(int fd, const void* data, size_t size) override {
    return kernel_.Write(fd, data, size);
  }
  ssize_t Pread(int fd, void* data, size_t size, int64_t offset) override {
    return kernel_.Pread(fd, data, size, offset);
  }
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
    return kernel_.Pwrite(fd, data, size, offset);
  }
  ssize_t Getdents(int fd, void* data, size_t size) override {
    return kernel_.Getdents(fd, data, size);
  }
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    return kernel_.Statx(at_fd, path, flags, mask, out);
  }
  int Fstatfs(int fd, struct statfs* out) override { return kernel_.Fstatfs(fd, out); }
  int Fsync(int fd) override { return kernel_.Fsync(fd); }
  int Ftruncate(int fd, int64_t size) override { return kernel_.Ftruncate(fd, size); }
  int Fallocate(int fd, int mode, int64_t offset, int64_t size) override {
    return kernel_.Fallocate(fd, mode, offset, size);
  }
  int Fadvise(int fd, int64_t offset, int64_t size, int advice) override {
    return kernel_.Fadvise(fd, offset, size, advice);
  }
  int SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) override {
    return kernel_.SyncFileRange(fd, offset, size, flags);
  }
  int Mkdir(int at_fd, const char* path, mode_t mode) override {
    return kernel_.Mkdir(at_fd, path, mode);
  }
  int Unlink(int at_fd, const char* path, int flags) override {
    return kernel_.Unlink(at_fd, path, flags);
  }
  int Link(int from_fd, const char* from, int to_fd, const char* to, int flags) override {
    return kernel_.Link(from_fd, from, to_fd, to, flags);
  }
  int Rename(int from_fd, const char* from, int to_fd, const char* to) override {
    return kernel_.Rename(from_fd, from, to_fd, to);
  }

 protected:
  io::KernelSyscalls kernel_;
};

}  // namespace wheelpit::fs_conformance
