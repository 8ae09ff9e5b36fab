// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_directories.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using core::ErrorKind;
using io::SyscallKind;

// A file system that cannot make files without a name.
class NamesOnly final : public io::FaultSyscalls {
 public:
  NamesOnly(io::Syscalls* real, int error) : FaultSyscalls(real), error_(error) {}
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    return (flags & O_TMPFILE) == O_TMPFILE
               ? -error_
               : FaultSyscalls::Open(at_fd, path, flags, mode);
  }

 private:
  const int error_;
};

// A directory of somebody else, whoever runs the tests.
class ForeignOwner final : public io::FaultSyscalls {
 public:
  using FaultSyscalls::FaultSyscalls;
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    const int result = FaultSyscalls::Statx(at_fd, path, flags, mask, out);
    out->stx_uid = 12'345'678;
    return result;
  }
};

class SpillDirectoriesTest : public SpillFixture {
 protected:
  std::string path() const { return temporary_[0]->path(); }

  void ExpectRefused(ErrorKind kind, const std::string& reason) {
    const auto opened = directories_->OpenUnnamed(0);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(core::KindOf(opened.status()), kind) << opened.status();
    EXPECT_NE(opened.status().message().find(directories_->path(0)), std::string::npos)
        << opened.status();
    EXPECT_NE(opened.status().message().find(reason), std::string::npos)
        << opened.status();
  }
};

TEST_F(SpillDirectoriesTest, MakingThemLooksAtNoDisk) {
  ASSERT_TRUE(SpillDirectories::Make({"/nowhere/at/all"}, &syscalls_).ok());
  EXPECT_EQ(syscalls_.count(), 0);
}

TEST_F(SpillDirectoriesTest, NoDirectoryOrOneTwiceIsAConfigurationError) {
  EXPECT_EQ(core::KindOf(SpillDirectories::Make({}, &syscalls_).status()),
            ErrorKind::kConfiguration);
  const auto twice = SpillDirectories::Make({"/a", "/b", "/a"}, &syscalls_).status();
  EXPECT_EQ(core::KindOf(twice), ErrorKind::kConfiguration);
  EXPECT_NE(twice.message().find("'/a'"), std::string::npos);
}

TEST_F(SpillDirectoriesTest, AMissingDirectorySaysSo) {
  UsePaths({path() + "/missing"});
  ExpectRefused(ErrorKind::kNotFound, "does not exist");
}

TEST_F(SpillDirectoriesTest, AFileIsRefused) {
  std::ofstream(path() + "/file").put('x');
  UsePaths({path() + "/file"});
  ExpectRefused(ErrorKind::kConfiguration, "no directory");
}

TEST_F(SpillDirectoriesTest, ASymbolicLinkIsRefused) {
  std::filesystem::create_directory(path() + "/target");
  std::filesystem::create_symlink(path() + "/target", path() + "/link");
  UsePaths({path() + "/link"});
  ExpectRefused(ErrorKind::kConfiguration, "symbolic link");
}

TEST_F(SpillDirectoriesTest, WritableByAllWithoutTheStickyBitIsRefused) {
  ASSERT_EQ(::chmod(path().c_str(), 0777), 0);
  ExpectRefused(ErrorKind::kPermission, "sticky");
  ASSERT_EQ(::chmod(path().c_str(), 01777), 0);
  EXPECT_TRUE(directories_->OpenUnnamed(0).ok());
}

TEST_F(SpillDirectoriesTest, SomebodyElsesDirectoryIsRefusedUnlessSticky) {
  ForeignOwner foreign(&kernel_);
  directories_ = SpillDirectories::Make({path()}, &foreign).ValueOrDie();
  ExpectRefused(ErrorKind::kPermission, "belongs to user 12345678");
  ASSERT_EQ(::chmod(path().c_str(), 01777), 0);
  EXPECT_TRUE(directories_->OpenUnnamed(0).ok());
}

TEST_F(SpillDirectoriesTest, AReadOnlyDirectoryIsTheSystemsError) {
  syscalls_.Set({.kind = SyscallKind::kOpen, .first = 1, .error_number = EROFS});
  ExpectRefused(ErrorKind::kIo, "Read-only file system");
  syscalls_.Set({.kind = SyscallKind::kOpen, .first = 1, .error_number = EACCES});
  ExpectRefused(ErrorKind::kPermission, "Permission denied");
}

TEST_F(SpillDirectoriesTest, ADirectoryThatWasRemovedAndMadeAgainIsUsed) {
  std::filesystem::remove_all(path());
  ExpectRefused(ErrorKind::kNotFound, "does not exist");
  std::filesystem::create_directory(path());
  EXPECT_TRUE(directories_->OpenUnnamed(0).ok());
}

TEST_F(SpillDirectoriesTest, WithoutUnnamedFilesANameLastsForOneCall) {
  for (const int error : {EOPNOTSUPP, EISDIR, ENOENT, EINVAL, ENOSYS}) {
    NamesOnly names(&kernel_, error);
    directories_ = SpillDirectories::Make({path()}, &names).ValueOrDie();
    const auto space = MakeSpace();
    const auto extent = space->Write(1, Payload(1000, 1));
    ASSERT_TRUE(extent.ok()) << extent.status();
    EXPECT_EQ(names.count(SyscallKind::kUnlink), 1);
    EXPECT_TRUE(temporary_[0]->Names().empty());
    EXPECT_TRUE(Holds(*extent, 1, pool()));
  }
}

TEST_F(SpillDirectoriesTest, ANameThatIsTakenIsNeverOpened) {
  NamesOnly names(&kernel_, EOPNOTSUPP);
  directories_ = SpillDirectories::Make({path()}, &names).ValueOrDie();
  // Planted under the first name that will be tried.
  const std::string planted =
      path() + "/.wheelpit-spill-" + std::to_string(::getpid()) + "-0";
  std::filesystem::create_symlink("/dev/null", planted);
  const auto space = MakeSpace();
  const auto extent = space->Write(1, Payload(1000, 1)).ValueOrDie();
  EXPECT_TRUE(Holds(extent, 1, pool()));
  EXPECT_EQ(temporary_[0]->Names().size(), 1u) << "what others put there stays";
}

TEST_F(SpillDirectoriesTest, AFileThatCannotBeUnlinkedIsNamedInTheError) {
  NamesOnly names(&kernel_, EOPNOTSUPP);
  directories_ = SpillDirectories::Make({path()}, &names).ValueOrDie();
  const int64_t descriptors = OpenDescriptors();
  names.Set({.kind = SyscallKind::kUnlink, .error_number = EIO});
  ExpectRefused(ErrorKind::kIo, "/.wheelpit-spill-");
  EXPECT_EQ(OpenDescriptors(), descriptors);
}

TEST_F(SpillDirectoriesTest, WhereNeitherWayWorksTheErrorIsHonest) {
  NamesOnly names(&kernel_, EOPNOTSUPP);
  directories_ = SpillDirectories::Make({path()}, &names).ValueOrDie();
  names.Set({.kind = SyscallKind::kOpen, .first = 1, .error_number = EROFS});
  ExpectRefused(ErrorKind::kIo, "cannot create a spill file");
}

}  // namespace

}  // namespace wheelpit::spill
