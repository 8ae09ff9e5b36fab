// SPDX-License-Identifier: Apache-2.0
// The guard is linked into this program (and into every other test program): a planted
// blocking call on a compute thread, from our code or from Arrow's, ends the process and
// names the call.
#include <functional>

#include <arrow/io/file.h>
#include <arrow/result.h>
#include <arrow/util/future.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wheelpit/core/executor.h"

namespace wheelpit::core {
namespace {

void RunOn(ThreadRole role, const std::function<void()>& work) {
  auto pool = ThreadPool::Make({.thread_count = 1, .role = role}).ValueOrDie();
  pool->Submit(work);
  pool.reset();
}

class BlockingGuardDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BlockingGuardDeathTest, NamesTheCall) {
  char byte = 0;
  EXPECT_DEATH(
      RunOn(ThreadRole::kCompute, [&] { static_cast<void>(::read(-1, &byte, 1)); }),
      "a compute thread entered read\\(\\)");
  EXPECT_DEATH(
      RunOn(ThreadRole::kCompute, [&] { static_cast<void>(::write(1, &byte, 1)); }),
      "entered write\\(\\)");
  EXPECT_DEATH(RunOn(ThreadRole::kCompute, [] { ::open("/dev/null", O_RDONLY); }),
               "entered open(64)?\\(\\)");
  EXPECT_DEATH(RunOn(ThreadRole::kCompute, [] { ::unlink("/nonexistent"); }),
               "entered unlink\\(\\)");
  EXPECT_DEATH(RunOn(ThreadRole::kCompute, [] { ::mkdir("/", 0700); }),
               "entered mkdir\\(\\)");
  EXPECT_DEATH(RunOn(ThreadRole::kCompute, [] { ::fsync(-1); }), "entered fsync\\(\\)");
}

TEST_F(BlockingGuardDeathTest, SeesThroughArrow) {
  auto file = arrow::io::ReadableFile::Open("/proc/self/exe").ValueOrDie();
  EXPECT_DEATH(RunOn(ThreadRole::kCompute,
                     [&] {
                       char data[8];
                       static_cast<void>(file->ReadAt(0, sizeof data, data));
                     }),
               "a compute thread entered pread(64)?\\(\\)");
}

TEST_F(BlockingGuardDeathTest, SeesARreadInAnArrowCallback) {
  EXPECT_DEATH(RunOn(ThreadRole::kCompute,
                     [] {
                       auto future = arrow::Future<int>::Make();
                       future.AddCallback([](const arrow::Result<int>&) {
                         auto opened = arrow::io::ReadableFile::Open("/proc/self/exe");
                         static_cast<void>(opened);
                       });
                       future.MarkFinished(1);
                     }),
               "a compute thread entered open(64)?\\(\\)");
}

TEST(BlockingGuard, LeavesOtherThreadsAlone) {
  const auto work = [] {
    char data[8];
    const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(::read(fd, data, sizeof data), 8);
    ::close(fd);
  };
  RunOn(ThreadRole::kIo, work);
  work();
}

}  // namespace
}  // namespace wheelpit::core
