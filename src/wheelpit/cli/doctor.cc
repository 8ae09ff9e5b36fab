// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/doctor.h"

#include <algorithm>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "wheelpit/cli/result_writer.h"
#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/json_text.h"

namespace wheelpit::cli {

namespace {

struct Finding {
  std::string name;
  std::string value;
  std::string source;
  std::string advice;  // empty: fine
};

constexpr int64_t kLowSpaceBytes = 10'000'000'000;
constexpr int64_t kLowDescriptors = 1024;

// How files without a name can be had in a directory: tried, since the kernel does not
// say.
Finding UnnamedFiles(io::Syscalls& syscalls, const std::string& directory) {
  Finding finding{"unnamed files in " + directory, "", "tried", ""};
  const int dir =
      syscalls.Open(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (dir < 0) {
    finding.value = "no";
    finding.advice = core::ErrnoStatus(-dir, "opening it").message() +
                     "; make it, or name another with --spill-dir";
    return finding;
  }
  const int fd = syscalls.Open(dir, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) {
    syscalls.Close(fd);
    finding.value = "yes (O_TMPFILE)";
  } else if (fd == -EACCES || fd == -EROFS || fd == -EPERM) {
    finding.value = "no";
    finding.advice = core::ErrnoStatus(-fd, "writing there").message() +
                     "; name a directory that you may write to with --spill-dir";
  } else {
    finding.value = "no: files are unlinked right after they are made";
    finding.advice =
        "a crash in that instant leaves an empty file behind; a local disk "
        "(ext4, xfs, btrfs) does better";
  }
  syscalls.Close(dir);
  return finding;
}

Finding Space(io::Syscalls& syscalls, const std::string& directory) {
  const FileSystemFacts facts = InspectFileSystem(syscalls, directory);
  Finding finding{"free space in " + directory, core::FormatByteSize(facts.free_bytes),
                  facts.type, ""};
  if (!facts.exists) {
    finding.value = "unknown";
    finding.source = "there is no such directory";
  } else if (facts.in_memory) {
    finding.advice =
        "it is in memory: what is spilled there is not out of memory; name a "
        "directory on a disk with --spill-dir";
  } else if (facts.free_bytes < kLowSpaceBytes) {
    finding.advice =
        "little room to spill; free some, or name another directory with "
        "--spill-dir";
  }
  return finding;
}

Finding Descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  Finding finding{"open files", std::to_string(limit.rlim_cur), "ulimit -n", ""};
  if (static_cast<int64_t>(limit.rlim_cur) < kLowDescriptors) {
    finding.advice = "enough to work, but few; raise it with ulimit -n 4096";
  }
  return finding;
}

std::vector<Finding> Examine(io::Syscalls& syscalls, const Machine& machine,
                             const core::Config& config) {
  std::vector<Finding> findings;
  findings.push_back({"memory that may be used",
                      core::FormatByteSize(machine.memory.value), machine.memory.source,
                      ""});
  findings.push_back({"threads that may run", std::to_string(machine.threads.value),
                      machine.threads.source, ""});
  findings.push_back(Descriptors());
  for (const std::string& directory : config.List(core::ConfigKey::kSpillDirectories)) {
    findings.push_back(UnnamedFiles(syscalls, directory));
    findings.push_back(Space(syscalls, directory));
    const auto& found = machine.spill_directories;
    if (std::find(found.begin(), found.end(), directory) != found.end()) {
      findings.back().source += ", " + machine.spill_source;
    }
  }
  for (const core::ConfigRow& row : core::ConfigTable()) {
    std::string value = config.Text(row.key);
    if (row.type == core::ConfigType::kBytes) {
      value = core::FormatByteSize(config.Number(row.key));
    }
    findings.push_back({std::string(row.name), value,
                        std::string(core::ToString(config.SourceOf(row.key))), ""});
  }
  return findings;
}

}  // namespace

arrow::Status RunDoctor(io::Syscalls& syscalls, const Machine& machine,
                        const core::Config& config, bool json, Output* output) {
  const auto findings = Examine(syscalls, machine, config);
  if (json) {
    std::string line = "[";
    for (const Finding& finding : findings) {
      line += line.size() == 1 ? "" : ",";
      line += "{\"name\":" + exec::JsonString(finding.name) +
              ",\"value\":" + exec::JsonString(finding.value) +
              ",\"source\":" + exec::JsonString(finding.source) +
              ",\"advice\":" + exec::JsonString(finding.advice) + "}";
    }
    ARROW_RETURN_NOT_OK(output->Write(line + "]\n"));
    return output->Flush();
  }
  int advice = 0;
  for (const Finding& finding : findings) {
    std::string line = Printable(finding.name);
    line.resize(std::max<size_t>(line.size() + 1, 34), ' ');
    line += Printable(finding.value) + "  (" + Printable(finding.source) + ")\n";
    if (!finding.advice.empty()) {
      line += "  -> " + Printable(finding.advice) + "\n";
      ++advice;
    }
    ARROW_RETURN_NOT_OK(output->Write(line));
  }
  ARROW_RETURN_NOT_OK(
      output->Write(advice == 0 ? std::string("nothing to advise\n")
                                : std::to_string(advice) + " to look at, marked ->\n"));
  return output->Flush();
}

}  // namespace wheelpit::cli
