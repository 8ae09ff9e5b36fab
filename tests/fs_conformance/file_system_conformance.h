// SPDX-License-Identifier: Apache-2.0
// What every fs::FileSystem must do. An implementation's test program includes this
// header, derives a Subject that makes and changes files in its store, and instantiates
// the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Local, FileSystemConformance, testing::Values(&MakeLocal));
//
// What a store cannot do is said in its Capabilities, and the tests about it are skipped.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/fs/file_system.h"

namespace wheelpit::fs_conformance {

struct Capabilities {
  bool directories = true;  ///< a directory can be empty
  bool symlinks = true;
  bool identities = true;   ///< device and inode tell directories apart
  bool odd_bytes = true;    ///< names may be any bytes but zero and '/'
  bool truncation = true;   ///< a file can become shorter while it is open
  bool permissions = true;  ///< a path can be forbidden to us
};

/// A store under test, empty at first. Paths given to it are relative to root().
class Subject {
 public:
  virtual ~Subject() = default;
  virtual fs::FileSystem& file_system() = 0;
  virtual std::string root() = 0;
  virtual Capabilities capabilities() const { return {}; }
  virtual void Write(const std::string& path, std::string_view bytes) = 0;
  virtual void MakeDirectory(const std::string& path) = 0;
  virtual void MakeLink(const std::string& path, const std::string& target) = 0;
  virtual void Truncate(const std::string& path, int64_t size_bytes) = 0;
  virtual void Forbid(const std::string& path) = 0;
};

using SubjectFactory = std::unique_ptr<Subject> (*)();

class FileSystemConformance : public testing::TestWithParam<SubjectFactory> {
 protected:
  FileSystemConformance() : subject_(GetParam()()) {}

  std::string At(const std::string& path) { return subject_->root() + "/" + path; }
  fs::FileSystem& file_system() { return subject_->file_system(); }
  Capabilities can() { return subject_->capabilities(); }

