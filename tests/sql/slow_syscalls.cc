// SPDX-License-Identifier: Apache-2.0
#include "slow_syscalls.h"

#include <thread>

namespace wheelpit::sqltest {

io::Syscalls& SlowSyscalls::Late() {
  std::this_thread::sleep_for(delay_);
  return kernel_;
}

int SlowSyscalls::Open(int at_fd, const char* path, int flags, mode_t mode) {
  return Late().Open(at_fd, path, flags, mode);
}

int SlowSyscalls::Close(int fd) {
  return kernel_.Close(fd);
}

ssize_t SlowSyscalls::Read(int fd, void* data, size_t size) {
  return Late().Read(fd, data, size);
}

ssize_t SlowSyscalls::Write(int fd, const void* data, size_t size) {
  return Late().Write(fd, data, size);
}

ssize_t SlowSyscalls::Pread(int fd, void* data, size_t size, int64_t offset) {
  return Late().Pread(fd, data, size, offset);
}

ssize_t SlowSyscalls::Pwrite(int fd, const void* data, size_t size, int64_t offset) {
  return Late().Pwrite(fd, data, size, offset);
}

ssize_t SlowSyscalls::Getdents(int fd, void* data, size_t size) {
  return Late().Getdents(fd, data, size);
}

int SlowSyscalls::Statx(int at_fd, const char* path, int flags, unsigned mask,
                        struct statx* out) {
  return Late().Statx(at_fd, path, flags, mask, out);
}

int SlowSyscalls::Fstatfs(int fd, struct statfs* out) {
  return Late().Fstatfs(fd, out);
}

int SlowSyscalls::Fsync(int fd) {
  return Late().Fsync(fd);
}

int SlowSyscalls::Ftruncate(int fd, int64_t size) {
  return Late().Ftruncate(fd, size);
}

int SlowSyscalls::Fallocate(int fd, int mode, int64_t offset, int64_t size) {
  return Late().Fallocate(fd, mode, offset, size);
}

int SlowSyscalls::Fadvise(int fd, int64_t offset, int64_t size, int advice) {
  return kernel_.Fadvise(fd, offset, size, advice);
}

int SlowSyscalls::SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) {
  return Late().SyncFileRange(fd, offset, size, flags);
}

int SlowSyscalls::Mkdir(int at_fd, const char* path, mode_t mode) {
  return Late().Mkdir(at_fd, path, mode);
}

int SlowSyscalls::Unlink(int at_fd, const char* path, int flags) {
  return Late().Unlink(at_fd, path, flags);
}

int SlowSyscalls::Link(int from_fd, const char* from, int to_fd, const char* to,
                       int flags) {
  return Late().Link(from_fd, from, to_fd, to, flags);
}

int SlowSyscalls::Rename(int from_fd, const char* from, int to_fd, const char* to) {
  return Late().Rename(from_fd, from, to_fd, to);
}

}  // namespace wheelpit::sqltest
