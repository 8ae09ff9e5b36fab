// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/error.h"

#include <cerrno>

#include <arrow/result.h>
#include <gtest/gtest.h>

namespace wheelpit::core {
namespace {

arrow::Result<int> Failing() {
  return Error(ErrorKind::kSpillLimit, "limit ", 42, " reached");
}

arrow::Status Passing() {
  ARROW_ASSIGN_OR_RAISE(const int value, Failing());
  static_cast<void>(value);
  return arrow::Status::OK();
}

TEST(Error, KindSurvivesPropagationAndContext) {
  const arrow::Status status = WithContext(Passing(), "query 7");
  EXPECT_EQ(KindOf(status), ErrorKind::kSpillLimit);
  EXPECT_EQ(status.message(), "query 7: limit 42 reached");
}

TEST(Error, ArrowStatusesAreClassifiedByCode) {
  EXPECT_EQ(KindOf(arrow::Status::IOError("x")), ErrorKind::kIo);
  EXPECT_EQ(KindOf(arrow::Status::OutOfMemory("x")), ErrorKind::kMemoryLimit);
  EXPECT_EQ(KindOf(arrow::Status::Cancelled("x")), ErrorKind::kCancelled);
  EXPECT_EQ(KindOf(arrow::Status::Invalid("x")), ErrorKind::kInternal);
}

TEST(Error, ErrnoGivesTheKindACallerActsOn) {
  EXPECT_EQ(KindOf(ErrnoStatus(ENOENT, "open a")), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(ErrnoStatus(EACCES, "open a")), ErrorKind::kPermission);
  EXPECT_EQ(KindOf(ErrnoStatus(ENOSPC, "write a")), ErrorKind::kDiskFull);
  EXPECT_EQ(KindOf(ErrnoStatus(EDQUOT, "write a")), ErrorKind::kDiskFull);
  EXPECT_EQ(KindOf(ErrnoStatus(EIO, "read a")), ErrorKind::kIo);
  EXPECT_EQ(ErrnoStatus(ENOENT, "open 'a b'").message(),
            "open 'a b': No such file or directory");
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(ExitCodeOf(ErrorKind::kInvalidSql), 1);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kData), 1);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kConfiguration), 2);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kMemoryLimit), 3);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kSpillLimit), 3);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kDiskFull), 3);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kCorrupt), 4);
  EXPECT_EQ(ExitCodeOf(ErrorKind::kCancelled), 130);
}

TEST(Error, CancelledIsArrowsCancelledToo) {
  EXPECT_TRUE(Error(ErrorKind::kCancelled, "stopped").IsCancelled());
}

}  // namespace
}  // namespace wheelpit::core
