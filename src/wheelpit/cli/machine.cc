// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <vector>

#include <linux/magic.h>
#include <sched.h>

namespace wheelpit::cli {

namespace {

constexpr int64_t kPageable = int64_t{1} << 60;  // v1 writes "no limit" as almost 2^63

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// A leading decimal number; -1 when there is none ("max").
int64_t LeadingNumber(std::string_view text) {
  int64_t number = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() ? number : -1;
}

void Lower(Limit* limit, int64_t value, std::string source) {
  if (value > 0 && value < limit->value) {
    limit->value = value;
    limit->source = std::move(source);
  }
}

class CgroupReader {
 public:
  CgroupReader(io::Syscalls& syscalls, std::string root)
      : syscalls_(syscalls), root_(std::move(root)) {}

  // Every cgroup on the process's path, from its own up to the root of the mount.
  void Apply(Machine* machine) {
    const std::string groups = ReadSmallFile(syscalls_, root_ + "/proc/self/cgroup");
    for (const std::string_view line : SplitAt(groups, '\n')) {
      const size_t first = line.find(':');
      const size_t second =
          first == std::string_view::npos ? first : line.find(':', first + 1);
      if (second == std::string_view::npos) {
        continue;
      }
      const std::string_view controllers = line.substr(first + 1, second - first - 1);
      const std::string path(line.substr(second + 1));
      if (controllers.empty()) {
        Climb("/sys/fs/cgroup", path, [&](const std::string& group) {
          Memory(group + "/memory.max", machine);
          Cpu(group + "/cpu.max", machine);
        });
        continue;
      }
      for (const std::string_view controller : SplitAt(controllers, ',')) {
        const std::string mount = "/sys/fs/cgroup/" + std::string(controller);
        if (controller == "memory") {
          Climb(mount, path, [&](const std::string& group) {
            Memory(group + "/memory.limit_in_bytes", machine);
          });
        } else if (controller == "cpu") {
          Climb(mount, path, [&](const std::string& group) { CpuV1(group, machine); });
        }
      }
    }
  }

 private:
  template <typename Visit>
  void Climb(const std::string& mount, std::string path, Visit visit) {
    while (true) {
      visit(mount + (path == "/" ? "" : path));
      const size_t slash = path.rfind('/');
      if (path.size() <= 1 || slash == std::string::npos) {
        return;
      }
      path.resize(std::max<size_t>(slash, 1));
    }
  }

  std::string Read(const std::string& path) {
    return ReadSmallFile(syscalls_, root_ + path);
  }

  void Memory(const std::string& file, Machine* machine) {
    const int64_t limit = LeadingNumber(Read(file));
    if (limit < kPageable) {
      Lower(&machine->memory, limit, file);
    }
  }

  static void Quota(int64_t quota, int64_t period, const std::string& file,
                    Machine* machine) {
    if (quota > 0 && period > 0) {
      Lower(&machine->threads, (quota + period - 1) / period, file);
    }
  }

  void Cpu(const std::string& file, Machine* machine) {
    const std::string text = Read(file);
    const size_t space = text.find(' ');
    if (space != std::string::npos) {
      Quota(LeadingNumber(text), LeadingNumber(std::string_view(text).substr(space + 1)),
            file, machine);
    }
  }

  void CpuV1(const std::string& group, Machine* machine) {
    Quota(LeadingNumber(Read(group + "/cpu.cfs_quota_us")),
          LeadingNumber(Read(group + "/cpu.cfs_period_us")), group + "/cpu.cfs_quota_us",
          machine);
  }

