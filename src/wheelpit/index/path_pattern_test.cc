// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/path_pattern.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {
namespace {

bool Matches(std::string_view pattern, std::string_view name) {
  const auto parsed = ParsePathPattern(pattern);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->size(), 1u);
  const ComponentPattern& component = parsed->at(0).components.at(0);
  return std::any_of(component.begin(), component.end(),
                     [&](const NamePattern& one) { return one.Matches(name); });
}

TEST(NamePattern, StarTakesAnyRun) {
  EXPECT_TRUE(Matches("*", "anything"));
  EXPECT_TRUE(Matches("*.parquet", "a.parquet"));
  EXPECT_TRUE(Matches("*.parquet", ".parquet"));
  EXPECT_FALSE(Matches("*.parquet", "a.parquet.crc"));
  EXPECT_TRUE(Matches("a*b*c", "axxbyybc"));
  EXPECT_FALSE(Matches("a*b*c", "axxbyy"));
  EXPECT_TRUE(Matches("a**c", "abc"));
}

TEST(NamePattern, QuestionMarkTakesOneCharacterOrOneOddByte) {
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_TRUE(Matches("a?c", "aüc"));
  EXPECT_TRUE(Matches("a?c", "a日c"));
  EXPECT_TRUE(Matches("a?c",
                      "a\xff"
                      "c"));
  EXPECT_FALSE(Matches("a?c", "ac"));
  EXPECT_FALSE(Matches("a?c", "abbc"));
}

TEST(NamePattern, SetsHaveRangesAndNegation) {
  EXPECT_TRUE(Matches("[abc]", "b"));
  EXPECT_FALSE(Matches("[abc]", "d"));
  EXPECT_TRUE(Matches("[a-c]x", "bx"));
  EXPECT_FALSE(Matches("[^a-c]", "b"));
  EXPECT_FALSE(Matches("[!a-c]", "b"));
  EXPECT_TRUE(Matches("[!a-c]", "d"));
  EXPECT_TRUE(Matches("[a-]", "-"));
  EXPECT_TRUE(Matches("[]a]", "]"));
  EXPECT_TRUE(Matches("[\\]]", "]"));
  EXPECT_TRUE(Matches("[ä-ö]", "ö"));
  EXPECT_FALSE(Matches("[ä-ö]", "a"));
}

TEST(NamePattern, BracesGiveAlternativesThatMayNest) {
  EXPECT_TRUE(Matches("{a,b}.x", "b.x"));
  EXPECT_FALSE(Matches("{a,b}.x", "c.x"));
  EXPECT_TRUE(Matches("{a,b{1,2}}", "b2"));
  EXPECT_TRUE(Matches("x{,y}", "x"));
  EXPECT_TRUE(Matches("{a*,b?}z", "bcz"));
}

TEST(NamePattern, BackslashMakesCharactersOrdinary) {
  EXPECT_TRUE(Matches("\\*", "*"));
  EXPECT_FALSE(Matches("\\*", "a"));
  EXPECT_TRUE(Matches("a\\{b\\}", "a{b}"));
  EXPECT_TRUE(Matches("{a\\,b,c}", "a,b"));
}

TEST(NamePattern, ManyStarsDoNotTakeExponentialTime) {
  const std::string name(5000, 'a');
  EXPECT_FALSE(Matches("a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST(PathPattern, BracesWithSlashesGiveSeveralPaths) {
  const auto parsed = ParsePathPattern("/t/{a/x,b}/*.p");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_TRUE(parsed->at(0).absolute);
  EXPECT_EQ(parsed->at(0).components.size(), 4u);
  EXPECT_EQ(parsed->at(1).components.size(), 3u);
}

TEST(PathPattern, LiteralComponentsAreUnescaped) {
  const auto parsed = ParsePathPattern("dir\\[1\\]/*");
  ASSERT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed->at(0).absolute);
  EXPECT_TRUE(parsed->at(0).components[0][0].is_literal());
  EXPECT_EQ(parsed->at(0).components[0][0].literal(), "dir[1]");
}

TEST(PathPattern, UnclosedBracketsAreToldWithTheWayOut) {
  for (const char* text : {"/t/[ab", "/t/{a,b", "/t/[a-"}) {
    const arrow::Status status = ParsePathPattern(text).status();
    EXPECT_EQ(core::KindOf(status), core::ErrorKind::kInvalidSql) << text;
    EXPECT_THAT(status.message(), testing::HasSubstr("never closed")) << text;
  }
}

TEST(PathPattern, AlternativesAreBounded) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "{a,b}";
  }
  EXPECT_THAT(ParsePathPattern(text).status().message(),
              testing::HasSubstr("alternatives"));
}

TEST(PathPattern, HiddenNamesMustBeSpelled) {
  EXPECT_TRUE(NamePattern::Parse("_*")->names_hidden());
  EXPECT_TRUE(NamePattern::Parse(".x*")->names_hidden());
  EXPECT_FALSE(NamePattern::Parse("*")->names_hidden());
  EXPECT_FALSE(NamePattern::Parse("[_]x")->names_hidden());
}

}  // namespace
}  // namespace wheelpit::index
