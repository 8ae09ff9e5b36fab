// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/roots.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wheelpit/core/config.h"
#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/path_pattern.h"

namespace wheelpit::index {

namespace {

// Levels that ** goes down; a loop of links ends here if nowhere else.
constexpr int kDepthMax = 64;

bool Contains(std::string_view text, char c) {
  return text.find(c) != std::string_view::npos;
}

// Without double slashes, "." components and a slash at the end, so that a file has one
// path however the query spells its directory. ".." stays: only the kernel knows what it
// means behind a link.
std::string Normalized(std::string_view path) {
  std::string out(path.starts_with('/') ? 1 : 0, '/');
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    if (!component.empty() && component != ".") {
      if (!out.empty() && out.back() != '/') {
        out += '/';
      }
      out += component;
    }
    begin = end + 1;
  }
  if (out.empty() && !path.empty()) {
    out += '.';
  }
  return out;
}

// Joins without a double slash; "" is the working directory.
std::string Joined(std::string_view directory, std::string_view name) {
  std::string out(directory);
  if (!out.empty() && out.back() != '/') {
    out += '/';
  }
  out += name;
  return out;
}

bool IsAbsence(const arrow::Status& status) {
  return core::KindOf(status) == core::ErrorKind::kNotFound;
}

// Walks a pattern's components from one set of directories to the next.
class Expander {
 public:
  Expander(const TableOptions& options, fs::FileSystem* file_system,
           const core::Context& context, core::MetricSet* metrics)
      : options_(options),
        file_system_(file_system),
        context_(context),
        metrics_(metrics) {}

  arrow::Status Expand(const PathPattern& pattern, std::vector<fs::FileInfo>* out) {
    Level level{.entries = {}, .exist = true};
    level.entries.push_back(Directory(pattern.absolute ? "/" : ""));
    for (size_t i = 0; i < pattern.components.size(); ++i) {
      const bool last = i + 1 == pattern.components.size();
      ARROW_ASSIGN_OR_RAISE(level, Step(std::move(level), pattern.components[i], last));
    }
    if (!level.exist) {
      ARROW_RETURN_NOT_OK(KeepExisting(&level));
    }
    std::move(level.entries.begin(), level.entries.end(), std::back_inserter(*out));
    return arrow::Status::OK();
  }

 private:
  struct Level {
    std::vector<fs::FileInfo> entries;
    bool exist = true;  ///< false: paths put together, that nobody has looked at
  };

  static fs::FileInfo Directory(std::string path) {
    fs::FileInfo info;
    info.path = std::move(path);
    info.type = fs::FileType::kDirectory;
    return info;
  }

  arrow::Result<Level> Step(Level from, const ComponentPattern& component, bool last) {
    const auto all = [&](auto property) {
      return std::all_of(component.begin(), component.end(), property);
    };
    if (all([](const NamePattern& name) { return name.is_literal(); })) {
      return Append(from, component);
    }
    if (all([](const NamePattern& name) { return name.crosses_directories(); })) {
      // At the end, the directories themselves will do: listing goes down from them.
      if (!last) {
        ARROW_RETURN_NOT_OK(AddDescendants(&from.entries));
      }
      return from;
    }
    return Match(from.entries, component, last);
  }

  static Level Append(const Level& from, const ComponentPattern& component) {
    Level next{.entries = {}, .exist = false};
    for (const fs::FileInfo& directory : from.entries) {
      for (const NamePattern& name : component) {
        next.entries.push_back(Directory(Joined(directory.path, name.literal())));
      }
    }
    return next;
  }

