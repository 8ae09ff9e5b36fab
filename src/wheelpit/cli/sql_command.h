// SPDX-License-Identifier: Apache-2.0
// `wheelpit sql`: runs statements one after another and prints their results.
#pragma once

#include <string>
#include <vector>

#include "wheelpit/cli/interrupt.h"
#include "wheelpit/cli/result_writer.h"
#include "wheelpit/core/config.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

struct SqlOptions {
  std::vector<std::string> commands;  ///< -c, each with one statement or more
  std::string file;                   ///< -f; "-" is standard input
  std::string input;                  ///< "-" or empty
  Format format = Format::kTable;
  bool stats = false;   ///< a line of JSON after each statement
  bool report = false;  ///< lines for people after each statement
};

/// The exit code. Stops at the first statement that fails.
int RunSql(io::Syscalls& syscalls, const core::Config& config, const SqlOptions& options,
           Interrupt* interrupt);

}  // namespace wheelpit::cli
