// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_directories.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/vfs.h>
#include <unistd.h>

#include "wheelpit/core/error.h"

namespace wheelpit::spill {

namespace {

using arrow::Result;
using arrow::Status;
using core::ErrorKind;

constexpr mode_t kOwnerOnly = 0600;
// How often all directories are looked at while somebody spills, and what must fit into
// one before it is used again.
constexpr int64_t kLookNanos = 5'000'000'000;
constexpr int64_t kRoomToComeBack = 16 << 20;

// Names are tried only where unnamed files are not to be had; the next one follows when a
// leftover of a killed process with the same number is there.
constexpr int kNameTries = 100;

// Calls until no signal interrupts.
template <typename Call>
int Uninterrupted(Call call) {
  int result;
  do {
    result = call();
  } while (result == -EINTR);
  return result;
}

int Open(io::Syscalls& syscalls, int at, const char* path, int flags) {
  return Uninterrupted(
      [&] { return syscalls.Open(at, path, flags | O_CLOEXEC, kOwnerOnly); });
}

// What file systems (and kernels) say that cannot make a file without a name.
bool SaysUnsupported(int error) {
  return error == -EOPNOTSUPP || error == -EISDIR || error == -ENOENT ||
         error == -EINVAL || error == -ENOSYS;
}

Status FileError(int error, const std::string& path) {
  if (error == -EMFILE || error == -ENFILE) {
    return core::Error(ErrorKind::kUnavailable, "cannot create a spill file in '", path,
                       "': too many open files; raise the limit (ulimit -n)");
  }
  return core::ErrnoStatus(-error, "cannot create a spill file in '" + path + "'");
}

Status DirectoryError(int error, const std::string& path) {
  switch (-error) {
    case EMFILE:
    case ENFILE:
      return FileError(error, path);
    case ENOENT:
      return core::Error(ErrorKind::kNotFound, "spill directory '", path,
                         "' does not exist; create it or change spill.directories");
    case ENOTDIR:
    case ELOOP:
      return core::Error(ErrorKind::kConfiguration, "spill directory '", path,
                         "' is no directory or a symbolic link; name the directory "
                         "itself in spill.directories");
    default:
      return core::ErrnoStatus(-error, "cannot open spill directory '" + path + "'");
  }
}

Status CheckOwner(const struct statx& found, const std::string& path) {
  const bool sticky = (found.stx_mode & S_ISVTX) != 0;
  if (sticky) {
    return Status::OK();
  }
  if (found.stx_uid != ::geteuid() && found.stx_uid != 0) {
    return core::Error(ErrorKind::kPermission, "spill directory '", path,
                       "' belongs to user ", found.stx_uid,
                       " and has no sticky bit; use a directory of your own");
  }
  if ((found.stx_mode & S_IWOTH) != 0) {
    return core::Error(ErrorKind::kPermission, "spill directory '", path,
                       "' may be written by everybody and has no sticky bit; "
                       "chmod o-w or chmod +t it");
  }
  return Status::OK();
}

// For file systems without unnamed files. A process that is killed between the two calls
// leaves an empty file behind.
Result<int> CreateAndUnlink(io::Syscalls& syscalls, int directory,
                            const std::string& path) {
  for (int i = 0; i < kNameTries; ++i) {
    const std::string name =
        ".wheelpit-spill-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    const int fd =
        Open(syscalls, directory, name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR);
    if (fd == -EEXIST) {
      continue;
    }
    if (fd < 0) {
      return FileError(fd, path);
    }
    const int unlinked =
        Uninterrupted([&] { return syscalls.Unlink(directory, name.c_str(), 0); });
    if (unlinked < 0) {
      FileDescriptor(&syscalls, fd);  // closes it
      return core::ErrnoStatus(-unlinked, "cannot unlink the spill file '" + path + "/" +
                                              name + "'; remove it by hand");
    }
    return fd;
  }
  return core::Error(ErrorKind::kIo, "cannot create a spill file in '", path, "': all ",
                     kNameTries, " names .wheelpit-spill-", ::getpid(),
                     "-… are taken; remove them");
}

}  // namespace

Result<std::unique_ptr<SpillDirectories>> SpillDirectories::Make(
    std::vector<std::string> paths, io::Syscalls* syscalls, const core::Clock* clock) {
  if (paths.empty()) {
    return core::Error(ErrorKind::kConfiguration,
                       "no spill directory; name at least one in spill.directories");
  }
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (std::find(paths.begin(), path, *path) != path) {
      return core::Error(ErrorKind::kConfiguration, "spill directory '", *path,
                         "' is named twice");
    }
  }
  return std::unique_ptr<SpillDirectories>(
      new SpillDirectories(std::move(paths), syscalls, clock));
}

