// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/listing.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/column_name.h"
#include "wheelpit/index/partition_filter.h"
#include "wheelpit/index/roots.h"
#include "wheelpit/index/table_format.h"

namespace wheelpit::index {

namespace {

using core::Error;
using core::ErrorKind;

// Directories below a root. Loops are found by identity; this ends what has none.
constexpr int kDepthMax = 128;

// A directory on the way. Those above it stay in Walker::directories_.
struct Directory {
  fs::FileInfo info;
  int parent = -1;
  int depth = 0;
  /// Index in FileListing::directories once a data file was found in it.
  int listed = -1;
  std::string base;
  std::vector<PartitionKey> keys;
  /// A plain directory lies between the keys and this one: no key may follow.
  bool closed = false;
  /// What is wrong with the names so far, once a data file is found below.
  arrow::Status defect;

  const std::string& path() const { return info.path; }
};

arrow::Status AddKey(std::string_view name, const Directory& parent, Directory* child) {
  const size_t equals = name.find('=');
  PartitionKey key{UnescapePathName(name.substr(0, equals)),
                   std::string(name.substr(equals + 1))};
  if (key.name.empty() || key.value.empty()) {
    return Error(ErrorKind::kInvalidSql, fs::Quoted(child->path()),
                 " names a partition column without a ",
                 key.name.empty() ? "name before" : "value after",
                 " its '='; rename it, or read the files below it with a glob");
  }
  if (parent.closed) {
    return Error(ErrorKind::kInvalidSql, fs::Quoted(child->path()),
                 " is a key=value directory below the plain directory ",
                 fs::Quoted(parent.path()),
                 "; partition directories must follow each other");
  }
  for (const PartitionKey& earlier : parent.keys) {
    if (SameName(earlier.name, key.name)) {
      return Error(ErrorKind::kInvalidSql, fs::Quoted(child->path()),
                   " names the partition column '", key.name, "' a second time");
    }
  }
  if (parent.keys.empty()) {
    child->base = parent.path();
  }
  child->keys.push_back(std::move(key));
  return arrow::Status::OK();
}

// The directory `info` inside `parent`.
Directory Enter(const Directory& parent, int parent_index, fs::FileInfo info) {
  Directory child;
  child.parent = parent_index;
  child.depth = parent.depth + 1;
  child.base = parent.base;
  child.keys = parent.keys;
  child.closed = parent.closed;
  child.defect = parent.defect;
  child.info = std::move(info);
  const std::string name(NameOf(child.path()));
  if (name.find('=') == std::string::npos) {
    child.closed = !child.keys.empty();
    if (child.keys.empty()) {
      child.base = child.path();
    }
  } else if (arrow::Status status = AddKey(name, parent, &child);
             child.defect.ok() && !status.ok()) {
    child.defect = std::move(status);
  }
  return child;
}

// One directory's part of a level, made by one thread.
struct Found {
  fs::Listing listing;
  FormatMarks marks;
  int64_t hidden_count = 0;
  bool skipped = false;
};

// Goes down level by level: the directories of a level are listed in parallel, then
// joined in the order of their paths, so that the outcome does not depend on the threads.
class Walker {
 public:
  Walker(const TableOptions& options, fs::FileSystem* file_system,
         const core::Context& context, core::MetricSet* metrics,
         const PartitionFilter& filter)
      : options_(options),
        file_system_(file_system),
        context_(context),
        metrics_(metrics),
        filter_(filter),
        surrounding_(file_system, context) {}

  arrow::Status Start(std::vector<fs::FileInfo> roots) {
    std::vector<Directory> level;
    std::set<std::string, std::less<>> directories;
    for (fs::FileInfo& root : roots) {
      ARROW_ASSIGN_OR_RAISE(std::optional<Directory> directory, RootDirectory(root));
      if (!directory) {
        continue;
      }
      if (root.type != fs::FileType::kDirectory) {
        ARROW_RETURN_NOT_OK(AddRootFile(std::move(root), *std::move(directory)));
      } else if (!Covered(root.path, directories)) {
        if (!options_.read_table_formats) {
          ARROW_RETURN_NOT_OK(surrounding_.RefuseAbove(root));
        }
        directories.insert(root.path);
        level.push_back(*std::move(directory));
      }
    }
    return Walk(std::move(level));
  }