  arrow::Result<Level> Match(const std::vector<fs::FileInfo>& from,
                             const ComponentPattern& component, bool last) {
    const fs::EntryFilter wanted = [&](const fs::EntryName& entry) {
      return (last || entry.maybe_directory) &&
             std::any_of(component.begin(), component.end(),
                         [&](const NamePattern& name) {
                           return name.Matches(entry.name) &&
                                  (name.names_hidden() || IsShown(entry));
                         });
    };
    Level next;
    std::vector<std::string> vanished;
    ARROW_ASSIGN_OR_RAISE(next.entries, ListAll(from, wanted, &vanished));
    if (last && !vanished.empty()) {
      if (!options_.ignore_missing) {
        return VanishedError(*std::min_element(vanished.begin(), vanished.end()));
      }
      metrics_->Add(core::Metric::kFilesSkipped, static_cast<int64_t>(vanished.size()));
    }
    std::erase_if(next.entries, [&](const fs::FileInfo& info) {
      return info.type == fs::FileType::kOther ||
             (info.is_symlink && !options_.follow_symlinks) ||
             (!last && info.type != fs::FileType::kDirectory);
    });
    return next;
  }

  static bool IsShown(const fs::EntryName& entry) {
    return (entry.maybe_directory && !IsHidden(entry.name, true)) ||
           (entry.maybe_file && !IsHidden(entry.name, false));
  }

  arrow::Status AddDescendants(std::vector<fs::FileInfo>* directories) {
    std::vector<fs::FileInfo> level = *directories;
    for (int depth = 0; !level.empty() && depth < kDepthMax; ++depth) {
      // Links are left out, as every shell does for **: they are how loops are made.
      std::vector<std::string> vanished;
      ARROW_ASSIGN_OR_RAISE(level, ListAll(
                                       level,
                                       [](const fs::EntryName& entry) {
                                         return entry.maybe_directory && IsShown(entry);
                                       },
                                       &vanished));
      std::erase_if(level, [](const fs::FileInfo& info) {
        return info.type != fs::FileType::kDirectory || info.is_symlink;
      });
      directories->insert(directories->end(), level.begin(), level.end());
    }
    return arrow::Status::OK();
  }

  // What is missing, or is a file, has no entries.
  arrow::Result<std::vector<fs::FileInfo>> ListAll(
      const std::vector<fs::FileInfo>& directories, const fs::EntryFilter& wanted,
      std::vector<std::string>* vanished) {
    std::vector<fs::Listing> found(directories.size());
    ARROW_RETURN_NOT_OK(core::ParallelFor(
        context_.io, static_cast<int64_t>(directories.size()),
        [&](int64_t i) -> arrow::Status {
          const std::string& path = directories[static_cast<size_t>(i)].path;
          const std::string directory = path.empty() ? "." : path;
          auto listing = file_system_->List(directory, wanted, context_.stop);
          metrics_->Add(core::Metric::kDirectoriesListed, 1);
          if (!listing.ok()) {
            const bool absent = IsAbsence(listing.status()) || IsFile(directory);
            return absent ? arrow::Status::OK() : listing.status();
          }
          if (path.empty()) {
            for (fs::FileInfo& info : listing->entries) {
              info.path = std::string(NameOf(info.path));
            }
          }
          found[static_cast<size_t>(i)] = *std::move(listing);
          return arrow::Status::OK();
        }));
    std::vector<fs::FileInfo> all;
    for (fs::Listing& some : found) {
      std::move(some.entries.begin(), some.entries.end(), std::back_inserter(all));
      std::move(some.vanished.begin(), some.vanished.end(),
                std::back_inserter(*vanished));
    }
    return all;
  }

  bool IsFile(const std::string& path) {
    const auto info = file_system_->Stat(path);
    return info.ok() && info->type != fs::FileType::kDirectory;
  }

  arrow::Status KeepExisting(Level* level) {
    std::vector<fs::FileInfo> existing;
    for (const fs::FileInfo& candidate : level->entries) {
      ARROW_RETURN_NOT_OK(context_.stop.Poll());
      auto info = file_system_->Stat(candidate.path);
      if (info.ok()) {
        existing.push_back(*std::move(info));
      } else if (!IsAbsence(info.status())) {
        return info.status();
      }
    }
    level->entries = std::move(existing);
    return arrow::Status::OK();
  }

