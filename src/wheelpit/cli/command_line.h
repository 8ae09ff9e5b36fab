// SPDX-License-Identifier: Apache-2.0
// What the command line asks for. Only parsed here: nothing is opened, read or printed.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>

#include "wheelpit/cli/settings.h"
#include "wheelpit/cli/sql_command.h"

namespace wheelpit::cli {

enum class Command : uint8_t {
  kShow,  ///< --help or --version: print `text`
  kSql,
  kDoctor,
};

struct CommandLine {
  Command command = Command::kShow;
  std::string text;
  SettingSources sources;
  SqlOptions sql;
  bool doctor_json = false;
  bool doctor_spill = false;
};

/// The arguments as main gets them, the program's name first. kConfiguration says which
/// argument is wrong and where help is.
arrow::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace wheelpit::cli
