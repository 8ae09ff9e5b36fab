// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/command_line.h"

#include <sstream>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {

namespace {

constexpr const char* kVersion = "wheelpit 0.1.0";

constexpr const char* kFooter = R"(
Exit codes, for every command: 0 done, 1 data or query error, 2 usage or
configuration, 3 a limit (memory, spill, disk), 4 corruption, 130 Ctrl-C.)";

constexpr const char* kSqlExamples = R"(
Examples:
  wheelpit sql -c 'SELECT count(*) FROM "lake/*.parquet" WHERE price > 49'
  wheelpit sql --memory 64MiB --format csv -f report.sql > report.csv
  echo 'DESCRIBE "lake"' | wheelpit sql -)";

constexpr const char* kDoctorExample = R"(
Examples:
  wheelpit doctor --spill-dir /data/tmp
  wheelpit doctor --spill)";

// What the options fill.
struct Arguments {
  std::vector<std::string> spill_directories;
  std::string format = "table";
  CommandLine line;
};

// One value each time that it is given: what follows is not taken for another one.
void AddRepeated(CLI::App* command, const std::string& name,
                 std::vector<std::string>* values, const std::string& help) {
  command->add_option(name, *values, help)->allow_extra_args(false);
}

void AddSettings(CLI::App* command, Arguments* arguments) {
  const auto add = [&](const std::string& name, core::ConfigKey key,
                       const std::string& help) {
    command->add_option_function<std::string>(
        name,
        [arguments, key](const std::string& text) {
          arguments->line.sources.flags.emplace_back(key, text);
        },
        help);
  };
  add("--memory", core::ConfigKey::kMemoryLimit,
      "Memory budget, e.g. 512MB or 64MiB (default: 60% of what the machine and its "
      "cgroups allow)");
  add("--threads", core::ConfigKey::kComputeThreads,
      "Compute threads (default: what affinity and cgroups allow)");
  add("--io-threads", core::ConfigKey::kIoThreads, "Threads that wait for disks");
  AddRepeated(command, "--spill-dir", &arguments->spill_directories,
              "Directory for spilled data; may be given more than once");
  add("--spill-limit", core::ConfigKey::kSpillLimit,
      "Bytes that one query may spill (default: 100GB)");
  add("--event-log", core::ConfigKey::kEventsDirectory,
      "Directory for the log of the run, in Spark's format; none: no log (default: "
      "~/.local/state/wheelpit/events)");
  command->add_option("--config", arguments->line.sources.config_file,
                      "Settings file (default: ~/.config/wheelpit/config if there)");
}

CLI::App* AddSql(CLI::App* app, Arguments* arguments) {
  SqlOptions* options = &arguments->line.sql;
  CLI::App* sql = app->add_subcommand("sql", "Run SQL over files");
  sql->footer(std::string(kSqlExamples) + "\n" + kFooter);
  AddRepeated(sql, "-c,--command", &options->commands, "Statements to run");
  sql->add_option("-f,--file", options->file,
                  "File with statements; - is standard input");
  sql->add_option(
      "--format", arguments->format,
      "table, csv, json, ndjson, arrow, parquet or markdown (default: table)");
  sql->add_flag("--stats", options->stats,
                "One line of JSON on standard error after each statement");
  sql->add_flag(
      "--report", options->report,
      "What was read, spilled and how long stages took, on standard error after "
      "each statement; on a terminal also unasked when a statement spilled");
  sql->add_option("input", options->input, "-: read statements from standard input");
  AddSettings(sql, arguments);
  return sql;
}

CLI::App* AddDoctor(CLI::App* app, Arguments* arguments) {
  CLI::App* doctor =
      app->add_subcommand("doctor", "Show what this machine offers, with advice");
  doctor->add_flag("--spill", arguments->line.doctor_spill,
                   "Show which processes hold spilled data: its files have no names");
  doctor->add_flag("--json", arguments->line.doctor_json, "As JSON");
  doctor->footer(std::string(kDoctorExample) + "\n" + kFooter);
  AddSettings(doctor, arguments);
  return doctor;
}

std::string Joined(const std::vector<std::string>& directories) {
  std::string list;
  for (const auto& directory : directories) {
    list += (list.empty() ? "" : ",") + directory;
  }
  return list;
}

arrow::Status CheckSql(const SqlOptions& options) {
  using core::ErrorKind;
  if (!options.input.empty() && options.input != "-") {
    return core::Error(ErrorKind::kConfiguration, "'", options.input,
                       "' is not understood; statements come by -c 'SELECT …', -f FILE, "
                       "or - for standard input");
  }
  if (!options.input.empty() && !options.file.empty()) {
    return core::Error(ErrorKind::kConfiguration,
                       "statements come from -f FILE or from - (standard input), not "
                       "from both");
  }
  if (options.commands.empty() && options.file.empty() && options.input.empty()) {
    return core::Error(ErrorKind::kConfiguration,
                       "nothing to run; give -c 'SELECT …', -f FILE, or - for standard "
                       "input (wheelpit sql --help has examples)");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app(
      "wheelpit: finds, reads and queries lakes of files in the memory that you "
      "give it",
      "wheelpit");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(0, 1);
  app.footer(kFooter);
  const CLI::App* sql = AddSql(&app, &arguments);
  AddDoctor(&app, &arguments);
  CommandLine& line = arguments.line;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream shown;
    std::ostringstream ignored;
    // Help and version are "errors" with code 0 to this library.
    if (app.exit(error, shown, ignored) == 0) {
      line.text = std::move(shown).str();
      return std::move(line);
    }
    return core::Error(core::ErrorKind::kConfiguration, error.what(), "; ",
                       sql->parsed() ? "wheelpit sql" : "wheelpit", " --help says more");
  }
  if (!arguments.spill_directories.empty()) {
    line.sources.flags.emplace_back(core::ConfigKey::kSpillDirectories,
                                    Joined(arguments.spill_directories));
  }
  if (app.get_subcommands().empty()) {
    return core::Error(core::ErrorKind::kConfiguration,
                       "no command; the commands are sql and doctor; wheelpit --help "
                       "says more");
  }
  line.command = sql->parsed() ? Command::kSql : Command::kDoctor;
  if (sql->parsed()) {
    ARROW_RETURN_NOT_OK(CheckSql(line.sql));
    auto format = ParseFormat(arguments.format);
    if (!format.ok()) {
      return core::WithContext(format.status(), "--format");
    }
    line.sql.format = *format;
  }
  return std::move(line);
}

}  // namespace wheelpit::cli
