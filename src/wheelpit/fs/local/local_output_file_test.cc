// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_output_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fs_conformance/temp_directory.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "wheelpit/core/error.h"
#include "wheelpit/io/testing/fault_syscalls.h"

namespace wheelpit::fs {
namespace {

using core::ErrorKind;
using fs_conformance::TempDirectory;
using io::SyscallKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A file system without unnamed files.
class NamesOnly final : public io::FaultSyscalls {
 public:
  using FaultSyscalls::FaultSyscalls;
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    return (flags & O_TMPFILE) == O_TMPFILE
               ? -EOPNOTSUPP
               : FaultSyscalls::Open(at_fd, path, flags, mode);
  }
};

class LocalOutputFileTest : public testing::Test {
 protected:
  static arrow::Status Write(io::Syscalls& syscalls, const std::string& path,
                             std::string_view bytes = "new") {
    ARROW_ASSIGN_OR_RAISE(auto file, LocalOutputFile::Make(syscalls, path));
    ARROW_RETURN_NOT_OK(file->Append(bytes.substr(0, 1)));
    ARROW_RETURN_NOT_OK(file->Append(bytes.substr(1)));
    EXPECT_EQ(file->size_bytes(), std::ssize(bytes));
    return file->Commit();
  }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  static int64_t OpenDescriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat stat {};
    EXPECT_EQ(::stat(path.c_str(), &stat), 0);
    return stat.st_mode & 07777;
  }
  void Sweep(io::FaultSyscalls& syscalls, bool old);

  TempDirectory directory_;
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  NamesOnly names_only_{&kernel_};
};

TEST_F(LocalOutputFileTest, HasNoNameBeforeCommit) {
  {
    auto file = LocalOutputFile::Make(syscalls_, directory_ / "t").ValueOrDie();
    ASSERT_TRUE(file->Append("bytes").ok());
    EXPECT_THAT(Names(), IsEmpty());
  }
  EXPECT_THAT(Names(), IsEmpty());
  ASSERT_TRUE(Write(syscalls_, directory_ / "t").ok());
  EXPECT_THAT(Names(), ElementsAre("t"));
  EXPECT_EQ(Read(directory_ / "t"), "new");
}

TEST_F(LocalOutputFileTest, ReplacesAnOldFileAndKeepsItsPermissions) {
  for (io::FaultSyscalls* syscalls :
       {&syscalls_, static_cast<io::FaultSyscalls*>(&names_only_)}) {
    const std::string path = directory_.Write("t", "old and longer");
    ::chmod(path.c_str(), 0640);
    ASSERT_TRUE(Write(*syscalls, path).ok());
    EXPECT_EQ(Read(path), "new");
    EXPECT_EQ(ModeOf(path), 0640U);
    EXPECT_THAT(Names(), ElementsAre("t"));
  }
}

TEST_F(LocalOutputFileTest, ANewFileHasThePermissionsOfTheUmask) {
  const mode_t before = ::umask(027);
  const auto status = Write(syscalls_, directory_ / "t");
  ::umask(before);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(ModeOf(directory_ / "t"), 0640U);
}

TEST_F(LocalOutputFileTest, ReplacesWhatALinkPointsTo) {
  directory_.Write("real/file", "old");
  directory_.MakeLink("link", "real/file");
  directory_.MakeLink("real/second", "../link");
  ASSERT_TRUE(Write(syscalls_, directory_ / "real/second").ok());
  EXPECT_EQ(Read(directory_ / "real/file"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory_ / "link"));
  directory_.MakeLink("dangling", "real/made");
  ASSERT_TRUE(Write(syscalls_, directory_ / "dangling").ok());
  EXPECT_EQ(Read(directory_ / "real/made"), "new");
  directory_.MakeLink("loop", "loop");
  EXPECT_THAT(Write(syscalls_, directory_ / "loop").message(), HasSubstr("loop"));
}

TEST_F(LocalOutputFileTest, RefusesWhatIsNoFile) {
  const auto directory = Write(syscalls_, directory_.MakeDirectory("d"));
  EXPECT_THAT(directory.message(), HasSubstr("it is a directory; name a file in it"));
  const auto missing = Write(syscalls_, directory_ / "no/t");
  EXPECT_EQ(core::KindOf(missing), ErrorKind::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("its directory must be there already"));
  const auto below_file = Write(syscalls_, directory_.Write("f") + "/t");
  EXPECT_THAT(below_file.message(), HasSubstr("f/t"));
  EXPECT_THAT(Write(syscalls_, "").message(), HasSubstr("names no file"));
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Write(syscalls_, directory_ / "pipe").message(),
              HasSubstr("start its reader first"));
}

