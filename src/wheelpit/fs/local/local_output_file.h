// SPDX-License-Identifier: Apache-2.0
// LocalOutputFile: a file that appears whole or not at all. Its bytes go to a file
// without a name in the target's directory; Commit gives it the name. Where there is an
// old file of that name, the new one is linked under a hidden name and renamed over it:
// only a process that is killed between those two calls leaves a name
// (".wheelpit-….tmp"). Where a file system has no unnamed files, the whole file is
// written under such a name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/status.h>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::fs {

/// For one thread at a time, which may block.
class LocalOutputFile {
 public:
  /// `path` may lead through symbolic links, also to a file that is not there yet: that
  /// file is replaced or made, the links stay. Character devices and pipes (/dev/stdout,
  /// /dev/null) are written to directly. Errors name the path. `syscalls` outlives it.
  static arrow::Result<std::unique_ptr<LocalOutputFile>> Make(io::Syscalls& syscalls,
                                                              const std::string& path);
  /// Without a Commit nothing stays, and an old file stands.
  ~LocalOutputFile();
  LocalOutputFile(const LocalOutputFile&) = delete;
  LocalOutputFile& operator=(const LocalOutputFile&) = delete;

  /// kDiskFull, kIo.
  arrow::Status Append(std::string_view bytes);

  /// Has the bytes put on the disk (fsync), then gives the file its name; an old file's
  /// permissions are kept. After a power loss there is the old file or the new one. To be
  /// called once; after an error there is nothing but the old file.
  arrow::Status Commit();

  int64_t size_bytes() const { return size_bytes_; }

 private:
  LocalOutputFile(io::Syscalls& syscalls, const std::string& path)
      : syscalls_(syscalls), path_(path) {}

  arrow::Status Failed(int error_number, std::string_view what) const;
  arrow::Status FollowLinks();
  arrow::Status OpenDirect(unsigned mode);
  arrow::Status OpenUnnamed();
  arrow::Status OpenHidden();
  arrow::Status LinkUnnamed(const std::string& name);
  arrow::Result<std::string> LinkHidden();
  void Discard();

  io::Syscalls& syscalls_;
  const std::string path_;  // as it was given, for messages
  std::string target_;      // where the links lead
  std::string name_;        // its last part
  std::string hidden_;      // the name that the file has meanwhile, or empty
  int directory_ = -1;
  int fd_ = -1;
  bool direct_ = false;
  int64_t size_bytes_ = 0;
};

/// Paths that lead to one file have one of these.
struct FileIdentity {
  uint64_t inode = 0;
  uint32_t device_major = 0;
  uint32_t device_minor = 0;

  bool operator==(const FileIdentity&) const = default;
};

/// Nothing where the path leads to nothing.
arrow::Result<std::optional<FileIdentity>> IdentityOf(io::Syscalls& syscalls,
                                                      const std::string& path);

}  // namespace wheelpit::fs
