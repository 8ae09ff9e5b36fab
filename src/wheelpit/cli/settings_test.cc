// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {
namespace {

using core::ConfigKey;
using core::ConfigSource;

// Settings come from the environment of this process: each test sets what it needs and no
// more.
class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/settings_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    setenv("HOME", folder_.c_str(), 1);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "WHEELPIT_MEMORY",
                             "WHEELPIT_THREADS", "WHEELPIT_SPILL_DIR", "TZ"}) {
      unsetenv(name);
    }
    machine_.memory = {1 << 30, "physical memory"};
    machine_.threads = {2, "CPU affinity"};
    machine_.spill_directories = {"/var/tmp"};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string WriteConfig(const std::string& path, const std::string& text) {
    const std::string full = folder_ + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    std::ofstream(full) << text;
    return full;
  }

  arrow::Result<core::Config> Load(const SettingSources& sources = {}) {
    return LoadSettings(syscalls_, sources, machine_);
  }

  std::string folder_;
  io::KernelSyscalls syscalls_;
  Machine machine_;
};

TEST_F(SettingsTest, FlagBeatsFileBeatsEnvironmentBeatsDefault) {
  setenv("WHEELPIT_MEMORY", "100MB", 1);
  setenv("WHEELPIT_THREADS", "5", 1);
  WriteConfig(".config/wheelpit/config",
              "# mine\nmemory.limit = 200MB\nio.threads=3\n\nspill.limit = 1GB\n");
  const auto config =
      Load({.flags = {{ConfigKey::kSpillLimit, "2GB"}}, .config_file = {}}).ValueOrDie();
  EXPECT_EQ(config.Number(ConfigKey::kMemoryLimit), 200'000'000);
  EXPECT_EQ(config.SourceOf(ConfigKey::kMemoryLimit), ConfigSource::kFile);
  EXPECT_EQ(config.Number(ConfigKey::kComputeThreads), 5);
  EXPECT_EQ(config.SourceOf(ConfigKey::kComputeThreads), ConfigSource::kEnvironment);
  EXPECT_EQ(config.Number(ConfigKey::kSpillLimit), 2'000'000'000);
  EXPECT_EQ(config.Number(ConfigKey::kIoThreads), 3);
  EXPECT_EQ(config.SourceOf(ConfigKey::kScanBatchRows), ConfigSource::kDefault);
}

TEST_F(SettingsTest, CommentsBeginWithASpaceAndAHash) {
  WriteConfig(".config/wheelpit/config",
              "io.threads = 3  # of a slow disk\n  # alone\n"
              "spill.directories = /mnt/#1\t# the first\n");
  const auto config = Load().ValueOrDie();
  EXPECT_EQ(config.Number(ConfigKey::kIoThreads), 3);
  EXPECT_EQ(config.Text(ConfigKey::kSpillDirectories), "/mnt/#1");
}

TEST_F(SettingsTest, NothingAutomaticIsLeft) {
  const auto config = Load().ValueOrDie();
  for (const core::ConfigRow& row : core::ConfigTable()) {
    EXPECT_NE(config.Text(row.key), "auto") << row.name;
  }
}

TEST_F(SettingsTest, EventLogsGoToTheStateFolderOfTheUser) {
  const auto directory = [this] {
    return Load().ValueOrDie().Text(ConfigKey::kEventsDirectory);
  };
  EXPECT_EQ(directory(), folder_ + "/.local/state/wheelpit/events");
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(directory(), "/state/wheelpit/events");
  setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(directory(), folder_ + "/.local/state/wheelpit/events");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(directory(), "none");
  const auto config =
      Load({.flags = {{ConfigKey::kEventsDirectory, "none"}}, .config_file = {}})
          .ValueOrDie();
  EXPECT_EQ(config.Text(ConfigKey::kEventsDirectory), "none");
}

TEST_F(SettingsTest, ErrorsNameTheFlagTheLineOrTheVariable) {
  EXPECT_EQ(Load({.flags = {{ConfigKey::kMemoryLimit, "much"}}, .config_file = {}})
                .status()
                .message()
                .substr(0, 25),
            "--memory: memory.limit: '");
  const std::string path = WriteConfig("bad", "io.threads = 2\nio.thread = 3\n");
  const auto status = Load({.flags = {}, .config_file = path}).status();
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kConfiguration);
  EXPECT_EQ(status.message(), path +
                                  " line 2: there is no setting 'io.thread'; did you "
                                  "mean 'io.threads'?");
  setenv("WHEELPIT_THREADS", "none", 1);
  EXPECT_EQ(Load().status().message(),
            "environment variable WHEELPIT_THREADS: compute.threads: 'none' is not a "
            "whole number");
}

TEST_F(SettingsTest, ANamedFileMustBeThere) {
  EXPECT_EQ(
      core::KindOf(Load({.flags = {}, .config_file = folder_ + "/absent"}).status()),
      core::ErrorKind::kConfiguration);
}

TEST_F(SettingsTest, LinesWithoutEqualsAreRefused) {
  core::Config config;
  EXPECT_EQ(ApplyConfigText("memory.limit 3", "f", &config).message(),
            "f line 1: 'memory.limit 3' is not of the form name = value");
}

TEST_F(SettingsTest, TheTimeZoneComesFromTz) {
  setenv("TZ", ":Europe/Berlin", 1);
  auto config = LoadSettings(syscalls_, {}, machine_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->Text(ConfigKey::kSessionTimeZone), "Europe/Berlin");
  EXPECT_EQ(config->SourceOf(ConfigKey::kSessionTimeZone), ConfigSource::kEnvironment);
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  const arrow::Status status = LoadSettings(syscalls_, {}, machine_).status();
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kConfiguration);
  EXPECT_NE(status.message().find("TZ"), std::string::npos) << status;
  unsetenv("TZ");
}

}  // namespace
}  // namespace wheelpit::cli
