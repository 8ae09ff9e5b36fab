// SPDX-License-Identifier: Apache-2.0
// What happens when a directory fails and another is well: every query goes on, and what
// fails when none is left says why each of them is out.
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string_view>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using arrow::Status;
using core::ErrorKind;
using io::SyscallKind;

// The n-th call that has to do with one directory fails, and all later ones.
class SickDirectory final : public io::FaultSyscalls {
 public:
  SickDirectory(io::Syscalls* real, std::string path)
      : FaultSyscalls(real), path_(std::move(path)) {}

  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    const bool there = path_ == path || Lies(at_fd);
    if (there && Fails()) {
      return -error;
    }
    const int fd = FaultSyscalls::Open(at_fd, path, flags, mode);
    if (there && fd >= 0) {
      descriptors_.Lock()->insert(fd);
    }
    return fd;
  }
  int Close(int fd) override {
    descriptors_.Lock()->erase(fd);
    return FaultSyscalls::Close(fd);
  }
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    return Lies(at_fd) && Fails() ? -error
                                  : FaultSyscalls::Statx(at_fd, path, flags, mask, out);
  }
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
    if (Lies(fd) && Fails()) {
      // A disk that fills takes a part first.
      if (size > 1 && error == ENOSPC && !std::exchange(short_, true)) {
        return FaultSyscalls::Pwrite(fd, data, size / 2, offset);
      }
      return -error;
    }
    return FaultSyscalls::Pwrite(fd, data, size, offset);
  }
  int Fallocate(int fd, int mode, int64_t offset, int64_t size) override {
    return Lies(fd) && Fails() ? -error
                               : FaultSyscalls::Fallocate(fd, mode, offset, size);
  }

  std::atomic<int> error{0};            // 0: well; set while looks are under way
  std::atomic<int64_t> fails_after{0};  // calls that go well first
  std::atomic<int64_t> calls{0};        // that have to do with the directory

 private:
  bool Lies(int fd) { return descriptors_.Lock()->contains(fd); }
  bool Fails() { return calls.fetch_add(1) >= fails_after && error != 0; }

  const std::string path_;
  core::Guarded<std::set<int>> descriptors_;
  bool short_ = false;
};

class SpillFailover : public SpillFixture {
 protected:
  SpillFailover() {
    UseDirectories(2);
    space_ = MakeSpace(1024 * kMiB);
  }
  // In this order, before the table that they call.
  ~SpillFailover() override {
    held_.clear();
    space_.reset();
    directories_.reset();
  }

  const std::string& path(size_t index) const { return temporary_[index]->path(); }

  void UseSick() {
    sick_ = std::make_unique<SickDirectory>(&kernel_, path(0));
    directories_ =
        SpillDirectories::Make({path(0), path(1)}, sick_.get(), &clock_).ValueOrDie();
  }

  // Writes and reads in two queries and several operators; the first begins in the first
  // directory.
  Status Work() {
    const auto space = MakeSpace(64 * kMiB);
    const auto other = MakeSpace(64 * kMiB, "q2");
    std::vector<std::pair<SpillExtent, uint64_t>> extents;
    for (uint64_t seed = 0; seed < 24; ++seed) {
      SpillSpace& writer = seed % 5 == 4 ? *other : *space;
      ARROW_ASSIGN_OR_RAISE(auto extent,
                            writer.Write(seed % 3, Payload(1000 + seed * 10'000, seed)));
      extents.emplace_back(std::move(extent), seed);
      if (seed % 4 == 3) {
        extents.erase(extents.begin());
      }
    }
    int64_t live = 0;
    for (const auto& [extent, seed] : extents) {
      EXPECT_TRUE(Holds(extent, seed, pool()));
      live += extent.space_bytes();
    }
    EXPECT_EQ(space->used_bytes() + other->used_bytes(), live);
    return Status::OK();
  }

  // What space_ has written to a directory.
  int64_t BytesIn(size_t index) {
    int64_t bytes = 0;
    for (const auto& use : space_->directory_use()) {
      bytes += use.path == path(index) ? use.bytes_written : 0;
    }
    return bytes;
  }
  Status WriteMiB(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(
          auto extent, space_->Write(1, Payload(kMiB - 64, static_cast<uint64_t>(i))));
      held_.push_back(std::move(extent));
    }
    return Status::OK();
  }

  std::unique_ptr<SickDirectory> sick_;
  std::unique_ptr<SpillSpace> space_;
  std::vector<SpillExtent> held_;
};

TEST_F(SpillFailover, AnyErrorAtAnyCallOfOneDirectoryIsSurvived) {
  space_.reset();
  UseSick();
  ASSERT_TRUE(Work().ok());
  const int64_t calls = sick_->calls.load();
  ASSERT_GT(calls, 10);
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, ESTALE, ENOENT, EACCES, EPERM,
                          ENOTDIR, EFBIG, ENODEV, ENXIO, ELOOP}) {
    for (int64_t first = 0; first < calls; first += first < 12 ? 1 : 5) {
      SCOPED_TRACE("error " + std::to_string(error) + " from call " +
                   std::to_string(first));
      UseSick();
      sick_->error = error;
      sick_->fails_after = first;
      const Status status = Work();
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_GT(sick_->calls.load(), first) << "nothing failed";
      ExpectNothingLeft();
    }
  }
}

