// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/live_files.h"

#include <algorithm>
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

class LiveFilesTest : public SpillFixture {
 protected:
  std::vector<LiveSpillFile> Mine() {
    return ListSpillFiles(kernel_, ::getpid()).ValueOrDie();
  }
};

TEST_F(LiveFilesTest, FindsEachFileWithItsQueryDirectoryAndBytes) {
  UseDirectories(2);
  EXPECT_TRUE(Mine().empty());
  const auto space = MakeSpace(100 * kMiB, "query 1");
  const auto other = MakeSpace(100 * kMiB, "query 2");
  const auto first = space->Write(1, Payload(3 * kMiB, 1)).ValueOrDie();
  const auto second = other->Write(1, Payload(kMiB, 2)).ValueOrDie();
  auto files = Mine();
  ASSERT_EQ(files.size(), 2);
  if (files[0].query != "query 1") {
    std::swap(files[0], files[1]);
  }
  EXPECT_EQ(files[0].query, "query 1");
  EXPECT_EQ(files[1].query, "query 2");
  EXPECT_EQ(files[0].process, ::getpid());
  EXPECT_FALSE(files[0].command.empty());
  EXPECT_EQ(files[0].directory, temporary_[0]->path());
  EXPECT_EQ(files[1].directory, temporary_[1]->path());
  EXPECT_GE(files[0].bytes, 3 * kMiB);
  EXPECT_LT(files[0].bytes, 4 * kMiB);
}

TEST_F(LiveFilesTest, AreAmongThoseOfAllProcessesAndGoWithTheQuery) {
  const auto found = [&] {
    const auto files = ListSpillFiles(kernel_).ValueOrDie();
    return std::ranges::count_if(
        files, [](const LiveSpillFile& file) { return file.process == ::getpid(); });
  };
  {
    const auto space = MakeSpace();
    const auto extent = space->Write(1, Payload(1000, 1)).ValueOrDie();
    EXPECT_EQ(found(), 1);
  }
  EXPECT_EQ(found(), 0);
}

TEST_F(LiveFilesTest, WhatOthersHaveOpenIsNotTakenForOne) {
  const std::string path = temporary_[0]->path() + "/file";
  const FileDescriptor file(
      &kernel_, kernel_.Open(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(
      ::write(file.get(), "no spill file, but as long as one's header is, at least", 56),
      56);
  ::unlink(path.c_str());
  // A pipe whose writer nobody is: opening it must not wait.
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor pipe(&kernel_,
                            kernel_.Open(AT_FDCWD, path.c_str(), O_RDWR | O_CLOEXEC, 0));
  ASSERT_GE(pipe.get(), 0);
  ::unlink(path.c_str());
  EXPECT_TRUE(Mine().empty());
}

TEST_F(LiveFilesTest, ProcessesThatEndOrMayNotBeSeenAreLeftOut) {
  // Every call may fail, as it does when a process has just ended.
  const auto space = MakeSpace();
  const auto extent = space->Write(1, Payload(1000, 1)).ValueOrDie();
  for (const int error : {ENOENT, ESRCH, EACCES}) {
    io::SweepFaults(&syscalls_, {.error_number = error}, [&](int64_t) {
      const auto files = ListSpillFiles(syscalls_, ::getpid());
      if (files.ok()) {
        EXPECT_LE(files->size(), 1);
      }
    });
  }
  EXPECT_TRUE(ListSpillFiles(kernel_, 0x7FFFFFFF).ValueOrDie().empty());
}

TEST_F(LiveFilesTest, AMachineWithoutProcIsAnErrorThatNamesIt) {
  const auto files = ListSpillFiles(kernel_, 0, "/nowhere/proc");
  ASSERT_FALSE(files.ok());
  EXPECT_NE(files.status().message().find("/nowhere/proc"), std::string::npos);
}

}  // namespace

}  // namespace wheelpit::spill
