// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fs_conformance/forwarding_syscalls.h"
#include "fs_conformance/temp_directory.h"
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::fs {
namespace {

using fs_conformance::ForwardingSyscalls;
using fs_conformance::TempDirectory;
using testing::HasSubstr;

bool Everything(const EntryName&) {
  return true;
}

// Changes the records that getdents gave.
class EditedDirectories final : public ForwardingSyscalls {
 public:
  ssize_t Getdents(int fd, void* data, size_t size) override {
    ++getdents_calls;
    if (interrupts > 0) {
      --interrupts;
      return -EINTR;
    }
    if (getdents_calls == fail_at) {
      return -EIO;
    }
    const ssize_t got = ForwardingSyscalls::Getdents(fd, data, size);
    return edit ? edit(static_cast<char*>(data), got) : got;
  }
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    ++statx_calls;
    if (before_statx) {
      before_statx(path);
    }
    return ForwardingSyscalls::Statx(at_fd, path, flags, mask, out);
  }
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    const int fd = ForwardingSyscalls::Open(at_fd, path, flags, mode);
    open_files += fd >= 0;
    return fd;
  }
  int Close(int fd) override {
    --open_files;
    return ForwardingSyscalls::Close(fd);
  }

  std::function<ssize_t(char*, ssize_t)> edit;
  std::function<void(const char*)> before_statx;
  int interrupts = 0;
  int fail_at = -1;
  int getdents_calls = 0;
  int statx_calls = 0;
  int open_files = 0;
};

class LocalFileSystemTest : public testing::Test {
 protected:
  arrow::Result<Listing> List(const EntryFilter& wanted = Everything) {
    return file_system_->List(directory_.path(), wanted, arrow::StopToken::Unstoppable());
  }

  TempDirectory directory_;
  EditedDirectories syscalls_;
  std::unique_ptr<LocalFileSystem> file_system_ =
      LocalFileSystem::Make(syscalls_).ValueOrDie();
};

TEST_F(LocalFileSystemTest, EntriesThatAreNotWantedAreNotLookedAt) {
  directory_.Write("a");
  directory_.Write("_b");
  ASSERT_TRUE(List([](const EntryName& entry) { return entry.name == "a"; }).ok());
  EXPECT_EQ(syscalls_.statx_calls, 1);
}

TEST_F(LocalFileSystemTest, UnknownEntryTypesAreLookedUp) {
  directory_.Write("file", "123");
  directory_.MakeDirectory("directory");
  directory_.MakeLink("link", "file");
  directory_.MakeLink("dangling", "nothing");
  syscalls_.edit = [](char* records, ssize_t size) {
    for (ssize_t at = 0; at < size;) {
      uint16_t length;
      std::memcpy(&length, records + at + 16, sizeof length);
      records[at + 18] = DT_UNKNOWN;
      at += length;
    }
    return size;
  };
  int shown = 0;
  const auto listing = List([&](const EntryName& entry) {
    EXPECT_TRUE(entry.maybe_directory && entry.maybe_file && entry.maybe_symlink);
    ++shown;
    return true;
  });
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(shown, 4);
  EXPECT_THAT(listing->vanished, testing::ElementsAre(directory_ / "dangling"));
  ASSERT_EQ(listing->entries.size(), 3u);
  for (const FileInfo& info : listing->entries) {
    EXPECT_EQ(info.is_symlink, info.path == directory_ / "link");
    EXPECT_EQ(info.type, info.path == directory_ / "directory" ? FileType::kDirectory
                                                               : FileType::kFile);
  }
}

TEST_F(LocalFileSystemTest, InterruptedReadsGoOn) {
  directory_.Write("a");
  syscalls_.interrupts = 3;
  const auto listing = List();
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(listing->entries.size(), 1u);
}

TEST_F(LocalFileSystemTest, FailureInTheMiddleIsAnErrorNotAnEnd) {
  for (int i = 0; i < 3000; ++i) {
    directory_.Write("a-file-with-a-name-of-some-length-" + std::to_string(i));
  }
  syscalls_.fail_at = 2;
  const auto listing = List();
  EXPECT_EQ(core::KindOf(listing.status()), core::ErrorKind::kIo);
  EXPECT_THAT(listing.status().message(), HasSubstr(directory_.path()));
  EXPECT_EQ(syscalls_.open_files, 0);
}

TEST_F(LocalFileSystemTest, MalformedRecordsAreAnError) {
  directory_.Write("a");
  for (const uint16_t length : std::vector<uint16_t>{0, 5, 19, 65535}) {
    syscalls_.edit = [&](char* records, ssize_t size) {
      std::memcpy(records + 16, &length, sizeof length);
      return size;
    };
    EXPECT_EQ(core::KindOf(List().status()), core::ErrorKind::kIo) << length;
  }
  syscalls_.edit = [](char* records, ssize_t size) {
    uint16_t length;
    std::memcpy(&length, records + 16, sizeof length);
    std::memset(records + 19, 'x', length - 19u);  // a name without an end
    return size;
  };
  EXPECT_EQ(core::KindOf(List().status()), core::ErrorKind::kIo);
}

TEST_F(LocalFileSystemTest, FilesRemovedWhileListedAreReportedByPath) {
  directory_.Write("stays");
  const std::string leaves = directory_.Write("leaves");
  syscalls_.before_statx = [&](const char* name) {
    if (std::strcmp(name, "leaves") == 0) {
      std::filesystem::remove(leaves);
    }
  };
  const auto listing = List();
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(listing->entries.size(), 1u);
  EXPECT_THAT(listing->vanished, testing::ElementsAre(leaves));
}

TEST_F(LocalFileSystemTest, WideDirectoriesStopBetweenTwoPieces) {
  for (int i = 0; i < 200; ++i) {
    directory_.Write("f" + std::to_string(i));
  }
  arrow::StopSource source;
  int looked_at = 0;
  syscalls_.before_statx = [&](const char*) {
    if (++looked_at == 10) {
      source.RequestStop();
    }
  };
  const auto listing = file_system_->List(directory_.path(), Everything, source.token());
  EXPECT_EQ(core::KindOf(listing.status()), core::ErrorKind::kCancelled);
  EXPECT_LT(looked_at, 100);
}

TEST_F(LocalFileSystemTest, NamedPipesAreRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  const auto file = file_system_->Open(directory_ / "pipe", arrow::default_memory_pool());
  EXPECT_EQ(core::KindOf(file.status()), core::ErrorKind::kIo);
  EXPECT_THAT(file.status().message(), HasSubstr("pipe"));
  EXPECT_EQ(syscalls_.open_files, 0);
  const auto listing = List();
  ASSERT_TRUE(listing.ok());
  EXPECT_EQ(listing->entries.at(0).type, FileType::kOther);
}

TEST_F(LocalFileSystemTest, DescriptorsAreClosedWhenTheFileDies) {
  directory_.Write("a");
  {
    const auto file = file_system_->Open(directory_ / "a", arrow::default_memory_pool());
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(syscalls_.open_files, 1);
  }
  EXPECT_EQ(syscalls_.open_files, 0);
}

TEST_F(LocalFileSystemTest, ErrorsQuoteOddNames) {
  const arrow::Status status = file_system_->Stat(directory_ / "a\nb").status();
  EXPECT_THAT(status.message(), HasSubstr("a\\nb"));
  EXPECT_THAT(status.message(), testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace wheelpit::fs
