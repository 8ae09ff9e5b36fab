// SPDX-License-Identifier: Apache-2.0
// Runs SQL logic tests: slt_runner [--config NAME] [FILE...]. Without files, all of
// tests/sql; paths in the statements count from the current directory, which is the
// root of the source tree. The last line is "N passed, N failed".
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slow_syscalls.h"
#include "slt_script.h"
#include "test_engine.h"

#include "wheelpit/core/error.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sqltest {
namespace {

constexpr std::chrono::microseconds kSlowDelay{2000};

struct Configuration {
  std::string name;
  Settings settings;
  bool slow = false;
};

const std::vector<Configuration>& Configurations() {
  static const auto* const all = new std::vector<Configuration>{
      {.name = "default", .settings = {}},
      {.name = "batch_1", .settings = {{"scan.batch_rows", "1"}}},
      {.name = "threads_1", .settings = {{"compute.threads", "1"}, {"io.threads", "1"}}},
      {.name = "memory_tiny", .settings = {{"memory.limit", "32MiB"}}},
      {.name = "io_slow", .settings = {}, .slow = true},
  };
  return *all;
}

struct Options {
  std::string configuration = "default";
  std::vector<std::string> files;
};

struct Tally {
  int passed = 0;
  int failed = 0;
};

bool KindFits(char kind, std::string_view type) {
  const auto is = [&](std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  switch (kind) {
    case 'I':
      return is({"tinyint", "smallint", "int", "bigint"});
    case 'R':
      return is({"float", "double"}) || type.starts_with("decimal(");
    case 'B':
      return is({"boolean"});
    case 'D':
      return is({"date", "timestamp", "timestamp_ntz"});
    case 'T':
      return !KindFits('I', type) && !KindFits('R', type) && !KindFits('B', type) &&
             !KindFits('D', type);
    default:
      return true;
  }
}

// A value on one line, without the tab that separates columns.
std::string Cell(const std::optional<std::string>& value) {
  if (!value) {
    return "NULL";
  }
  if (value->empty()) {
    return "(empty)";
  }
  std::string out;
  for (const char c : *value) {
    constexpr std::string_view kPlain = "\n\t\r\\";
    constexpr std::string_view kLetters = "ntr\\";
    if (const size_t i = kPlain.find(c); i != std::string_view::npos) {
      out += '\\';
      out += kLetters[i];
    } else {
      out += c;
    }
  }
  return out;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += "    " + line + "\n";
  }
  return out;
}

std::vector<std::string> RowLines(const Answer& answer) {
  std::vector<std::string> lines;
  for (const Row& row : answer.rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "\t") + Cell(row[i]);
    }
    lines.push_back(line);
  }
  return lines;
}

