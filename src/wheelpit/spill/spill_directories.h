// SPDX-License-Identifier: Apache-2.0
// The directories that a process may spill to, and what is known of each. A directory is
// checked when a file is opened in it, so that one that was mounted late, or removed and
// made again, is simply used. One that fails is out, for all queries, until a probe
// succeeds. Any thread may call; what opens or looks blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/io/file_descriptor.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/spill/directory_health.h"

namespace wheelpit::spill {

using io::FileDescriptor;

struct UnnamedFile {
  FileDescriptor file;
  /// Not needed any more. Handed out so that closing it need not come before the first
  /// byte.
  FileDescriptor directory;
};

class SpillDirectories {
 public:
  /// Makes no system call: a directory is looked at when a file is opened in it. At least
  /// one path, none twice, else kConfiguration. `syscalls` and `clock` (null: the
  /// system's) must outlive this.
  static arrow::Result<std::unique_ptr<SpillDirectories>> Make(
      std::vector<std::string> paths, io::Syscalls* syscalls,
      const core::Clock* clock = nullptr);
  /// Waits for a look that is under way.
  ~SpillDirectories();

  size_t size() const { return paths_.size(); }
  const std::string& path(size_t index) const { return paths_[index]; }
  io::Syscalls* syscalls() const { return syscalls_; }
  DirectoryHealth& health(size_t index) { return health_[index]; }

  /// A number for a query that spills: unique in the process, and, modulo size(), the
  /// directory it begins with, so that queries spread.
  uint64_t NextTurn() { return next_turn_.fetch_add(1); }

  /// Opens a file that has no name and can never get one, readable by its owner only. Its
  /// bytes are gone when the process is, however it ends. Where the file system has no
  /// such files: made under a name that no other file has, and unlinked before this
  /// returns.
  ///
  /// The directory must not be a symbolic link and must belong to this user or to root,
  /// or have the sticky bit; one that everybody may write to must have it (kPermission).
  /// kUnavailable when the process or the system has no descriptor left, which is no
  /// fault of the directory.
  arrow::Result<UnnamedFile> OpenUnnamed(size_t index) const;

  /// Nothing is written there until a probe succeeds.
  void Out(size_t index, const arrow::Status& reason);
  /// Whether the directory takes `bytes` now, by making a file of that length in it. If
  /// so it is usable again, else the error. Blocks.
  arrow::Status Probe(size_t index, int64_t bytes);

  /// Submits a look at all directories to `io` when the last one is some seconds old, and
  /// after the first call: how much is free, and whether those come back that are out.
  /// Reads a clock and an atomic else. `io` may be null: then nobody looks; it is the
  /// same in every call and outlives this.
  void LookSoon(core::Executor* io);

 private:
  SpillDirectories(std::vector<std::string> paths, io::Syscalls* syscalls,
                   const core::Clock* clock);
  void Look();

  const std::vector<std::string> paths_;
  io::Syscalls* const syscalls_;
  const core::SystemClock system_clock_;
  const core::Clock* const clock_;
  std::deque<DirectoryHealth> health_;  // by directory; these do not move
  std::atomic<uint64_t> next_turn_{0};
  std::atomic<int64_t> look_at_nanos_{0};
  std::atomic<bool> looking_{false};  // whoever sets it may touch looks_
  std::optional<core::TaskGroup> looks_;
};

}  // namespace wheelpit::spill
