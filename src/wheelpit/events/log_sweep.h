// SPDX-License-Identifier: Apache-2.0
// SweepLogs: keeps the logs of past runs within a limit. Private to events.
#pragma once

#include <cstdint>
#include <string>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::events {

struct SweepOptions {
  int64_t total_limit_bytes = 0;  ///< on disk, folders included
  int64_t now_millis = 0;
  /// Else nothing happens when some process has swept within kSweepMillis.
  bool even_if_swept_lately = false;
};

/// Looking at all logs takes a millisecond for a hundred of them, too much for each of
/// many short runs.
inline constexpr int64_t kSweepMillis = 600'000;
/// More logs than this are too many, whatever their size: looking at them shall not be
/// felt at the end of a short run.
inline constexpr size_t kLogsMax = 2'000;

/// Deletes the oldest logs of ours until the rest keeps the limit. Logs of living
/// processes, and whatever else lies in the directory, stay. Blocks. What goes wrong is
/// left for the next time.
void SweepLogs(io::Syscalls& syscalls, const std::string& directory,
               const SweepOptions& options);

}  // namespace wheelpit::events
