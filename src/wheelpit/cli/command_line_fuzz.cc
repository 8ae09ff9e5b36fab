// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: what a person gives the program besides data. The input is text: an
// argument a line; an empty line; then the settings file. Lines NAME=value before the
// arguments are environment variables, as in a shell. Nothing is run or printed, and the
// only file is the one in memory. Seeds: tests/fuzz/command_line.
// Covers: src/wheelpit/cli/command_line.cc src/wheelpit/cli/settings.cc
// src/wheelpit/cli/text_file.cc src/wheelpit/core/byte_size.cc
// src/wheelpit/core/config.cc
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fs_conformance/forwarding_syscalls.h"

#include "wheelpit/cli/command_line.h"
#include "wheelpit/cli/result_writer.h"
#include "wheelpit/cli/settings.h"
#include "wheelpit/core/error.h"

namespace {

using namespace wheelpit;  // NOLINT(google-build-using-namespace): a program

// Every path is the settings file.
class OneFile final : public fs_conformance::ForwardingSyscalls {
 public:
  explicit OneFile(std::string_view content) : rest_(content) {}
  int Open(int, const char*, int, mode_t) override { return 1000; }
  int Close(int) override { return 0; }
  ssize_t Read(int, void* data, size_t size) override {
    const size_t part = rest_.copy(static_cast<char*>(data), size);
    rest_.remove_prefix(part);
    return static_cast<ssize_t>(part);
  }

 private:
  std::string_view rest_;
};

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    // Neither an argument nor a variable can hold a zero byte.
    const std::string_view line = text.substr(at, end - at);
    lines.emplace_back(line.substr(0, line.find('\0')));
    at = end + 1;
  }
  return lines;
}

// Sets the variables of the leading lines, unsets the others, and takes the lines off.
void TakeEnvironment(std::vector<std::string>* lines) {
  setenv("HOME", "/home", 1);
  unsetenv("XDG_CONFIG_HOME");
  for (const core::ConfigRow& row : core::ConfigTable()) {
    if (!row.environment.empty()) unsetenv(std::string(row.environment).c_str());
  }
  while (!lines->empty() && lines->front().starts_with("WHEELPIT_")) {
    const std::string& line = lines->front();
    const size_t equals = line.find('=');
    if (equals == std::string::npos) return;
    setenv(line.substr(0, equals).c_str(), line.substr(equals + 1).c_str(), 1);
    lines->erase(lines->begin());
  }
}

void CheckError(const arrow::Status& status) {
  WHEELPIT_CHECK(core::KindOf(status) == core::ErrorKind::kConfiguration);
  const std::string shown = cli::Printable(status.message());
  WHEELPIT_CHECK(!shown.empty());
  WHEELPIT_CHECK(std::none_of(shown.begin(), shown.end(),
                              [](char c) { return c >= 0 && (c < 0x20 || c == 0x7f); }));
}

void CheckSettings(const core::Config& config) {
  for (const core::ConfigRow& row : core::ConfigTable()) {
    WHEELPIT_CHECK(config.Text(row.key) != "auto");
    WHEELPIT_CHECK(row.type != core::ConfigType::kTextList ||
                   config.List(row.key).size() <= config.Text(row.key).size());
    if (row.type == core::ConfigType::kBytes || row.type == core::ConfigType::kCount) {
      const int64_t number = config.Number(row.key);
      WHEELPIT_CHECK(number >= row.minimum && number <= row.maximum);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t blank = std::min(text.find("\n\n"), text.size());
  std::vector<std::string> lines = Lines(text.substr(0, blank));
  TakeEnvironment(&lines);
  std::vector<const char*> arguments = {"wheelpit"};
  for (const std::string& line : lines) arguments.push_back(line.c_str());
  const auto line =
      cli::ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  if (!line.ok()) {
    CheckError(line.status());
    return 0;
  }
  if (line->command == cli::Command::kShow) {
    WHEELPIT_CHECK(!line->text.empty());
    return 0;
  }
  WHEELPIT_CHECK(line->command == cli::Command::kDoctor || !line->sql.commands.empty() ||
                 !line->sql.file.empty() || line->sql.input == "-");
  OneFile syscalls(blank < text.size() ? text.substr(blank + 2) : "");
  const cli::Machine machine{.memory = {int64_t{1} << 30, "physical memory"},
                             .threads = {2, "CPU affinity"},
                             .spill_directories = {"/var/tmp"},
                             .spill_source = "the default"};
  const auto config = cli::LoadSettings(syscalls, line->sources, machine);
  if (config.ok()) {
    CheckSettings(*config);
  } else {
    CheckError(config.status());
  }
  return 0;
}
