// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/testing/fault_syscalls.h"

#include <algorithm>

namespace wheelpit::io {

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(SyscallKind::kKindCount)>
    kNames = {"open",      "close",     "read",    "write",           "pread",
              "pwrite",    "getdents",  "statx",   "fstatfs",         "fsync",
              "ftruncate", "fallocate", "fadvise", "sync_file_range", "mkdir",
              "unlink",    "link",      "rename",  "readlink",        "fchmod",
              "flock"};

}  // namespace

std::string_view ToString(SyscallKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

void FaultSyscalls::Set(const SyscallFault& fault) {
  auto state = state_.Lock();
  state->fault = fault;
  state->seen = 0;
  state->hits = 0;
}

void FaultSyscalls::Clear() {
  state_.Lock()->fault.reset();
}

int64_t FaultSyscalls::hits() const {
  return state_.Lock()->hits;
}

std::vector<SyscallKind> FaultSyscalls::calls() const {
  return state_.Lock()->calls;
}

int64_t FaultSyscalls::count(SyscallKind kind) const {
  auto state = state_.Lock();
  return std::count(state->calls.begin(), state->calls.end(), kind);
}

void FaultSyscalls::Forget() {
  state_.Lock()->calls.clear();
}

std::optional<SyscallFault> FaultSyscalls::Enter(SyscallKind kind) {
  auto state = state_.Lock();
  state->calls.push_back(kind);
  if (!state->fault.has_value() || state->fault->kind.value_or(kind) != kind) {
    return std::nullopt;
  }
  const int64_t index = state->seen++;
  if (index < state->fault->first || index - state->fault->first >= state->fault->count) {
    return std::nullopt;
  }
  ++state->hits;
  return state->fault;
}

int FaultSyscalls::Fail(SyscallKind kind) {
  const auto fault = Enter(kind);
  return fault.has_value() ? -fault->error_number : 0;
}

int FaultSyscalls::FailOrShorten(SyscallKind kind, size_t* size) {
  const auto fault = Enter(kind);
  if (!fault.has_value()) {
    return 0;
  }
  if (fault->error_number == 0) {
    *size = std::min(*size, fault->short_bytes);
  }
  return -fault->error_number;
}

int FaultSyscalls::Open(int at_fd, const char* path, int flags, mode_t mode) {
  const int error = Fail(SyscallKind::kOpen);
  return error != 0 ? error : real_->Open(at_fd, path, flags, mode);
}

int FaultSyscalls::Close(int fd) {
  const int error = Fail(SyscallKind::kClose);
  const int closed = real_->Close(fd);
  return error != 0 ? error : closed;
}

ssize_t FaultSyscalls::Read(int fd, void* data, size_t size) {
  const int error = FailOrShorten(SyscallKind::kRead, &size);
  return error != 0 ? error : real_->Read(fd, data, size);
}

ssize_t FaultSyscalls::Write(int fd, const void* data, size_t size) {
  const int error = FailOrShorten(SyscallKind::kWrite, &size);
  return error != 0 ? error : real_->Write(fd, data, size);
}

ssize_t FaultSyscalls::Pread(int fd, void* data, size_t size, int64_t offset) {
  const int error = FailOrShorten(SyscallKind::kPread, &size);
  return error != 0 ? error : real_->Pread(fd, data, size, offset);
}

ssize_t FaultSyscalls::Pwrite(int fd, const void* data, size_t size, int64_t offset) {
  const int error = FailOrShorten(SyscallKind::kPwrite, &size);
  return error != 0 ? error : real_->Pwrite(fd, data, size, offset);
}

ssize_t FaultSyscalls::Getdents(int fd, void* data, size_t size) {
  const int error = Fail(SyscallKind::kGetdents);
  return error != 0 ? error : real_->Getdents(fd, data, size);
}

int FaultSyscalls::Statx(int at_fd, const char* path, int flags, unsigned mask,
                         struct statx* out) {
  const int error = Fail(SyscallKind::kStatx);
  return error != 0 ? error : real_->Statx(at_fd, path, flags, mask, out);
}

int FaultSyscalls::Fstatfs(int fd, struct statfs* out) {
  const int error = Fail(SyscallKind::kFstatfs);
  return error != 0 ? error : real_->Fstatfs(fd, out);
}

int FaultSyscalls::Fsync(int fd) {
  const int error = Fail(SyscallKind::kFsync);
  return error != 0 ? error : real_->Fsync(fd);
}

int FaultSyscalls::Ftruncate(int fd, int64_t size) {
  const int error = Fail(SyscallKind::kFtruncate);
  return error != 0 ? error : real_->Ftruncate(fd, size);
}

int FaultSyscalls::Fallocate(int fd, int mode, int64_t offset, int64_t size) {
  const int error = Fail(SyscallKind::kFallocate);
  return error != 0 ? error : real_->Fallocate(fd, mode, offset, size);
}

int FaultSyscalls::Fadvise(int fd, int64_t offset, int64_t size, int advice) {
  const int error = Fail(SyscallKind::kFadvise);
  return error != 0 ? error : real_->Fadvise(fd, offset, size, advice);
}

int FaultSyscalls::SyncFileRange(int fd, int64_t offset, int64_t size, unsigned flags) {
  const int error = Fail(SyscallKind::kSyncFileRange);
  return error != 0 ? error : real_->SyncFileRange(fd, offset, size, flags);
}

int FaultSyscalls::Mkdir(int at_fd, const char* path, mode_t mode) {
  const int error = Fail(SyscallKind::kMkdir);
  return error != 0 ? error : real_->Mkdir(at_fd, path, mode);
}

int FaultSyscalls::Unlink(int at_fd, const char* path, int flags) {
  const int error = Fail(SyscallKind::kUnlink);
  return error != 0 ? error : real_->Unlink(at_fd, path, flags);
}

int FaultSyscalls::Link(int from_fd, const char* from, int to_fd, const char* to,
                        int flags) {
  const int error = Fail(SyscallKind::kLink);
  return error != 0 ? error : real_->Link(from_fd, from, to_fd, to, flags);
}

int FaultSyscalls::Rename(int from_fd, const char* from, int to_fd, const char* to) {
  const int error = Fail(SyscallKind::kRename);
  return error != 0 ? error : real_->Rename(from_fd, from, to_fd, to);
}

ssize_t FaultSyscalls::Readlink(int at_fd, const char* path, char* target, size_t size) {
  const int error = Fail(SyscallKind::kReadlink);
  return error != 0 ? error : real_->Readlink(at_fd, path, target, size);
}

int FaultSyscalls::Fchmod(int fd, mode_t mode) {
  const int error = Fail(SyscallKind::kFchmod);
  return error != 0 ? error : real_->Fchmod(fd, mode);
}

int FaultSyscalls::Flock(int fd, int operation) {
  const int error = Fail(SyscallKind::kFlock);
  return error != 0 ? error : real_->Flock(fd, operation);
}

int64_t SweepFaults(FaultSyscalls* syscalls, SyscallFault fault,
                    const std::function<void(int64_t)>& body) {
  for (fault.first = 0;; ++fault.first) {
    syscalls->Set(fault);
    body(fault.first);
    const bool met = syscalls->hits() > 0;
    syscalls->Clear();
    if (!met) {
      return fault.first;
    }
  }
}

}  // namespace wheelpit::io