// Whether each wanted line is part of one of the lines, in order. A line that holds line
// feeds in its value counts as it is shown, on one line.
bool ContainsInOrder(const std::vector<std::string>& lines,
                     const std::vector<std::string>& wanted) {
  auto at = lines.begin();
  for (const std::string& part : wanted) {
    at = std::find_if(at, lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
    if (at == lines.end()) {
      return false;
    }
  }
  return true;
}

std::string ErrorText(const std::string& sql, const arrow::Status& status) {
  const core::ErrorInfo info = core::InfoOf(status);
  std::string first(core::ToString(info.kind));
  if (!info.error_class.empty()) {
    first += " " + info.error_class;
  }
  return first + "\n" + sql::FormatSqlError(sql, status);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// The first line, kind and class, in full; the others as parts of lines, in order.
std::string CheckError(const Record& record, const Answer& answer) {
  if (answer.status.ok()) {
    return "no error\n";
  }
  const std::vector<std::string> lines = Lines(ErrorText(record.sql, answer.status));
  if (record.expected.empty() || record.expected.front() != lines.front() ||
      !ContainsInOrder(lines, record.expected)) {
    return "wanted\n" + Joined(record.expected) + "got\n" + Joined(lines);
  }
  return "";
}

std::string CheckQuery(const Record& record, const Answer& answer) {
  if (!answer.status.ok()) {
    return "error\n" + Joined(Lines(ErrorText(record.sql, answer.status)));
  }
  if (record.column_kinds != "*") {
    bool fits = record.column_kinds.size() == answer.types.size();
    for (size_t i = 0; fits && i < answer.types.size(); ++i) {
      fits = KindFits(record.column_kinds[i], answer.types[i]);
    }
    if (!fits) {
      return "columns are not " + record.column_kinds + " but\n" + Joined(answer.types);
    }
  }
  std::vector<std::string> wanted = record.expected;
  std::vector<std::string> lines = RowLines(answer);
  if (record.order == RowOrder::kSorted) {
    std::sort(wanted.begin(), wanted.end());
    std::sort(lines.begin(), lines.end());
  }
  const bool same = record.order == RowOrder::kContains ? ContainsInOrder(lines, wanted)
                                                        : lines == wanted;
  return same ? "" : "wanted\n" + Joined(wanted) + "got\n" + Joined(lines);
}

std::string Check(const Record& record, const Answer& answer) {
  if (answer.uncounted_bytes > 0) {
    return "    " + std::to_string(answer.uncounted_bytes) +
           " bytes came from Arrow's default pool, outside of the budget\n";
  }
  switch (record.kind) {
    case RecordKind::kStatementError:
      return CheckError(record, answer);
    case RecordKind::kQuery:
      return CheckQuery(record, answer);
    case RecordKind::kStatementOk:
      break;
  }
  return answer.status.ok() ? "" : ErrorText(record.sql, answer.status) + "\n";
}

// A file has a session of its own, so that its settings end with it.
arrow::Status RunFile(engine::Engine* engine, const std::string& path,
                      const Configuration& configuration, Tally* tally) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return arrow::Status::IOError("cannot read ", path);
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ARROW_ASSIGN_OR_RAISE(const std::vector<Record> records, ParseScript(text));
  ARROW_ASSIGN_OR_RAISE(const auto session, engine->MakeSession());
  for (const Record& record : records) {
    if (!RunsIn(record, configuration.name)) {
      continue;
    }
    const std::string difference = Check(record, Ask(session.get(), record.sql));
    if (difference.empty()) {
      ++tally->passed;
      continue;
    }
    ++tally->failed;
    std::cout << path << ":" << record.line << ": [" << configuration.name << "] "
              << record.sql << "\n"
              << difference;
  }
  return arrow::Status::OK();
}

arrow::Status RunAll(const Options& options, const std::string& spill_directory,
                     Tally* tally) {
  const auto& all = Configurations();
  const auto configuration =
      std::find_if(all.begin(), all.end(), [&](const Configuration& candidate) {
        return candidate.name == options.configuration;
      });
  if (configuration == all.end()) {
    return arrow::Status::Invalid("no configuration ", options.configuration);
  }
  ARROW_ASSIGN_OR_RAISE(const core::Config config,
                        TestConfig(spill_directory, configuration->settings));
  SlowSyscalls slow(kSlowDelay);
  engine::EngineContext context;
  context.syscalls = configuration->slow ? &slow : nullptr;
  ARROW_ASSIGN_OR_RAISE(const auto engine, engine::Engine::Make(config, context));
  for (const std::string& file : options.files) {
    const arrow::Status status = RunFile(engine.get(), file, *configuration, tally);
    if (!status.ok()) {
      ++tally->failed;
      std::cout << file << ": " << status.message() << "\n";
    }
  }
  return arrow::Status::OK();
}

arrow::Result<Options> ParseOptions(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--config" && i + 1 < count) {
      options.configuration = arguments[++i];
    } else if (argument.starts_with("-")) {
      return arrow::Status::Invalid("unknown option ", argument);
    } else {
      options.files.emplace_back(argument);
    }
  }
  if (options.files.empty()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("tests/sql", error)) {
      if (entry.path().extension() == ".slt") {
        options.files.push_back(entry.path());
      }
    }
    std::sort(options.files.begin(), options.files.end());
  }
  return options;
}

arrow::Status RunProgram(int count, char** arguments, Tally* tally) {
  ARROW_ASSIGN_OR_RAISE(const Options options, ParseOptions(count, arguments));
  std::string directory = std::filesystem::temp_directory_path() / "slt-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    return arrow::Status::IOError("cannot make ", directory);
  }
  const arrow::Status status = RunAll(options, directory, tally);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return status;
}

}  // namespace
}  // namespace wheelpit::sqltest

int main(int count, char** arguments) {
  wheelpit::sqltest::Tally tally;
  const arrow::Status status = wheelpit::sqltest::RunProgram(count, arguments, &tally);
  if (!status.ok()) {
    ++tally.failed;
    std::cout << status.message() << "\n";
  }
  std::cout << tally.passed << " passed, " << tally.failed << " failed\n";
  return tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}
