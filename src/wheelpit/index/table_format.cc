// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/table_format.h"

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/roots.h"

namespace wheelpit::index {

namespace {

constexpr std::string_view kIcebergSuffix = ".metadata.json";

arrow::Status Refusal(const std::string& directory, std::string_view format) {
  return core::Error(
      core::ErrorKind::kUnsupported, fs::Quoted(directory), " is a table of ", format,
      ", whose log says which files count; read as plain Parquet it would return deleted "
      "rows. SET index.read_table_formats = true reads the files all the same");
}

// What cannot be looked at may be the log that this is about: only what is surely not
// there counts as absent.
arrow::Result<bool> IsDirectory(const std::string& path, fs::FileSystem* file_system) {
  const auto info = file_system->Stat(path);
  if (!info.ok()) {
    const bool absent = core::KindOf(info.status()) == core::ErrorKind::kNotFound;
    return absent ? arrow::Result<bool>(false) : info.status();
  }
  return info->type == fs::FileType::kDirectory;
}

// The marks of a directory, by asking for each.
arrow::Result<FormatMarks> LookFor(const std::string& directory,
                                   fs::FileSystem* file_system) {
  FormatMarks marks;
  ARROW_ASSIGN_OR_RAISE(marks.delta, IsDirectory(directory + "/_delta_log", file_system));
  ARROW_ASSIGN_OR_RAISE(marks.hudi, IsDirectory(directory + "/.hoodie", file_system));
  return marks;
}

}  // namespace

void FormatMarks::See(const fs::EntryName& entry) {
  if (!entry.maybe_directory) {
    return;
  }
  delta = delta || entry.name == "_delta_log";
  hudi = hudi || entry.name == ".hoodie";
  metadata = metadata || entry.name == "metadata";
  data = data || entry.name == "data";
}

arrow::Result<bool> IsIceberg(const std::string& directory, const FormatMarks& marks,
                              fs::FileSystem* file_system, const core::Context& context) {
  if (!marks.metadata || !marks.data) {
    return false;
  }
  const std::string metadata = directory + "/metadata";
  ARROW_ASSIGN_OR_RAISE(const bool is_directory, IsDirectory(metadata, file_system));
  if (!is_directory) {
    return false;
  }
  bool found = false;
  const auto listing = file_system->List(
      metadata,
      [&](const fs::EntryName& entry) {
        found = found || entry.name.ends_with(kIcebergSuffix);
        return false;
      },
      context.stop);
  ARROW_RETURN_NOT_OK(listing.status());
  return found;
}

arrow::Status RefuseTableFormat(const std::string& directory, const FormatMarks& marks,
                                fs::FileSystem* file_system,
                                const core::Context& context) {
  if (marks.delta) {
    return Refusal(directory, "Delta Lake");
  }
  if (marks.hudi) {
    return Refusal(directory, "Apache Hudi");
  }
  ARROW_ASSIGN_OR_RAISE(const bool iceberg,
                        IsIceberg(directory, marks, file_system, context));
  return iceberg ? Refusal(directory, "Apache Iceberg") : arrow::Status::OK();
}

arrow::Status RefuseTableFormatAround(const std::string& directory,
                                      fs::FileSystem* file_system,
                                      const core::Context& context) {
  std::string current = directory;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(FormatMarks marks, LookFor(current, file_system));
    ARROW_RETURN_NOT_OK(RefuseTableFormat(current, marks, file_system, context));
    const std::string_view name = NameOf(current);
    const std::string parent(ParentOf(current));
    if (name == "data") {
      marks = {.metadata = true, .data = true};
      ARROW_RETURN_NOT_OK(RefuseTableFormat(parent, marks, file_system, context));
    }
    if (name.find('=') == std::string_view::npos || parent == current) {
      return arrow::Status::OK();
    }
    current = parent;
  }
}

}  // namespace wheelpit::index