  arrow::Status Walk(std::vector<Directory> level) {
    while (!level.empty()) {
      std::erase_if(level, [&](const Directory& directory) { return !Visit(directory); });
      std::vector<Found> found(level.size());
      ARROW_RETURN_NOT_OK(core::ParallelFor(
          context_.io, static_cast<int64_t>(level.size()), [&](int64_t i) {
            const auto at = static_cast<size_t>(i);
            return ListOne(level[at], &found[at]);
          }));
      const size_t first = directories_.size();
      std::move(level.begin(), level.end(), std::back_inserter(directories_));
      level.clear();
      for (size_t i = 0; i < found.size(); ++i) {
        ARROW_RETURN_NOT_OK(
            Join(static_cast<int>(first + i), std::move(found[i]), &level));
      }
      // Where a directory can be reached in two ways, the one without a link comes first.
      std::sort(level.begin(), level.end(), [](const Directory& a, const Directory& b) {
        return std::tie(a.info.is_symlink, a.path()) <
               std::tie(b.info.is_symlink, b.path());
      });
    }
    return arrow::Status::OK();
  }

  FileListing Finish() {
    std::sort(out_.files.begin(), out_.files.end(),
              [](const auto& a, const auto& b) { return a.info.path < b.info.path; });
    const auto same = [](const auto& a, const auto& b) {
      return a.info.path == b.info.path;
    };
    out_.files.erase(std::unique(out_.files.begin(), out_.files.end(), same),
                     out_.files.end());
    return std::move(out_);
  }

  std::vector<Directory>& pruned() { return pruned_; }

 private:
  // The directory of a root, or nothing when the filter excludes it.
  arrow::Result<std::optional<Directory>> RootDirectory(const fs::FileInfo& root) {
    Directory directory;
    directory.info = root;
    if (root.type != fs::FileType::kDirectory) {
      directory.info.path = std::string(ParentOf(root.path));
      directory.info.type = fs::FileType::kDirectory;
      directory.info.device = directory.info.inode = 0;
    }
    directory.base = directory.path();
    if (options_.base_path.empty()) {
      return directory;
    }
    return BelowBasePath(std::move(directory));
  }

  arrow::Result<std::optional<Directory>> BelowBasePath(Directory root) {
    std::string base = options_.base_path;
    while (base.size() > 1 && base.back() == '/') {
      base.pop_back();
    }
    const std::string prefix = base == "/" ? base : base + "/";
    const std::string path = root.path();
    if (path != base && !path.starts_with(prefix)) {
      return Error(ErrorKind::kConfiguration, "the base path ", fs::Quoted(base),
                   " is not above ", fs::Quoted(path));
    }
    Directory current;
    current.info = root.info;
    current.info.path = base;
    current.base = base;
    for (size_t at = prefix.size(); at < path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      fs::FileInfo info = root.info;
      info.path = path.substr(0, end);
      current = Enter(current, -1, std::move(info));
      if (Prune(current)) {
        return std::nullopt;
      }
      at = end + 1;
    }
    current.depth = 0;
    return current;
  }

  // Whether an earlier root leads to this one anyway.
  bool Covered(const std::string& path,
               const std::set<std::string, std::less<>>& roots) const {
    if (!options_.recursive) {
      return false;
    }
    std::string_view inner = path;
    for (;;) {
      const std::string_view outer = ParentOf(inner);
      if (outer == inner || outer == "." || IsHidden(NameOf(inner), true)) {
        return false;
      }
      if (roots.contains(outer)) {
        return true;
      }
      inner = outer;
    }
  }

  arrow::Status AddRootFile(fs::FileInfo file, Directory directory) {
    if (file.type != fs::FileType::kFile) {
      return Error(ErrorKind::kIo, fs::Quoted(file.path),
                   " is neither a file nor a directory");
    }
    const std::string parent = directory.path();
    const auto [known, is_new] =
        root_parents_.try_emplace(parent, static_cast<int>(directories_.size()));
    if (is_new) {
      if (!options_.read_table_formats) {
        ARROW_RETURN_NOT_OK(surrounding_.RefuseAbove(file));
      }
      directories_.push_back(std::move(directory));
    }
    return AddFile(known->second, std::move(file));
  }

