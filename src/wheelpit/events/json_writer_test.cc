// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/json_writer.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "wheelpit/events/redaction.h"

namespace wheelpit::events {

namespace {

std::string Text(std::string_view text) {
  std::string out;
  JsonWriter(&out).String(text);
  return out;
}

std::string Double(double number) {
  std::string out;
  JsonWriter(&out).Double(number);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenAndNowhereElse) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject();
  json.Key("a");
  json.BeginArray();
  json.Number(1);
  json.Number(-2);
  json.BeginObject();
  json.EndObject();
  json.BeginArray();
  json.EndArray();
  json.EndArray();
  json.Field("b", "x");
  json.Field("c", true);
  json.Key("d");
  json.Null();
  json.EndObject();
  EXPECT_EQ(out, R"({"a":[1,-2,{},[]],"b":"x","c":true,"d":null})");
}

TEST(JsonWriter, EscapesAsJacksonDoes) {
  EXPECT_EQ(Text("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Text("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(Text(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001F\x7f\"");
}

TEST(JsonWriter, LeavesUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(Text("\xc3\xa9\xf0\x9f\x8c\x8a"), "\"\xc3\xa9\xf0\x9f\x8c\x8a\"");
  EXPECT_EQ(Text("a\xff"
                 "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
  // A cut character, an overlong one, half of a surrogate pair.
  EXPECT_EQ(Text("\xc3"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(Text("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(Text("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriter, CutsVeryLongTextBetweenCharactersAndSaysSo) {
  std::string text(kJsonStringBytesMax - 1, 'x');
  EXPECT_EQ(Text(text).size(), text.size() + 2);
  text += "\xc3\xa9 and more";
  const std::string written = Text(text);
  EXPECT_TRUE(written.ends_with("x... (11 more bytes)\"")) << written.substr(1'048'560);
}

TEST(JsonWriter, WritesNumbersToTheirLimits) {
  std::string out;
  JsonWriter(&out).Number(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(out, "-9223372036854775808");
  EXPECT_EQ(Double(1), "1.0");
  EXPECT_EQ(Double(0.1), "0.1");
  EXPECT_EQ(Double(1e300), "1e+300");
  EXPECT_EQ(Double(std::nan("")), "null");
  EXPECT_EQ(Double(HUGE_VAL), "null");
}

TEST(Redaction, FindsWhatLooksSecretInAnyCase) {
  for (const char* secret : {"my.PassWord", "secret", "a_token_b", "fs.s3a.access.key",
                             "awsAccessKeyId", "credentials"}) {
    EXPECT_TRUE(LooksSecret(secret)) << secret;
  }
  for (const char* open : {"", "memory.limit", "access-key", "pass word", "tok"}) {
    EXPECT_FALSE(LooksSecret(open)) << open;
  }
}

}  // namespace

}  // namespace wheelpit::events
