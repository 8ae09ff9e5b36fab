// SPDX-License-Identifier: Apache-2.0
// What a space promises while nothing fails. Failures: spill_fault_test.cc.
#include "wheelpit/spill/spill_space.h"

#include <filesystem>
#include <optional>
#include <random>

#include <sys/resource.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using io::SyscallKind;

class SpillSpaceTest : public SpillFixture {};

TEST_F(SpillSpaceTest, MakesNoSystemCallUntilItSpills) {
  UseDirectories(8);
  for (int i = 0; i < 100; ++i) {
    const auto space = MakeSpace();
    EXPECT_EQ(space->used_bytes(), 0);
    EXPECT_EQ(space->file_count(), 0);
  }
  EXPECT_EQ(syscalls_.count(), 0);
}

TEST_F(SpillSpaceTest, TheFirstByteIsThreeCallsAwayHoweverManyDirectories) {
  UseDirectories(8);
  const auto space = MakeSpace();
  ASSERT_TRUE(space->Write(1, Payload(100, 1)).ok());
  EXPECT_EQ(syscalls_.calls(),
            (std::vector{SyscallKind::kOpen, SyscallKind::kStatx, SyscallKind::kOpen,
                         SyscallKind::kPwrite, SyscallKind::kPwrite, SyscallKind::kPwrite,
                         SyscallKind::kClose}));
}