  io::Syscalls& syscalls_;
  std::string root_;
};

int64_t PhysicalBytes(io::Syscalls& syscalls, const std::string& root) {
  const std::string text = ReadSmallFile(syscalls, root + "/proc/meminfo");
  constexpr std::string_view kLabel = "MemTotal:";
  const size_t at = text.find(kLabel);
  if (at == std::string::npos) {
    return 0;
  }
  std::string_view rest = std::string_view(text).substr(at + kLabel.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return std::max<int64_t>(LeadingNumber(rest), 0) * 1024;
}

int AffinityCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

}  // namespace

std::string ReadSmallFile(io::Syscalls& syscalls, const std::string& path) {
  const int fd = syscalls.Open(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) {
    return {};
  }
  std::string text(16 << 10, '\0');
  const ssize_t size = io::ReadFully(syscalls, fd, text.data(), text.size(), 0);
  syscalls.Close(fd);
  text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

FileSystemFacts InspectFileSystem(io::Syscalls& syscalls, const std::string& path) {
  FileSystemFacts facts;
  const int fd =
      syscalls.Open(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) {
    return facts;
  }
  facts.exists = true;
  struct statfs stat {};
  if (syscalls.Fstatfs(fd, &stat) == 0) {
    const auto magic = static_cast<uint64_t>(stat.f_type) & 0xffffffffU;
    facts.in_memory = magic == TMPFS_MAGIC || magic == RAMFS_MAGIC;
    facts.free_bytes = static_cast<int64_t>(stat.f_bavail) * stat.f_bsize;
    constexpr uint64_t kXfs = 0x58465342;
    constexpr std::array<std::pair<uint64_t, const char*>, 7> kNames = {
        {{EXT4_SUPER_MAGIC, "ext4"},
         {TMPFS_MAGIC, "tmpfs"},
         {RAMFS_MAGIC, "ramfs"},
         {BTRFS_SUPER_MAGIC, "btrfs"},
         {OVERLAYFS_SUPER_MAGIC, "overlayfs"},
         {NFS_SUPER_MAGIC, "nfs"},
         {kXfs, "xfs"}}};
    for (const auto& [number, name] : kNames) {
      if (number == magic) {
        facts.type = name;
      }
    }
    if (facts.type.empty()) {
      char text[24];
      std::snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(magic));
      facts.type = text;
    }
  }
  syscalls.Close(fd);
  return facts;
}

namespace {

void FindSpillDirectories(io::Syscalls& syscalls, const MachineOptions& options,
                          Machine* machine) {
  std::string reasons;
  for (const auto& [name, value] : options.spill_variables) {
    for (const std::string_view part : SplitAt(value, ',')) {
      const std::string path(part);
      const FileSystemFacts facts = InspectFileSystem(syscalls, options.root + path);
      auto& found = machine->spill_directories;
      if (!facts.exists || facts.in_memory) {
        reasons +=
            (reasons.empty() ? "" : ", ") + ("$" + name + ": '" + path + "' ") +
            (facts.exists ? "is in memory (" + facts.type + ")" : "is not a directory");
      } else if (std::find(found.begin(), found.end(), path) == found.end()) {
        found.push_back(path);
      }
    }
    if (!machine->spill_directories.empty()) {
      machine->spill_source = "$" + name;
      machine->spill_from_environment = true;
      return;
    }
  }
  machine->spill_directories = {"/var/tmp"};
  machine->spill_source = reasons.empty() ? "no variable names one" : reasons;
}

}  // namespace

Machine InspectMachine(io::Syscalls& syscalls, const MachineOptions& options) {
  Machine machine;
  machine.memory = {PhysicalBytes(syscalls, options.root), "physical memory"};
  if (machine.memory.value == 0) {
    machine.memory = {int64_t{1} << 30, "a guess: /proc/meminfo cannot be read"};
  }
  machine.threads = {options.affinity > 0 ? options.affinity : AffinityCount(),
                     "CPU affinity"};
  CgroupReader(syscalls, options.root).Apply(&machine);

  FindSpillDirectories(syscalls, options, &machine);
  return machine;
}

arrow::Status ApplyDefaults(const Machine& machine, core::Config* config) {
  using core::ConfigKey;
  using core::ConfigSource;
  const auto fill = [&](ConfigKey key, const std::string& text) {
    return config->Text(key) == "auto" ? config->Set(key, text, config->SourceOf(key))
                                       : arrow::Status::OK();
  };
  // 60%: the rest is for the page cache, the program itself, and what else runs beside
  // it.
  const int64_t memory = std::max<int64_t>(machine.memory.value / 10 * 6, 64 << 20);
  ARROW_RETURN_NOT_OK(fill(ConfigKey::kMemoryLimit, std::to_string(memory)));
  ARROW_RETURN_NOT_OK(
      fill(ConfigKey::kComputeThreads, std::to_string(machine.threads.value)));
  if (config->Text(ConfigKey::kSpillDirectories) != "auto") {
    return arrow::Status::OK();
  }
  std::string directories;
  for (const std::string& directory : machine.spill_directories) {
    directories += (directories.empty() ? "" : ",") + directory;
  }
  return config->Set(ConfigKey::kSpillDirectories, directories,
                     machine.spill_from_environment
                         ? ConfigSource::kEnvironment
                         : config->SourceOf(ConfigKey::kSpillDirectories));
}

}  // namespace wheelpit::cli