SpillDirectories::SpillDirectories(std::vector<std::string> paths, io::Syscalls* syscalls,
                                   const core::Clock* clock)
    : paths_(std::move(paths)),
      syscalls_(syscalls),
      clock_(clock != nullptr ? clock : &system_clock_),
      health_(paths_.size()) {}

SpillDirectories::~SpillDirectories() = default;

void SpillDirectories::Out(size_t index, const Status& reason) {
  health_[index].Out(reason, clock_->MonotonicNanos());
}

void SpillDirectories::LookSoon(core::Executor* io) {
  const int64_t now = clock_->MonotonicNanos();
  if (io == nullptr || now < look_at_nanos_.load() || looking_.exchange(true)) {
    return;
  }
  look_at_nanos_.store(now + kLookNanos);
  if (!looks_) {
    looks_.emplace(io);
  }
  looks_->Spawn([this] {
    Look();
    looking_.store(false);
    return Status::OK();
  });
}

Result<UnnamedFile> SpillDirectories::OpenUnnamed(size_t index) const {
  const std::string& path = paths_[index];
  const int directory =
      Open(*syscalls_, AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (directory < 0) {
    return DirectoryError(directory, path);
  }
  UnnamedFile opened{.file = {}, .directory = FileDescriptor(syscalls_, directory)};
  struct statx found {};
  const int looked = Uninterrupted([&] {
    return syscalls_->Statx(directory, "", AT_EMPTY_PATH, STATX_UID | STATX_MODE, &found);
  });
  if (looked < 0) {
    return DirectoryError(looked, path);
  }
  ARROW_RETURN_NOT_OK(CheckOwner(found, path));
  int fd = Open(*syscalls_, directory, ".", O_TMPFILE | O_EXCL | O_RDWR);
  if (SaysUnsupported(fd)) {
    ARROW_ASSIGN_OR_RAISE(fd, CreateAndUnlink(*syscalls_, directory, path));
  }
  if (fd < 0) {
    return FileError(fd, path);
  }
  opened.file = FileDescriptor(syscalls_, fd);
  return opened;
}

Status SpillDirectories::Probe(size_t index, int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(const UnnamedFile opened, OpenUnnamed(index));
  const int fd = opened.file.get();
  int error = Uninterrupted([&] { return syscalls_->Fallocate(fd, 0, 0, bytes); });
  if (error == -EOPNOTSUPP || error == -ENOSYS) {
    // Says less: the file has one block. A write that fails will be put elsewhere.
    const std::array<uint8_t, 512> block{};
    size_t written = 0;
    error = io::WriteFully(*syscalls_, fd, block.data(), block.size(), 0, &written);
  }
  if (error < 0) {
    return core::ErrnoStatus(-error,
                             "cannot write to spill directory '" + paths_[index] + "'");
  }
  health_[index].Back();
  return Status::OK();
}

void SpillDirectories::Look() {
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (health_[i].usable()) {
      const FileDescriptor directory(
          syscalls_, Open(*syscalls_, AT_FDCWD, paths_[i].c_str(), O_PATH | O_DIRECTORY));
      struct statfs found {};
      if (directory.get() >= 0 && syscalls_->Fstatfs(directory.get(), &found) == 0) {
        health_[i].SetFreeBytes(static_cast<int64_t>(found.f_bavail) *
                                static_cast<int64_t>(found.f_bsize));
      }
    } else if (health_[i].DueForProbe(clock_->MonotonicNanos())) {
      // What is wrong is known; a further failure makes the next pause longer.
      const Status probed = Probe(i, kRoomToComeBack);
      if (!probed.ok()) {
        health_[i].StillOut(clock_->MonotonicNanos());
      }
    }
  }
}

}  // namespace wheelpit::spill
