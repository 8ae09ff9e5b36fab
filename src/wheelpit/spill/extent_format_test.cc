// SPDX-License-Identifier: Apache-2.0
// Bytes that are not the extent that was written are never returned as if they were.
#include "wheelpit/spill/extent_format.h"

#include <cerrno>
#include <optional>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using core::ErrorKind;
using Bytes = std::vector<uint8_t>;

constexpr ExtentIdentity kIdentity{.query = 3, .operator_id = 5, .number = 7};

Bytes ExtentBytes(const ExtentIdentity& identity, const Bytes& payload) {
  const ExtentHeader header = MakeExtentHeader(identity, payload);
  Bytes bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

void ExpectCorrupt(const ExtentIdentity& identity, const Bytes& bytes) {
  const auto status = CheckExtent(identity, bytes);
  ASSERT_FALSE(status.ok());
  ASSERT_EQ(core::KindOf(status), ErrorKind::kCorrupt);
}

TEST(ExtentFormat, AnExtentPassesItsOwnCheck) {
  for (const size_t size : {0, 1, 100, 300, 5000}) {
    EXPECT_TRUE(CheckExtent(kIdentity, ExtentBytes(kIdentity, Payload(size, 1))).ok());
  }
}

TEST(ExtentFormat, TheBytesOfVersion1AreThese) {
  const Bytes bytes = ExtentBytes(kIdentity, {'p', 'a', 'y'});
  const Bytes golden = {'W', 'P', 'S', 'E', 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,  //
                        5,   0,   0,   0,   0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,  //
                        3,   0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 48), golden);
  EXPECT_EQ(Bytes(bytes.begin() + 64, bytes.end()), (Bytes{'p', 'a', 'y'}));
}

TEST(ExtentFormat, EveryFlippedBitIsFound) {
  for (const size_t size : {0, 1, 20, 200, 1000}) {
    Bytes bytes = ExtentBytes(kIdentity, Payload(size, 1));
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      ExpectCorrupt(kIdentity, bytes);
      bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
}

TEST(ExtentFormat, EveryTruncationAndEveryAddedByteIsFound) {
  Bytes bytes = ExtentBytes(kIdentity, Payload(300, 1));
  for (size_t size = 0; size < bytes.size(); ++size) {
    ExpectCorrupt(kIdentity, Bytes(bytes.begin(), bytes.begin() + size));
  }
  bytes.push_back(0);
  ExpectCorrupt(kIdentity, bytes);
}

TEST(ExtentFormat, WholeExtentsOfOthersAreFound) {
  const Bytes payload = Payload(300, 1);
  for (const ExtentIdentity& other :
       {ExtentIdentity{4, 5, 7}, ExtentIdentity{3, 6, 7}, ExtentIdentity{3, 5, 8}}) {
    ExpectCorrupt(kIdentity, ExtentBytes(other, payload));
  }
}

TEST(ExtentFormat, AFileSaysWhoseItIsAndNothingElseDoes) {
  const FileHeader header = MakeFileHeader("query 7");
  EXPECT_EQ(QueryOfFile(header), "query 7");
  EXPECT_EQ(QueryOfFile(MakeFileHeader(std::string(100, 'x'))), std::string(56, 'x'));
  EXPECT_EQ(QueryOfFile(MakeFileHeader("a\nb\x1B[0m")), "a?b?[0m");
  EXPECT_EQ(QueryOfFile({header.data(), 63}), std::nullopt);
  EXPECT_EQ(QueryOfFile(ExtentBytes(kIdentity, Payload(300, 1))), std::nullopt);
}

// Remembers the descriptor that is written to and where each header went.
class Spy final : public io::FaultSyscalls {
 public:
  using FaultSyscalls::FaultSyscalls;
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
    written_fd = fd;
    if (size == kExtentHeaderBytes && offset > 0) {
      header_offsets.push_back(offset);
    }
    return FaultSyscalls::Pwrite(fd, data, size, offset);
  }
  int written_fd = -1;
  std::vector<int64_t> header_offsets;
};

class ExtentOnDisk : public SpillFixture {
 protected:
  ExtentOnDisk() {
    directories_ = SpillDirectories::Make({temporary_[0]->path()}, &spy_).ValueOrDie();
    space_ = MakeSpace();
  }

  SpillExtent Write(size_t size, uint64_t seed) {
    return space_->Write(9, Payload(size, seed)).ValueOrDie();
  }

  Bytes Raw(int64_t offset, size_t size) {
    Bytes bytes(size);
    EXPECT_EQ(kernel_.Pread(spy_.written_fd, bytes.data(), size, offset),
              static_cast<ssize_t>(size));
    return bytes;
  }

  void Overwrite(int64_t offset, const Bytes& bytes) {
    EXPECT_EQ(kernel_.Pwrite(spy_.written_fd, bytes.data(), bytes.size(), offset),
              static_cast<ssize_t>(bytes.size()));
  }

