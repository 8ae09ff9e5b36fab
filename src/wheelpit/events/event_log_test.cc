// SPDX-License-Identifier: Apache-2.0
// What lies on the disk after a run, well ended or not.
#include "wheelpit/events/event_log.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/events/sample_run.h"
#include "wheelpit/events/spark_json.h"
#include "wheelpit/io/testing/fault_syscalls.h"

namespace wheelpit::events {

namespace {

class Warnings final : public core::Logger {
 public:
  bool Enabled(core::LogLevel) const override { return true; }
  void Log(core::LogLevel, std::string_view event,
           std::initializer_list<core::LogField> fields) override {
    std::string text(event);
    for (const auto& [name, value] : fields) {
      text += "; " + value;
    }
    texts_.Lock()->push_back(text);
  }
  std::vector<std::string> texts() { return *texts_.Lock(); }

 private:
  core::Guarded<std::vector<std::string>> texts_;
};

// An executor whose tasks wait until the test lets them run.
class HeldExecutor final : public core::Executor {
 public:
  explicit HeldExecutor(core::Executor* real) : real_(real) {}
  void Submit(std::function<void()> task) override {
    auto held = held_.Lock();
    if (held->released) {
      real_->Submit(std::move(task));
    } else {
      held->tasks.push_back(std::move(task));
    }
  }
  int thread_count() const override { return 1; }
  void Release() {
    auto held = held_.Lock();
    held->released = true;
    for (auto& task : held->tasks) {
      real_->Submit(std::move(task));
    }
  }

 private:
  struct Held {
    std::vector<std::function<void()>> tasks;
    bool released = false;
  };
  core::Executor* const real_;
  core::Guarded<Held> held_;
};

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() {
    io_ = core::ThreadPool::Make(
              {.thread_count = 2, .role = core::ThreadRole::kIo, .name = "io"})
              .ValueOrDie();
  }

