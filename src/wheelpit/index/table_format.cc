// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/table_format.h"

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/roots.h"

namespace wheelpit::index {

namespace {

constexpr std::string_view kIcebergSuffix = ".metadata.json";
// Directories above a root that are looked at; deeper paths than this are not opened.
constexpr int kLevelsMax = 1024;

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
  const std::string prefix = directory == "/" ? directory : directory + "/";
  ARROW_ASSIGN_OR_RAISE(marks.delta, IsDirectory(prefix + "_delta_log", file_system));
  ARROW_ASSIGN_OR_RAISE(marks.hudi, IsDirectory(prefix + ".hoodie", file_system));
  return marks;
}

// The directory that the path names as the one above, or nothing: above the working
// directory and above "..", which is below what it looks to be.
std::string NamedParent(std::string_view directory) {
  const std::string_view name = NameOf(directory);
  if (directory == "/" || name == "." || name == "..") {
    return "";
  }
  return std::string(ParentOf(directory));
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

arrow::Status SurroundingTables::RefuseAbove(const fs::FileInfo& root) {
  const arrow::Status status = TryRefuseAbove(root);
  if (status.ok() || core::KindOf(status) == core::ErrorKind::kUnsupported ||
      core::KindOf(status) == core::ErrorKind::kCancelled) {
    return status;
  }
  return status.WithMessage(fs::Quoted(root.path), ": ", status.message(),
                            ", so a table of another format may be around it; SET "
                            "index.read_table_formats = true does not look");
}

arrow::Status SurroundingTables::TryRefuseAbove(const fs::FileInfo& root) {
  const bool is_directory = root.type == fs::FileType::kDirectory;
  std::string directory = is_directory ? root.path : std::string(ParentOf(root.path));
  if (is_directory) {
    ARROW_RETURN_NOT_OK(RefuseNamed(NamedParent(directory)));
  } else {
    ARROW_RETURN_NOT_OK(RefuseNamed(directory));
  }
  return RefuseEnclosing(std::move(directory));
}

// From `directory` upwards, as long as its path names what is above it.
arrow::Status SurroundingTables::RefuseNamed(std::string directory) {
  while (!directory.empty() && named_.insert(directory).second) {
    const auto info = file_system_->Stat(directory);
    if (!info.ok()) {
      return info.status();
    }
    ARROW_RETURN_NOT_OK(RefuseAt(directory, {info->device, info->inode}));
    directory = NamedParent(directory);
  }
  return arrow::Status::OK();
}

arrow::Status SurroundingTables::RefuseEnclosing(std::string directory) {
  if (directory == ".") {
    directory.clear();
  }
  for (int level = 0; level < kLevelsMax; ++level) {
    directory += directory.empty() || directory.ends_with('/') ? ".." : "/..";
    ARROW_RETURN_NOT_OK(context_.stop.Poll());
    const auto info = file_system_->Stat(directory);
    if (!info.ok()) {
      // Whoever may not search the directories above a mount or a working directory may
      // still read what is below.
      const bool closed = core::KindOf(info.status()) == core::ErrorKind::kPermission;
      return closed ? arrow::Status::OK() : info.status();
    }
    const Identity identity{info->device, info->inode};
    if (!climbed_.insert(identity).second) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(RefuseAt(directory, identity));
  }
  return arrow::Status::OK();
}

arrow::Status SurroundingTables::RefuseAt(const std::string& directory,
                                          Identity identity) {
  if (!looked_at_.insert(identity).second) {
    return arrow::Status::OK();
  }
  auto marks = LookFor(directory, file_system_);
  if (!marks.ok()) {
    const bool closed = core::KindOf(marks.status()) == core::ErrorKind::kPermission;
    return closed ? arrow::Status::OK() : marks.status();
  }
  marks->metadata = marks->data = true;
  return RefuseTableFormat(directory, *marks, file_system_, context_);
}

}  // namespace wheelpit::index
