// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/config.h"

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::core {
namespace {

TEST(Config, DefaultsAreParsed) {
  const Config config;
  EXPECT_EQ(config.Number(ConfigKey::kSpillLimit), 100'000'000'000);
  EXPECT_EQ(config.Number(ConfigKey::kMemoryLimit, 77), 77);
  EXPECT_TRUE(config.Flag(ConfigKey::kIndexFollowSymlinks));
  EXPECT_EQ(config.SourceOf(ConfigKey::kIoThreads), ConfigSource::kDefault);
}

TEST(Config, EveryDefaultOfTheTableIsValid) {
  for (const ConfigRow& row : ConfigTable()) {
    Config config;
    EXPECT_TRUE(config.Set(row.key, row.default_text, ConfigSource::kSet).ok())
        << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Config, AStrongerSourceWinsWhateverTheOrder) {
  Config config;
  ASSERT_TRUE(config.Set("io.threads", "3", ConfigSource::kFlag).ok());
  ASSERT_TRUE(config.Set("io.threads", "5", ConfigSource::kEnvironment).ok());
  EXPECT_EQ(config.Number(ConfigKey::kIoThreads), 3);
  EXPECT_EQ(config.SourceOf(ConfigKey::kIoThreads), ConfigSource::kFlag);
}

TEST(Config, UnknownNamesSuggestTheNearest) {
  Config config;
  const auto status = config.Set("memory.limt", "1GB", ConfigSource::kSet);
  EXPECT_EQ(KindOf(status), ErrorKind::kConfiguration);
  EXPECT_EQ(status.message(),
            "there is no setting 'memory.limt'; did you mean 'memory.limit'?");
}

TEST(Config, BadValuesNameTheKeyTheTextAndTheBound) {
  Config config;
  EXPECT_EQ(config.Set("memory.limit", "1KB", ConfigSource::kSet).message(),
            "memory.limit: 1KB is below the least, 4 MiB");
  EXPECT_EQ(config.Set("io.threads", "many", ConfigSource::kSet).message(),
            "io.threads: 'many' is not a whole number");
  EXPECT_EQ(config.Set("index.ignore_missing", "maybe", ConfigSource::kSet).message(),
            "index.ignore_missing: 'maybe' is neither true nor false");
  EXPECT_EQ(config.Number(ConfigKey::kIoThreads), 8);
}

TEST(Config, ResetTakesValueAndSourceFromAnother) {
  Config config;
  ASSERT_TRUE(config.Set("io.threads", "3", ConfigSource::kSet).ok());
  ASSERT_TRUE(config.Set("spill.limit", "1GB", ConfigSource::kSet).ok());
  EXPECT_FALSE(config.Reset("no.such", Config()).ok());
  ASSERT_TRUE(config.Reset("io.threads", Config()).ok());
  EXPECT_EQ(config.Number(ConfigKey::kIoThreads), 8);
  EXPECT_EQ(config.SourceOf(ConfigKey::kIoThreads), ConfigSource::kDefault);
  ASSERT_TRUE(config.Reset("", Config()).ok());
  EXPECT_EQ(config.Number(ConfigKey::kSpillLimit), 100'000'000'000);
}

TEST(Config, ASessionSetsOnlyWhatEachStatementReads) {
  Config config;
  for (const ConfigRow& row : ConfigTable()) {
    const auto status = config.SetForSession(row.name, row.default_text);
    if (row.scope == ConfigScope::kStatement) {
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(config.SourceOf(row.key), ConfigSource::kSet);
      continue;
    }
    EXPECT_EQ(KindOf(status), ErrorKind::kConfiguration) << row.name;
    EXPECT_EQ(config.SourceOf(row.key), ConfigSource::kDefault);
  }
  EXPECT_EQ(config.SetForSession("memory.limit", "1GB").message(),
            "memory.limit is fixed when the program starts; set it by --memory, or by "
            "'memory.limit = \u2026' in the configuration file");
}

TEST(Config, ASessionDoesNotPassAFlagOverInSilence) {
  Config config;
  ASSERT_TRUE(config.Set("spill.limit", "1GB", ConfigSource::kFlag).ok());
  const auto status = config.SetForSession("spill.limit", "2GB");
  EXPECT_EQ(KindOf(status), ErrorKind::kConfiguration);
  EXPECT_NE(status.message().find("--spill-limit"), std::string::npos) << status;
}

TEST(Config, NamesAreOfAnyCase) {
  Config config;
  ASSERT_TRUE(config.SetForSession("Output.MAX_ROWS", "3").ok());
  EXPECT_EQ(config.Number(ConfigKey::kOutputMaxRows), 3);
  EXPECT_FALSE(Config::Find("output\x0emax_rows").ok());
  EXPECT_FALSE(Config::Find("output.max\x7frows").ok());
}

TEST(Config, ListsAreSplitAtCommas) {
  Config config;
  ASSERT_TRUE(config.Set("spill.directories", "/a,/b c", ConfigSource::kFlag).ok());
  EXPECT_EQ(config.List(ConfigKey::kSpillDirectories),
            (std::vector<std::string>{"/a", "/b c"}));
}

}  // namespace
}  // namespace wheelpit::core
