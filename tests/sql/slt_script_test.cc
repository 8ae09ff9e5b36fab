// SPDX-License-Identifier: Apache-2.0
#include "slt_script.h"

#include "json_value.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wheelpit::sqltest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SltScript, ReadsEveryKindOfRecord) {
  const auto records = ParseScript(
      "# a note\n"
      "\n"
      "statement ok\n"
      "SET a = 1\n"
      "\n"
      "skipif batch_1 io_slow\n"
      "statement error\n"
      "SELECT\n"
      "  nope\n"
      "----\n"
      "invalid_sql\n"
      "\n"
      "onlyif default\n"
      "query IT rowsort\n"
      "SELECT 1, 'a'\n"
      "----\n"
      "1\ta\n");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 3U);
  EXPECT_EQ(records->at(0).kind, RecordKind::kStatementOk);
  EXPECT_EQ(records->at(0).sql, "SET a = 1");
  EXPECT_EQ(records->at(1).kind, RecordKind::kStatementError);
  EXPECT_EQ(records->at(1).sql, "SELECT\n  nope");
  EXPECT_EQ(records->at(1).line, 7);
  EXPECT_FALSE(RunsIn(records->at(1), "batch_1"));
  EXPECT_TRUE(RunsIn(records->at(1), "default"));
  EXPECT_EQ(records->at(2).order, RowOrder::kSorted);
  EXPECT_EQ(records->at(2).column_kinds, "IT");
  EXPECT_THAT(records->at(2).expected, ElementsAre("1\ta"));
  EXPECT_FALSE(RunsIn(records->at(2), "threads_1"));
}

TEST(SltScript, AnAnswerMayBeEmpty) {
  const auto records =
      ParseScript("query I\nSELECT 1 WHERE false\n----\n\nstatement ok\nx");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 2U);
  EXPECT_TRUE(records->front().expected.empty());
}

TEST(SltScript, HaltEndsTheFile) {
  const auto records = ParseScript("halt\nnot a directive\n");
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_TRUE(records->empty());
}

TEST(SltScript, WrongTextIsAnErrorWithItsLine) {
  for (const char* text :
       {"\nquery\nSELECT 1\n----\n1\n", "\nquery X\nSELECT 1\n----\n1\n",
        "\nquery I someday\nSELECT 1\n----\n1\n", "\nquery I\nSELECT 1\n",
        "\nstatement maybe\nSELECT 1\n", "\nstatement ok\nSELECT 1\n----\n1\n",
        "\nstatement error\nSELECT 1\n", "\nstatement ok\n\n", "\nselect 1\n"}) {
    const auto records = ParseScript(text);
    ASSERT_FALSE(records.ok()) << text;
    EXPECT_THAT(records.status().message(), HasSubstr("line 2")) << text;
  }
}

TEST(JsonValue, ReadsALine) {
  const auto value = ParseJson(
      R"({"expression": "'a\"\\\u0001\té'", "value": null, "rows": [["1", null], []],)"
      R"( "columns": {"a": "1"}, "n": -1.5})");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->TextOf("expression"), "'a\"\\\x01\té'");
  EXPECT_EQ(value->Find("value")->kind, JsonValue::Kind::kNull);
  EXPECT_EQ(value->Find("rows")->items.at(0).items.at(0).text, "1");
  EXPECT_TRUE(value->Find("rows")->items.at(1).items.empty());
  EXPECT_EQ(value->Find("columns")->TextOf("a"), "1");
  EXPECT_EQ(value->TextOf("n"), "-1.5");
  EXPECT_EQ(value->Find("nope"), nullptr);
}

TEST(JsonValue, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,", "{\"a\"}", "\"open", "\"\\x\"", "1 2", "{} {}",
                           "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"}) {
    EXPECT_FALSE(ParseJson(text).ok()) << text;
  }
}

TEST(JsonValue, TextReadsBackAsItWas) {
  const std::string text = "a\"b\\c\n\x01é";
  const auto value = ParseJson(JsonText(text));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->text, text);
}

}  // namespace
}  // namespace wheelpit::sqltest
