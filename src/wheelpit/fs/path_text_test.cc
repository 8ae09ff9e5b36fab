// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/path_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wheelpit::fs {
namespace {

using std::string_view_literals::operator""sv;

TEST(Quoted, PrintableTextStaysAsItIs) {
  EXPECT_EQ(Quoted("/data/a b=%41:x?#[y]"), "'/data/a b=%41:x?#[y]'");
  EXPECT_EQ(Quoted("/d/Zürich/日本/😀"), "'/d/Zürich/日本/😀'");
  EXPECT_EQ(Quoted(""), "''");
}

TEST(Quoted, ControlCharactersCannotForgeALine) {
  EXPECT_EQ(Quoted("a\nerror: b"), "'a\\nerror: b'");
  EXPECT_EQ(Quoted("a\tb\rc\x1b[2Jd\x7f"), "'a\\tb\\rc\\x1b[2Jd\\x7f'");
  EXPECT_EQ(Quoted("a\0b"sv), "'a\\x00b'");
  EXPECT_EQ(Quoted("\u0085\u2028\u202e\ufeff"),
            "'\\xc2\\x85\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xef\\xbb\\xbf'");
}

TEST(Quoted, BytesThatAreNotUtf8AreShownAsHex) {
  EXPECT_EQ(Quoted("caf\xe9"), "'caf\\xe9'");
  EXPECT_EQ(Quoted("\xc0\xaf"), "'\\xc0\\xaf'");                    // overlong
  EXPECT_EQ(Quoted("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");           // surrogate
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), "'\\xf4\\x90\\x80\\x80'");  // beyond U+10FFFF
  EXPECT_EQ(Quoted("\xe2\x82"), "'\\xe2\\x82'");                    // cut off
}

TEST(Quoted, DifferentPathsNeverLookTheSame) {
  EXPECT_NE(Quoted("a\\nb"), Quoted("a\nb"));
  EXPECT_NE(Quoted("a', 'b"), "'a', 'b'");
  EXPECT_EQ(Quoted("it's"), "'it\\'s'");
}

TEST(Quoted, VeryLongPathsKeepBothEnds) {
  const std::string text = Quoted("begin" + std::string(1 << 20, 'x') + "end");
  EXPECT_LT(text.size(), 4096u);
  EXPECT_EQ(text.substr(0, 6), "'begin");
  EXPECT_EQ(text.substr(text.size() - 4), "end'");
}

}  // namespace
}  // namespace wheelpit::fs