  arrow::Status ListOne(const Directory& directory, Found* found) {
    metrics_->Add(core::Metric::kDirectoriesListed, 1);
    const fs::EntryFilter wanted = [&](const fs::EntryName& entry) {
      found->marks.See(entry);
      const bool shown = (entry.maybe_directory && !IsHidden(entry.name, true)) ||
                         (entry.maybe_file && !IsHidden(entry.name, false));
      if (!shown) {
        ++found->hidden_count;
        return false;
      }
      return options_.recursive || entry.maybe_file;
    };
    auto listing = file_system_->List(directory.path(), wanted, context_.stop);
    if (!listing.ok()) {
      const ErrorKind kind = core::KindOf(listing.status());
      const bool skippable =
          kind == ErrorKind::kNotFound || kind == ErrorKind::kPermission;
      // What the query itself names must be there.
      if (!skippable || directory.parent < 0) {
        return listing.status();
      }
      if (!options_.ignore_missing) {
        return listing.status().WithMessage(
            listing.status().message(),
            "; SET index.ignore_missing = true skips such paths");
      }
      found->skipped = true;
      return arrow::Status::OK();
    }
    found->listing = *std::move(listing);
    if (!options_.read_table_formats) {
      return RefuseTableFormat(directory.path(), found->marks, file_system_, context_);
    }
    ARROW_ASSIGN_OR_RAISE(const bool iceberg, IsIceberg(directory.path(), found->marks,
                                                        file_system_, context_));
    if (iceberg) {
      // Its files are no data, and unlike those of other formats not named as hidden.
      found->hidden_count += static_cast<int64_t>(std::erase_if(
          found->listing.entries,
          [](const fs::FileInfo& info) { return NameOf(info.path) == "metadata"; }));
    }
    return arrow::Status::OK();
  }

  arrow::Status Join(int index, Found found, std::vector<Directory>* next) {
    out_.hidden_count += found.hidden_count;
    metrics_->Add(core::Metric::kFilesHidden, found.hidden_count);
    std::vector<std::string>& vanished = found.listing.vanished;
    if (!vanished.empty() && !options_.ignore_missing) {
      return VanishedError(*std::min_element(vanished.begin(), vanished.end()));
    }
    metrics_->Add(core::Metric::kFilesSkipped,
                  static_cast<int64_t>(vanished.size()) + (found.skipped ? 1 : 0));
    for (fs::FileInfo& info : found.listing.entries) {
      const bool is_directory = info.type == fs::FileType::kDirectory;
      const bool wanted = (is_directory || info.type == fs::FileType::kFile) &&
                          !IsHidden(NameOf(info.path), is_directory) &&
                          (options_.follow_symlinks || !info.is_symlink);
      if (!wanted) {
        ++out_.hidden_count;
        metrics_->Add(core::Metric::kFilesHidden, 1);
      } else if (!is_directory) {
        ARROW_RETURN_NOT_OK(AddFile(index, std::move(info)));
      } else if (options_.recursive && !LeadsBack(index, info)) {
        ARROW_RETURN_NOT_OK(AddDirectory(index, std::move(info), next));
      }
    }
    return arrow::Status::OK();
  }

  // Whether a directory is one that it lies in, through links or mounts.
  bool LeadsBack(int index, const fs::FileInfo& info) const {
    if (info.device == 0 && info.inode == 0) {
      return false;
    }
    for (; index >= 0; index = directories_[static_cast<size_t>(index)].parent) {
      const fs::FileInfo& above = directories_[static_cast<size_t>(index)].info;
      if (above.device == info.device && above.inode == info.inode) {
        return true;
      }
    }
    return false;
  }

  // False for a directory that was listed already under the same keys: links across make
  // as many paths as there are orders to follow them in.
  bool Visit(const Directory& directory) {
    const fs::FileInfo& info = directory.info;
    if (info.device == 0 && info.inode == 0) {
      return true;
    }
    std::string identity = std::to_string(info.device) + ":" + std::to_string(info.inode);
    for (const PartitionKey& key : directory.keys) {
      identity += '/';
      identity += key.name;
      identity += '=';
      identity += key.value;
    }
    return visited_.insert(std::move(identity)).second;
  }

  arrow::Status AddDirectory(int parent, fs::FileInfo info,
                             std::vector<Directory>* next) {
    Directory child =
        Enter(directories_[static_cast<size_t>(parent)], parent, std::move(info));
    if (child.depth > kDepthMax) {
      return Error(ErrorKind::kIo, "directories are nested deeper than ", kDepthMax,
                   " levels at ", fs::Quoted(child.path()),
                   "; is something mounted inside itself?");
    }
    if (!Prune(child)) {
      next->push_back(std::move(child));
    }
    return arrow::Status::OK();
  }

  // Keeps a directory aside when its last key excludes it.
  bool Prune(const Directory& directory) {
    const bool is_key = !directory.closed && !directory.keys.empty();
    if (!is_key || !directory.defect.ok() || filter_.MayMatch(directory.keys.back())) {
      return false;
    }
    metrics_->Add(core::Metric::kPartitionsPruned, 1);
    out_.pruned.push_back({directory.path(), directory.base, directory.keys});
    pruned_.push_back(directory);
    return true;
  }

