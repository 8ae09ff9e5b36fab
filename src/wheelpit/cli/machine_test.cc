// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/machine.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace wheelpit::cli {
namespace {

// A fake root with just the files that a test writes.
class MachineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/machine_XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }

  using Variables = std::vector<std::pair<std::string, std::string>>;
  Machine Inspect(Variables variables = {}) {
    return InspectMachine(
        syscalls_,
        {.root = root_, .affinity = 8, .spill_variables = std::move(variables)});
  }

  std::string root_;
  io::KernelSyscalls syscalls_;
};

TEST_F(MachineTest, PhysicalMemoryAndAffinityWithoutCgroups) {
  Write("/proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
  const Machine machine = Inspect();
  EXPECT_EQ(machine.memory.value, 16 << 20);
  EXPECT_EQ(machine.memory.source, "physical memory");
  EXPECT_EQ(machine.threads.value, 8);
}

TEST_F(MachineTest, TheSmallestLimitOfEveryParentCounts) {
  Write("/proc/meminfo", "MemTotal: 16777216 kB\n");
  Write("/proc/self/cgroup", "0::/a/b/c\n");
  Write("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "2147483648\n");
  Write("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  Write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  Write("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
  const Machine machine = Inspect();
  EXPECT_EQ(machine.memory.value, 1 << 30);
  EXPECT_EQ(machine.memory.source, "/sys/fs/cgroup/a/memory.max");
  EXPECT_EQ(machine.threads.value, 3);
  EXPECT_EQ(machine.threads.source, "/sys/fs/cgroup/a/b/cpu.max");
}

TEST_F(MachineTest, CgroupOneIsReadToo) {
  Write("/proc/meminfo", "MemTotal: 16777216 kB\n");
  Write("/proc/self/cgroup", "5:cpu,cpuacct:/job\n3:memory:/job/x\n");
  Write("/sys/fs/cgroup/memory/job/x/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912\n");
  Write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const Machine machine = Inspect();
  EXPECT_EQ(machine.memory.value, 512 << 20);
  EXPECT_EQ(machine.threads.value, 1);
}

TEST_F(MachineTest, SpillDirectoriesAreThoseOfTheFirstVariableThatNamesOneOnADisk) {
  EXPECT_EQ(Inspect().spill_directories, std::vector<std::string>{"/var/tmp"});
  EXPECT_EQ(Inspect().spill_source, "no variable names one");
  const Machine nowhere = Inspect({{"LOCAL_DIRS", ""}, {"TMPDIR", "/nowhere"}});
  EXPECT_EQ(nowhere.spill_directories, std::vector<std::string>{"/var/tmp"});
  EXPECT_EQ(nowhere.spill_source, "$TMPDIR: '/nowhere' is not a directory");
  if (InspectFileSystem(syscalls_, root_).in_memory) {
    GTEST_SKIP() << "the temporary directory is in memory here";
  }
  std::filesystem::create_directories(root_ + "/a");
  std::filesystem::create_directories(root_ + "/b");
  std::filesystem::create_directories(root_ + "/c");
  const Machine spark = Inspect({{"SPARK_LOCAL_DIRS", "/a,/nowhere,/b,/a"},
                                 {"LOCAL_DIRS", "/c"},
                                 {"TMPDIR", "/c"}});
  EXPECT_EQ(spark.spill_directories, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(spark.spill_source, "$SPARK_LOCAL_DIRS");
  core::Config config;
  ASSERT_TRUE(ApplyDefaults(spark, &config).ok());
  EXPECT_EQ(config.Text(core::ConfigKey::kSpillDirectories), "/a,/b");
  EXPECT_EQ(config.SourceOf(core::ConfigKey::kSpillDirectories),
            core::ConfigSource::kEnvironment);
  EXPECT_EQ(
      Inspect({{"SPARK_LOCAL_DIRS", "/nowhere"}, {"LOCAL_DIRS", "/c"}}).spill_directories,
      std::vector<std::string>{"/c"});
}

TEST_F(MachineTest, NoSpillDirectoryInMemoryIsChosen) {
  const Machine in_memory = InspectMachine(
      syscalls_,
      {.root = "", .affinity = 1, .spill_variables = {{"TMPDIR", "/dev/shm"}}});
  if (!InspectFileSystem(syscalls_, "/dev/shm").in_memory) {
    GTEST_SKIP() << "/dev/shm is not in memory here";
  }
  EXPECT_EQ(in_memory.spill_directories, std::vector<std::string>{"/var/tmp"});
  EXPECT_EQ(in_memory.spill_source, "$TMPDIR: '/dev/shm' is in memory (tmpfs)");
}

TEST_F(MachineTest, DefaultsFillOnlyWhatIsAutomatic) {
  Write("/proc/meminfo", "MemTotal: 1000000 kB\n");
  core::Config config;
  ASSERT_TRUE(config.Set("compute.threads", "3", core::ConfigSource::kFlag).ok());
  ASSERT_TRUE(ApplyDefaults(Inspect(), &config).ok());
  EXPECT_EQ(config.Number(core::ConfigKey::kComputeThreads), 3);
  EXPECT_EQ(config.Number(core::ConfigKey::kMemoryLimit), 1000000 * 1024LL / 10 * 6);
  EXPECT_EQ(config.SourceOf(core::ConfigKey::kMemoryLimit), core::ConfigSource::kDefault);
  EXPECT_EQ(config.Text(core::ConfigKey::kSpillDirectories), "/var/tmp");
}

}  // namespace
}  // namespace wheelpit::cli
