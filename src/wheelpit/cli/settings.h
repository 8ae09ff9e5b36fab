// SPDX-License-Identifier: Apache-2.0
// Where settings come from: flags over the configuration file over the environment over
// defaults.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/cli/machine.h"
#include "wheelpit/core/config.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

struct SettingSources {
  /// Name and text of each flag that was given.
  std::vector<std::pair<core::ConfigKey, std::string>> flags;
  /// --config, or empty: $XDG_CONFIG_HOME/wheelpit/config, else
  /// ~/.config/wheelpit/config, if there.
  std::string config_file;
};

/// Reads all of them and works out what is "auto". Errors name the flag, the line of the
/// file, or the variable.
arrow::Result<core::Config> LoadSettings(io::Syscalls& syscalls,
                                         const SettingSources& sources,
                                         const Machine& machine);

/// The lines of a configuration file: `name = value`, # begins a comment.
arrow::Status ApplyConfigText(const std::string& text, const std::string& path,
                              core::Config* config);

/// An environment variable; empty when it is not set.
std::string Environment(const char* name);

}  // namespace wheelpit::cli
