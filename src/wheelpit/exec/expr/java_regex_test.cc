// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/java_regex.h"

#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace wheelpit::exec::expr {
namespace {

// "yes", "no", "invalid", or "unsupported".
std::string Found(std::string_view text, std::string_view pattern) {
  const JavaRegex regex = JavaRegex::Compile(pattern);
  switch (regex.error()) {
    case RegexError::kInvalid:
      return "invalid";
    case RegexError::kUnsupported:
      return "unsupported";
    case RegexError::kNone:
      break;
  }
  return regex.Find(text) ? "yes" : "no";
}

TEST(JavaRegex, LineEndsAreThoseOfJava) {
  EXPECT_EQ(Found("a\nb", "a.b"), "no");
  EXPECT_EQ(Found("a\rb", "a.b"), "no");
  EXPECT_EQ(Found("a\xE2\x80\xA8z", "a.z"), "no");
  EXPECT_EQ(Found("a\nb", "(?s)a.b"), "yes");
  EXPECT_EQ(Found("a\n", "a$"), "yes");
  EXPECT_EQ(Found("a\r\n", "a$"), "yes");
  EXPECT_EQ(Found("a\n\n", "a$"), "no");
  EXPECT_EQ(Found("a\nb", "a$"), "no");
  EXPECT_EQ(Found("a\n", "a\\z"), "no");
  EXPECT_EQ(Found("b\n", "(?:(x|a$)|b\\Z|[|)]$)"), "yes");
}

TEST(JavaRegex, ADollarBeforeTheEndIsRefused) {
  EXPECT_EQ(Found("a\n", "a$\n"), "unsupported");
  EXPECT_EQ(Found("ab", "(a$|a)b"), "unsupported");
}

TEST(JavaRegex, CaseIsThatOfAscii) {
  EXPECT_EQ(Found("ABC", "(?i)b"), "yes");
  EXPECT_EQ(Found("xB", "(?i)[a-c]"), "yes");
  EXPECT_EQ(Found("b", "(?i)[A-C]"), "yes");
  EXPECT_EQ(Found("\xE2\x84\xAA", "(?i)k"), "no");
  EXPECT_EQ(Found("\xC5\xBB", "(?i)\xC5\xBC"), "no");
  EXPECT_EQ(Found("ABC", "(?i:a)b"), "no");
  EXPECT_EQ(Found("ABC", "((?i)a)b"), "no");
  EXPECT_EQ(Found("ABC", "(?i)a(?-i)b"), "no");
}

TEST(JavaRegex, EscapesAndClasses) {
  EXPECT_EQ(Found("a.c", "\\Qa.c\\E"), "yes");
  EXPECT_EQ(Found("abc", "\\Qa.c\\E"), "no");
  EXPECT_EQ(Found("a\x0B", "a\\s"), "yes");
  EXPECT_EQ(Found("a\x0B", "a[\\S]"), "no");
  EXPECT_EQ(Found("a", "\\x61\\u0062?\\x{63}*\\0144?"), "yes");
  EXPECT_EQ(Found("a]", "[]a]]"), "yes");
  EXPECT_EQ(Found("-", "[a-]"), "yes");
  EXPECT_EQ(Found("^", "[a^]"), "yes");
  EXPECT_EQ(Found("b", "[^\\w]"), "no");
  EXPECT_EQ(Found("5", "\\p{Alpha}|\\P{N}"), "no");
  EXPECT_EQ(Found("\xC5\xBC", "^\\p{L}$"), "yes");
  EXPECT_EQ(Found("\xE6\x97\xA5\xE6\x9C\xAC", "^..$"), "yes");
  EXPECT_EQ(Found("a\r\nb", "a\\Rb"), "yes");
}

TEST(JavaRegex, WhatOnlyJavaCanDoIsRefused) {
  for (const char* pattern : {"(?=a)",
                              "(?!a)",
                              "(?<=a)",
                              "(?<!a)",
                              "(a)\\1",
                              "(?<x>a)\\k<x>",
                              "(?>a)",
                              "a*+",
                              "a++",
                              "a?+",
                              "a{2}+",
                              "[a-c&&[b]]",
                              "[a[b]]",
                              "(?m)a",
                              "(?x)a",
                              "\\Ga",
                              "\\X",
                              "\\p{IsAlphabetic}",
                              "\\p{javaLowerCase}",
                              "\\p{InGreek}",
                              "a{1001}",
                              "(a{1000}){1000}",
                              "{2}",
                              "\\uD83D",
                              "[\\Qa\\E]"}) {
    EXPECT_EQ(Found("a", pattern), "unsupported") << pattern;
  }
  EXPECT_NE(JavaRegex::Compile("(?=a)").message().find("look-around"), std::string::npos);
  EXPECT_NE(JavaRegex::Compile("(a)\\1").message().find("back-reference"),
            std::string::npos);
}

TEST(JavaRegex, WhatJavaRefusesIsInvalid) {
  for (const char* pattern :
       {"(",       "a)",       "*a",    "a**",  "a{3,1}",      "a{",     "[z-a]",
        "\\",      "\\y",      "[]",    "[a",   "[",           "(?",     "(?<x",
        "(?q)",    "\\p{Foo}", "\\p{L", "\\x6", "\\x{110000}", "\\u12",  "\\x{61",
        "[\\x{61", "\\p",      "\\c",   "\\0",  "\xFF",        "[\xFF]", "|+"}) {
    EXPECT_EQ(Found("a", pattern), "invalid") << pattern;
  }
}

TEST(JavaRegex, DepthAndLengthAreBounded) {
  EXPECT_EQ(Found("a", std::string(100'000, '(')), "unsupported");
  EXPECT_EQ(Found("a", std::string(1'000, '(') + std::string(1'000, ')')), "unsupported");
  EXPECT_EQ(Found("a", std::string(70'000, 'a')), "unsupported");
}

TEST(JavaRegex, MatchingIsLinear) {
  // Exponential where matching goes back.
  EXPECT_EQ(Found(std::string(50'000, 'a'), "^(a|a)*(a|aa)+b"), "no");
}

TEST(JavaRegex, AnyTextIsAPatternOrRefused) {
  constexpr std::string_view kPieces[] = {
      "a",  "b",    "Z",    "0",    "1",   ",",   "{",        "}",    "(",
      ")",  "[",    "]",    "^",    "$",   ".",   "*",        "+",    "?",
      "|",  "\\",   "-",    "&&",   ":",   "<",   ">",        "=",    "!",
      "x",  "u",    "p{L}", "Q",    "E",   "i",   "\xC5\xBC", "\xFF", "\xF0\x9F",
      "(?", "\\x{", "\\p",  "\\p{", "\\c", "\\0", "[^",       "\n"};
  std::mt19937 random(20'261'130);
  int valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern;
    for (auto length = random() % 9; length > 0; --length) {
      pattern += kPieces[random() % std::size(kPieces)];
    }
    const JavaRegex regex = JavaRegex::Compile(pattern);
    if (regex.error() == RegexError::kNone) {
      ++valid;
      static_cast<void>(regex.Find("aZ0\xC5\xBC\n-"));
    } else {
      EXPECT_FALSE(regex.message().empty()) << pattern;
    }
    // Valid in Java and translated wrongly would be "too large".
    EXPECT_EQ(regex.message().find("too large"), std::string::npos)
        << pattern << " " << TranslateJavaPattern(pattern).pattern << regex.message();
  }
  EXPECT_GT(valid, 2'000);
}

}  // namespace
}  // namespace wheelpit::exec::expr
