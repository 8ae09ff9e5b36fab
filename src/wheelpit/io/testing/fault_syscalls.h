// SPDX-License-Identifier: Apache-2.0
// FaultSyscalls: the table of system calls for tests. It stands between the code under
// test and another table, counts and records every call, and fails or shortens the calls
// that a test chooses. A test that needs more overrides one call. SweepFaults runs a body
// once per system call with that call failing. Safe to use from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "wheelpit/core/guarded.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::io {

enum class SyscallKind : uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kPread,
  kPwrite,
  kGetdents,
  kStatx,
  kFstatfs,
  kFsync,
  kFtruncate,
  kFallocate,
  kFadvise,
  kSyncFileRange,
  kMkdir,
  kUnlink,
  kLink,
  kRename,
  kReadlink,
  kFchmod,
  kFlock,
  kKindCount,  // not a kind: how many there are
};

std::string_view ToString(SyscallKind kind);

/// Which calls go wrong, and how.
struct SyscallFault {
  /// Only calls of this kind are counted; any call when empty.
  std::optional<SyscallKind> kind = std::nullopt;
  /// The first call to go wrong, counted from 0 since the fault was set.
  int64_t first = 0;
  /// How many go wrong one after another.
  int64_t count = 1;
  /// What they return (as -error_number). 0: they succeed, but a read or write moves
  /// `short_bytes` at most.
  int error_number = 0;
  size_t short_bytes = 1;
};

class FaultSyscalls : public Syscalls {
 public:
  /// `real` does the work and must outlive this.
  explicit FaultSyscalls(Syscalls* real) : real_(real) {}

  /// Replaces the fault that was set before and starts counting anew.
  void Set(const SyscallFault& fault);
  /// Calls succeed again.
  void Clear();
  /// Calls that the fault has hit since it was set.
  int64_t hits() const;

  /// Calls since the last Forget, in the order in which they began.
  std::vector<SyscallKind> calls() const;
  int64_t count() const { return static_cast<int64_t>(calls().size()); }
  int64_t count(SyscallKind kind) const;
  void Forget();

  int Open(int at_fd, const char* path, int flags, mode_t mode) override;
  /// A close that fails has closed all the same, as in Linux.
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

 private:
  struct State {
    std::optional<SyscallFault> fault;
    int64_t seen = 0;  // calls that the fault could have hit
    int64_t hits = 0;
    std::vector<SyscallKind> calls;
  };

  // Records the call and returns the fault when it is to go wrong.
  std::optional<SyscallFault> Enter(SyscallKind kind);
  // The error to return, or 0.
  int Fail(SyscallKind kind);
  // The same for calls that move bytes; may shrink *size.
  int FailOrShorten(SyscallKind kind, size_t* size);

  Syscalls* const real_;
  mutable core::Guarded<State> state_;
};

/// Calls body(n) for n = 0, 1, … with `fault` set to hit the n-th call, until a run meets
/// no fault. Returns how many runs met one. The body must make the same calls each time,
/// as far as the fault lets it.
int64_t SweepFaults(FaultSyscalls* syscalls, SyscallFault fault,
                    const std::function<void(int64_t)>& body);

}  // namespace wheelpit::io
