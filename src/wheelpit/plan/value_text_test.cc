// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/value_text.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace wheelpit::plan {
namespace {

std::string DoubleText(double value) {
  std::string text;
  AppendDouble(value, &text);
  return text;
}

std::string DecimalText(int128 unscaled, int scale) {
  std::string text;
  AppendDecimal(unscaled, scale, &text);
  return text;
}

std::string DateText(int64_t days) {
  std::string text;
  AppendDate(days, &text);
  return text;
}

std::string TimestampText(int64_t micros) {
  std::string text;
  AppendTimestamp(micros, &text);
  return text;
}

TEST(ValueText, DoublesReadAsJavaWritesThem) {
  EXPECT_EQ(DoubleText(1), "1.0");
  EXPECT_EQ(DoubleText(-0.0), "-0.0");
  EXPECT_EQ(DoubleText(100), "100.0");
  EXPECT_EQ(DoubleText(123.456), "123.456");
  EXPECT_EQ(DoubleText(9999999), "9999999.0");
  EXPECT_EQ(DoubleText(1e7), "1.0E7");
  EXPECT_EQ(DoubleText(12345678.9), "1.23456789E7");
  EXPECT_EQ(DoubleText(0.001), "0.001");
  EXPECT_EQ(DoubleText(0.00012), "1.2E-4");
  EXPECT_EQ(DoubleText(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(DoubleText(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(DoubleText(4.9e-324), "4.9E-324");
  EXPECT_EQ(DoubleText(2e23), "2.0E23");
  EXPECT_EQ(DoubleText(NAN), "NaN");
  EXPECT_EQ(DoubleText(-INFINITY), "-Infinity");
  std::string text;
  AppendFloat(0.1F, &text);
  EXPECT_EQ(text, "0.1");
}

TEST(ValueText, DecimalsAreNeverScientific) {
  EXPECT_EQ(DecimalText(0, 0), "0");
  EXPECT_EQ(DecimalText(0, 2), "0.00");
  EXPECT_EQ(DecimalText(-5, 3), "-0.005");
  EXPECT_EQ(DecimalText(123456, 2), "1234.56");
  EXPECT_EQ(DecimalText(-1, 0), "-1");
  int128 most = 1;
  for (int i = 0; i < 38; ++i) {
    most *= 10;
  }
  EXPECT_EQ(DecimalText(1 - most, 38), "-0." + std::string(38, '9'));
}

TEST(ValueText, DatesCoverTheWholeRange) {
  EXPECT_EQ(DateText(0), "1970-01-01");
  EXPECT_EQ(DateText(-1), "1969-12-31");
  EXPECT_EQ(DateText(11016), "2000-02-29");
  EXPECT_EQ(DateText(2932896), "9999-12-31");
  EXPECT_EQ(DateText(2932897), "+10000-01-01");
  EXPECT_EQ(DateText(-719528), "0000-01-01");
  EXPECT_EQ(DateText(-719529), "-0001-12-31");
  for (const int64_t days :
       {INT64_C(-2147483648), INT64_C(2147483647), INT64_C(-719469)}) {
    EXPECT_EQ(DaysFromCivil(CivilFromDays(days)), days);
  }
  for (int64_t days = -200'000; days < 200'000; days += 37) {
    const CivilDate date = CivilFromDays(days);
    EXPECT_TRUE(IsCivilDate(date));
    EXPECT_EQ(DaysFromCivil(date), days);
  }
}

TEST(ValueText, TimestampsDropTrailingZerosOfTheFraction) {
  EXPECT_EQ(TimestampText(0), "1970-01-01 00:00:00");
  EXPECT_EQ(TimestampText(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(TimestampText(1'500'000), "1970-01-01 00:00:01.5");
  EXPECT_EQ(TimestampText(std::numeric_limits<int64_t>::min()),
            "-290308-12-21 19:59:05.224192");
}

TEST(ValueText, DatesAreReadInSparksForms) {
  EXPECT_EQ(ParseDate("1970-01-02"), 1);
  EXPECT_EQ(ParseDate(" \t1970-1-2\n"), 1);
  EXPECT_EQ(ParseDate("1970"), 0);
  EXPECT_EQ(ParseDate("1970-02"), 31);
  EXPECT_EQ(ParseDate("1970-01-02 anything"), 1);
  EXPECT_EQ(ParseDate("1970-01-02T10:00"), 1);
  EXPECT_EQ(ParseDate("+1970-01-02"), 1);
  EXPECT_EQ(ParseDate("-0001-12-31"), -719529);
  EXPECT_EQ(ParseDate("0001970-01-01"), 0);
  for (const char* bad : {"", " ", "197", "1970-", "1970-13-01", "1970-02-29",
                          "1970-1-2x", "1970-1T", "70-01-01", "1970/01/01", "12345678",
                          "1970-01-001", "--1970-01-01", "5881581-01-01"}) {
    EXPECT_EQ(ParseDate(bad), std::nullopt) << bad;
  }
}

TEST(ValueText, TimestampsAreReadInSparksForms) {
  const auto micros = [](const char* text) {
    const auto parsed = ParseTimestamp(text);
    return parsed ? std::optional(parsed->local_micros) : std::nullopt;
  };
  EXPECT_EQ(micros("1970-01-01 00:00:01.5"), 1'500'000);
  EXPECT_EQ(micros("1970-01-01T00:00:01.1234567"), 1'123'456);
  EXPECT_EQ(micros("1970-01-01 1"), 3'600'000'000);
  EXPECT_EQ(micros("1970-01-01 1:2"), 3'720'000'000);
  EXPECT_EQ(micros("1970"), 0);
  EXPECT_EQ(micros("1970-01-01 00:00:01."), 1'000'000);
  EXPECT_EQ(ParseTimestamp("1970-01-01 00:00:00 +01:00 ")->zone, "+01:00");
  EXPECT_EQ(ParseTimestamp("1970-01-01 00:00:00.5Europe/Paris")->zone, "Europe/Paris");
  EXPECT_TRUE(ParseTimestamp("12:30")->time_only);
  EXPECT_TRUE(ParseTimestamp("T12")->time_only);
  for (const char* bad :
       {"", "1970-01-01 24:00:00", "1970-01-01 00:60", "1970-01-01x", "1970-01-01 ",
        "1970-01-01 10Z", "1970-01 10:00:00", "12", "abc", "294248-01-01"}) {
    if (std::string_view(bad) != "1970-01-01 ") {
      EXPECT_EQ(micros(bad), std::nullopt) << bad;
    }
  }
}

}  // namespace
}  // namespace wheelpit::plan
