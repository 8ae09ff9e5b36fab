// SPDX-License-Identifier: Apache-2.0
// Prints a page of docs/ from the table in core that it describes; tools/write_docs keeps
// the files. Usage: wheelpit_docs config|metrics
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/metrics.h"

namespace {

using wheelpit::core::ConfigRow;
using wheelpit::core::ConfigType;

std::string_view NameOf(ConfigType type) {
  switch (type) {
    case ConfigType::kBytes:
      return "bytes";
    case ConfigType::kCount:
      return "number";
    case ConfigType::kBool:
      return "true or false";
    case ConfigType::kText:
      return "text";
    case ConfigType::kTextList:
      return "list, by commas";
  }
  return "text";
}

std::string Limit(const ConfigRow& row, int64_t limit) {
  return row.type == ConfigType::kBytes ? wheelpit::core::FormatByteSize(limit)
                                        : std::to_string(limit);
}

std::string Range(const ConfigRow& row) {
  if (row.type != ConfigType::kBytes && row.type != ConfigType::kCount) {
    return "";
  }
  if (row.maximum == std::numeric_limits<int64_t>::max()) {
    return "from " + Limit(row, row.minimum);
  }
  return Limit(row, row.minimum) + " to " + Limit(row, row.maximum);
}

std::string Code(std::string_view prefix, std::string_view text) {
  return text.empty() ? "" : "`" + std::string(prefix) + std::string(text) + "`";
}

void PrintConfig() {
  std::cout
      << "# Settings\n\n"
         "Written by `make docs` from the table in `src/wheelpit/core/config.cc`.\n\n"
         "A flag wins over `SET`, `SET` over the configuration file, the file over the\n"
         "environment, and that over the default; `SHOW` prints each value with its "
         "source.\n"
         "Sizes are written as `64MiB` (2^20) or `64MB` (10^6). What is read at the "
         "start\n"
         "of the process cannot be changed by `SET`; what is read by each statement "
         "can.\n"
         "\n"
         "| setting | type | default | range | flag | environment | read | since | "
         "meaning "
         "|\n"
         "|---|---|---|---|---|---|---|---|---|\n";
  for (const ConfigRow& row : wheelpit::core::ConfigTable()) {
    std::cout << "| `" << row.name << "` | " << NameOf(row.type) << " | "
              << row.default_text << " | " << Range(row) << " | " << Code("--", row.flag)
              << " | " << Code("", row.environment) << " | "
              << (row.scope == wheelpit::core::ConfigScope::kProcess
                      ? "at the start"
                      : "by each statement")
              << " | " << row.since << " | " << row.meaning << " |\n";
  }
}

void PrintMetrics() {
  std::cout
      << "# Metrics\n\n"
         "Written by `make docs` from the table in `src/wheelpit/core/metrics.cc`.\n\n"
         "Each is counted per query. `wheelpit sql --stats` prints them as JSON;\n"
         "`EXPLAIN ANALYZE` shows them with the plan.\n\n"
         "| metric | unit | meaning |\n|---|---|---|\n";
  for (const auto& row : wheelpit::core::MetricTable()) {
    std::cout << "| `" << row.name << "` | " << ToString(row.unit) << " | " << row.meaning
              << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view page = argc == 2 ? argv[1] : "";
  if (page == "config") {
    PrintConfig();
  } else if (page == "metrics") {
    PrintMetrics();
  } else {
    std::cerr << "usage: wheelpit_docs config|metrics\n";
    return 2;
  }
  return 0;
}
