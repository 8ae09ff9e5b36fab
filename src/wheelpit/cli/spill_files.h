// SPDX-License-Identifier: Apache-2.0
// Spilled data of live processes: its files have no names, so no other tool shows them.
#pragma once

#include <arrow/status.h>

#include "wheelpit/cli/output.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

/// `wheelpit doctor --spill`: every spill file of a process that this user may look into,
/// and their sum; `json` as one array of objects.
arrow::Status ShowSpillFiles(io::Syscalls& syscalls, bool json, Output* output);

/// The same of this process, for SIGUSR1. What cannot be said is not said.
void ReportOwnSpillFiles(io::Syscalls& syscalls, Output* output);

}  // namespace wheelpit::cli