  void ExpectCorruptRead(const SpillExtent& extent) {
    const auto read = extent.Read(pool());
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(core::KindOf(read.status()), ErrorKind::kCorrupt) << read.status();
    for (const std::string& part :
         {temporary_[0]->path(), std::string("extent "), std::string("at byte ")}) {
      EXPECT_NE(read.status().message().find(part), std::string::npos) << read.status();
    }
  }

  Spy spy_{&kernel_};
  std::unique_ptr<SpillSpace> space_;
};

TEST_F(ExtentOnDisk, EveryFlippedBitIsAnErrorOfTheRead) {
  const SpillExtent extent = Write(100, 1);
  Bytes bytes = Raw(kFileHeaderBytes, 164);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    Overwrite(kFileHeaderBytes, bytes);
    ExpectCorruptRead(extent);
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
  Overwrite(kFileHeaderBytes, bytes);
  EXPECT_TRUE(Holds(extent, 1, pool()));
  EXPECT_EQ(pool_.bytes_allocated(), 0);
}

TEST_F(ExtentOnDisk, ATruncatedFileIsAnErrorOfTheRead) {
  const SpillExtent extent = Write(1000, 1);
  for (const int64_t size : {1063, 500, 64, 10, 0}) {
    ASSERT_EQ(kernel_.Ftruncate(spy_.written_fd, size), 0);
    ExpectCorruptRead(extent);
  }
}

TEST_F(ExtentOnDisk, SwappedExtentsAreErrorsOfBothReads) {
  const SpillExtent first = Write(1000, 1);
  const SpillExtent second = Write(1000, 2);
  const Bytes a = Raw(spy_.header_offsets[0], 1064);
  const Bytes b = Raw(spy_.header_offsets[1], 1064);
  Overwrite(spy_.header_offsets[0], b);
  Overwrite(spy_.header_offsets[1], a);
  ExpectCorruptRead(first);
  ExpectCorruptRead(second);
}

TEST_F(ExtentOnDisk, AStaleExtentInTheSamePlaceIsAnErrorOfTheRead) {
  std::optional<SpillExtent> old = Write(1000, 1);
  const Bytes stale = Raw(kFileHeaderBytes, 1064);
  old.reset();
  const SpillExtent extent = Write(1000, 1);  // the same bytes in the same place
  ASSERT_EQ(spy_.header_offsets, (std::vector<int64_t>{64, 64}));
  EXPECT_TRUE(Holds(extent, 1, pool()));
  Overwrite(0, stale);  // as if the disk had lost the write
  ExpectCorruptRead(extent);
}

TEST_F(ExtentOnDisk, AnExtentOfAnotherQueryIsAnErrorOfTheRead) {
  const SpillExtent extent = Write(1000, 1);
  const auto other_space = MakeSpace();
  const auto other = other_space->Write(9, Payload(1000, 1)).ValueOrDie();
  const Bytes foreign =
      Raw(kFileHeaderBytes, 1064);  // of the file that was written to last
  const int64_t offset = spy_.header_offsets[0];
  const SpillExtent again = Write(10, 1);  // makes the first file the last again
  Overwrite(offset, foreign);
  ExpectCorruptRead(extent);
}

TEST_F(ExtentOnDisk, OneCorruptExtentLeavesTheOthersReadable) {
  const SpillExtent first = Write(1000, 1);
  const SpillExtent second = Write(1000, 2);
  Overwrite(spy_.header_offsets[0] + 100, {0xAA, 0xBB, 0xCC});
  ExpectCorruptRead(first);
  EXPECT_TRUE(Holds(second, 2, pool()));
}

TEST_F(ExtentOnDisk, AnExtentInSeveralPiecesIsReadAndChecked) {
  std::vector<SpillExtent> extents;
  for (uint64_t i = 0; i < 10; ++i) {
    extents.push_back(Write(20'000, i));
  }
  for (size_t i = 0; i < 8; i += 2) {
    SpillExtent gone = std::move(extents[i]);
  }
  const int64_t file = space_->file_bytes();
  const SpillExtent split = Write(79'000, 99);
  EXPECT_EQ(space_->file_bytes(), file) << "it lies in the four holes";
  EXPECT_TRUE(Holds(split, 99, pool()));
  for (size_t i = 1; i < 8; i += 2) {
    EXPECT_TRUE(Holds(extents[i], i, pool()));
  }
  // One byte of its second piece.
  Bytes byte = Raw(spy_.header_offsets[2] + 500, 1);
  byte[0] ^= 1;
  Overwrite(spy_.header_offsets[2] + 500, byte);
  ExpectCorruptRead(split);
}

TEST_F(ExtentOnDisk, AReadThatFailsNamesTheExtentAndIsNoCorruption) {
  const SpillExtent extent = Write(1000, 1);
  spy_.Set({.kind = io::SyscallKind::kPread, .error_number = EIO});
  const auto read = extent.Read(pool());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(core::KindOf(read.status()), ErrorKind::kIo);
  EXPECT_NE(read.status().message().find(temporary_[0]->path()), std::string::npos);
  EXPECT_TRUE(Holds(extent, 1, pool()));
}

}  // namespace

}  // namespace wheelpit::spill
