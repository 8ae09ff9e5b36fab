// SPDX-License-Identifier: Apache-2.0
// Table formats that keep a log beside their Parquet files. Read as plain files, such a
// table returns rows that were deleted or replaced, so listing refuses it unless told
// otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/result.h>

#include "wheelpit/core/context.h"
#include "wheelpit/fs/file_system.h"

namespace wheelpit::index {

/// What the names of one directory say about it.
struct FormatMarks {
  bool delta = false;     ///< a _delta_log
  bool hudi = false;      ///< a .hoodie
  bool metadata = false;  ///< with `data`, perhaps Iceberg: its files decide
  bool data = false;

  void See(const fs::EntryName& entry);
};

/// Whether `directory` with these marks is an Iceberg table, the metadata of which no
/// name hides from listing. Lists <directory>/metadata where that decides.
arrow::Result<bool> IsIceberg(const std::string& directory, const FormatMarks& marks,
                              fs::FileSystem* file_system, const core::Context& context);

/// An error when `directory` with these marks is a table of such a format. Lists
/// <directory>/metadata where that decides.
arrow::Status RefuseTableFormat(const std::string& directory, const FormatMarks& marks,
                                fs::FileSystem* file_system,
                                const core::Context& context);

/// Refuses what lies in a table of such a format, however deep: that its files are named
/// one by one, or by a glob, does not make them count. One for all roots of a listing,
/// which looks at each directory above them once. For one thread.
class SurroundingTables {
 public:
  SurroundingTables(fs::FileSystem* file_system, const core::Context& context)
      : file_system_(file_system), context_(context) {}

  /// An error when a directory above `root` is such a table; for a file, the one that it
  /// is in is the first. Looks at the directories that the path names and at those that
  /// the kernel sees ("..", where there is a link or the path is relative), up to "/".
  arrow::Status RefuseAbove(const fs::FileInfo& root);

 private:
  using Identity = std::pair<uint64_t, uint64_t>;

  arrow::Status TryRefuseAbove(const fs::FileInfo& root);
  arrow::Status RefuseAt(const std::string& directory, Identity identity);
  arrow::Status RefuseNamed(std::string directory);
  arrow::Status RefuseEnclosing(std::string directory);

  fs::FileSystem* const file_system_;
  const core::Context& context_;
  std::set<std::string, std::less<>> named_;
  std::set<Identity> climbed_;
  std::set<Identity> looked_at_;
};

}  // namespace wheelpit::index