TEST_F(SpillSpaceTest, GivesBackWhatWasWritten) {
  const auto space = MakeSpace();
  std::vector<SpillExtent> extents;
  const std::vector<size_t> sizes = {0, 1, 63, 64, 65, 4096, 100'000};
  for (const size_t size : sizes) {
    auto extent = space->Write(7, Payload(size, size));
    ASSERT_TRUE(extent.ok()) << extent.status();
    EXPECT_EQ(extent->payload_bytes(), static_cast<int64_t>(size));
    extents.push_back(std::move(extent).ValueUnsafe());
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(Holds(extents[i], sizes[i], pool()));
  }
  EXPECT_EQ(metrics_.Get(core::Metric::kSpillExtents), 7);
  EXPECT_EQ(metrics_.Get(core::Metric::kSpillBytesWritten),
            metrics_.Get(core::Metric::kSpillBytesRead));
}

TEST_F(SpillSpaceTest, PayloadsAreAlignedInMemory) {
  const auto space = MakeSpace();
  const auto extent = space->Write(1, Payload(1000, 1)).ValueOrDie();
  EXPECT_EQ(extent.Read(pool()).ValueOrDie()->address() % 64, 0);
}

TEST_F(SpillSpaceTest, FilesHaveNoNameAndOnlyTheirOwnerReadsThem) {
  const mode_t mask = ::umask(0);
  const auto space = MakeSpace();
  const auto extent = space->Write(1, Payload(100, 1)).ValueOrDie();
  ::umask(mask);
  EXPECT_TRUE(temporary_[0]->Names().empty());
  bool found = false;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with(temporary_[0]->path() + "/")) {
      found = true;
      EXPECT_EQ(std::filesystem::status(entry.path()).permissions(),
                std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(SpillSpaceTest, DroppingExtentsGivesEverythingBack) {
  const auto space = MakeSpace();
  {
    const auto first = space->Write(1, Payload(1000, 1)).ValueOrDie();
    const auto second = space->Write(1, Payload(2000, 2)).ValueOrDie();
    EXPECT_EQ(first.space_bytes() % 64, 0);
    EXPECT_EQ(space->used_bytes(), first.space_bytes() + second.space_bytes());
    EXPECT_EQ(quota_.used_bytes(), space->used_bytes());
  }
  EXPECT_EQ(space->used_bytes(), 0);
  EXPECT_EQ(quota_.used_bytes(), 0);
  EXPECT_GT(space->peak_bytes(), 3000);
}

TEST_F(SpillSpaceTest, AssigningAnExtentFreesTheOldOne) {
  const auto space = MakeSpace();
  auto kept = space->Write(1, Payload(1000, 1)).ValueOrDie();
  auto other = space->Write(1, Payload(5000, 2)).ValueOrDie();
  kept = std::move(other);
  EXPECT_EQ(space->used_bytes(), kept.space_bytes());
  EXPECT_TRUE(Holds(kept, 2, pool()));
}

TEST_F(SpillSpaceTest, ExtentsOutliveTheSpaceAndItsDirectory) {
  auto space = MakeSpace();
  std::optional<SpillExtent> extent = space->Write(1, Payload(1000, 1)).ValueOrDie();
  space.reset();
  std::filesystem::remove_all(temporary_[0]->path());
  EXPECT_TRUE(Holds(*extent, 1, pool()));
  syscalls_.Forget();
  extent.reset();
  EXPECT_EQ(syscalls_.count(SyscallKind::kClose), 1);
  EXPECT_EQ(quota_.used_bytes(), 0);
}

TEST_F(SpillSpaceTest, FreedRangesAreUsedAgainBeforeAnyFileGrows) {
  for (const size_t directories : {1, 3}) {
    UseDirectories(directories);
    const auto space = MakeSpace(256 * kMiB);
    std::mt19937_64 random(7);
    std::vector<SpillExtent> live;
    for (int round = 0; round < 2000; ++round) {
      while (live.size() >= 100) {
        std::swap(live[random() % live.size()], live.back());
        live.pop_back();
      }
      const size_t size = 500'000 + random() % 150'000;
      live.push_back(space->Write(1, Payload(size / 10, 1)).ValueOrDie());
    }
    EXPECT_LE(space->file_bytes(), space->peak_bytes() * 11 / 10);
  }
}

// Rows pass through the disk one run after the other: their total is no concern of it.
TEST_F(SpillSpaceTest, SpillingInRoundsNeedsNoMoreThanOneRoundOfDisk) {
  UseDirectories(3);
  const auto space = MakeSpace(256 * kMiB);
  const auto payload = Payload(kMiB - 64, 1);
  for (int round = 0; round < 10; ++round) {
    std::vector<SpillExtent> run;
    for (int i = 0; i < 24; ++i) {
      run.push_back(space->Write(1, payload).ValueOrDie());
    }
  }
  EXPECT_LE(space->file_bytes(), space->peak_bytes() * 11 / 10);
}

TEST_F(SpillSpaceTest, ALargeSpillUsesAllDirectoriesAlike) {
  UseDirectories(2);
  const auto space = MakeSpace(128 * kMiB);
  std::vector<SpillExtent> extents;
  const auto payload = Payload(kMiB - 64, 1);
  for (int i = 0; i < 16; ++i) {
    extents.push_back(space->Write(1, payload).ValueOrDie());
  }
  EXPECT_EQ(space->file_count(), 1) << "a small spill opens one file";
  for (int i = 0; i < 80; ++i) {
    extents.push_back(space->Write(1, payload).ValueOrDie());
  }
  EXPECT_EQ(space->file_count(), 2);
  EXPECT_EQ(space->file_bytes(), 96 * kMiB);
}

TEST_F(SpillSpaceTest, QueriesBeginInDifferentDirectories) {
  UseDirectories(3);
  std::vector<std::unique_ptr<SpillSpace>> spaces;
  std::vector<SpillExtent> extents;
  for (int i = 0; i < 3; ++i) {
    spaces.push_back(MakeSpace());
    extents.push_back(spaces.back()->Write(1, Payload(10, 1)).ValueOrDie());
  }
  std::vector<std::string> used;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    for (const auto& directory : temporary_) {
      if (target.starts_with(directory->path() + "/")) {
        used.push_back(directory->path());
      }
    }
  }
  std::sort(used.begin(), used.end());
  EXPECT_EQ(std::unique(used.begin(), used.end()) - used.begin(), 3);
}

TEST_F(SpillSpaceTest, TheFirstSpillMayBeRaced) {
  UseDirectories(4);
  const auto threads =
      core::ThreadPool::Make({.thread_count = 16, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  for (int round = 0; round < 20; ++round) {
    const int64_t before = syscalls_.count(SyscallKind::kOpen);
    const auto space = MakeSpace(64 * kMiB);
    core::Guarded<std::vector<SpillExtent>> extents;
    ASSERT_TRUE(core::ParallelFor(threads.get(), 16, [&](int64_t i) {
                  ARROW_ASSIGN_OR_RAISE(
                      auto extent,
                      space->Write(1, Payload(1000, static_cast<uint64_t>(i))));
                  if (!Holds(extent, static_cast<uint64_t>(i), pool())) {
                    return arrow::Status::Invalid("other bytes");
                  }
                  extents.Lock()->push_back(std::move(extent));
                  return arrow::Status::OK();
                }).ok());
    EXPECT_EQ(space->file_count(), 1);
    EXPECT_EQ(syscalls_.count(SyscallKind::kOpen) - before, 2);
  }
}

TEST_F(SpillSpaceTest, TenThousandExtentsNeedOneDescriptor) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit small{.rlim_cur = 64, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  const int64_t before = OpenDescriptors();
  const auto space = MakeSpace(64 * kMiB);
  std::vector<SpillExtent> extents;
  for (uint64_t i = 0; i < 10'000; ++i) {
    auto extent = space->Write(i % 10, Payload(100, i));
    ASSERT_TRUE(extent.ok()) << extent.status();
    extents.push_back(std::move(extent).ValueUnsafe());
  }
  EXPECT_EQ(OpenDescriptors() - before, 1);
  for (uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(Holds(extents[i], i, pool()));
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_F(SpillSpaceTest, EndingOnAComputeThreadClosesOnAnIoThread) {
  const auto compute = core::ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  UseIo();
  auto space = MakeSpace();
  auto extent = std::make_shared<std::optional<SpillExtent>>(
      space->Write(1, Payload(1000, 1)).ValueOrDie());
  space.reset();
  AwaitIo();  // the look at the directories
  syscalls_.Forget();
  core::Signal done;
  // Were it closed there, the table's own check would end the process.
  compute->Submit([&] {
    extent->reset();
    done.Fire();
  });
  done.wait().Block();
  AwaitIo();
  EXPECT_EQ(syscalls_.count(SyscallKind::kClose), 1);
}

}  // namespace

}  // namespace wheelpit::spill
