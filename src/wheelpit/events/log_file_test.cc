// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/log_file.h"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/events/sample_run.h"
#include "wheelpit/io/testing/fault_syscalls.h"

namespace wheelpit::events {
namespace {

class LogFileTest : public ::testing::Test {
 protected:
  arrow::Result<std::unique_ptr<LogFile>> MakeLog(int64_t roll_bytes = 1 << 27) {
    return LogFile::Make(syscalls_, {.directory = folder_.path() + "/a/b",
                                     .start_millis = 1000,
                                     .roll_bytes = roll_bytes});
  }
  unsigned ModeOf(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  }

  TemporaryFolder folder_;
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
};

TEST_F(LogFileTest, HasSparksRollingLayout) {
  auto log = MakeLog().ValueOrDie();
  EXPECT_EQ(log->application_id(), "wheelpit-1000");
  EXPECT_EQ(log->folder(), folder_.path() + "/a/b/eventlog_v2_wheelpit-1000");
  EXPECT_EQ(NamesIn(log->folder()),
            (std::vector<std::string>{"appstatus_wheelpit-1000.inprogress",
                                      "events_1_wheelpit-1000.zstd"}));
  ASSERT_TRUE(log->Append("one\ntwo\n").ok());
  EXPECT_EQ(ReadLog(log->folder()).text, "");
  ASSERT_TRUE(log->Close().ok());
  EXPECT_EQ(NamesIn(log->folder()),
            (std::vector<std::string>{"appstatus_wheelpit-1000",
                                      "events_1_wheelpit-1000.zstd"}));
  EXPECT_EQ(ReadLog(log->folder()).text, "one\ntwo\n");
}

TEST_F(LogFileTest, IsForItsOwnerOnlyWhateverTheMask) {
  const mode_t mask = ::umask(0);
  auto log = MakeLog();
  ::umask(mask);
  const std::string path = (*log)->folder();
  EXPECT_EQ(ModeOf(folder_.path() + "/a"), 0700U);
  EXPECT_EQ(ModeOf(folder_.path() + "/a/b"), 0700U);
  EXPECT_EQ(ModeOf(path), 0700U);
  EXPECT_EQ(ModeOf(path + "/appstatus_wheelpit-1000.inprogress"), 0600U);
  EXPECT_EQ(ModeOf(path + "/events_1_wheelpit-1000.zstd"), 0600U);
}

TEST_F(LogFileTest, TwoInOneMillisecondGetTwoNames) {
  auto one = MakeLog().ValueOrDie();
  auto two = MakeLog().ValueOrDie();
  EXPECT_EQ(one->application_id(), "wheelpit-1000");
  EXPECT_EQ(two->application_id(), "wheelpit-1001");
}

TEST_F(LogFileTest, RollsBeforeTheLineThatDoesNotFit) {
  auto log = MakeLog(10).ValueOrDie();
  ASSERT_TRUE(log->Append("12345\n789\nabc\n0123456789abcdef\nx\n").ok());
  ASSERT_TRUE(log->Close().ok());
  EXPECT_EQ(NamesIn(log->folder()).size(), 5U);  // three cuts, and the status
  EXPECT_EQ(ReadLog(log->folder()).text, "12345\n789\nabc\n0123456789abcdef\nx\n");
  std::vector<int64_t> files;
  for (const FramePosition& frame : log->frames()) {
    files.push_back(frame.file);
    EXPECT_EQ(frame.offset, 0);
  }
  EXPECT_EQ(files, (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST_F(LogFileTest, KnowsWhereFramesBegin) {
  auto log = MakeLog().ValueOrDie();
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(log->Append("line " + std::to_string(1000 + i) + "\n").ok());
    ASSERT_TRUE(log->CloseFrame().ok());
  }
  EXPECT_LE(log->frames().size(), LogFile::kFramePositionsMax);
  EXPECT_GE(log->frames().size(), LogFile::kFramePositionsMax / 2);
  for (size_t i = 0; i < log->frames().size(); ++i) {
    EXPECT_EQ(log->frames()[i].lines, static_cast<int64_t>(i) * 4);
    EXPECT_EQ(log->frames()[i].text_bytes, static_cast<int64_t>(i) * 40);
  }
  EXPECT_EQ(log->end().lines, 3000);
  EXPECT_EQ(log->end().offset, log->bytes_written());
}

TEST_F(LogFileTest, ClosesAFrameThatIsLongEnough) {
  auto log = MakeLog().ValueOrDie();
  const std::string line = std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(log->Append(line).ok());
  }
  EXPECT_EQ(log->frames().size(), 1U);
  EXPECT_EQ(ReadLog(log->folder()).text.size(), 11 * line.size());
}

TEST_F(LogFileTest, AFullDiskLeavesWholeFrames) {
  auto log = MakeLog().ValueOrDie();
  ASSERT_TRUE(log->Append("one\n").ok());
  ASSERT_TRUE(log->CloseFrame().ok());
  syscalls_.Set({.kind = io::SyscallKind::kPwrite,
                 .first = 0,
                 .count = 1,
                 .error_number = 0,
                 .short_bytes = 5});
  ASSERT_TRUE(log->Append("two\n").ok());
  ASSERT_TRUE(log->CloseFrame().ok());  // a short write is continued
  syscalls_.Set({.kind = io::SyscallKind::kPwrite, .count = 100, .error_number = ENOSPC});
  ASSERT_TRUE(log->Append("three\n").ok());
  const arrow::Status status = log->CloseFrame();
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kDiskFull) << status.ToString();
  EXPECT_NE(status.message().find("events_1_wheelpit-1000.zstd"), std::string::npos);
  const std::string path = log->folder();
  log.reset();
  EXPECT_EQ(ReadLog(path).text, "one\ntwo\n");
  EXPECT_EQ(NamesIn(path)[0], "appstatus_wheelpit-1000.inprogress");
}

TEST_F(LogFileTest, NamesWhatItCannotMake) {
  ASSERT_EQ(::symlink("/proc", (folder_.path() + "/a").c_str()), 0);
  const auto log = MakeLog();
  EXPECT_NE(log.status().message().find(folder_.path() + "/a/b"), std::string::npos)
      << log.status().ToString();
}

TEST_F(LogFileTest, IsLockedWhileItIsWritten) {
  auto log = MakeLog().ValueOrDie();
  const std::string status = log->folder() + "/appstatus_wheelpit-1000.inprogress";
  const int fd = ::open(status.c_str(), O_RDONLY);
  EXPECT_EQ(::flock(fd, LOCK_EX | LOCK_NB), -1);
  log.reset();
  EXPECT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  ::close(fd);
}

TEST_F(LogFileTest, EveryFailingCallIsAnErrorOrDoesNoHarm) {
  int64_t round = 0;
  const int64_t met =
      io::SweepFaults(&syscalls_, {.error_number = EIO}, [&](int64_t number) {
        const std::string directory = folder_.path() + "/" + std::to_string(++round);
        const auto run = [&]() -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(auto log,
                                LogFile::Make(syscalls_, {.directory = directory,
                                                          .start_millis = 1000,
                                                          .roll_bytes = 10}));
          ARROW_RETURN_NOT_OK(log->Append("12345\n"));
          ARROW_RETURN_NOT_OK(log->CloseFrame());
          ARROW_RETURN_NOT_OK(log->Append("6789012\n"));
          return log->Close();
        };
        const arrow::Status status = run();
        const bool complete = ::access((directory + "/eventlog_v2_wheelpit-1000/"
                                                    "appstatus_wheelpit-1000")
                                           .c_str(),
                                       F_OK) == 0;
        if (status.ok()) {
          EXPECT_TRUE(complete) << number;
        }
        if (complete) {
          EXPECT_EQ(ReadLog(directory + "/eventlog_v2_wheelpit-1000").text,
                    "12345\n6789012\n");
        }
      });
  EXPECT_GE(met, 10);
}

}  // namespace
}  // namespace wheelpit::events
