// SPDX-License-Identifier: Apache-2.0
// Syscalls: the one table of blocking calls, passed by reference to whatever touches
// files. Tests replace it to fail, shorten, delay or count any call. Called on I/O
// threads and on threads that are not ours, never on compute threads. Implementations are
// safe to call from any thread.
//
// Every function returns what the kernel returns, or the negative errno. EINTR is not
// retried here: who calls decides (io::ReadFully and io::WriteFully do).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>

namespace wheelpit::io {

class Syscalls {
 public:
  virtual ~Syscalls() = default;
  virtual int Open(int at_fd, const char* path, int flags, mode_t mode) = 0;
  virtual int Close(int fd) = 0;
  virtual ssize_t Read(int fd, void* data, size_t size) = 0;
  virtual ssize_t Write(int fd, const void* data, size_t size) = 0;
  virtual ssize_t Pread(int fd, void* data, size_t size, int64_t offset) = 0;
  virtual ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) = 0;
  /// struct linux_dirent64 records, as getdents64(2).
  virtual ssize_t Getdents(int fd, void* data, size_t size) = 0;
  virtual int Statx(int at_fd, const char* path, int flags, unsigned mask,
                    struct statx* out) = 0;
  virtual int Fstatfs(int fd, struct statfs* out) = 0;
  virtual int Fsync(int fd) = 0;
  virtual int Ftruncate(int fd, int64_t size) = 0;
  virtual int Fallocate(int fd, int mode, int64_t offset, int64_t size) = 0;
  virtual int Fadvise(int fd, int64_t offset, int64_t size, int advice) = 0;
  virtual int SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) = 0;
  virtual int Mkdir(int at_fd, const char* path, mode_t mode) = 0;
  virtual int Unlink(int at_fd, const char* path, int flags) = 0;
  virtual int Link(int from_fd, const char* from, int to_fd, const char* to,
                   int flags) = 0;
  virtual int Rename(int from_fd, const char* from, int to_fd, const char* to) = 0;
  /// The length of the target, which is not ended by a zero byte.
  virtual ssize_t Readlink(int at_fd, const char* path, char* target, size_t size) = 0;
  virtual int Fchmod(int fd, mode_t mode) = 0;
  /// A lock of the open file, gone with its last descriptor: flock(2).
  virtual int Flock(int fd, int operation) = 0;
};

/// The kernel's own calls. Stateless.
class KernelSyscalls final : public Syscalls {
 public:
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
  ssize_t Readlink(int at_fd, const char* path, char* target, size_t size) override;
  int Fchmod(int fd, mode_t mode) override;
  int Flock(int fd, int operation) override;
};

/// Reads until `size` bytes or the end of the file; retries EINTR and short reads. The
/// bytes read, or the negative errno.
ssize_t ReadFully(Syscalls& syscalls, int fd, void* data, size_t size, int64_t offset);

/// Writes all of it; retries EINTR and short writes. 0, or the negative errno of the call
/// that made no progress (a short write before ENOSPC is not a success); `*written` says
/// how far it got.
int WriteFully(Syscalls& syscalls, int fd, const void* data, size_t size, int64_t offset,
               size_t* written);

/// Calls `each` with the names in an open folder, without "." and ".."; retries EINTR. 0,
/// or the negative errno of what ended it early.
int ListNames(Syscalls& syscalls, int fd,
              const std::function<void(std::string_view)>& each);

}  // namespace wheelpit::io
