// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/sql_command.h"

#include <charconv>
#include <cstdio>
#include <memory>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "wheelpit/cli/machine.h"
#include "wheelpit/cli/output.h"
#include "wheelpit/cli/progress.h"
#include "wheelpit/cli/report.h"
#include "wheelpit/cli/result_writer.h"
#include "wheelpit/cli/settings.h"
#include "wheelpit/cli/text_file.h"
#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/memory/mapped_pool.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::cli {

namespace {

constexpr size_t kScriptBytesMax = 64 << 20;

int TerminalWidth(int fd) {
  if (isatty(fd) == 0) {
    return 0;
  }
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// The kernel's own figure, in bytes: VmHWM of /proc/self/status.
int64_t PeakRssBytes(io::Syscalls& syscalls) {
  const std::string text = ReadSmallFile(syscalls, "/proc/self/status");
  constexpr std::string_view kLabel = "VmHWM:";
  const size_t at = text.find(kLabel);
  if (at == std::string::npos) {
    return 0;
  }
  const size_t digits = text.find_first_of("0123456789", at);
  int64_t kib = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), kib);
  return kib * 1024;
}

std::string StatsLine(const engine::QueryStats& stats, int64_t rows, int64_t peak_rss) {
  char text[160];
  std::snprintf(text, sizeof text,
                "{\"seconds\":%.6f,\"plan_seconds\":%.6f,\"cpu_seconds\":%.6f",
                stats.seconds, stats.plan_seconds, stats.cpu_seconds);
  std::string line = text;
  const auto add = [&](std::string_view name, int64_t value) {
    line += ",\"" + std::string(name) + "\":" + std::to_string(value);
  };
  add("rows", rows);
  add("peak_rss_bytes", peak_rss);
  add("peak_budget_bytes", stats.peak_budget_bytes);
  for (const core::MetricRow& row : core::MetricTable()) {
    add(row.name, stats.metrics[static_cast<size_t>(row.metric)]);
  }
  return line + "}\n";
}

class Runner {
 public:
  Runner(io::Syscalls& syscalls, const SqlOptions& options, Interrupt* interrupt)
      : syscalls_(syscalls),
        options_(options),
        interrupt_(interrupt),
        out_(syscalls, STDOUT_FILENO, "standard output"),
        err_(syscalls, STDERR_FILENO, "standard error") {}

  // Runs the statements of a text; OK and false when nobody reads the output any more.
  arrow::Result<bool> RunText(engine::Session* session, std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    for (const auto& [statement, offset] : engine::SplitStatements(text)) {
      const arrow::Status status =
          core::CatchBadAlloc([&] { return RunStatement(session, statement); });
      if (!status.ok()) {
        // The error is told also where the rows before it cannot be written.
        static_cast<void>(out_.Flush());
        ARROW_RETURN_NOT_OK(err_.Write(sql::FormatSqlError(text, status, offset) + "\n"));
        ARROW_RETURN_NOT_OK(err_.Flush());
        return status;
      }
      if (out_.reader_gone()) {
        return false;
      }
    }
    return true;
  }

 private:
  arrow::Status RunStatement(engine::Session* session, const std::string& statement) {
    ARROW_ASSIGN_OR_RAISE(auto query, session->Submit(statement));
    interrupt_->OnInterrupt([raw = query.get()] { raw->Cancel(); });
    arrow::Status status =
        interrupt_->interrupted()
            ? core::Error(core::ErrorKind::kCancelled, "the query was cancelled")
            : PrintResult(session, query.get());
    interrupt_->OnInterrupt({});
    ARROW_RETURN_NOT_OK(PrintFigures(*query));
    return status;
  }

  // In the order that a person reads: rows on standard output have gone before.
  arrow::Status PrintFigures(const engine::Query& query) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!options_.stats && !options_.report && !terminal) {
      return arrow::Status::OK();
    }
    const engine::QueryStats stats = query.stats();
    if (options_.stats) {
      ARROW_RETURN_NOT_OK(
          err_.Write(StatsLine(stats, row_count_, PeakRssBytes(syscalls_))));
    }
    if (options_.report || (terminal && HasSpilled(stats))) {
      ARROW_RETURN_NOT_OK(err_.Write(ReportText(stats, row_count_)));
    }
    return err_.Flush();
  }

  arrow::Status PrintResult(engine::Session* session, engine::Query* query) {
    row_count_ = 0;
    std::unique_ptr<Progress> progress;
    if (const int width = TerminalWidth(STDERR_FILENO); width > 0) {
      progress =
          std::make_unique<Progress>([query] { return query->stats(); }, width, &err_);
    }
    ARROW_ASSIGN_OR_RAISE(auto schema, query->schema());
    const core::Config config = session->config();
    ARROW_ASSIGN_OR_RAISE(
        auto writer,
        MakeResultWriter(options_.format, schema,
                         {.width = TerminalWidth(STDOUT_FILENO),
                          .rows_max = config.Number(core::ConfigKey::kOutputMaxRows),
                          .time_zone = config.Text(core::ConfigKey::kSessionTimeZone),
                          .pool = &pool_},
                         &out_));
    // The header goes out with the first rows, so that a query that fails at once prints
    // none.
    ARROW_ASSIGN_OR_RAISE(auto batch, query->Next());
    if (schema->num_fields() == 0 && (batch == nullptr || batch->num_rows() == 0)) {
      // A statement that gives nothing: CREATE VIEW.
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(writer->Begin());
    while (batch != nullptr && !out_.reader_gone()) {
      // The table format prints at the end; the others as rows come.
      if (options_.format != Format::kTable) {
        progress.reset();
      }
      row_count_ += batch->num_rows();
      ARROW_RETURN_NOT_OK(writer->Write(*batch));
      ARROW_ASSIGN_OR_RAISE(batch, query->Next());
    }
    progress.reset();
    ARROW_RETURN_NOT_OK(writer->Finish());
    return out_.Flush();
  }

  io::Syscalls& syscalls_;
  const SqlOptions& options_;
  Interrupt* const interrupt_;
  memory::MappedMemoryPool pool_;  // of results as text
  Output out_;
  Output err_;
  int64_t row_count_ = 0;
};

