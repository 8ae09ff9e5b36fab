// SPDX-License-Identifier: Apache-2.0
// Every system call fails once, with each error that it can have, at every place where it
// is made. Afterwards the answer was right or there was one clean error, gauges are
// exact, and no descriptor and no name is left.
#include <cerrno>
#include <filesystem>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using arrow::Status;
using core::ErrorKind;
using io::SyscallFault;
using io::SyscallKind;

class SpillFault : public SpillFixture {
 protected:
  // Two queries, three operators, freed and used space, reads: every kind of call.
  Status Work() {
    ForgetHealth();
    const auto space = MakeSpace();
    const auto other = MakeSpace(kMiB, "q2");
    ARROW_ASSIGN_OR_RAISE(const auto a, space->Write(1, Payload(1000, 1)));
    {
      ARROW_ASSIGN_OR_RAISE(const auto gone, space->Write(2, Payload(30'000, 2)));
      ARROW_ASSIGN_OR_RAISE(const auto wall, space->Write(2, Payload(5000, 3)));
    }
    ARROW_ASSIGN_OR_RAISE(const auto b, space->Write(3, Payload(50'000, 4)));
    ARROW_ASSIGN_OR_RAISE(const auto c, other->Write(1, Payload(10, 5)));
    for (const auto& [extent, seed] :
         {std::pair(&a, 1), std::pair(&b, 4), std::pair(&c, 5)}) {
      ARROW_ASSIGN_OR_RAISE(const auto bytes, extent->Read(pool()));
      const auto wanted = Payload(static_cast<size_t>(extent->payload_bytes()),
                                  static_cast<uint64_t>(seed));
      EXPECT_EQ(
          std::string_view(*bytes),
          std::string_view(reinterpret_cast<const char*>(wanted.data()), wanted.size()));
    }
    EXPECT_EQ(space->used_bytes(), a.space_bytes() + b.space_bytes());
    return Status::OK();
  }
};

TEST_F(SpillFault, AnyCallMayFailWithAnyError) {
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOMEM, EMFILE,
                          ENFILE, ENOENT, ESTALE, EFBIG, ENODEV}) {
    const int64_t calls =
        SweepFaults(&syscalls_, {.error_number = error}, [&](int64_t n) {
          SCOPED_TRACE("error " + std::to_string(error) + " of call " +
                       std::to_string(n));
          const Status status = Work();
          if (!status.ok()) {
            EXPECT_EQ(syscalls_.hits(), 1) << status;
            EXPECT_NE(core::KindOf(status), ErrorKind::kInternal) << status;
            EXPECT_NE(status.message().find(temporary_[0]->path()), std::string::npos)
                << status;
          }
          ExpectNothingLeft();
        });
    EXPECT_GT(calls, 20);
  }
}

TEST_F(SpillFault, FailedWritesAndOpensAreErrorsFailedClosesAreNot) {
  ASSERT_TRUE(Work().ok());
  const auto calls = syscalls_.calls();
  SweepFaults(&syscalls_, {.error_number = EIO}, [&](int64_t n) {
    const Status status = Work();
    const auto failed = static_cast<size_t>(n);
    // A file's header is written last before the directory is closed, and for nobody who
    // waits.
    const bool harmless = failed >= calls.size() ||
                          calls[failed] == SyscallKind::kClose ||
                          (calls[failed] == SyscallKind::kPwrite &&
                           calls[failed + 1] == SyscallKind::kClose);
    EXPECT_EQ(status.ok(), harmless) << "call " << n;
  });
}

TEST_F(SpillFault, InterruptedCallsAreMadeAgain) {
  SweepFaults(&syscalls_, {.count = 3, .error_number = EINTR}, [&](int64_t) {
    const Status status = Work();
    EXPECT_TRUE(status.ok()) << status;
    ExpectNothingLeft();
  });
}

TEST_F(SpillFault, ShortReadsAndWritesGoOn) {
  for (const size_t bytes : {1, 63, 500}) {
    SweepFaults(&syscalls_, {.count = 5, .short_bytes = bytes}, [&](int64_t) {
      EXPECT_TRUE(Work().ok());
      ExpectNothingLeft();
    });
  }
}

TEST_F(SpillFault, AShortWriteBeforeAFullDiskIsAFullDisk) {
  // The call that cannot write all writes a part; the next one says why.
  class FillingDisk final : public io::FaultSyscalls {
   public:
    using FaultSyscalls::FaultSyscalls;
    ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
      if (left == 0) {
        return -ENOSPC;
      }
      const size_t part = std::min(size, left);
      left -= part;
      return FaultSyscalls::Pwrite(fd, data, part, offset);
    }
    size_t left = 700;
  };
  FillingDisk disk(&kernel_);
  directories_ = SpillDirectories::Make({temporary_[0]->path()}, &disk).ValueOrDie();
  const auto space = MakeSpace();
  const auto small = space->Write(1, Payload(100, 1));
  ASSERT_TRUE(small.ok());
  const auto large = space->Write(1, Payload(1000, 2));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(core::KindOf(large.status()), ErrorKind::kDiskFull);
  for (const std::string& part : {temporary_[0]->path(), std::string("1 kB"),
                                  std::string("q1"), std::string("free space there")}) {
    EXPECT_NE(large.status().message().find(part), std::string::npos) << large.status();
  }
  EXPECT_EQ(space->used_bytes(), small->space_bytes());
  disk.left = 1 << 20;
  const auto again = space->Write(1, Payload(1000, 2));
  ASSERT_TRUE(again.ok()) << "a disk that has room again is used again";
  EXPECT_TRUE(Holds(*again, 2, pool()));
}

TEST_F(SpillFault, ALimitErrorIsOfOneQueryAndLeavesTheNextAll) {
  const auto greedy = MakeSpace(9984, "greedy");
  for (int i = 0; i < 1000; ++i) {
    const auto refused = greedy->Write(1, Payload(10'000, 1));
    ASSERT_FALSE(refused.ok());
    ASSERT_EQ(core::KindOf(refused.status()), ErrorKind::kSpillLimit);
    ASSERT_NE(refused.status().message().find("query 'greedy'"), std::string::npos);
  }
  EXPECT_EQ(syscalls_.count(), 0) << "a refused write touches no disk";
  const auto next = MakeSpace(9984, "next");
  EXPECT_TRUE(next->Write(1, Payload(9984 - 64, 1)).ok());
  EXPECT_TRUE(greedy->Write(1, Payload(9984 - 64, 1)).ok());
  EXPECT_EQ(quota_.used_bytes(), 0);
}

TEST_F(SpillFault, AFailedFirstSpillIsNotRemembered) {
  const auto space = MakeSpace();
  syscalls_.Set({.kind = SyscallKind::kOpen, .error_number = EMFILE});
  EXPECT_FALSE(space->Write(1, Payload(100, 1)).ok());
  EXPECT_TRUE(space->Write(1, Payload(100, 1)).ok());
}

TEST_F(SpillFault, MemoryForAReadThatIsRefusedIsAnErrorOfThatRead) {
  arrow::CappedMemoryPool small(pool(), 1000);
  const auto space = MakeSpace();
  const auto extent = space->Write(1, Payload(100'000, 1)).ValueOrDie();
  const auto read = extent.Read(&small);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(core::KindOf(read.status()), ErrorKind::kMemoryLimit);
  EXPECT_TRUE(Holds(extent, 1, pool()));
}

}  // namespace

}  // namespace wheelpit::spill
