// SPDX-License-Identifier: Apache-2.0
// Table formats that keep a log beside their Parquet files. Read as plain files, such a
// table returns rows that were deleted or replaced, so listing refuses it unless told
// otherwise.
#pragma once

#include <string>
#include <string_view>

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

/// The same for a directory that is not going to be listed itself, and for the
/// directories above it that such a table would begin in: above key=value directories and
/// above Iceberg's "data".
arrow::Status RefuseTableFormatAround(const std::string& directory,
                                      fs::FileSystem* file_system,
                                      const core::Context& context);

}  // namespace wheelpit::index