TEST_F(SpillFailover, ADirectoryThatIsOutIsLeftAloneByEveryQuery) {
  UseSick();
  sick_->error = EIO;
  space_ = MakeSpace();
  ASSERT_TRUE(space_->Write(1, Payload(100, 1)).ok());
  const int64_t calls = sick_->calls.load();
  for (int i = 0; i < 10; ++i) {
    const auto space = MakeSpace(kMiB, "another");
    ASSERT_TRUE(space->Write(1, Payload(100, 1)).ok());
  }
  EXPECT_EQ(sick_->calls.load(), calls);
  EXPECT_FALSE(directories_->health(0).usable());
  EXPECT_NE(directories_->health(0).reason().message().find(path(0)), std::string::npos);
}

TEST_F(SpillFailover, WhenAllAreOutTheErrorNamesEachWithItsReason) {
  std::filesystem::remove(path(0));
  std::filesystem::remove(path(1));
  std::filesystem::create_symlink("/", path(1));
  space_ = MakeSpace(kMiB, "q7");
  const auto refused = space_->Write(1, Payload(1000, 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(core::KindOf(refused.status()), ErrorKind::kNotFound) << refused.status();
  for (const std::string& part :
       {std::string("query 'q7'"), std::string("1.1 kB"), std::string("none of the 2"),
        "'" + path(0) + "' does not exist", "'" + path(1) + "' is no directory"}) {
    EXPECT_NE(refused.status().message().find(part), std::string::npos)
        << refused.status();
  }
  EXPECT_EQ(space_->used_bytes(), 0);
  // Made again, they are used at once: nobody waits for a look.
  std::filesystem::remove(path(1));
  std::filesystem::create_directory(path(1));
  std::filesystem::permissions(path(1), std::filesystem::perms::owner_all);
  EXPECT_TRUE(space_->Write(1, Payload(1000, 1)).ok());
  std::filesystem::create_directory(path(0));
}

TEST_F(SpillFailover, OneFullDirectoryMakesItTheKindOfAFullDisk) {
  UseSick();
  sick_->error = ENOSPC;
  std::filesystem::remove(path(1));
  space_ = MakeSpace();
  const auto refused = space_->Write(1, Payload(1000, 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(core::KindOf(refused.status()), ErrorKind::kDiskFull) << refused.status();
  std::filesystem::create_directory(path(1));
}

TEST_F(SpillFailover, ItComesBackWhenALookFindsItWell) {
  UseSick();
  UseIo();
  sick_->error = EROFS;
  space_ = MakeSpace(1024 * kMiB);
  ASSERT_TRUE(WriteMiB(1).ok());
  EXPECT_FALSE(directories_->health(0).usable());
  const auto look = [&] {
    clock_.AdvanceNanos(DirectoryHealth::kPauseNanos);
    ASSERT_TRUE(WriteMiB(1).ok());
    AwaitIo();
  };
  look();
  EXPECT_FALSE(directories_->health(0).usable()) << "it is still sick";
  sick_->error = 0;
  look();
  EXPECT_FALSE(directories_->health(0).usable()) << "it failed twice: asked later";
  look();
  look();
  EXPECT_TRUE(directories_->health(0).usable());
  ASSERT_TRUE(WriteMiB(32).ok());
  EXPECT_GT(BytesIn(0), 0);
}

TEST_F(SpillFailover, AFileThatFailedIsReadButNotWrittenAgain) {
  UseSick();
  UseIo();
  space_ = MakeSpace(1024 * kMiB);
  ASSERT_TRUE(WriteMiB(1).ok());
  const int64_t before = BytesIn(0);
  ASSERT_GT(before, 0);
  sick_->error = EIO;
  ASSERT_TRUE(WriteMiB(1).ok());
  sick_->error = 0;
  clock_.AdvanceNanos(DirectoryHealth::kPauseNanos);
  ASSERT_TRUE(WriteMiB(40).ok());
  AwaitIo();
  EXPECT_TRUE(directories_->health(0).usable());
  ASSERT_TRUE(WriteMiB(40).ok());
  EXPECT_EQ(BytesIn(0), before);
  EXPECT_TRUE(Holds(held_[0], 0, pool()));
  const auto next = MakeSpace(kMiB, "next");
  EXPECT_TRUE(next->Write(1, Payload(100, 1)).ok());
}

TEST_F(SpillFailover, WantOfDescriptorsIsNoFaultOfADirectory) {
  ASSERT_TRUE(WriteMiB(1).ok());  // has a file in one of them
  syscalls_.Set({.kind = SyscallKind::kOpen, .count = 1000, .error_number = EMFILE});
  ASSERT_TRUE(WriteMiB(40).ok()) << "the file that is open takes it";
  const auto other = MakeSpace(kMiB, "q2");
  const auto refused = other->Write(1, Payload(100, 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(core::KindOf(refused.status()), ErrorKind::kUnavailable);
  EXPECT_NE(refused.status().message().find("ulimit -n"), std::string::npos);
  EXPECT_TRUE(directories_->health(0).usable());
  EXPECT_TRUE(directories_->health(1).usable());
}

TEST_F(SpillFailover, TwoDirectoriesGetTheSameOfOneOperator) {
  // Grows, and frees half of what it wrote, again and again.
  for (int round = 0; round < 6; ++round) {
    ASSERT_TRUE(WriteMiB(64).ok());
    for (size_t i = held_.size() / 2; i > 0; --i) {
      held_.erase(held_.begin() + static_cast<int64_t>(i));
    }
  }
  const int64_t first = BytesIn(0);
  const int64_t second = BytesIn(1);
  EXPECT_LE(std::abs(first - second), std::max(first, second) / 5)
      << first << " and " << second;
}

TEST_F(SpillFailover, OneThatIsNearlyFullComesSecond) {
  directories_->health(0).SetFreeBytes(10 * kMiB);
  directories_->health(1).SetFreeBytes(int64_t{1} << 40);
  ASSERT_TRUE(WriteMiB(64).ok());
  EXPECT_EQ(BytesIn(0), 0);
  directories_->health(1).SetFreeBytes(9 * kMiB);
  ASSERT_TRUE(WriteMiB(64).ok());
  EXPECT_GT(BytesIn(0), 0) << "both are";
}

TEST_F(SpillFailover, OneThatIsBehindWithItsWritesComesSecond) {
  directories_->health(0).BeginWrite(100 * kMiB);
  ASSERT_TRUE(WriteMiB(64).ok());
  EXPECT_EQ(BytesIn(0), 0);
  directories_->health(0).EndWrite(100 * kMiB);
  ASSERT_TRUE(WriteMiB(64).ok());
  EXPECT_GT(BytesIn(0), 0);
}

TEST_F(SpillFailover, ALookTellsHowMuchIsFree) {
  UseIo();
  space_ = MakeSpace(1024 * kMiB);
  EXPECT_EQ(directories_->health(1).free_bytes(), std::numeric_limits<int64_t>::max());
  ASSERT_TRUE(WriteMiB(1).ok());
  AwaitIo();
  const auto free = static_cast<int64_t>(std::filesystem::space(path(1)).available);
  EXPECT_LE(std::abs(directories_->health(1).free_bytes() - free), free / 10);
  syscalls_.Forget();
  ASSERT_TRUE(WriteMiB(4).ok());
  AwaitIo();
  EXPECT_EQ(syscalls_.count(SyscallKind::kFstatfs), 0) << "not at every write";
}

TEST_F(SpillFailover, ADirectoryRemovedWhileInUseLosesNothing) {
  ASSERT_TRUE(WriteMiB(40).ok());  // files in both
  std::filesystem::remove(path(0));
  ASSERT_TRUE(WriteMiB(40).ok());
  const auto other = MakeSpace(kMiB, "q2");
  for (int i = 0; i < 3; ++i) {
    const auto space = MakeSpace(kMiB, "new");
    EXPECT_TRUE(space->Write(1, Payload(100, 1)).ok());
  }
  for (size_t i = 0; i < held_.size(); ++i) {
    EXPECT_TRUE(Holds(held_[i], i % 40, pool()));
  }
  std::filesystem::create_directory(path(0));
}

TEST(DirectoryHealth, PausesGrowUntilItIsWrittenTo) {
  DirectoryHealth health;
  EXPECT_TRUE(health.usable());
  EXPECT_FALSE(health.DueForProbe(0));
  int64_t now = 1000;
  const auto pause = [&] {
    int64_t length = 0;
    while (!health.DueForProbe(now + length)) {
      length += DirectoryHealth::kPauseNanos;
    }
    return length / DirectoryHealth::kPauseNanos;
  };
  const Status sick = Status::IOError("sick");
  health.Out(sick, now);
  health.Out(Status::IOError("later"), now);
  EXPECT_EQ(health.reason(), sick);
  EXPECT_EQ(pause(), 1);
  health.StillOut(now);
  EXPECT_EQ(pause(), 2);
  health.Back();
  EXPECT_TRUE(health.usable());
  EXPECT_TRUE(health.reason().ok());
  health.Out(sick, now);
  EXPECT_EQ(pause(), 4) << "coming back is not enough";
  for (int i = 0; i < 20; ++i) {
    health.StillOut(now);
  }
  EXPECT_EQ(pause(), DirectoryHealth::kLongestPauseNanos / DirectoryHealth::kPauseNanos);
  health.Back();
  health.Wrote();
  health.Out(sick, now);
  EXPECT_EQ(pause(), 1);
}

}  // namespace

}  // namespace wheelpit::spill
