// SPDX-License-Identifier: Apache-2.0
// FileSystem: what listing and scanning need of a store, no more. Handles are Arrow's, so
// that its readers take them as they are. All calls block: they are made on I/O threads
// or threads that are not ours. Implementations may be called from any thread. Paths are
// bytes, not text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>

namespace wheelpit::fs {

enum class FileType : uint8_t { kFile, kDirectory, kSymlink, kOther };

/// What a listing or a look at one path gives.
struct FileInfo {
  std::string
      path;  ///< absolute or relative as the root was given; for entries: joined with "/"
  FileType type = FileType::kFile;  ///< of the target, where links are followed
  int64_t size_bytes = 0;
  int64_t mtime_nanos = 0;  ///< since 1970-01-01T00:00:00Z
  uint64_t device = 0;      ///< with inode: the identity by which loops are found
  uint64_t inode = 0;
};

/// What a directory reader shows of a name before anything else is asked about it.
struct EntryName {
  std::string_view name;  ///< the last component
  bool maybe_directory = false;
  bool maybe_file = false;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Looks at one path, following links. kNotFound and kPermission are told apart.
  virtual arrow::Result<FileInfo> Stat(const std::string& path) = 0;

  /// The entries of one directory for which `wanted` is true, in no order. Sizes and
  /// times are asked only for those. An entry that vanishes meanwhile is left out and
  /// counted in *vanished.
  virtual arrow::Result<std::vector<FileInfo>> List(
      const std::string& directory, const std::function<bool(const EntryName&)>& wanted,
      int64_t* vanished) = 0;

  /// Opens for reading. ReadAt is safe from several threads at once; Close is idempotent.
  virtual arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      const std::string& path, arrow::MemoryPool* pool) = 0;
};

}  // namespace wheelpit::fs
