// SPDX-License-Identifier: Apache-2.0
// What can only be seen from outside a process: that one which is killed leaves nothing,
// that several do not meet in a directory, that a disk which is really full is survived,
// and that the kernel sees no call where there should be none.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

// What a process needs to spill, without a thread, so that it may fork.
struct Process {
  explicit Process(const std::string& path)
      : directories(SpillDirectories::Make({path}, &kernel).ValueOrDie()) {}

  std::unique_ptr<SpillSpace> MakeSpace() {
    return SpillSpace::Make(
        {.query = "q", .limit_bytes = int64_t{1} << 40},
        {.directories = directories.get(), .quota = &quota, .io = nullptr});
  }

  io::KernelSyscalls kernel;
  std::unique_ptr<SpillDirectories> directories;
  SpillQuota quota{
      {.owner = "the process", .setting = "s", .limit_bytes = int64_t{1} << 40}, nullptr};
};

// Runs `body` in a process of its own and gives its process id.
pid_t Fork(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(body());
  }
  return child;
}

// How it ended: an exit code, or 1000 and the signal.
int EndOf(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

constexpr int kNotPermitted = 77;

// Runs `body` in a process that sees a small file system in memory at `path`, and gives
// its exit code; kNotPermitted where mounting is not allowed.
int WithSmallFileSystem(const std::string& path, const std::function<int()>& body) {
  return EndOf(Fork([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=16m") != 0) {
      return kNotPermitted;
    }
    return body();
  }));
}

int64_t FreeBytes(const std::string& path) {
  const auto space = std::filesystem::space(path);
  return static_cast<int64_t>(space.free);
}

