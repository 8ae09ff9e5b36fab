// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/testing/fault_syscalls.h"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace wheelpit::io {

namespace {

class FaultSyscallsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "fault_XXXXXX";
    fd_ = ::mkstemp(pattern.data());
    ASSERT_GE(fd_, 0);
    ::unlink(pattern.c_str());
  }
  void TearDown() override { ::close(fd_); }

  KernelSyscalls kernel_;
  FaultSyscalls syscalls_{&kernel_};
  int fd_ = -1;
};

TEST_F(FaultSyscallsTest, CountsAndRecordsCallsInOrder) {
  char byte = 'x';
  EXPECT_EQ(syscalls_.Pwrite(fd_, &byte, 1, 0), 1);
  EXPECT_EQ(syscalls_.Pread(fd_, &byte, 1, 0), 1);
  EXPECT_EQ(syscalls_.calls(), (std::vector{SyscallKind::kPwrite, SyscallKind::kPread}));
  EXPECT_EQ(syscalls_.count(SyscallKind::kPread), 1);
  syscalls_.Forget();
  EXPECT_EQ(syscalls_.count(), 0);
}

TEST_F(FaultSyscallsTest, FailsTheChosenCallOnly) {
  char byte = 'x';
  syscalls_.Set({.kind = SyscallKind::kPwrite, .first = 1, .error_number = ENOSPC});
  EXPECT_EQ(syscalls_.Pwrite(fd_, &byte, 1, 0), 1);
  EXPECT_EQ(syscalls_.Pread(fd_, &byte, 1, 0), 1);
  EXPECT_EQ(syscalls_.Pwrite(fd_, &byte, 1, 1), -ENOSPC);
  EXPECT_EQ(syscalls_.Pwrite(fd_, &byte, 1, 1), 1);
  EXPECT_EQ(syscalls_.hits(), 1);
}

TEST_F(FaultSyscallsTest, ShortensReadsAndWrites) {
  const std::string text = "0123456789";
  syscalls_.Set({.count = 2, .short_bytes = 3});
  EXPECT_EQ(syscalls_.Pwrite(fd_, text.data(), text.size(), 0), 3);
  std::string back(10, ' ');
  EXPECT_EQ(syscalls_.Pread(fd_, back.data(), back.size(), 0), 3);
  EXPECT_EQ(back.substr(0, 3), "012");
}

TEST_F(FaultSyscallsTest, AFailedCloseHasClosed) {
  const int copy = ::dup(fd_);
  syscalls_.Set({.error_number = EIO});
  EXPECT_EQ(syscalls_.Close(copy), -EIO);
  EXPECT_EQ(::fcntl(copy, F_GETFD), -1);
}

TEST_F(FaultSyscallsTest, ASweepHitsEveryCallOnceAndThenNone) {
  const std::string text = "0123456789";
  int64_t runs = 0;
  const int64_t met = SweepFaults(&syscalls_, {.error_number = EIO}, [&](int64_t n) {
    size_t written = 0;
    const int first = WriteFully(syscalls_, fd_, text.data(), text.size(), 0, &written);
    const int second = WriteFully(syscalls_, fd_, text.data(), text.size(), 10, &written);
    EXPECT_EQ(first, n == 0 ? -EIO : 0);
    EXPECT_EQ(second, n == 1 ? -EIO : 0);
    ++runs;
  });
  EXPECT_EQ(met, 2);
  EXPECT_EQ(runs, 3);
}

TEST_F(FaultSyscallsTest, WriteFullyGoesOnAfterShortWritesAndInterrupts) {
  const std::string text = "0123456789";
  std::string back(10, ' ');
  size_t written = 0;
  syscalls_.Set({.count = 4, .short_bytes = 2});
  EXPECT_EQ(WriteFully(syscalls_, fd_, text.data(), text.size(), 0, &written), 0);
  EXPECT_EQ(syscalls_.hits(), 4);
  syscalls_.Set({.count = 3, .error_number = EINTR});
  EXPECT_EQ(ReadFully(syscalls_, fd_, back.data(), back.size(), 0), 10);
  EXPECT_EQ(back, text);
}

TEST(SyscallKind, EveryKindHasItsName) {
  EXPECT_EQ(ToString(SyscallKind::kOpen), "open");
  EXPECT_EQ(ToString(SyscallKind::kSyncFileRange), "sync_file_range");
  EXPECT_EQ(ToString(SyscallKind::kRename), "rename");
}

}  // namespace

}  // namespace wheelpit::io
