// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/command_line.h"

#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {
namespace {

using core::ConfigKey;

arrow::Result<CommandLine> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "wheelpit");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, HelpAndVersionAreTextsToShow) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"--help"}, {"sql", "--help"}, {"doctor", "-h"}, {"--version"}}) {
    const auto line = Parse(arguments).ValueOrDie();
    EXPECT_EQ(line.command, Command::kShow);
    EXPECT_EQ(line.text.back(), '\n');
  }
  EXPECT_EQ(Parse({"--version"})->text, "wheelpit 0.1.0\n");
}

TEST(CommandLine, SqlTakesStatementsAndSettings) {
  const auto line = Parse({"sql", "-c", "SELECT 1", "--command", "-- two\nSELECT 2",
                           "--format", "csv", "--stats", "--memory=64MiB", "--threads",
                           "2", "--spill-dir", "/a", "--spill-dir", "/b"})
                        .ValueOrDie();
  EXPECT_EQ(line.command, Command::kSql);
  EXPECT_EQ(line.sql.commands,
            (std::vector<std::string>{"SELECT 1", "-- two\nSELECT 2"}));
  EXPECT_EQ(line.sql.format, Format::kCsv);
  EXPECT_TRUE(line.sql.stats);
  const std::vector<std::pair<ConfigKey, std::string>> wanted = {
      {ConfigKey::kMemoryLimit, "64MiB"},
      {ConfigKey::kComputeThreads, "2"},
      {ConfigKey::kSpillDirectories, "/a,/b"}};
  EXPECT_EQ(line.sources.flags, wanted);
}

TEST(CommandLine, AnOptionThatMayBeRepeatedTakesOneValueEachTime) {
  const auto line = Parse({"sql", "--spill-dir", "/a", "-"}).ValueOrDie();
  EXPECT_EQ(line.sql.input, "-");
  EXPECT_EQ(Parse({"sql", "-c", "SELECT 1", "-"})->sql.input, "-");
}

TEST(CommandLine, AnEmptyValueIsNotTheSameAsNone) {
  EXPECT_EQ(Parse({"sql", "-c", "SELECT 1", "--memory", ""})->sources.flags.size(), 1U);
  EXPECT_FALSE(Parse({"sql", "-c", "SELECT 1", "--memory="}).ok());
}

TEST(CommandLine, WhatMakesNoSenseIsNamed) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases = {
      {{}, "the commands are sql and doctor"},
      {{"nothing"}, "nothing"},
      {{"sql"}, "nothing to run"},
      {{"sql", "--what", "-c", "SELECT 1"}, "--what"},
      {{"sql", "-c"}, "--command"},
      {{"sql", "SELECT 1"}, "'SELECT 1'"},
      {{"sql", "-f", "a.sql", "-"}, "not from both"},
      {{"sql", "-f", "a", "-f", "b"}, "--file"},
      {{"sql", "-c", "SELECT 1", "--format", "xml"}, "'xml'"},
      {{"doctor", "--stats"}, "--stats"},
      {{"sql", "-c", "SELECT 1", "doctor"}, "doctor"}};
  for (const auto& [arguments, word] : cases) {
    const auto status = Parse(arguments).status();
    EXPECT_EQ(core::KindOf(status), core::ErrorKind::kConfiguration) << word;
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace wheelpit::cli
