// SPDX-License-Identifier: Apache-2.0
// The program. Reads the command line and hands over; one file per command.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <unistd.h>

#include "wheelpit/cli/command_line.h"
#include "wheelpit/cli/doctor.h"
#include "wheelpit/cli/interrupt.h"
#include "wheelpit/cli/machine.h"
#include "wheelpit/cli/output.h"
#include "wheelpit/cli/result_writer.h"
#include "wheelpit/cli/settings.h"
#include "wheelpit/cli/spill_files.h"
#include "wheelpit/cli/sql_command.h"
#include "wheelpit/core/error.h"
#include "wheelpit/memory/mapped_pool.h"

namespace wheelpit::cli {
namespace {

int ReportError(const arrow::Status& status) {
  std::fprintf(stderr, "wheelpit: %s\n", Printable(status.message()).c_str());
  return core::ExitCodeOf(core::KindOf(status));
}

arrow::Status Show(io::Syscalls& syscalls, const std::string& text) {
  Output output(syscalls, STDOUT_FILENO, "standard output");
  ARROW_RETURN_NOT_OK(output.Write(text));
  return output.Flush();
}

arrow::Status Examine(io::Syscalls& syscalls, const Machine& machine,
                      const core::Config& config, bool json) {
  Output output(syscalls, STDOUT_FILENO, "standard output");
  return RunDoctor(syscalls, machine, config, json, &output);
}

int Run(int argc, char** argv) {
  const auto line = ParseCommandLine(argc, argv);
  if (!line.ok()) {
    return ReportError(line.status());
  }
  io::KernelSyscalls syscalls;
  if (line->command == Command::kShow) {
    const auto status = Show(syscalls, line->text);
    return status.ok() ? 0 : ReportError(status);
  }
  if (line->doctor_spill) {
    Output output(syscalls, STDOUT_FILENO, "standard output");
    const auto status = ShowSpillFiles(syscalls, line->doctor_json, &output);
    return status.ok() ? 0 : ReportError(status);
  }
  MachineOptions machine_options;
  for (const char* name : kSpillVariables) {
    machine_options.spill_variables.emplace_back(name, Environment(name));
  }
  const Machine machine = InspectMachine(syscalls, machine_options);
  auto config = LoadSettings(syscalls, line->sources, machine);
  if (!config.ok()) {
    return ReportError(config.status());
  }
  if (line->command == Command::kDoctor) {
    const auto status = Examine(syscalls, machine, *config, line->doctor_json);
    return status.ok() ? 0 : ReportError(status);
  }
  auto interrupt = Interrupt::Make();
  if (!interrupt.ok()) {
    return ReportError(interrupt.status());
  }
  (*interrupt)->OnReport([&syscalls] {
    Output output(syscalls, STDERR_FILENO, "standard error");
    ReportOwnSpillFiles(syscalls, &output);
  });
  return RunSql(syscalls, *config, line->sql, interrupt->get());
}

// Memory for error paths, given back when there is no other: what is never touched takes
// address space only.
std::atomic<void*> reserve = nullptr;

void GiveReserveBack() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

// Where an allocation fails that no error can be made of: in a destructor, or between
// tasks.
[[noreturn]] void EndWithoutMemory() {
  constexpr char kMessage[] =
      "wheelpit: out of memory: the operating system gives the process no more\n";
  try {
    if (const auto error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::bad_alloc&) {
    static_cast<void>(write(STDERR_FILENO, kMessage, sizeof kMessage - 1));
    _exit(core::ExitCodeOf(core::ErrorKind::kMemoryLimit));
  } catch (...) {
  }
  std::abort();
}

void SurviveBadAlloc() {
  constexpr size_t kReserveBytes = 4 << 20;
  reserve = std::malloc(kReserveBytes);
  std::set_new_handler(GiveReserveBack);
  std::set_terminate(EndWithoutMemory);
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
  wheelpit::cli::SurviveBadAlloc();
  const int code = wheelpit::cli::Run(argc, argv);
  // Without the ends of libraries: that of Arrow's allocator crashes when memory is
  // short.
  std::fflush(nullptr);
  _exit(code);
}