  core::Context Context() {
    return {.io = io_.get(), .clock = &clock_, .logger = &warnings_};
  }
  EventLogOptions Options() { return {.directory = folder_.path() + "/state/events"}; }
  std::unique_ptr<EventLog> MakeLog() {
    return EventLog::Make(SampleApplication(), Options(), syscalls_, Context());
  }
  // A whole run; the folder of its log.
  std::string Run(EventLogOptions options, const std::vector<Event>& events) {
    const auto log =
        EventLog::Make(SampleApplication(), std::move(options), syscalls_, Context());
    for (const Event& event : events) {
      log->Record(event);
    }
    const arrow::Status status = log->Finish(0, 60'000);
    EXPECT_TRUE(status.ok()) << status;
    return log->folder();
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  TemporaryFolder folder_;
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  core::ManualClock clock_{1'700'000'000'500};
  Warnings warnings_;
  std::unique_ptr<core::ThreadPool> io_;
};

TEST_F(EventLogTest, WithoutAnEventNothingIsTouched) {
  EXPECT_TRUE(MakeLog()->Finish(0, 60'000).ok());
  EXPECT_EQ(syscalls_.count(), 0);
  EXPECT_TRUE(NamesIn(folder_.path()).empty());
}

TEST_F(EventLogTest, FinishedLogHasSparksLayoutForItsOwnerOnly) {
  const std::string log = Run(Options(), SampleEvents());
  EXPECT_EQ(log, folder_.path() + "/state/events/eventlog_v2_wheelpit-1700000000000");
  EXPECT_EQ(NamesIn(log),
            (std::vector<std::string>{"appstatus_wheelpit-1700000000000",
                                      "events_1_wheelpit-1700000000000.zstd"}));
  EXPECT_EQ(ModeOf(folder_.path() + "/state"), 0700u);
  EXPECT_EQ(ModeOf(log), 0700u);
  for (const std::string& name : NamesIn(log)) {
    EXPECT_EQ(ModeOf(log + "/" + name), 0600u) << name;
  }
  EXPECT_TRUE(warnings_.texts().empty());
}

TEST_F(EventLogTest, LinesAreAsTheyWereInVersion1) {
  const std::string log = Run(Options(), SampleEvents());
  std::string text = ReadLog(log).text;
  // Where frames begin depends on the codec's release.
  const size_t frames = text.rfind(",\"Frames\":[");
  ASSERT_NE(frames, std::string::npos);
  const std::string path = std::string(WHEELPIT_GOLDEN_DIR) + "/sample." +
                           std::string(kSparkVersion) + ".ndjson";
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  if (text.substr(0, frames) + "}\n" != golden) {
    std::ofstream("sample.actual.ndjson") << text.substr(0, frames) + "}\n";
    FAIL() << "sample.actual.ndjson here is not " << path;
  }
}

TEST_F(EventLogTest, SecretsAreNotInIt) {
  const std::string text = ReadLog(Run(Options(), SampleEvents())).text;
  EXPECT_EQ(text.find("hidden"), std::string::npos);
  EXPECT_EQ(text.find("1234\""), std::string::npos);
  EXPECT_NE(text.find(R"x("my.password":"*********(redacted)")x"), std::string::npos);
}

TEST_F(EventLogTest, FollowerSeesAStatementBeforeItEnds) {
  const auto log = MakeLog();
  const std::vector<Event> events = SampleEvents();
  log->Record(events[0]);
  std::string text;
  while (text.find("SQLExecutionStart") == std::string::npos) {
    if (const std::string folder = log->folder(); !folder.empty()) {
      text = ReadLog(folder).text;
    }
    std::this_thread::yield();
  }
  EXPECT_EQ(LinesOf(text).size(), 7u);
  EXPECT_EQ(NamesIn(log->folder())[0], "appstatus_wheelpit-1700000000000.inprogress");
}

TEST_F(EventLogTest, RollsBeforeTheLineThatIsTooMuch) {
  EventLogOptions options = Options();
  options.roll_bytes = 6000;
  const std::string log = Run(options, SampleEvents());
  const LogText text = ReadLog(log);
  EXPECT_GT(text.files, 4);
  EXPECT_TRUE(text.whole);
  options.directory = folder_.path() + "/other";
  options.roll_bytes = 1 << 30;
  const std::string other = ReadLog(Run(options, SampleEvents())).text;
  const size_t frames = other.rfind(",\"Frames\":[");
  EXPECT_EQ(text.text.substr(0, frames), other.substr(0, frames));
}

TEST_F(EventLogTest, SummaryStandsAloneInTheLastFrameAndPointsAtTheOthers) {
  const LogText log = ReadLog(Run(Options(), SampleEvents()));
  const std::vector<std::string> lines = LinesOf(log.text);
  EXPECT_NE(lines[lines.size() - 2].find("SparkListenerApplicationEnd"),
            std::string::npos);
  const std::string& summary = lines.back();
  for (const char* part :
       {R"({"Event":"org.wheelpit.events.RunSummary","Version":1,)", R"("Tasks":5,)",
        R"("Failed Tasks":1,)", R"("Killed Tasks":1,)", R"("Jobs":2,)",
        R"("Failed Jobs":1,)", R"("SQL Executions":2,)", R"("Lost Tasks":0,)",
        R"("Input Bytes":102,)", R"("Frames":[[1,0,0,0])"}) {
    EXPECT_NE(summary.find(part), std::string::npos) << part << " is not in " << summary;
  }
  const auto without = static_cast<int64_t>(log.text.size() - summary.size() - 1);
  EXPECT_NE(summary.find("," + std::to_string(without) + "," +
                         std::to_string(lines.size() - 1) + "]}"),
            std::string::npos)
      << summary;
}

TEST_F(EventLogTest, FullQueueLosesWholeTasksAndSaysHowMany) {
  HeldExecutor held(io_.get());
  core::Context context = Context();
  context.io = &held;
  EventLogOptions options = Options();
  options.queue_bytes_max = 64 << 10;
  const auto log = EventLog::Make(SampleApplication(), options, syscalls_, context);
  const std::vector<Event> sample = SampleEvents();
  log->Record(sample[0]);
  for (int64_t i = 0; i < 1000; ++i) {
    log->Record(TaskStart{.stage_id = 0, .task = {.id = i}});
    log->Record(TaskEnd{.stage_id = 0, .outcome = {}, .task = {.id = i}, .metrics = {}});
  }
  log->Record(sample.back());
  held.Release();
  EXPECT_TRUE(log->Finish(0, 60'000).ok());
  const std::string text = ReadLog(log->folder()).text;
  int64_t starts = 0;
  int64_t ends = 0;
  for (const std::string& line : LinesOf(text)) {
    starts += line.starts_with(R"({"Event":"SparkListenerTaskStart")") ? 1 : 0;
    ends += line.starts_with(R"({"Event":"SparkListenerTaskEnd")") ? 1 : 0;
  }
  EXPECT_EQ(starts, ends);
  EXPECT_GT(starts, 5);
  EXPECT_LT(starts, 100);
  EXPECT_NE(text.find("\"Lost Tasks\":" + std::to_string(1000 - starts) + ","),
            std::string::npos);
  EXPECT_NE(text.find("SQLExecutionEnd"), std::string::npos);
}

TEST_F(EventLogTest, QueueThatNobodyEmptiesEndsTheLogAndSaysSo) {
  HeldExecutor held(io_.get());
  core::Context context = Context();
  context.io = &held;
  EventLogOptions options = Options();
  options.queue_bytes_max = 64 << 10;
  const auto log = EventLog::Make(SampleApplication(), options, syscalls_, context);
  for (int64_t i = 0; i < 100'000; ++i) {
    log->Record(SampleEvents()[0]);
    if (!warnings_.texts().empty()) {
      EXPECT_LT(i, 1000);
      break;
    }
  }
  ASSERT_EQ(warnings_.texts().size(), 1u);
  EXPECT_NE(warnings_.texts()[0].find(folder_.path()), std::string::npos);
  held.Release();
  EXPECT_EQ(core::KindOf(log->Finish(0, 60'000)), core::ErrorKind::kUnavailable);
  EXPECT_EQ(warnings_.texts().size(), 1u);
}

TEST_F(EventLogTest, ErrorOfAnyCallIsToldOnceAndLeavesWholeFrames) {
  int64_t round = 0;
  const auto body = [&](int64_t) {
    EventLogOptions options = Options();
    options.directory = folder_.path() + "/" + std::to_string(round++) + "/events";
    options.roll_bytes = 20'000;
    Warnings warnings;
    core::Context context = Context();
    context.logger = &warnings;
    const auto log = EventLog::Make(SampleApplication(), options, syscalls_, context);
    for (const Event& event : SampleEvents()) {
      log->Record(event);
    }
    const arrow::Status status = log->Finish(0, 60'000);
    EXPECT_EQ(warnings.texts().size(), status.ok() ? 0u : 1u);
    if (!log->folder().empty()) {
      EXPECT_TRUE(ReadLog(log->folder()).whole);
    }
  };
  for (const int error : {ENOSPC, EIO, EINTR}) {
    EXPECT_GT(io::SweepFaults(&syscalls_, {.error_number = error}, body), 10);
  }
  EXPECT_GT(
      io::SweepFaults(
          &syscalls_,
          {.kind = io::SyscallKind::kPwrite, .error_number = 0, .short_bytes = 3}, body),
      1);
}

TEST_F(EventLogTest, DiskThatFillsUpLeavesAReadableLogInProgress) {
  const auto log = MakeLog();
  const std::vector<Event> events = SampleEvents();
  log->Record(events[0]);
  while (log->folder().empty() || ReadLog(log->folder()).frames == 0) {
    std::this_thread::yield();
  }
  syscalls_.Set(
      {.kind = io::SyscallKind::kPwrite, .count = 1000, .error_number = ENOSPC});
  for (size_t i = 1; i < events.size(); ++i) {
    log->Record(events[i]);
  }
  const arrow::Status status = log->Finish(0, 60'000);
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kDiskFull) << status;
  ASSERT_EQ(warnings_.texts().size(), 1u);
  EXPECT_NE(warnings_.texts()[0].find("events_1_"), std::string::npos);
  const LogText text = ReadLog(log->folder());
  EXPECT_TRUE(text.whole);
  EXPECT_EQ(LinesOf(text.text).size(), 7u);
  EXPECT_TRUE(NamesIn(log->folder())[0].ends_with(".inprogress"));
}

TEST_F(EventLogTest, DirectoryThatIsAFileIsToldWithItsPath) {
  std::ofstream(folder_.path() + "/state") << "x";
  const auto log = MakeLog();
  log->Record(SampleEvents()[0]);
  EXPECT_FALSE(log->Finish(0, 60'000).ok());
  ASSERT_EQ(warnings_.texts().size(), 1u);
  EXPECT_NE(warnings_.texts()[0].find(folder_.path() + "/state"), std::string::npos);
}

TEST_F(EventLogTest, DiskThatHangsHoldsNobodyUp) {
  HeldExecutor held(io_.get());
  core::Context context = Context();
  context.io = &held;
  const auto log = EventLog::Make(SampleApplication(), Options(), syscalls_, context);
  log->Record(SampleEvents()[0]);
  const arrow::Status status = log->Finish(0, 1);
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kUnavailable) << status;
  held.Release();
  EXPECT_TRUE(log->Finish(0, 60'000).ok());
}

TEST_F(EventLogTest, ManyThreadsRecordAtOnce) {
  EventLogOptions options = Options();
  options.queue_bytes_max = 64 << 20;
  const auto log = EventLog::Make(SampleApplication(), options, syscalls_, Context());
  const auto threads = core::ThreadPool::Make({.thread_count = 4}).ValueOrDie();
  core::TaskGroup group(threads.get());
  for (int64_t thread = 0; thread < 4; ++thread) {
    group.Spawn([&, thread] {
      for (int64_t i = 0; i < 300; ++i) {
        log->Record(TaskStart{.stage_id = thread, .task = {.id = thread * 1000 + i}});
        log->Record(TaskEnd{.stage_id = thread,
                            .outcome = {},
                            .task = {.id = thread * 1000 + i},
                            .metrics = {}});
      }
      return arrow::Status::OK();
    });
  }
  EXPECT_TRUE(group.Close().ok());
  EXPECT_TRUE(log->Finish(0, 60'000).ok());
  EXPECT_EQ(LinesOf(ReadLog(log->folder()).text).size(), 6u + 2400u + 2u);
}

// Runs tasks when it is told to: a process that was forked starts no thread.
class ManualExecutor final : public core::Executor {
 public:
  void Submit(std::function<void()> task) override { tasks_.push_back(std::move(task)); }
  int thread_count() const override { return 1; }
  void RunAll() {
    for (auto& task : std::exchange(tasks_, {})) {
      task();
    }
  }

 private:
  std::vector<std::function<void()>> tasks_;
};

// Writes for ever, and a byte to `progress` for each event.
void LogUntilKilled(const std::string& directory, int progress) {
  io::KernelSyscalls kernel;
  core::ManualClock clock(1'700'000'000'500);
  Warnings warnings;
  ManualExecutor executor;
  const auto log =
      EventLog::Make(SampleApplication(), {.directory = directory}, kernel,
                     {.io = &executor, .clock = &clock, .logger = &warnings});
  while (true) {
    for (const Event& event : SampleEvents()) {
      log->Record(event);
      executor.RunAll();
      if (::write(progress, "x", 1) != 1) {
        ::_exit(1);
      }
    }
  }
}

TEST(EventLogProcess, OneThatIsKilledLeavesALogInProgressOfWholeFrames) {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string directory = folder.path() + "/killed" + std::to_string(round);
    const pid_t child = ::fork();
    if (child == 0) {
      LogUntilKilled(directory, ends[1]);
    }
    for (int i = 0; i < 1 + 37 * round; ++i) {
      char byte;
      ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    ::close(ends[0]);
    ::close(ends[1]);
    const std::string log = directory + "/eventlog_v2_wheelpit-1700000000000";
    EXPECT_TRUE(NamesIn(log)[0].ends_with(".inprogress"));
    // The kernel may stop in the middle of the last frame; readers know that.
    const LogText text = ReadLog(log);
    EXPECT_TRUE(text.text.ends_with("}\n"));
    EXPECT_GE(LinesOf(text.text).size(), 7u);
  }
}

}  // namespace

}  // namespace wheelpit::events
