// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/syscalls.h"

#include <cerrno>
#include <cstdio>

#include <dirent.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/thread_role.h"
#include "wheelpit/io/file_descriptor.h"

namespace wheelpit::io {

namespace {

// Calls that libc does not name (getdents64, statx) are invisible to the blocking guard,
// so every entry here is checked too.
void CheckMayBlock() {
  WHEELPIT_DCHECK(core::ThisThreadRole() != core::ThreadRole::kCompute,
                  "a compute thread entered io::Syscalls");
}

template <typename T>
T Outcome(T result) {
  return result < 0 ? static_cast<T>(-errno) : result;
}

}  // namespace

int KernelSyscalls::Open(int at_fd, const char* path, int flags, mode_t mode) {
  CheckMayBlock();
  return Outcome(::openat(at_fd, path, flags, mode));
}

int KernelSyscalls::Close(int fd) {
  CheckMayBlock();
  return Outcome(::close(fd));
}

ssize_t KernelSyscalls::Read(int fd, void* data, size_t size) {
  CheckMayBlock();
  return Outcome(::read(fd, data, size));
}

ssize_t KernelSyscalls::Write(int fd, const void* data, size_t size) {
  CheckMayBlock();
  return Outcome(::write(fd, data, size));
}

ssize_t KernelSyscalls::Pread(int fd, void* data, size_t size, int64_t offset) {
  CheckMayBlock();
  return Outcome(::pread(fd, data, size, offset));
}

ssize_t KernelSyscalls::Pwrite(int fd, const void* data, size_t size, int64_t offset) {
  CheckMayBlock();
  return Outcome(::pwrite(fd, data, size, offset));
}

ssize_t KernelSyscalls::Getdents(int fd, void* data, size_t size) {
  CheckMayBlock();
  return Outcome(static_cast<ssize_t>(::syscall(SYS_getdents64, fd, data, size)));
}

int KernelSyscalls::Statx(int at_fd, const char* path, int flags, unsigned mask,
                          struct statx* out) {
  CheckMayBlock();
  return Outcome(::statx(at_fd, path, flags, mask, out));
}

int KernelSyscalls::Fstatfs(int fd, struct statfs* out) {
  CheckMayBlock();
  return Outcome(::fstatfs(fd, out));
}

int KernelSyscalls::Fsync(int fd) {
  CheckMayBlock();
  return Outcome(::fsync(fd));
}

int KernelSyscalls::Ftruncate(int fd, int64_t size) {
  CheckMayBlock();
  return Outcome(::ftruncate(fd, size));
}

int KernelSyscalls::Fallocate(int fd, int mode, int64_t offset, int64_t size) {
  CheckMayBlock();
  return Outcome(::fallocate(fd, mode, offset, size));
}

int KernelSyscalls::Fadvise(int fd, int64_t offset, int64_t size, int advice) {
  CheckMayBlock();
  // posix_fadvise returns the error instead of setting errno.
  return -::posix_fadvise(fd, offset, size, advice);
}

int KernelSyscalls::SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) {
  CheckMayBlock();
  return Outcome(::sync_file_range(fd, offset, size, flags));
}

int KernelSyscalls::Mkdir(int at_fd, const char* path, mode_t mode) {
  CheckMayBlock();
  return Outcome(::mkdirat(at_fd, path, mode));
}

int KernelSyscalls::Unlink(int at_fd, const char* path, int flags) {
  CheckMayBlock();
  return Outcome(::unlinkat(at_fd, path, flags));
}

int KernelSyscalls::Link(int from_fd, const char* from, int to_fd, const char* to,
                         int flags) {
  CheckMayBlock();
  return Outcome(::linkat(from_fd, from, to_fd, to, flags));
}

int KernelSyscalls::Rename(int from_fd, const char* from, int to_fd, const char* to) {
  CheckMayBlock();
  return Outcome(::renameat(from_fd, from, to_fd, to));
}

ssize_t KernelSyscalls::Readlink(int at_fd, const char* path, char* target, size_t size) {
  CheckMayBlock();
  return Outcome(::readlinkat(at_fd, path, target, size));
}

int KernelSyscalls::Fchmod(int fd, mode_t mode) {
  CheckMayBlock();
  return Outcome(::fchmod(fd, mode));
}

int KernelSyscalls::Flock(int fd, int operation) {
  CheckMayBlock();
  return Outcome(::flock(fd, operation));
}

ssize_t ReadFully(Syscalls& syscalls, int fd, void* data, size_t size, int64_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = syscalls.Pread(fd, static_cast<char*>(data) + done, size - done,
                                       offset + static_cast<int64_t>(done));
    if (got == -EINTR) {
      continue;
    }
    if (got < 0) {
      return got;
    }
    if (got == 0) {
      break;
    }
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

int WriteFully(Syscalls& syscalls, int fd, const void* data, size_t size, int64_t offset,
               size_t* written) {
  *written = 0;
  while (*written < size) {
    const ssize_t put =
        syscalls.Pwrite(fd, static_cast<const char*>(data) + *written, size - *written,
                        offset + static_cast<int64_t>(*written));
    if (put == -EINTR) {
      continue;
    }
    if (put < 0) {
      return static_cast<int>(put);
    }
    if (put == 0) {
      return -ENOSPC;
    }
    *written += static_cast<size_t>(put);
  }
  return 0;
}

int ListNames(Syscalls& syscalls, int fd,
              const std::function<void(std::string_view)>& each) {
  alignas(dirent64) char buffer[16 << 10];
  while (true) {
    const ssize_t got = syscalls.Getdents(fd, buffer, sizeof buffer);
    if (got == -EINTR) {
      continue;
    }
    if (got <= 0) {
      return static_cast<int>(got);
    }
    for (ssize_t at = 0; at < got;) {
      // struct linux_dirent64 has the fields of dirent64: getdents64(2).
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") {
        each(name);
      }
      at += entry->d_reclen;
    }
  }
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(syscalls_, other.syscalls_);
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    // Nothing can be done about an error, and the bytes are not meant to last.
    syscalls_->Close(fd_);
  }
}

}  // namespace wheelpit::io
