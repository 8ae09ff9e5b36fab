// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {
namespace {

std::string Format(std::string_view text, int64_t offset, int64_t length) {
  return FormatSqlError(text, core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                                                .error_class = {},
                                                .sql_offset = offset,
                                                .sql_length = length},
                                               "what is wrong"));
}

TEST(SqlErrorText, ShowsLineColumnAndCarets) {
  EXPECT_EQ(Format("SELECT a\nFROM tt\nWHERE b", 14, 2),
            "what is wrong\nline 2, column 6\n  FROM tt\n       ^^");
}

TEST(SqlErrorText, TheEndOfTheTextHasACaretToo) {
  EXPECT_EQ(Format("SELECT", 6, 0),
            "what is wrong\nline 1, column 7\n  SELECT\n"
            "        ^");
  EXPECT_EQ(Format("SELECT\n", 7, 0), "what is wrong\nline 2, column 1\n  \n  ^");
}

TEST(SqlErrorText, WithoutARangeItIsTheMessage) {
  EXPECT_EQ(Format("SELECT", -1, 0), "what is wrong");
  EXPECT_EQ(Format("SELECT", 100, 1), "what is wrong");
}

TEST(SqlErrorText, CountsLinesAndColumnsInTheWholeText) {
  const auto status = core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                                        .error_class = {},
                                        .sql_offset = 7,
                                        .sql_length = 1},
                                       "what is wrong");
  EXPECT_EQ(FormatSqlError("SELECT 1;\nSELECT 2; SELECT b", status, 20),
            "what is wrong\nline 2, column 18\n  SELECT 2; SELECT b\n"
            "                   ^");
  EXPECT_EQ(FormatSqlError("SELECT b", status, 2), "what is wrong");
}

TEST(SqlErrorText, WideAndMarkedCharactersKeepTheCaretInPlace) {
  // Two wide characters take four columns, a combining mark none.
  EXPECT_EQ(
      Format("'\xE6\x97\xA5\xE6\x9C\xAC' x", 9, 1),
      "what is wrong\nline 1, column 6\n  '\xE6\x97\xA5\xE6\x9C\xAC' x\n         ^");
  EXPECT_EQ(Format("'e\xCC\x81' x", 6, 1),
            "what is wrong\nline 1, column 6\n  'e\xCC\x81' x\n      ^");
}

TEST(SqlErrorText, ControlCharactersNeverReachTheTerminal) {
  std::string shown = Format("a\x1B[31m\tb\xE2\x80\xAE", 0, 1);
  EXPECT_EQ(shown.find('\x1B'), std::string::npos);
  EXPECT_EQ(shown.find("\xE2\x80\xAE"), std::string::npos);
}

TEST(SqlErrorText, LongLinesAreCutAroundTheCaret) {
  std::string text(500, 'a');
  for (int64_t offset : {0, 10, 250, 480, 499, 500}) {
    std::string shown = Format(text, offset, 3);
    size_t line_start = shown.find('\n', shown.find('\n') + 1) + 1;
    size_t line_end = shown.find('\n', line_start);
    std::string line = shown.substr(line_start, line_end - line_start);
    std::string carets = shown.substr(line_end + 1);
    EXPECT_LE(line.size(), 80U + 4);  // an ellipsis has three bytes
    EXPECT_LE(carets.size(), 80U);
    EXPECT_NE(carets.find('^'), std::string::npos) << offset;
  }
}

TEST(SqlErrorText, BytesThatAreNotUtf8AreShownAsReplacements) {
  EXPECT_EQ(Format("a \xFF b", 2, 1),
            "what is wrong\nline 1, column 3\n  a \xEF\xBF\xBD b\n    ^");
  // An overlong form and a surrogate: bytes of the right shape.
  EXPECT_EQ(Format("\xE0\x8F\xA0\xED\xA0\x80", 0, 1),
            "what is wrong\nline 1, column 1\n  "
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\n"
            "  ^");
}

}  // namespace
}  // namespace wheelpit::sql
