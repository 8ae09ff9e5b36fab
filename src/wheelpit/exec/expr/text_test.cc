// SPDX-License-Identifier: Apache-2.0
// Functions of text as Spark 4.3 has them.
#include <gtest/gtest.h>

#include "wheelpit/exec/expr/letter_case.h"
#include "wheelpit/exec/expr/like.h"
#include "wheelpit/exec/expr/test_support.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;
using plan::Function;

std::string Of(Function function, std::vector<ExprPtr> arguments) {
  return ValueOf(Call(function, std::move(arguments)));
}

std::string Part(const char* text, int32_t position, int32_t length = INT32_MAX) {
  return Of(Function::kSubstring, {Text(text), Int(position), Int(length)});
}

TEST(Text, SubstringCountsCharactersFromEitherEnd) {
  EXPECT_EQ(Part("hello", 2, 3), "ell");
  EXPECT_EQ(Part("hello", 0, 2), "he");
  EXPECT_EQ(Part("hello", -3, 2), "ll");
  EXPECT_EQ(Part("hello", -10, 7), "he");
  EXPECT_EQ(Part("hello", 10), "");
  EXPECT_EQ(Part("hello", 2, -1), "");
  EXPECT_EQ(Part("hello", 2), "ello");
  EXPECT_EQ(Part("héllo", 2, 2), "él");
  EXPECT_EQ(Part("hello", INT32_MIN, 5), "");
  EXPECT_EQ(Of(Function::kSubstring, {Binary("12345"), Int(-2), Int(5)}), "45");
  EXPECT_EQ(Of(Function::kSubstring, {Binary("12345"), Int(9), Int(5)}), "");
}

TEST(Text, LengthCountsCharactersOrBytes) {
  EXPECT_EQ(Of(Function::kLength, {Text("héllo")}), "5");
  EXPECT_EQ(Of(Function::kLength, {Text("\xF0\x9F\x98\x80")}), "1");
  EXPECT_EQ(Of(Function::kLength, {Binary("\xF0\x9F\x98\x80")}), "4");
  EXPECT_EQ(Of(Function::kLength, {Int(-15)}), "3");
}

TEST(Text, CaseFollowsUnicode) {
  EXPECT_EQ(Of(Function::kUpper, {Text("straße é")}), "STRASSE É");
  EXPECT_EQ(Of(Function::kLower, {Text("ÀÉ İ Σ")}), "àé i̇ σ");
  EXPECT_EQ(Of(Function::kUpper, {Text("ŉ ǰ")}), "ʼN J̌");
  EXPECT_EQ(Of(Function::kLower, {Text("ΟΔΟΣ ΣΑΣ")}), "οδος σας");
  std::string text;
  expr::AppendUpper("a\xFF\xC3", &text);
  EXPECT_EQ(text, "A\xFF\xC3");
}

TEST(Text, TrimTakesOffASetOfCharacters) {
  EXPECT_EQ(Of(Function::kTrim, {Text("  a b  ")}), "a b");
  EXPECT_EQ(Of(Function::kTrim, {Text("\t a \n")}), "\t a \n");
  EXPECT_EQ(Of(Function::kLeftTrim, {Text("xxaxx"), Text("x")}), "axx");
  EXPECT_EQ(Of(Function::kRightTrim, {Text("xxaxx"), Text("x")}), "xxa");
  EXPECT_EQ(Of(Function::kTrim, {Text("xyaéyx"), Text("xyé")}), "a");
  EXPECT_EQ(Of(Function::kTrim, {Text("aaa"), Text("a")}), "");
}

TEST(Text, ConcatIsNullWithANull) {
  EXPECT_EQ(Of(Function::kConcat, {Text("a"), Int(1), Bool(true)}), "a1true");
  EXPECT_EQ(Of(Function::kConcat, {Text("a"), Null()}), "NULL");
  EXPECT_EQ(Of(Function::kConcat, {}), "");
}

TEST(Text, Searches) {
  EXPECT_EQ(Of(Function::kStartsWith, {Text("abc"), Text("")}), "true");
  EXPECT_EQ(Of(Function::kStartsWith, {Text("abc"), Text("b")}), "false");
  EXPECT_EQ(Of(Function::kEndsWith, {Text("abc"), Text("bc")}), "true");
  EXPECT_EQ(Of(Function::kContains, {Text("abc"), Text("b")}), "true");
  EXPECT_EQ(Of(Function::kContains, {Binary("\1\2\3"), Binary("\2\3")}), "true");
}

std::string Like(const char* text, const char* pattern) {
  return Of(Function::kLike, {Text(text), Text(pattern)});
}

std::string LikeEscaped(const char* text, const char* pattern, const char* escape) {
  return Of(Function::kLike, {Text(text), Text(pattern), Text(escape)});
}

TEST(Like, WildcardsAndLiterals) {
  EXPECT_EQ(Like("abc", "a%"), "true");
  EXPECT_EQ(Like("abc", "a_c"), "true");
  EXPECT_EQ(Like("aéc", "a_c"), "true");
  EXPECT_EQ(Like("abc", "b%"), "false");
  EXPECT_EQ(Like("abc", "%b%"), "true");
  EXPECT_EQ(Like("abc", "%c"), "true");
  EXPECT_EQ(Like("abc", "%b"), "false");
  EXPECT_EQ(Like("", ""), "true");
  EXPECT_EQ(Like("", "%"), "true");
  EXPECT_EQ(Like("", "_"), "false");
  EXPECT_EQ(Like("a\nb", "a_b"), "true");
  EXPECT_EQ(Like("aab", "%ab"), "true");
  EXPECT_EQ(Like("abcabc", "%abc"), "true");
  EXPECT_EQ(Like("ab", "ab%ab"), "false");
  EXPECT_EQ(Like("abab", "ab%ab"), "true");
  EXPECT_EQ(Like("special requests", "%special%requests%"), "true");
  EXPECT_EQ(Like("xayb", "%a_b"), "true");
  EXPECT_EQ(Like("aaé", "%_é"), "true");
  EXPECT_EQ(Like("abc", "%_b_%"), "true");
  EXPECT_EQ(Like("abc", "____"), "false");
}

TEST(Like, EscapesAreStrict) {
  EXPECT_EQ(Like("a%c", "a\\%c"), "true");
  EXPECT_EQ(Like("abc", "a\\%c"), "false");
  EXPECT_EQ(Like("a\\c", "a\\\\c"), "true");
  EXPECT_EQ(LikeEscaped("a_c", "a/_c", "/"), "true");
  EXPECT_EQ(LikeEscaped("a/c", "a//c", "/"), "true");
  EXPECT_EQ(LikeEscaped("a%", "a%%", "%"), "true");
  EXPECT_EQ(LikeEscaped("abc", "a/bc", "/"), "INVALID_FORMAT.ESC_IN_THE_MIDDLE");
  EXPECT_EQ(LikeEscaped("abc", "ab/", "/"), "INVALID_FORMAT.ESC_AT_THE_END");
  EXPECT_EQ(Like("abc", "abc\\"), "INVALID_FORMAT.ESC_AT_THE_END");
}

TEST(Like, BytesThatAreNoTextDoNotBreakIt) {
  expr::LikePattern pattern;
  ASSERT_EQ(pattern.Parse("%\xC3", "\\"), expr::LikeError::kNone);
  EXPECT_TRUE(pattern.Matches("\x80\x80\xC3"));
  ASSERT_EQ(pattern.Parse("___", "\\"), expr::LikeError::kNone);
  EXPECT_TRUE(pattern.Matches("\x80\xFF\xF0"));
}

}  // namespace
}  // namespace wheelpit::exec
