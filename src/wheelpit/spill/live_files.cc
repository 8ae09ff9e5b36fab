// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/live_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/extent_format.h"
#include "wheelpit/spill/spill_directories.h"

namespace wheelpit::spill {

namespace {

// What proc(5) puts after the path of a file that has no name any more.
constexpr std::string_view kDeleted = " (deleted)";

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

FileDescriptor OpenAt(io::Syscalls& syscalls, int at_fd, const std::string& path,
                      int flags) {
  // A descriptor of another process may be a pipe: opening that must not wait.
  return {&syscalls,
          syscalls.Open(at_fd, path.c_str(),
                        O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0)};
}

// The numbers among the names in a folder, in order.
arrow::Result<std::vector<int64_t>> Numbers(io::Syscalls& syscalls, int fd,
                                            const std::string& path) {
  std::vector<int64_t> numbers;
  const int listed = io::ListNames(syscalls, fd, [&](std::string_view name) {
    if (const auto number = Number(name)) {
      numbers.push_back(*number);
    }
  });
  if (listed != 0) {
    return core::ErrnoStatus(-listed, "cannot list '" + path + "'");
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

class Process {
 public:
  Process(io::Syscalls& syscalls, int proc, int64_t number)
      : syscalls_(syscalls),
        number_(number),
        folder_(OpenAt(syscalls, proc, std::to_string(number), O_DIRECTORY)) {}

  // A process of somebody else, or one that has ended, has none to show.
  void AddFiles(std::vector<LiveSpillFile>* files) {
    if (folder_.get() < 0) {
      return;
    }
    const FileDescriptor descriptors =
        OpenAt(syscalls_, folder_.get(), "fd", O_DIRECTORY);
    if (descriptors.get() < 0) {
      return;
    }
    const auto numbers = Numbers(syscalls_, descriptors.get(), "fd");
    if (!numbers.ok()) {
      return;
    }
    for (const int64_t number : *numbers) {
      AddFile(descriptors.get(), std::to_string(number), files);
    }
  }

 private:
  void AddFile(int descriptors, const std::string& name,
               std::vector<LiveSpillFile>* files) {
    std::array<char, 4096> link;
    const ssize_t got =
        syscalls_.Readlink(descriptors, name.c_str(), link.data(), link.size());
    std::string_view target(link.data(), got < 0 ? 0 : static_cast<size_t>(got));
    if (!target.ends_with(kDeleted) || target.front() != '/') {
      return;
    }
    target.remove_suffix(kDeleted.size());
    const FileDescriptor file = OpenAt(syscalls_, descriptors, name, 0);
    struct statx found {};
    if (file.get() < 0 ||
        syscalls_.Statx(file.get(), "", AT_EMPTY_PATH, STATX_TYPE | STATX_BLOCKS,
                        &found) != 0 ||
        !S_ISREG(found.stx_mode)) {
      return;
    }
    FileHeader start;
    const ssize_t read =
        io::ReadFully(syscalls_, file.get(), start.data(), start.size(), 0);
    const auto query =
        read < 0 ? std::nullopt
                 : QueryOfFile(std::span(start).first(static_cast<size_t>(read)));
    if (query) {
      files->push_back({.process = number_,
                        .command = Command(),
                        .query = *query,
                        .directory = std::string(target.substr(0, target.rfind('/'))),
                        .bytes = static_cast<int64_t>(found.stx_blocks) * 512});
    }
  }

  std::string Command() {
    const FileDescriptor file = OpenAt(syscalls_, folder_.get(), "comm", 0);
    std::array<char, 64> text;
    const ssize_t got = file.get() < 0 ? 0
                                       : io::ReadFully(syscalls_, file.get(), text.data(),
                                                       text.size(), 0);
    std::string command(text.data(), got < 0 ? 0 : static_cast<size_t>(got));
    while (command.ends_with('\n')) {
      command.pop_back();
    }
    return command;
  }

  io::Syscalls& syscalls_;
  const int64_t number_;
  const FileDescriptor folder_;
};

}  // namespace

arrow::Result<std::vector<LiveSpillFile>> ListSpillFiles(io::Syscalls& syscalls,
                                                         int64_t process,
                                                         const std::string& proc) {
  const FileDescriptor folder = OpenAt(syscalls, AT_FDCWD, proc, O_DIRECTORY);
  if (folder.get() < 0) {
    return core::ErrnoStatus(-folder.get(), "cannot look at processes in '" + proc + "'");
  }
  std::vector<int64_t> processes = {process};
  if (process == 0) {
    ARROW_ASSIGN_OR_RAISE(processes, Numbers(syscalls, folder.get(), proc));
  }
  std::vector<LiveSpillFile> files;
  for (const int64_t number : processes) {
    Process(syscalls, folder.get(), number).AddFiles(&files);
  }
  return files;
}

}  // namespace wheelpit::spill