  arrow::Status AddFile(int index, fs::FileInfo info) {
    Directory& directory = directories_[static_cast<size_t>(index)];
    ARROW_RETURN_NOT_OK(directory.defect);
    if (info.size_bytes == 0) {
      ++out_.empty_count;
      metrics_->Add(core::Metric::kFilesEmpty, 1);
      return arrow::Status::OK();
    }
    metrics_->Add(core::Metric::kFilesListed, 1);
    if (directory.listed < 0) {
      directory.listed = static_cast<int>(out_.directories.size());
      out_.directories.push_back({directory.path(), directory.base, directory.keys});
    }
    out_.files.push_back({std::move(info), directory.listed});
    return arrow::Status::OK();
  }

  const TableOptions& options_;
  fs::FileSystem* file_system_;
  const core::Context& context_;
  core::MetricSet* metrics_;
  const PartitionFilter& filter_;
  SurroundingTables surrounding_;
  std::vector<Directory> directories_;
  std::vector<Directory> pruned_;
  std::unordered_map<std::string, int> root_parents_;
  std::unordered_set<std::string> visited_;
  FileListing out_;
};

// The key names of a directory, in a form in which case does not matter.
std::string KeyNames(const ListedDirectory& directory) {
  std::string names;
  for (const PartitionKey& key : directory.keys) {
    names += names.empty() ? "" : ", ";
    names += FoldedName(key.name);
  }
  return names;
}

// All data files must lie in directories of one structure: the same base, the same keys.
arrow::Status CheckStructure(const FileListing& listing) {
  const ListedDirectory* keyed = nullptr;
  for (const ListedDirectory& directory : listing.directories) {
    if (!directory.keys.empty()) {
      keyed = &directory;
      break;
    }
  }
  if (keyed == nullptr) {
    return arrow::Status::OK();
  }
  const std::string names = KeyNames(*keyed);
  for (const ListedDirectory& directory : listing.directories) {
    if (directory.keys.empty()) {
      return Error(ErrorKind::kInvalidSql, "there are files in ",
                   fs::Quoted(directory.path), " beside the partition directories like ",
                   fs::Quoted(keyed->path),
                   ", so they have no partition values; move them, or read them with a "
                   "glob of their own");
    }
    if (const std::string other = KeyNames(directory); other != names) {
      return Error(ErrorKind::kInvalidSql,
                   "conflicting partition columns: ", fs::Quoted(keyed->path), " has (",
                   names, ") and ", fs::Quoted(directory.path), " has (", other,
                   "); read the directories apart");
    }
    if (directory.base != keyed->base) {
      return Error(ErrorKind::kInvalidSql,
                   "conflicting directory structures: partition directories begin in ",
                   fs::Quoted(keyed->base), " and in ", fs::Quoted(directory.base),
                   "; read the tables apart, or give the base path of both");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<FileListing> ListFiles(const std::string& path, const Predicate& filter,
                                     const TableOptions& options,
                                     fs::FileSystem* file_system,
                                     const core::Context& context,
                                     core::MetricSet* metrics, FileListing* sample) {
  ARROW_ASSIGN_OR_RAISE(std::vector<fs::FileInfo> roots,
                        ResolveRoots(path, options, file_system, context, metrics));
  const PartitionFilter partition_filter(filter, options.infer_partition_types,
                                         options.time_zone);
  Walker walker(options, file_system, context, metrics, partition_filter);
  ARROW_RETURN_NOT_OK(walker.Start(std::move(roots)));
  FileListing listing = walker.Finish();
  ARROW_RETURN_NOT_OK(CheckStructure(listing));
  if (listing.files.empty()) {
    std::sort(walker.pruned().begin(), walker.pruned().end(),
              [](const Directory& a, const Directory& b) { return a.path() < b.path(); });
    const PartitionFilter everything({}, options.infer_partition_types,
                                     options.time_zone);
    for (Directory& pruned : walker.pruned()) {
      Walker again(options, file_system, context, metrics, everything);
      std::vector<Directory> level;
      pruned.parent = -1;  // the directories above it are the other walker's
      level.push_back(std::move(pruned));
      ARROW_RETURN_NOT_OK(again.Walk(std::move(level)));
      *sample = again.Finish();
      if (!sample->files.empty()) {
        break;
      }
    }
  }
  return listing;
}

}  // namespace wheelpit::index
