// SPDX-License-Identifier: Apache-2.0
// FileSystem: what listing and scanning need of a store, no more. Handles are Arrow's, so
// that its readers take them as they are. All calls block: they are made on I/O threads
// or threads that are not ours. Implementations may be called from any thread. Paths are
// bytes, not text. Errors name the path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

namespace wheelpit::fs {

enum class FileType : uint8_t { kFile, kDirectory, kSymlink, kOther };

/// What a listing or a look at one path gives.
struct FileInfo {
  std::string
      path;  ///< absolute or relative as the root was given; for entries: joined with "/"
  FileType type = FileType::kFile;  ///< of the target, where links are followed
  bool is_symlink = false;  ///< the path itself is a link; the rest is its target's
  int64_t size_bytes = 0;
  int64_t mtime_nanos = 0;  ///< since 1970-01-01T00:00:00Z
  uint64_t device = 0;      ///< with inode: the identity by which loops are found
  uint64_t inode = 0;
};

/// What a directory reader shows of a name before anything else is asked about it. More
/// than one of the three can be true where the store does not tell.
struct EntryName {
  std::string_view name;  ///< the last component; valid during the call
  bool maybe_directory = false;
  bool maybe_file = false;
  bool maybe_symlink = false;  ///< then the target may be anything
};

/// The wanted entries of one directory, in no order.
struct Listing {
  std::vector<FileInfo> entries;
  /// Paths whose name was there and whose target was not: removed meanwhile, or links
  /// that lead nowhere or only to themselves.
  std::vector<std::string> vanished;
};

/// Chooses entries by name. Whoever does not follow symbolic links drops what
/// FileInfo::is_symlink shows to be one.
using EntryFilter = std::function<bool(const EntryName&)>;

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Looks at one path, following links. kNotFound and kPermission are told apart.
  virtual arrow::Result<FileInfo> Stat(const std::string& path) = 0;

  /// The entries of one directory for which `wanted` is true; sizes and times are asked
  /// only for those. kNotFound when there is no such path, kIo when it is no directory.
  /// kCancelled soon after `stop` asks for it, in directories of any width.
  virtual arrow::Result<Listing> List(const std::string& directory,
                                      const EntryFilter& wanted,
                                      const arrow::StopToken& stop) = 0;

  /// Opens a file for reading; anything but a file is a kIo error. ReadAt is safe from
  /// several threads at once; Close is idempotent and must not meet a read. A file that
  /// became shorter than it was when opened is a kIo error that says so, not an early
  /// end. Closing blocks too, so the last owner lets go on a thread that may block.
  virtual arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      const std::string& path, arrow::MemoryPool* pool) = 0;
};

}  // namespace wheelpit::fs
