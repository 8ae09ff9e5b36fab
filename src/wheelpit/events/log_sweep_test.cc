// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/log_sweep.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "wheelpit/events/log_file.h"
#include "wheelpit/events/sample_run.h"
#include "wheelpit/io/testing/fault_syscalls.h"

namespace wheelpit::events {

namespace {

constexpr int64_t kNow = 1'700'000'000'000;

class LogSweepTest : public testing::Test {
 protected:
  // A log of about 100 kB that began so long ago.
  std::unique_ptr<LogFile> MakeLog(int64_t seconds_ago) {
    auto log = LogFile::Make(kernel_, {.directory = folder_.path(),
                                       .start_millis = kNow - seconds_ago * 1000,
                                       .roll_bytes = 1 << 30})
                   .ValueOrDie();
    std::string text;
    uint64_t state = 1;
    for (int i = 0; i < 100'000; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += static_cast<char>(state >> 56);
    }
    EXPECT_TRUE(log->Append(text + "\n").ok());
    EXPECT_TRUE(log->CloseFrame().ok());
    return log;
  }
  std::string MakeFinished(int64_t seconds_ago) {
    const auto log = MakeLog(seconds_ago);
    EXPECT_TRUE(log->Close().ok());
    return log->folder();
  }
  void Sweep(int64_t limit_bytes, bool even_if_swept_lately = true) {
    SweepLogs(syscalls_, folder_.path(),
              {.total_limit_bytes = limit_bytes,
               .now_millis = kNow,
               .even_if_swept_lately = even_if_swept_lately});
  }
  static bool Exists(const std::string& path) { return std::filesystem::exists(path); }

  TemporaryFolder folder_;
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
};

TEST_F(LogSweepTest, TheOldestGoFirstUntilTheLimitIsKept) {
  const std::string oldest = MakeFinished(3000);
  const std::string middle = MakeFinished(2000);
  const std::string newest = MakeFinished(1000);
  Sweep(400'000);
  EXPECT_TRUE(Exists(oldest));
  Sweep(250'000);
  EXPECT_FALSE(Exists(oldest));
  EXPECT_TRUE(Exists(middle));
  EXPECT_TRUE(Exists(newest));
}

TEST_F(LogSweepTest, NumberOfLogsIsBoundedToo) {
  const auto path_of = [this](size_t number) {
    return folder_.path() + "/eventlog_v2_wheelpit-" +
           std::to_string(kNow - 1'000'000 + static_cast<int64_t>(number));
  };
  for (size_t i = 0; i < kLogsMax + 2; ++i) {
    std::filesystem::create_directory(path_of(i));
    std::ofstream(path_of(i) + "/appstatus_x").flush();
  }
  Sweep(int64_t{1} << 40);
  EXPECT_FALSE(Exists(path_of(0)));
  EXPECT_FALSE(Exists(path_of(1)));
  EXPECT_TRUE(Exists(path_of(2)));
}

TEST_F(LogSweepTest, LogOfALivingProcessStaysHoweverOld) {
  const auto living = MakeLog(100'000);
  const std::string finished = MakeFinished(1000);
  Sweep(0);
  EXPECT_TRUE(Exists(living->folder()));
  EXPECT_FALSE(Exists(finished));
}

TEST_F(LogSweepTest, LogOfADeadProcessGoes) {
  auto dead = MakeLog(1000);
  const std::string path = dead->folder();
  dead.reset();  // gives up its lock, as dying does
  Sweep(0);
  EXPECT_FALSE(Exists(path));
}

TEST_F(LogSweepTest, YoungLogMayStillBeAboutToTakeItsLock) {
  auto young = MakeLog(10);
  const std::string path = young->folder();
  young.reset();
  Sweep(0);
  EXPECT_TRUE(Exists(path));
}

TEST_F(LogSweepTest, WhatIsNotOursStays) {
  const std::vector<std::string> others = {"eventlog_v2_local-1600000000000",
                                           "eventlog_v2_wheelpit-x", "notes",
                                           "eventlog_v2_wheelpit-1600000000000-copy"};
  for (const std::string& name : others) {
    std::filesystem::create_directory(folder_.path() + "/" + name);
    std::ofstream(folder_.path() + "/" + name + "/appstatus_x") << "x";
  }
  const TemporaryFolder elsewhere;
  std::ofstream(elsewhere.path() + "/precious") << "x";
  const std::string link = folder_.path() + "/eventlog_v2_wheelpit-1600000000000";
  std::filesystem::create_directory_symlink(elsewhere.path(), link);
  Sweep(0);
  for (const std::string& name : others) {
    EXPECT_TRUE(Exists(folder_.path() + "/" + name)) << name;
  }
  EXPECT_TRUE(Exists(elsewhere.path() + "/precious"));
}

TEST_F(LogSweepTest, SecondSweepOfTheSameMinutesIsLeftOut) {
  std::ofstream(folder_.path() + "/.wheelpit-swept") << "x";
  const std::string log = MakeFinished(1000);
  // The mark is of the real now.
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  SweepLogs(syscalls_, folder_.path(), {.total_limit_bytes = 0, .now_millis = now});
  EXPECT_TRUE(Exists(log));
  SweepLogs(syscalls_, folder_.path(),
            {.total_limit_bytes = 0, .now_millis = now + 2 * kSweepMillis});
  EXPECT_FALSE(Exists(log));
}

TEST_F(LogSweepTest, FailingCallsHurtNobody) {
  const auto body = [&](int64_t) {
    MakeFinished(1000);
    const auto living = MakeLog(5000);
    Sweep(0);
    EXPECT_TRUE(Exists(living->folder()));
  };
  EXPECT_GT(io::SweepFaults(&syscalls_, {.error_number = EIO}, body), 10);
}

}  // namespace

}  // namespace wheelpit::events
