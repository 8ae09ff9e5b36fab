// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/log_sweep.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include <sys/file.h>

#include "wheelpit/events/log_file.h"
#include "wheelpit/io/file_descriptor.h"

namespace wheelpit::events {

namespace {

// Touched by each sweep.
constexpr const char* kMark = ".wheelpit-swept";
// A process may still be about to lock a log that is so young.
constexpr int64_t kYoungMillis = 60'000;
constexpr int64_t kBlockBytes = 512;  // of stx_blocks: statx(2)

int OpenFolder(io::Syscalls& syscalls, int at_fd, const char* path) {
  return syscalls.Open(at_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
}

struct Log {
  std::string name;
  int64_t start_millis = 0;
};

// The time in the name of a log of ours, or -1.
int64_t StartOf(std::string_view name) {
  const std::string prefix =
      std::string(kLogFolderPrefix) + std::string(kApplicationPrefix);
  if (!name.starts_with(prefix)) {
    return -1;
  }
  name.remove_prefix(prefix.size());
  int64_t millis = -1;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), millis);
  return error == std::errc() && end == name.data() + name.size() ? millis : -1;
}

class Sweep {
 public:
  Sweep(io::Syscalls& syscalls, int root_fd, const SweepOptions& options)
      : syscalls_(syscalls), root_fd_(root_fd), options_(options) {}

  void Run() {
    std::vector<Log> logs;
    const int listed = io::ListNames(syscalls_, root_fd_, [&](std::string_view name) {
      if (const int64_t start = StartOf(name); start >= 0) {
        logs.push_back({std::string(name), start});
      }
    });
    if (listed != 0) {
      return;
    }
    // Newest first: what is beyond the limit is the tail.
    std::sort(logs.begin(), logs.end(),
              [](const Log& a, const Log& b) { return a.start_millis > b.start_millis; });
    int64_t total = 0;
    for (size_t i = 0; i < logs.size(); ++i) {
      if (i < kLogsMax && total <= options_.total_limit_bytes) {
        total += SizeOf(logs[i].name);
      }
      if (i >= kLogsMax || total > options_.total_limit_bytes) {
        DeleteUnlessAlive(logs[i]);
      }
    }
  }

 private:
  int64_t BlocksOf(int at_fd, const char* name, int flags) {
    struct statx info {};
    return syscalls_.Statx(at_fd, name, AT_SYMLINK_NOFOLLOW | flags, STATX_BLOCKS,
                           &info) == 0
               ? static_cast<int64_t>(info.stx_blocks) * kBlockBytes
               : 0;
  }

  int64_t SizeOf(const std::string& name) {
    const io::FileDescriptor folder(&syscalls_,
                                    OpenFolder(syscalls_, root_fd_, name.c_str()));
    if (!folder.ok()) {
      return 0;
    }
    int64_t size = BlocksOf(folder.get(), "", AT_EMPTY_PATH);
    io::ListNames(syscalls_, folder.get(), [&](std::string_view file) {
      size += BlocksOf(folder.get(), std::string(file).c_str(), 0);
    });
    return size;
  }

  void DeleteUnlessAlive(const Log& log) {
    const io::FileDescriptor folder(&syscalls_,
                                    OpenFolder(syscalls_, root_fd_, log.name.c_str()));
    if (!folder.ok()) {
      return;
    }
    std::vector<std::string> files;
    bool finished = false;
    std::string running;
    const int listed = io::ListNames(syscalls_, folder.get(), [&](std::string_view file) {
      files.emplace_back(file);
      if (file.starts_with(kStatusPrefix)) {
        finished = !file.ends_with(kInProgressSuffix);
        running = finished ? "" : file;
      }
    });
    if (listed != 0) {
      return;
    }
    // Held while the files go, so that two who sweep do not both think that it is dead.
    const io::FileDescriptor status(
        &syscalls_, running.empty()
                        ? -1
                        : syscalls_.Open(folder.get(), running.c_str(),
                                         O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0));
    if (!finished && options_.now_millis - log.start_millis < kYoungMillis) {
      return;
    }
    if (!running.empty() &&
        (!status.ok() || syscalls_.Flock(status.get(), LOCK_EX | LOCK_NB) < 0)) {
      return;
    }
    for (const std::string& file : files) {
      syscalls_.Unlink(folder.get(), file.c_str(), 0);
    }
    syscalls_.Unlink(root_fd_, log.name.c_str(), AT_REMOVEDIR);
  }

  io::Syscalls& syscalls_;
  const int root_fd_;
  const SweepOptions& options_;
};

bool SweptLately(io::Syscalls& syscalls, int root_fd, int64_t now_millis) {
  struct statx info {};
  if (syscalls.Statx(root_fd, kMark, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &info) < 0) {
    return false;
  }
  const int64_t age = now_millis - info.stx_mtime.tv_sec * 1000;
  return age >= 0 && age < kSweepMillis;
}

// Writing, even nothing new, moves the time of change on.
void MarkSwept(io::Syscalls& syscalls, int root_fd) {
  const io::FileDescriptor mark(
      &syscalls,
      syscalls.Open(root_fd, kMark, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                    0600));
  if (mark.ok()) {
    syscalls.Pwrite(mark.get(), "\n", 1, 0);
  }
}

}  // namespace

void SweepLogs(io::Syscalls& syscalls, const std::string& directory,
               const SweepOptions& options) {
  const io::FileDescriptor root(
      &syscalls,
      syscalls.Open(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!root.ok() || (!options.even_if_swept_lately &&
                     SweptLately(syscalls, root.get(), options.now_millis))) {
    return;
  }
  MarkSwept(syscalls, root.get());
  Sweep(syscalls, root.get(), options).Run();
}

}  // namespace wheelpit::events
