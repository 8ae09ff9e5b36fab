// SPDX-License-Identifier: Apache-2.0
// The program. Parses the command line and hands over; one file per command.
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wheelpit/cli/doctor.h"
#include "wheelpit/cli/interrupt.h"
#include "wheelpit/cli/machine.h"
#include "wheelpit/cli/output.h"
#include "wheelpit/cli/settings.h"
#include "wheelpit/cli/sql_command.h"
#include "wheelpit/core/error.h"
#include "wheelpit/memory/mapped_pool.h"

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

int ReportError(const arrow::Status& status) {
  std::fprintf(stderr, "wheelpit: %s\n", status.message().c_str());
  return core::ExitCodeOf(core::KindOf(status));
}

// What the options of every command fill.
struct CommandLine {
  SettingSources sources;
  std::string memory;
  std::string threads;
  std::string io_threads;
  std::vector<std::string> spill_directories;
  std::string spill_limit;
  bool json = false;
  SqlOptions sql;
};

void AddSettings(CLI::App* command, CommandLine* line) {
  command->add_option("--memory", line->memory,
                      "Memory budget, e.g. 512MB or 64MiB (default: 60% of what the "
                      "machine and its cgroups allow)");
  command->add_option("--threads", line->threads,
                      "Compute threads (default: what affinity and cgroups allow)");
  command->add_option("--io-threads", line->io_threads, "Threads that wait for disks");
  command->add_option("--spill-dir", line->spill_directories,
                      "Directory for spilled data; may be given more than once");
  command->add_option("--spill-limit", line->spill_limit,
                      "Bytes that one query may spill (default: 100GB)");
  command->add_option("--config", line->sources.config_file,
                      "Settings file (default: ~/.config/wheelpit/config if there)");
}

void CollectFlags(CommandLine* line) {
  using core::ConfigKey;
  const auto add = [&](ConfigKey key, const std::string& text) {
    if (!text.empty()) {
      line->sources.flags.emplace_back(key, text);
    }
  };
  add(ConfigKey::kMemoryLimit, line->memory);
  add(ConfigKey::kComputeThreads, line->threads);
  add(ConfigKey::kIoThreads, line->io_threads);
  add(ConfigKey::kSpillLimit, line->spill_limit);
  std::string directories;
  for (const auto& directory : line->spill_directories) {
    directories += (directories.empty() ? "" : ",") + directory;
  }
  add(ConfigKey::kSpillDirectories, directories);
}

int Run(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "wheelpit: finds, reads and queries lakes of files in the memory that you "
      "give it",
      "wheelpit");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer(kFooter);

  CLI::App* sql = app.add_subcommand("sql", "Run SQL over files");
  sql->footer(std::string(kSqlExamples) + "\n" + kFooter);
  sql->add_option("-c,--command", line.sql.commands, "Statements to run");
  sql->add_option("-f,--file", line.sql.file,
                  "File with statements; - is standard input");
  sql->add_option("--format", line.sql.format, "table, csv or ndjson (default: table)");
  sql->add_flag("--stats", line.sql.stats,
                "One line of JSON on standard error after each statement");
  sql->add_option("input", line.sql.input, "-: read statements from standard input");
  AddSettings(sql, &line);

  CLI::App* doctor =
      app.add_subcommand("doctor", "Show what this machine offers, with advice");
  doctor->add_flag("--json", line.json, "As JSON");
  doctor->footer(std::string("\nExample:\n  wheelpit doctor --spill-dir /data/tmp\n") +
                 kFooter);
  AddSettings(doctor, &line);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with code 0 to this library.
    return app.exit(error) == 0 ? 0 : core::ExitCodeOf(core::ErrorKind::kConfiguration);
  }
  CollectFlags(&line);

  io::KernelSyscalls syscalls;
  MachineOptions machine_options;
  for (const char* name : kSpillVariables) {
    machine_options.spill_variables.emplace_back(name, Environment(name));
  }
  const Machine machine = InspectMachine(syscalls, machine_options);
  auto config = LoadSettings(syscalls, line.sources, machine);
  if (!config.ok()) {
    return ReportError(config.status());
  }
  if (doctor->parsed()) {
    Output output(syscalls, STDOUT_FILENO, "standard output");
    const auto status = RunDoctor(syscalls, machine, *config, line.json, &output);
    return status.ok() ? 0 : ReportError(status);
  }
  auto interrupt = Interrupt::Make();
  if (!interrupt.ok()) {
    return ReportError(interrupt.status());
  }
  return RunSql(syscalls, *config, line.sql, interrupt->get());
}

}  // namespace
}  // namespace wheelpit::cli

int main(int argc, char** argv) {
  // A reader that goes away and a file-size limit are errors of a write, not ends of the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Before the first thread: so that what the budgets free leaves the process.
  wheelpit::memory::LimitMallocRetention();
  return wheelpit::cli::Run(argc, argv);
}
