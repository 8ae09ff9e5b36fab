// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/spill_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

#include "wheelpit/cli/result_writer.h"
#include "wheelpit/core/byte_size.h"
#include "wheelpit/exec/write/json_text.h"
#include "wheelpit/spill/live_files.h"

namespace wheelpit::cli {

namespace {

std::string Json(const std::vector<spill::LiveSpillFile>& files) {
  std::string line = "[";
  for (const auto& file : files) {
    line += line.size() == 1 ? "" : ",";
    line += "{\"process\":" + std::to_string(file.process) +
            ",\"command\":" + exec::JsonString(file.command) +
            ",\"query\":" + exec::JsonString(file.query) +
            ",\"directory\":" + exec::JsonString(file.directory) +
            ",\"bytes\":" + std::to_string(file.bytes) + "}";
  }
  return line + "]\n";
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

std::string Table(const std::vector<spill::LiveSpillFile>& files) {
  std::string text;
  int64_t total = 0;
  for (const auto& file : files) {
    text += Padded(std::to_string(file.process), 9) +
            Padded(Printable(file.command), 17) + Padded(Printable(file.query), 14) +
            Padded(core::FormatByteSize(file.bytes), 12) + Printable(file.directory) +
            "\n";
    total += file.bytes;
  }
  return Padded("process", 9) + Padded("program", 17) + Padded("query", 14) +
         Padded("on disk", 12) + "directory\n" + text + core::FormatByteSize(total) +
         " in " + core::Counted(static_cast<int64_t>(files.size()), "file") + "\n";
}

}  // namespace

arrow::Status ShowSpillFiles(io::Syscalls& syscalls, bool json, Output* output) {
  ARROW_ASSIGN_OR_RAISE(const auto files, spill::ListSpillFiles(syscalls));
  ARROW_RETURN_NOT_OK(output->Write(
      json            ? Json(files)
      : files.empty() ? std::string("no process that you may look into holds spilled "
                                    "data\n")
                      : Table(files)));
  return output->Flush();
}

void ReportOwnSpillFiles(io::Syscalls& syscalls, Output* output) {
  const auto files = spill::ListSpillFiles(syscalls, ::getpid());
  if (files.ok() &&
      output
          ->Write(files->empty() ? std::string("wheelpit: no spilled data now\n")
                                 : Table(*files))
          .ok()) {
    static_cast<void>(output->Flush());
  }
}

}  // namespace wheelpit::cli