// Spills for ever; writes a byte to `progress` per extent.
int SpillUntilKilled(const std::string& path, int progress) {
  Process process(path);
  const auto space = process.MakeSpace();
  std::vector<SpillExtent> extents;
  for (uint64_t i = 0;; ++i) {
    auto extent = space->Write(1, Payload(1000 + i % 50'000, i));
    if (!extent.ok() || ::write(progress, "x", 1) != 1) {
      return 1;
    }
    extents.push_back(std::move(extent).ValueUnsafe());
    if (extents.size() > 50) {
      extents.erase(extents.begin(), extents.begin() + 25);
    }
  }
}

// 0 when 20 processes that are killed while they spill leave neither names nor bytes.
int KillManyTimes(const std::string& path, bool count_bytes) {
  const int64_t free_before = FreeBytes(path);
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    if (::pipe(ends) != 0) {
      return 2;
    }
    const pid_t child = Fork([&] { return SpillUntilKilled(path, ends[1]); });
    for (uint64_t extents = random() % 200; extents > 0; --extents) {
      char byte;
      if (::read(ends[0], &byte, 1) != 1) {
        return 3;
      }
    }
    ::kill(child, SIGKILL);
    if (EndOf(child) != 1000 + SIGKILL) {
      return 4;
    }
    ::close(ends[0]);
    ::close(ends[1]);
    if (!std::filesystem::is_empty(path)) {
      return 5;
    }
    if (count_bytes && FreeBytes(path) != free_before) {
      return 6;
    }
  }
  return 0;
}

TEST(SpillProcess, OneThatIsKilledLeavesNoNameAndNoByte) {
  const TemporaryDirectory directory;
  const int result = WithSmallFileSystem(
      directory.path(), [&] { return KillManyTimes(directory.path(), true); });
  if (result != kNotPermitted) {
    EXPECT_EQ(result, 0);
    return;
  }
  std::puts("mounting is not permitted: names are checked, bytes are not");
  EXPECT_EQ(EndOf(Fork([&] { return KillManyTimes(directory.path(), false); })), 0);
}

TEST(SpillProcess, AFullDiskIsAnErrorAndIsUsedAgainWhenItHasRoom) {
  const TemporaryDirectory directory;
  const int result = WithSmallFileSystem(directory.path(), [&] {
    Process process(directory.path());
    const auto space = process.MakeSpace();
    std::vector<SpillExtent> extents;
    while (true) {
      auto extent = space->Write(1, Payload(700'000, extents.size()));
      if (!extent.ok()) {
        if (core::KindOf(extent.status()) != core::ErrorKind::kDiskFull) {
          return 1;
        }
        break;
      }
      extents.push_back(std::move(extent).ValueUnsafe());
    }
    int64_t live = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      live += extents[i].space_bytes();
      if (!Holds(extents[i], i, arrow::system_memory_pool())) {
        return 2;
      }
    }
    if (extents.size() < 20 || space->used_bytes() != live) {
      return 3;
    }
    extents.pop_back();
    const auto again = space->Write(1, Payload(700'000, 99));
    return again.ok() && Holds(*again, 99, arrow::system_memory_pool()) ? 0 : 4;
  });
  if (result == kNotPermitted) {
    GTEST_SKIP() << "mounting is not permitted here";
  }
  EXPECT_EQ(result, 0);
}

TEST(SpillProcess, EightInOneDirectoryDoNotMeet) {
  const TemporaryDirectory directory;
  std::vector<pid_t> children;
  for (uint64_t child = 0; child < 8; ++child) {
    children.push_back(Fork([&] {
      Process process(directory.path());
      const auto space = process.MakeSpace();
      std::vector<SpillExtent> extents;
      for (uint64_t i = 0; i < 100; ++i) {
        auto extent = space->Write(1, Payload(5000, child * 1000 + i));
        if (!extent.ok()) {
          return 1;
        }
        extents.push_back(std::move(extent).ValueUnsafe());
      }
      for (uint64_t i = 0; i < 100; ++i) {
        if (!Holds(extents[i], child * 1000 + i, arrow::system_memory_pool())) {
          return 2;
        }
      }
      return 0;
    }));
  }
  for (const pid_t child : children) {
    EXPECT_EQ(EndOf(child), 0);
  }
  EXPECT_TRUE(directory.Names().empty());
}

// Run under strace by the test below. The calls between two getppid are what counts.
TEST(SpillProcess, DISABLED_MakeAndDropBetweenMarks) {
  Process process("/var/tmp");
  { const auto warm = process.MakeSpace(); }
  ::syscall(SYS_getppid);
  for (int i = 0; i < 1000; ++i) {
    const auto space = process.MakeSpace();
  }
  ::syscall(SYS_getppid);
}

TEST(SpillProcess, TheKernelSeesNoCallOfAQueryThatDoesNotSpill) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers do not run under strace";
#endif
  if (std::system("strace -V >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "strace is not installed";
  }
  const TemporaryDirectory directory;
  const std::string trace = directory.path() + "/trace";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "strace -f -o '" + trace + "' '" + program +
      "' --gtest_also_run_disabled_tests --gtest_filter='*MakeAndDropBetweenMarks' "
      ">/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) {
    GTEST_SKIP() << "strace is not permitted here";
  }
  std::ifstream lines(trace);
  int marks = 0;
  int calls = 0;
  std::string thread;  // that makes and drops
  for (std::string line; std::getline(lines, line);) {
    const bool by_another = !line.starts_with(thread);
    if (line.find("getppid(") != std::string::npos) {
      ++marks;
      thread = line.substr(0, line.find(' ') + 1);
    } else if (line.find("getppid resumed") != std::string::npos) {
      continue;  // The end of a mark.
    } else if (by_another && (line.find("futex") != std::string::npos ||
                              line.find("prctl") != std::string::npos)) {
      continue;  // A thread of the pool that comes to rest only now.
    } else if (marks == 1) {
      ++calls;
      ADD_FAILURE() << line;
    }
  }
  EXPECT_EQ(marks, 2);
  EXPECT_EQ(calls, 0);
}

}  // namespace

}  // namespace wheelpit::spill
