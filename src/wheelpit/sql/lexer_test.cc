// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/lexer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::sql {
namespace {

// The tokens' texts, put in brackets.
std::string Pieces(std::string_view text) {
  auto tokens = Tokenize(text);
  if (!tokens.ok()) {
    return "error at " + std::to_string(core::InfoOf(tokens.status()).sql_offset);
  }
  std::string pieces;
  for (const Token& token : *tokens) {
    if (token.kind != TokenKind::kEnd) {
      pieces += "[" + std::string(text.substr(token.offset, token.length)) + "]";
    }
  }
  return pieces;
}

TokenKind KindOf(std::string_view text) {
  auto tokens = Tokenize(text);
  return tokens.ok() && tokens->size() == 2 ? tokens->front().kind : TokenKind::kEnd;
}

TEST(Lexer, NumbersHaveTheKindOfTheirSuffix) {
  EXPECT_EQ(KindOf("12"), TokenKind::kInteger);
  EXPECT_EQ(KindOf("12L"), TokenKind::kBigint);
  EXPECT_EQ(KindOf("12s"), TokenKind::kSmallint);
  EXPECT_EQ(KindOf("12Y"), TokenKind::kTinyint);
  EXPECT_EQ(KindOf("1."), TokenKind::kDecimal);
  EXPECT_EQ(KindOf(".5"), TokenKind::kDecimal);
  EXPECT_EQ(KindOf("1e3"), TokenKind::kExponent);
  EXPECT_EQ(KindOf("1.5e-3"), TokenKind::kExponent);
  EXPECT_EQ(KindOf("1.5F"), TokenKind::kFloat);
  EXPECT_EQ(KindOf("2d"), TokenKind::kDouble);
  EXPECT_EQ(KindOf("1e3BD"), TokenKind::kBigDecimal);
}

TEST(Lexer, AWordMayStartWithADigit) {
  EXPECT_EQ(KindOf("1_000"), TokenKind::kWord);
  EXPECT_EQ(KindOf("1e3x"), TokenKind::kWord);
  EXPECT_EQ(KindOf("1ex"), TokenKind::kWord);
  EXPECT_EQ(Pieces("1.5x"), "[1][.][5x]");
  EXPECT_EQ(Pieces("t.1a"), "[t][.][1a]");
  EXPECT_EQ(Pieces("t.1"), "[t][.1]");
  EXPECT_EQ(Pieces("1..2"), "[1.][.2]");
  EXPECT_EQ(Pieces("1.x"), "[1][.][x]");
}

TEST(Lexer, TheLongestOperatorWins) {
  EXPECT_EQ(Pieces("a<=>b>>>c>>d"), "[a][<=>][b][>>>][c][>>][d]");
  EXPECT_EQ(Pieces("a!=b!<c!>d!e"), "[a][!=][b][!<][c][!>][d][!][e]");
  EXPECT_EQ(Pieces("a||b|c|>d"), "[a][||][b][|][c][|>][d]");
  EXPECT_EQ(Pieces("2*/3"), "[2][*/][3]");
}

TEST(Lexer, CommentsNestAndVanish) {
  EXPECT_EQ(Pieces("a/* b /* c */ d */e--f\ng"), "[a][e][g]");
  EXPECT_EQ(Pieces("a--b\\\nc\nd"), "[a][d]");
  EXPECT_EQ(Pieces("a/**/b/*+c*/"), "[a][b][/*+][c][*/]");
  EXPECT_EQ(Pieces("a /* b /* c */"), "error at 2");
  EXPECT_EQ(Pieces("a--b\\"), "[a]");
}

TEST(Lexer, UnicodeSpacesAreSpace) {
  EXPECT_EQ(Pieces("a\xC2\xA0"
                   "b\xE2\x80\x83"
                   "c\xE3\x80\x80"
                   "d"),
            "[a][b][c][d]");
}

TEST(Lexer, QuotesThatStayOpenAreErrorsAtTheirStart) {
  EXPECT_EQ(Pieces("a 'b"), "error at 2");
  EXPECT_EQ(Pieces("a 'b\\'"), "error at 2");
  EXPECT_EQ(Pieces("a 'b''"), "error at 2");
  EXPECT_EQ(Pieces("a `b"), "error at 2");
  EXPECT_EQ(Pieces("a r\"b"), "error at 2");
  EXPECT_EQ(Pieces("'\\"), "error at 0");
}

TEST(Lexer, StringsAreDecodedByTheirEscapes) {
  EXPECT_EQ(DecodeString(R"('it\'s')"), "it's");
  EXPECT_EQ(DecodeString(R"('a''b')"), "a'b");
  EXPECT_EQ(DecodeString(R"("a""b")"), "a\"b");
  EXPECT_EQ(DecodeString(R"('\t\n\r\b\Z')"), "\t\n\r\b\x1A");
  EXPECT_EQ(DecodeString(R"('\0x')"), std::string("\0x", 2));
  EXPECT_EQ(DecodeString(R"('\%\_\q')"), "\\%\\_q");
  EXPECT_EQ(DecodeString(R"('\101\u00e9\U0001F600')"), "A\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(DecodeString(R"('\uD83D\uDE00')"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(DecodeString(R"('\uD83Dx')"), "\xEF\xBF\xBDx");
  EXPECT_EQ(DecodeString(R"('\u00')"), "u00");
  EXPECT_EQ(DecodeString(R"(r'a\n')"), "a\\n");
  EXPECT_EQ(DecodeString(R"(R"a'b")"), "a'b");
}

TEST(Lexer, BackTicksAreDecoded) {
  EXPECT_EQ(DecodeQuotedName("`a b`"), "a b");
  EXPECT_EQ(DecodeQuotedName("`a``b`"), "a`b");
  EXPECT_EQ(DecodeQuotedName("``"), "");
}

TEST(Lexer, ANameOutsideAsciiNeedsBackTicks) {
  auto tokens = Tokenize(
      "SELECT gr\xC3\xB6\xC3\x9F"
      "e");
  ASSERT_FALSE(tokens.ok());
  EXPECT_NE(tokens.status().message().find("back-ticks"), std::string::npos);
}

TEST(Lexer, TextThatIsNotUtf8IsRefusedAtItsFirstBadByte) {
  EXPECT_EQ(Pieces("SELECT '\xFF'"), "error at 8");
  EXPECT_EQ(Pieces("\xC0\x80"), "error at 0");            // overlong
  EXPECT_EQ(Pieces("'\xED\xA0\x80'"), "error at 1");      // a surrogate
  EXPECT_EQ(Pieces("'\xF4\x90\x80\x80'"), "error at 1");  // above U+10FFFF
  EXPECT_EQ(Pieces("'\xE2\x82"), "error at 1");           // cut off
  EXPECT_EQ(FindInvalidUtf8("gr\xC3\xB6\xC3\x9F"
                            "e \xF0\x9F\x98\x80"),
            -1);
}

TEST(Lexer, ATextThatIsTooLongIsRefused) {
  std::string text(kTextBytesMax + 1, ' ');
  auto tokens = Tokenize(text);
  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(core::KindOf(tokens.status()), core::ErrorKind::kInvalidSql);
  text.resize(kTextBytesMax);
  EXPECT_TRUE(Tokenize(text).ok());
}

}  // namespace
}  // namespace wheelpit::sql
