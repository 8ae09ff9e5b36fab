// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_file.h"

#include <cerrno>
#include <memory>
#include <string>

#include "fs_conformance/forwarding_syscalls.h"
#include "fs_conformance/temp_directory.h"
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::fs {
namespace {

using fs_conformance::ForwardingSyscalls;
using fs_conformance::TempDirectory;
using testing::HasSubstr;

// Gives at most `piece` bytes a call, and fails or interrupts when told to.
class UnwillingReads final : public ForwardingSyscalls {
 public:
  ssize_t Pread(int fd, void* data, size_t size, int64_t offset) override {
    ++calls;
    if (interrupts > 0) {
      --interrupts;
      return -EINTR;
    }
    if (failure != 0) {
      return -failure;
    }
    return ForwardingSyscalls::Pread(fd, data, std::min(size, piece), offset);
  }
  size_t piece = SIZE_MAX;
  int interrupts = 0;
  int failure = 0;
  int calls = 0;
};

class LocalFileTest : public testing::Test {
 protected:
  LocalFileTest() {
    const std::string path = directory_.Write("file", "0123456789");
    const int fd = syscalls_.Open(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
    file_ =
        LocalFile::Adopt(syscalls_, fd, path, arrow::default_memory_pool()).ValueOrDie();
  }

  TempDirectory directory_;
  UnwillingReads syscalls_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

TEST_F(LocalFileTest, ShortAndInterruptedReadsGoOn) {
  syscalls_.piece = 3;
  syscalls_.interrupts = 2;
  char bytes[10];
  EXPECT_EQ(file_->ReadAt(0, 10, bytes).ValueOr(-1), 10);
  EXPECT_EQ(std::string(bytes, 10), "0123456789");
}

TEST_F(LocalFileTest, FailureNamesPathOffsetAndCause) {
  syscalls_.failure = EIO;
  char bytes[10];
  const arrow::Status status = file_->ReadAt(2, 3, bytes).status();
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kIo);
  EXPECT_THAT(status.message(), HasSubstr("'" + directory_ / "file" + "'"));
  EXPECT_THAT(status.message(), HasSubstr("offset 2"));
  EXPECT_THAT(status.message(), HasSubstr("Input/output error"));
}

TEST_F(LocalFileTest, OneReadIsOneCall) {
  char bytes[10];
  ASSERT_TRUE(file_->ReadAt(0, 10, bytes).ok());
  EXPECT_EQ(syscalls_.calls, 1);
  // Beyond the end there is nothing to ask for.
  ASSERT_TRUE(file_->ReadAt(8, 100, bytes).ok());
  EXPECT_EQ(syscalls_.calls, 2);
  ASSERT_TRUE(file_->ReadAt(10, 100, bytes).ok());
  EXPECT_EQ(syscalls_.calls, 2);
}

TEST_F(LocalFileTest, WhatIsAppendedLaterIsNotRead) {
  directory_.Write("file", "0123456789and more");
  const auto bytes = file_->ReadAt(8, 100);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)->ToString(), "89");
}

TEST_F(LocalFileTest, BuffersAreOfThePoolAndNoLargerThanTheFile) {
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const std::string path = directory_.Write("other", "0123456789");
  const int fd = syscalls_.Open(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  const auto file = LocalFile::Adopt(syscalls_, fd, path, &pool).ValueOrDie();
  const auto bytes = file->ReadAt(0, int64_t{1} << 50);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_GT(pool.bytes_allocated(), 0);
  EXPECT_LE(pool.bytes_allocated(), 64);
}

TEST_F(LocalFileTest, SeekMovesOnlyRead) {
  ASSERT_TRUE(file_->Seek(5).ok());
  EXPECT_EQ(file_->Read(100).ValueOrDie()->ToString(), "56789");
  EXPECT_EQ(file_->Read(100).ValueOrDie()->size(), 0);
  EXPECT_FALSE(file_->Seek(-1).ok());
}

}  // namespace
}  // namespace wheelpit::fs
