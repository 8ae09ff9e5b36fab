// SPDX-License-Identifier: Apache-2.0
// `wheelpit doctor`: what this machine offers, each value with its source, and what to do
// about what is not as it should be.
#pragma once

#include "wheelpit/cli/machine.h"
#include "wheelpit/cli/output.h"
#include "wheelpit/core/config.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

/// Writes the report; `json` as one JSON object. OK also when there is something to
/// advise.
arrow::Status RunDoctor(io::Syscalls& syscalls, const Machine& machine,
                        const core::Config& config, bool json, Output* output);

}  // namespace wheelpit::cli
