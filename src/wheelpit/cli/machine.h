// SPDX-License-Identifier: Apache-2.0
// What this machine allows the process: memory, threads, a place to spill. Looks at
// /proc, /sys and the cgroups above the process (v2 and v1, every parent). The only place
// that does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/config.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

/// A limit and where it was found, for `doctor`.
struct Limit {
  int64_t value = 0;
  std::string source;  ///< "physical memory", or the path of a cgroup file
};

struct Machine {
  Limit memory;   ///< bytes: the smallest of physical memory and cgroup limits
  Limit threads;  ///< from CPU affinity and cgroup quotas, at least 1
  /// Where to spill when nobody says where; never in memory, none twice.
  std::vector<std::string> spill_directories;
  /// The variable that they are from, or why they are from none.
  std::string spill_source;
  bool spill_from_environment = false;
};

struct MachineOptions {
  std::string root;  ///< put before /proc and /sys; for tests
  int affinity = 0;  ///< CPUs that the process may run on; 0 asks the kernel
  /// Variables that may name directories by commas, and their values; the first that
  /// names a usable one counts.
  std::vector<std::pair<std::string, std::string>> spill_variables;
};

/// Never fails: what cannot be read does not limit. Blocks.
Machine InspectMachine(io::Syscalls& syscalls, const MachineOptions& options);

/// SPARK_LOCAL_DIRS and LOCAL_DIRS, as Spark and YARN set them, then TMPDIR.
inline constexpr std::array<const char*, 3> kSpillVariables = {"SPARK_LOCAL_DIRS",
                                                               "LOCAL_DIRS", "TMPDIR"};

/// Fills every "auto" of the settings that the engine needs: 60% of the memory, all the
/// threads, the spill directories.
arrow::Status ApplyDefaults(const Machine& machine, core::Config* config);

/// Kind of the file system that holds a path.
struct FileSystemFacts {
  bool exists = false;
  bool in_memory = false;  ///< tmpfs or ramfs
  int64_t free_bytes = 0;
  std::string type;  ///< "ext4", or the magic number in hexadecimal
};
FileSystemFacts InspectFileSystem(io::Syscalls& syscalls, const std::string& path);

/// The whole of a small file; empty when it cannot be read.
std::string ReadSmallFile(io::Syscalls& syscalls, const std::string& path);

}  // namespace wheelpit::cli
