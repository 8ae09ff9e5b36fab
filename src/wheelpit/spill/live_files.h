// SPDX-License-Identifier: Apache-2.0
// Which processes hold spill files. Unnamed files show neither in a listing nor in the
// sum of one: the space is found here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::spill {

struct LiveSpillFile {
  int64_t process = 0;
  std::string command;  ///< the program's name, as the kernel has it
  std::string query;
  std::string directory;
  int64_t bytes = 0;  ///< on disk, as the file system counts
};

/// The spill files that `process` holds open; of every process that this user may look
/// into when it is 0. Any program's that spills through this library. By process, then by
/// descriptor. Reads below `proc`; processes that end meanwhile are left out. Blocks.
arrow::Result<std::vector<LiveSpillFile>> ListSpillFiles(
    io::Syscalls& syscalls, int64_t process = 0, const std::string& proc = "/proc");

}  // namespace wheelpit::spill