  const TableOptions& options_;
  fs::FileSystem* file_system_;
  const core::Context& context_;
  core::MetricSet* metrics_;
};

// The names of a directory, so many at most; nothing is looked at.
std::vector<std::string> NamesIn(const std::string& directory,
                                 fs::FileSystem* file_system,
                                 const arrow::StopToken& stop) {
  constexpr size_t kNamesMax = 10'000;
  std::vector<std::string> names;
  const auto listing = file_system->List(
      directory,
      [&](const fs::EntryName& entry) {
        if (names.size() < kNamesMax) {
          names.emplace_back(entry.name);
        }
        return false;
      },
      stop);
  std::sort(names.begin(), names.end());
  return names;
}

// Of a path that is not there: the part that is missing, and a name that is near.
arrow::Status MissingError(const std::string& path, fs::FileSystem* file_system,
                           const arrow::StopToken& stop) {
  const bool relative = !path.starts_with('/');
  std::string missing = path;
  while (Contains(missing, '/') && ParentOf(missing) != "/" &&
         !file_system->Stat(std::string(ParentOf(missing))).ok()) {
    missing = std::string(ParentOf(missing));
  }
  const std::string parent(ParentOf(missing));
  const std::vector<std::string> names = NamesIn(parent, file_system, stop);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = core::NearestName(NameOf(missing), views);
  std::string hint;
  if (missing != path) {
    hint += ": " + fs::Quoted(parent) + " has no " + fs::Quoted(NameOf(missing));
  }
  if (!near.empty()) {
    hint += "; did you mean ";
    hint += fs::Quoted(Joined(Contains(missing, '/') ? parent : "", near)) + "?";
  } else if (relative && missing == path) {
    hint += "; relative paths begin in the working directory of the program";
  }
  return core::Error(core::ErrorKind::kNotFound, "there is no ", fs::Quoted(path), hint);
}

}  // namespace

bool IsHidden(std::string_view name, bool is_directory) {
  if (name.starts_with('.') || name.ends_with("._COPYING_")) {
    return true;
  }
  if (name.starts_with('_') && !Contains(name, '=')) {
    return !is_directory ||
           !(name.starts_with("_metadata") || name.starts_with("_common_metadata"));
  }
  return !is_directory && name.ends_with(".crc");
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

arrow::Status VanishedError(std::string_view path) {
  return core::Error(core::ErrorKind::kNotFound, fs::Quoted(path),
                     " vanished while it was listed, or is a link that leads nowhere; "
                     "SET index.ignore_missing = true skips such paths");
}

arrow::Result<std::vector<fs::FileInfo>> ResolveRoots(const std::string& path,
                                                      const TableOptions& options,
                                                      fs::FileSystem* file_system,
                                                      const core::Context& context,
                                                      core::MetricSet* metrics) {
  ARROW_RETURN_NOT_OK(context.stop.Poll());
  if (path.empty()) {
    return core::Error(core::ErrorKind::kNotFound,
                       "the path is empty; name a file, a directory or a glob");
  }
  const std::string normal = Normalized(path);
  auto literal = file_system->Stat(normal);
  if (literal.ok()) {
    return std::vector<fs::FileInfo>{*std::move(literal)};
  }
  if (!IsAbsence(literal.status())) {
    return literal.status();
  }
  if (!LooksLikePattern(normal)) {
    return MissingError(normal, file_system, context.stop);
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<PathPattern> patterns,
                        ParsePathPattern(normal));
  std::vector<fs::FileInfo> roots;
  Expander expander(options, file_system, context, metrics);
  for (const PathPattern& pattern : patterns) {
    ARROW_RETURN_NOT_OK(expander.Expand(pattern, &roots));
  }
  if (roots.empty()) {
    return core::Error(core::ErrorKind::kNotFound, "nothing matches the glob ",
                       fs::Quoted(path),
                       " (wildcards pass hidden names over: they begin with '_' or '.', "
                       "or end with .crc)");
  }
  std::sort(roots.begin(), roots.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  const auto same = [](const auto& a, const auto& b) { return a.path == b.path; };
  roots.erase(std::unique(roots.begin(), roots.end(), same), roots.end());
  return roots;
}

}  // namespace wheelpit::index