  arrow::Result<fs::Listing> List(const std::string& path) {
    return file_system().List(
        path, [](const fs::EntryName&) { return true; }, arrow::StopToken::Unstoppable());
  }
  std::vector<std::string> Names(const fs::Listing& listing) {
    std::vector<std::string> names;
    for (const fs::FileInfo& info : listing.entries) {
      names.push_back(info.path.substr(info.path.rfind('/') + 1));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::shared_ptr<arrow::io::RandomAccessFile> Open(const std::string& path) {
    auto file = file_system().Open(At(path), arrow::default_memory_pool());
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file : nullptr;
  }

  std::unique_ptr<Subject> subject_;
};

// The kind of an error, after a look at its message.
inline core::ErrorKind KindNaming(const arrow::Status& status, const std::string& path) {
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), testing::HasSubstr(path));
  return core::KindOf(status);
}

TEST_P(FileSystemConformance, StatTellsFilesFromDirectories) {
  subject_->Write("d/file", "12345");
  const auto file = file_system().Stat(At("d/file"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->type, fs::FileType::kFile);
  EXPECT_EQ(file->size_bytes, 5);
  EXPECT_EQ(file->path, At("d/file"));
  EXPECT_GT(file->mtime_nanos, 0);
  const auto directory = file_system().Stat(At("d"));
  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_EQ(directory->type, fs::FileType::kDirectory);
}

TEST_P(FileSystemConformance, MissingPathsAreNotFoundEverywhere) {
  const std::string path = At("not/there");
  EXPECT_EQ(KindNaming(file_system().Stat(path).status(), path),
            core::ErrorKind::kNotFound);
  EXPECT_EQ(KindNaming(List(path).status(), path), core::ErrorKind::kNotFound);
  EXPECT_EQ(
      KindNaming(file_system().Open(path, arrow::default_memory_pool()).status(), path),
      core::ErrorKind::kNotFound);
}

TEST_P(FileSystemConformance, EmptyMissingForbiddenAndFileAreFourOutcomesOfList) {
  subject_->Write("file", "x");
  EXPECT_EQ(KindNaming(List(At("file")).status(), At("file")), core::ErrorKind::kIo);
  EXPECT_EQ(KindNaming(List(At("gone")).status(), At("gone")),
            core::ErrorKind::kNotFound);
  if (can().directories) {
    subject_->MakeDirectory("empty");
    const auto empty = List(At("empty"));
    ASSERT_TRUE(empty.ok()) << empty.status();
    EXPECT_TRUE(empty->entries.empty());
    EXPECT_TRUE(empty->vanished.empty());
  }
  if (can().permissions) {
    subject_->Write("forbidden/file", "x");
    subject_->Forbid("forbidden");
    EXPECT_EQ(KindNaming(List(At("forbidden")).status(), At("forbidden")),
              core::ErrorKind::kPermission);
  }
}

TEST_P(FileSystemConformance, ForbiddenFilesAreNotMissing) {
  if (!can().permissions) {
    GTEST_SKIP() << "nothing can be forbidden here";
  }
  subject_->Write("secret", "x");
  subject_->Forbid("secret");
  EXPECT_EQ(
      KindNaming(file_system().Open(At("secret"), arrow::default_memory_pool()).status(),
                 At("secret")),
      core::ErrorKind::kPermission);
}

TEST_P(FileSystemConformance, ListGivesEachEntryOnceWithSizeAndType) {
  subject_->Write("t/b", "22");
  subject_->Write("t/a", "");
  subject_->Write("t/sub/inner", "333");
  const auto listing = List(At("t"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(Names(*listing), (std::vector<std::string>{"a", "b", "sub"}));
  for (const fs::FileInfo& info : listing->entries) {
    const auto alone = file_system().Stat(info.path);
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_EQ(info.type, alone->type) << info.path;
    EXPECT_EQ(info.inode, alone->inode) << info.path;
    EXPECT_EQ(info.device, alone->device) << info.path;
    if (info.type == fs::FileType::kFile) {
      EXPECT_EQ(info.size_bytes, alone->size_bytes) << info.path;
      EXPECT_EQ(info.mtime_nanos, alone->mtime_nanos) << info.path;
    }
  }
}

TEST_P(FileSystemConformance, ListOfADirectoryWithTrailingSlashJoinsPathsOnce) {
  subject_->Write("t/a", "");
  const auto listing = List(At("t/"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->entries.size(), 1u);
  EXPECT_EQ(listing->entries[0].path, At("t/a"));
}

TEST_P(FileSystemConformance, FilterSeesEveryNameAndItsRefusalsCostNothing) {
  subject_->Write("t/keep", "");
  subject_->Write("t/drop", "");
  subject_->Write("t/sub/inner", "");
  std::set<std::string> seen;
  const auto listing = file_system().List(
      At("t"),
      [&](const fs::EntryName& entry) {
        seen.insert(std::string(entry.name));
        EXPECT_TRUE(entry.maybe_directory || entry.maybe_file);
        EXPECT_TRUE(entry.name == "sub" ? entry.maybe_directory : entry.maybe_file);
        return entry.name == "keep";
      },
      arrow::StopToken::Unstoppable());
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(seen, (std::set<std::string>{"keep", "drop", "sub"}));
  EXPECT_EQ(Names(*listing), std::vector<std::string>{"keep"});
}

TEST_P(FileSystemConformance, ManyEntriesAreAllListed) {
  std::vector<std::string> expected;
  for (int i = 0; i < 3518; ++i) {
    std::string name = "part-" + std::to_string(10000 + i) + "-of-a-rather-long-name";
    subject_->Write("many/" + name, "");
    expected.push_back(std::move(name));
  }
  const auto listing = List(At("many"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(Names(*listing), expected);
}

TEST_P(FileSystemConformance, OddNamesAreKeptByteForByte) {
  std::vector<std::string> names = {
      "a b",      "50%",    "%41",       "k=v",      "a:b", "x::y",   "q?#[z]",
      "back\\sl", "it's",   "Zürich",    "日本",     "+",   "-rf",    "*",
      " lead",    "trail ", "tab\there", "..hidden", "{a}", "a+b c%", "~",
  };
  if (can().odd_bytes) {
    names.insert(names.end(), {"new\nline", "caf\xe9", "\xff\xfe", "\x01"});
  }
  for (const std::string& name : names) {
    subject_->Write("odd/" + name, name);
  }
  const auto listing = List(At("odd"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(Names(*listing), sorted);
  for (const std::string& name : names) {
    const auto file = Open("odd/" + name);
    ASSERT_NE(file, nullptr);
    const auto bytes = file->ReadAt(0, 100);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ((*bytes)->ToString(), name);
  }
}

TEST_P(FileSystemConformance, ListStopsWhenAsked) {
  subject_->Write("t/a", "");
  arrow::StopSource source;
  source.RequestStop();
  const auto listing = file_system().List(
      At("t"), [](const fs::EntryName&) { return true; }, source.token());
  EXPECT_EQ(core::KindOf(listing.status()), core::ErrorKind::kCancelled);
}

TEST_P(FileSystemConformance, LinksAreFollowedAndSaidToBeLinks) {
  if (!can().symlinks) {
    GTEST_SKIP() << "no symbolic links here";
  }
  subject_->Write("t/real/file", "12345");
  subject_->MakeLink("t/to_directory", "real");
  subject_->MakeLink("t/to_file", "real/file");
  const auto listing = List(At("t"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(Names(*listing),
            (std::vector<std::string>{"real", "to_directory", "to_file"}));
  for (const fs::FileInfo& info : listing->entries) {
    EXPECT_EQ(info.is_symlink, info.path != At("t/real")) << info.path;
    EXPECT_EQ(info.type, info.path == At("t/to_file") ? fs::FileType::kFile
                                                      : fs::FileType::kDirectory);
  }
  if (can().identities) {
    const auto real = file_system().Stat(At("t/real"));
    const auto linked = file_system().Stat(At("t/to_directory"));
    ASSERT_TRUE(real.ok() && linked.ok());
    EXPECT_EQ(real->inode, linked->inode);
    EXPECT_EQ(real->device, linked->device);
  }
}

TEST_P(FileSystemConformance, LinksThatLeadNowhereAreReportedAsVanished) {
  if (!can().symlinks) {
    GTEST_SKIP() << "no symbolic links here";
  }
  subject_->Write("t/file", "");
  subject_->MakeLink("t/dangling", "nothing");
  subject_->MakeLink("t/self", "self");
  auto listing = List(At("t"));
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(Names(*listing), std::vector<std::string>{"file"});
  std::sort(listing->vanished.begin(), listing->vanished.end());
  EXPECT_EQ(listing->vanished,
            (std::vector<std::string>{At("t/dangling"), At("t/self")}));
}

TEST_P(FileSystemConformance, ReadAtGivesTheBytesAndEndsAtTheEnd) {
  subject_->Write("file", "0123456789");
  const auto file = Open("file");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->GetSize().ValueOr(-1), 10);
  char bytes[16] = {};
  EXPECT_EQ(file->ReadAt(3, 4, bytes).ValueOr(-1), 4);
  EXPECT_EQ(std::string_view(bytes, 4), "3456");
  EXPECT_EQ(file->ReadAt(8, 8, bytes).ValueOr(-1), 2);
  EXPECT_EQ(file->ReadAt(10, 8, bytes).ValueOr(-1), 0);
  EXPECT_EQ(file->ReadAt(99, 8, bytes).ValueOr(-1), 0);
  EXPECT_FALSE(file->ReadAt(-1, 1, bytes).ok());
  EXPECT_FALSE(file->ReadAt(0, -1, bytes).ok());
  EXPECT_FALSE(file->ReadAt(8, 8, false, bytes).ok());
  const auto huge = file->ReadAt(4, int64_t{1} << 60);
  ASSERT_TRUE(huge.ok()) << huge.status();
  EXPECT_EQ((*huge)->ToString(), "456789");
}

TEST_P(FileSystemConformance, ReadAtLeavesThePositionOfReadAlone) {
  subject_->Write("file", "0123456789");
  const auto file = Open("file");
  ASSERT_NE(file, nullptr);
  char bytes[4];
  EXPECT_EQ(file->Read(2, bytes).ValueOr(-1), 2);
  EXPECT_EQ(file->ReadAt(7, 2, bytes).ValueOr(-1), 2);
  EXPECT_EQ(file->Tell().ValueOr(-1), 2);
  EXPECT_EQ(file->Read(1, bytes).ValueOr(-1), 1);
  EXPECT_EQ(bytes[0], '2');
}

TEST_P(FileSystemConformance, ReadAtIsSafeFromSeveralThreads) {
  std::string bytes(256 << 10, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  }
  subject_->Write("file", bytes);
  const auto file = Open("file");
  ASSERT_NE(file, nullptr);
  std::atomic<int> wrong{0};
  auto threads = core::ThreadPool::Make(
                     {.thread_count = 4, .role = core::ThreadRole::kIo, .name = "reads"})
                     .ValueOrDie();
  for (int t = 0; t < 4; ++t) {
    threads->Submit([&, t] {
      std::string piece(1000, '\0');
      for (int i = 0; i < 200; ++i) {
        const size_t at = static_cast<size_t>((t * 31 + i * 1009) % 255) * 1000;
        const auto got =
            file->ReadAt(static_cast<int64_t>(at), 1000, piece.data()).ValueOr(-1);
        wrong += got != 1000 || piece != bytes.substr(at, 1000);
      }
    });
  }
  threads.reset();  // waits for all
  EXPECT_EQ(wrong, 0);
}

TEST_P(FileSystemConformance, CloseIsIdempotentAndReadsAfterItFail) {
  subject_->Write("file", "0123456789");
  const auto file = Open("file");
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(file->closed());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_TRUE(file->closed());
  char byte;
  EXPECT_THAT(file->ReadAt(0, 1, &byte).status().message(),
              testing::HasSubstr(At("file")));
}

TEST_P(FileSystemConformance, FilesTruncatedWhileOpenSayItAndDoNotEndEarly) {
  if (!can().truncation) {
    GTEST_SKIP() << "files here never change";
  }
  subject_->Write("file", std::string(10000, 'x'));
  const auto file = Open("file");
  ASSERT_NE(file, nullptr);
  subject_->Truncate("file", 5000);
  char bytes[100];
  EXPECT_TRUE(file->ReadAt(0, 100, bytes).ok());
  const arrow::Status status = file->ReadAt(4950, 100, bytes).status();
  EXPECT_EQ(KindNaming(status, At("file")), core::ErrorKind::kIo);
  EXPECT_THAT(status.message(), testing::HasSubstr("truncated"));
}

TEST_P(FileSystemConformance, DirectoriesCannotBeOpenedAsFiles) {
  subject_->Write("d/file", "x");
  const arrow::Status status =
      file_system().Open(At("d"), arrow::default_memory_pool()).status();
  EXPECT_EQ(KindNaming(status, At("d")), core::ErrorKind::kIo);
  EXPECT_THAT(status.message(), testing::HasSubstr("directory"));
}

TEST_P(FileSystemConformance, ZeroBytesInAPathNeverReachAnotherFile) {
  subject_->Write("file", "x");
  std::string path = At("file");
  path += '\0';
  path += "tail";
  EXPECT_EQ(core::KindOf(file_system().Stat(path).status()), core::ErrorKind::kNotFound);
  EXPECT_EQ(core::KindOf(file_system().Open(path, arrow::default_memory_pool()).status()),
            core::ErrorKind::kNotFound);
  EXPECT_EQ(core::KindOf(List(path).status()), core::ErrorKind::kNotFound);
}

}  // namespace wheelpit::fs_conformance