arrow::Result<std::vector<std::string>> StatementTexts(io::Syscalls& syscalls,
                                                       const SqlOptions& options) {
  std::vector<std::string> texts = options.commands;
  if (!options.file.empty() || !options.input.empty()) {
    auto text = ReadTextFile(
        syscalls, options.file.empty() ? options.input : options.file, kScriptBytesMax);
    if (!text.ok()) {
      return options.file.empty() ? text.status()
                                  : core::WithContext(text.status(), "-f");
    }
    texts.push_back(*std::move(text));
  }
  return texts;
}

// By name without a look into the directory of users, which may be on a network.
std::string UserName() {
  for (const char* name : {"USER", "LOGNAME"}) {
    if (std::string user = Environment(name); !user.empty()) {
      return user;
    }
  }
  return std::to_string(geteuid());
}

std::string HostName() {
  utsname names{};
  return uname(&names) == 0 && names.nodename[0] != '\0' ? names.nodename : "localhost";
}

int Fail(const arrow::Status& status) {
  std::fprintf(stderr, "wheelpit sql: %s\n", Printable(status.message()).c_str());
  return core::ExitCodeOf(core::KindOf(status));
}

// How a run ends.
struct Ending {
  int exit_code = 0;
  bool at_once = false;  ///< without the ends of what it has made
};

Ending RunTexts(Runner* runner, engine::Session* session,
                const std::vector<std::string>& texts, const Interrupt& interrupt) {
  for (const std::string& text : texts) {
    const auto outcome = runner->RunText(session, text);
    if (!outcome.ok()) {
      // Already printed, with the place in the text.
      const core::ErrorKind kind = core::KindOf(outcome.status());
      if (kind == core::ErrorKind::kCancelled && interrupt.interrupted()) {
        // At once: to take down what is known of 60,000 files takes 0.1 s.
        return {.exit_code = interrupt.exit_code(), .at_once = true};
      }
      // Without memory not even an orderly end is sure.
      return {.exit_code = core::ExitCodeOf(kind),
              .at_once = kind == core::ErrorKind::kMemoryLimit};
    }
    if (!*outcome) {
      break;
    }
  }
  return {};
}

// The run is what it is: a log that cannot be written is worth a word and no more.
void FinishLog(engine::Engine* engine, const Ending& ending) {
  constexpr int64_t kPatienceMillis = 2000;
  constexpr int64_t kNoPatienceMillis = 50;  // Ctrl-C ends the process 100 ms later.
  const arrow::Status status = engine->FinishLog(
      ending.exit_code, ending.at_once ? kNoPatienceMillis : kPatienceMillis);
  if (!status.ok() && !ending.at_once) {
    std::fprintf(
        stderr,
        "wheelpit sql: warning: this run has no event log, or not all of it: %s; "
        "--event-log names another directory, or none\n",
        Printable(status.message()).c_str());
  }
}

}  // namespace

int RunSql(io::Syscalls& syscalls, const core::Config& config, const SqlOptions& options,
           Interrupt* interrupt) {
  const auto texts = StatementTexts(syscalls, options);
  if (!texts.ok()) {
    const int code = Fail(texts.status());
    return code == 1 ? core::ExitCodeOf(core::ErrorKind::kConfiguration) : code;
  }
  if (const auto status = CheckMayPrint(options.format, isatty(STDOUT_FILENO) != 0);
      !status.ok()) {
    return Fail(core::WithContext(status, "--format"));
  }
  engine::EngineContext context;
  context.user = UserName();
  context.host = HostName();
  auto engine = engine::Engine::Make(config, context);
  if (!engine.ok()) {
    return Fail(engine.status());
  }
  auto session = (*engine)->MakeSession();
  if (!session.ok()) {
    return Fail(session.status());
  }
  Runner runner(syscalls, options, interrupt);
  const Ending ending = RunTexts(&runner, session->get(), *texts, *interrupt);
  FinishLog(engine->get(), ending);
  if (ending.at_once) {
    _exit(ending.exit_code);
  }
  return ending.exit_code;
}

}  // namespace wheelpit::cli