TEST_F(LocalOutputFileTest, WritesToADeviceDirectly) {
  EXPECT_TRUE(Write(syscalls_, "/dev/null").ok());
  const auto full = Write(syscalls_, "/dev/full");
  EXPECT_EQ(core::KindOf(full), ErrorKind::kDiskFull) << full;
}

// Whichever call fails: the old file or the whole new one, and nothing else.
void LocalOutputFileTest::Sweep(io::FaultSyscalls& syscalls, bool old) {
  const std::string path = directory_ / "t";
  const int64_t descriptors = OpenDescriptors();
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, EACCES, EMFILE, EEXIST}) {
    const int64_t calls = SweepFaults(&syscalls, {.error_number = error}, [&](int64_t n) {
      SCOPED_TRACE("error " + std::to_string(error) + " of call " + std::to_string(n));
      std::filesystem::remove(path);
      if (old) {
        directory_.Write("t", "old");
      }
      const auto status = Write(syscalls, path);
      if (!status.ok()) {
        EXPECT_NE(core::KindOf(status), ErrorKind::kInternal) << status;
        EXPECT_THAT(status.message(), HasSubstr(path));
        EXPECT_EQ(Read(path), old ? "old" : "");
      } else {
        EXPECT_EQ(Read(path), "new");
      }
      EXPECT_EQ(Names().size(), !status.ok() && !old ? 0U : 1U);
      EXPECT_EQ(OpenDescriptors(), descriptors);
    });
    EXPECT_GT(calls, 5);
  }
}

TEST_F(LocalOutputFileTest, AnyCallMayFailWithoutATrace) {
  Sweep(syscalls_, /*old=*/false);
  Sweep(syscalls_, /*old=*/true);
}

TEST_F(LocalOutputFileTest, AnyCallMayFailWhereFilesNeedNames) {
  Sweep(names_only_, /*old=*/false);
  Sweep(names_only_, /*old=*/true);
}

TEST_F(LocalOutputFileTest, ShortAndInterruptedWritesGoOn) {
  for (const int64_t first : {0, 1}) {
    syscalls_.Set({.kind = SyscallKind::kPwrite, .first = first, .count = 3});
    ASSERT_TRUE(Write(syscalls_, directory_ / "t", "0123456789").ok());
    EXPECT_EQ(Read(directory_ / "t"), "0123456789");
    syscalls_.Set({.kind = SyscallKind::kPwrite, .first = first, .error_number = EINTR});
    ASSERT_TRUE(Write(syscalls_, directory_ / "t", "9876543210").ok());
    EXPECT_EQ(Read(directory_ / "t"), "9876543210");
  }
}

TEST_F(LocalOutputFileTest, PutsTheBytesOnDiskBeforeTheName) {
  directory_.Write("t", "old");
  ASSERT_TRUE(Write(syscalls_, directory_ / "t").ok());
  const auto calls = syscalls_.calls();
  const auto synced = std::find(calls.begin(), calls.end(), SyscallKind::kFsync);
  const auto linked = std::find(calls.begin(), calls.end(), SyscallKind::kLink);
  EXPECT_LT(synced - calls.begin(), linked - calls.begin());
}

TEST_F(LocalOutputFileTest, TellsWhetherTwoPathsAreOneFile) {
  const std::string a = directory_.Write("a");
  const std::string b = directory_.Write("b");
  const std::string link = directory_.MakeLink("l", "a");
  std::filesystem::create_hard_link(a, directory_ / "h");
  const auto identity = [this](const std::string& path) {
    return *IdentityOf(syscalls_, path);
  };
  EXPECT_EQ(identity(a), identity(directory_ / "./a"));
  EXPECT_EQ(identity(a), identity(link));
  EXPECT_EQ(identity(directory_ / "h"), identity(link));
  EXPECT_NE(identity(a), identity(b));
  EXPECT_EQ(identity(directory_ / "none"), std::nullopt);
}

}  // namespace
}  // namespace wheelpit::fs
