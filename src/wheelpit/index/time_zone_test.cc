// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/time_zone.h"

#include <string>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kHour = 3'600;
// Seconds since 1970 of a local time in 2024, as if in UTC.
constexpr int64_t kMarch10At0230 = 1'710'037'800;    // New York skips this
constexpr int64_t kNovember3At0130 = 1'730'597'400;  // and has this twice
constexpr int64_t kJuly1At1200 = 1'719'835'200;

const TimeZone& Zone(const std::string& name) {
  const auto zone = TimeZone::Find(name);
  EXPECT_TRUE(zone.ok()) << zone.status();
  return zone.ok() ? **zone : TimeZone::Utc();
}

int64_t InstantSeconds(int64_t local_seconds, const std::string& zone) {
  return Zone(zone).ToInstant(local_seconds * kSecond).value_or(0) / kSecond;
}

int64_t OffsetSeconds(int64_t instant_seconds, const std::string& zone) {
  return LocalClock(Zone(zone)).OffsetAt(instant_seconds * kSecond) / kSecond;
}

TEST(TimeZone, OffsetsInAllTheirForms) {
  EXPECT_EQ(ParseZoneOffset("UTC"), 0);
  EXPECT_EQ(ParseZoneOffset("Z"), 0);
  EXPECT_EQ(ParseZoneOffset("+02:00"), 7200);
  EXPECT_EQ(ParseZoneOffset("-0530"), -19800);
  EXPECT_EQ(ParseZoneOffset("GMT+8"), 28800);
  EXPECT_EQ(ParseZoneOffset("UTC-1:30"), -5400);
  EXPECT_EQ(ParseZoneOffset("+01:02:03"), 3723);
  for (const char* bad :
       {"", "Europe/Paris", "+", "+19:00", "+1:60", "+01:", "Z+1", "+010203456", "+1a"}) {
    EXPECT_EQ(ParseZoneOffset(bad), std::nullopt) << bad;
  }
}

TEST(TimeZone, OffsetsAndUtcAreTakenFromTheirNames) {
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "UTC"), kJuly1At1200);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "+02:00"), kJuly1At1200 - 2 * kHour);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "-05:30"), kJuly1At1200 + 19800);
  EXPECT_EQ(&Zone("UTC"), &Zone("GMT+0"));
}

TEST(TimeZone, NamedZonesHaveSummerTime) {
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "America/New_York"), kJuly1At1200 + 4 * kHour);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "Asia/Kolkata"), kJuly1At1200 - 19800);
  EXPECT_EQ(OffsetSeconds(kJuly1At1200, "America/New_York"), -4 * kHour);
}

TEST(TimeZone, ShortNamesAreThoseOfJava) {
  EXPECT_EQ(&Zone("PST"), &Zone("America/Los_Angeles"));
  EXPECT_EQ(OffsetSeconds(kJuly1At1200, "EST"), -5 * kHour);
  EXPECT_EQ(OffsetSeconds(kJuly1At1200, "IST"), 19800);
}

TEST(TimeZone, SkippedTimesMoveOnAndRepeatedOnesAreTheEarlier) {
  // 03:30 by the summer clock, four hours behind.
  EXPECT_EQ(InstantSeconds(kMarch10At0230, "America/New_York"),
            kMarch10At0230 + kHour + 4 * kHour);
  EXPECT_EQ(InstantSeconds(kNovember3At0130, "America/New_York"),
            kNovember3At0130 + 4 * kHour);
}

TEST(TimeZone, AnOffsetChoosesBetweenTwoInstants) {
  const TimeZone& zone = Zone("America/New_York");
  const int64_t twice = kNovember3At0130 * kSecond;
  const int64_t winter = -5 * kHour * kSecond;
  EXPECT_EQ(zone.ToInstant(twice, winter), twice - winter);
  EXPECT_EQ(zone.ToInstant(twice, -4 * kHour * kSecond), twice + 4 * kHour * kSecond);
  // Neither is of use where there is one instant, or where the offset is another one.
  EXPECT_EQ(zone.ToInstant(twice, 0), twice + 4 * kHour * kSecond);
  EXPECT_EQ(zone.ToInstant(twice - kHour * kSecond, winter),
            twice - kHour * kSecond + 4 * kHour * kSecond);
}

TEST(TimeZone, DaysBeginWhenMidnightIsSkipped) {
  // São Paulo moved from 00:00 to 01:00 on 4 November 2018, Toronto from 23:30 to 00:30
  // in 1919.
  EXPECT_EQ(Zone("America/Sao_Paulo").StartOfDay(17'839),
            17'839 * INT64_C(86'400'000'000) + 3 * kHour * kSecond);
  EXPECT_EQ(Zone("America/Toronto").StartOfDay(-18'539),
            -18'539 * INT64_C(86'400'000'000) + (5 * kHour - 1'800) * kSecond);
  EXPECT_EQ(TimeZone::Utc().StartOfDay(1), INT64_C(86'400'000'000));
  EXPECT_EQ(TimeZone::Utc().StartOfDay(INT64_C(1) << 40), std::nullopt);
}

TEST(TimeZone, BeforeZonesEveryTownHadItsOwnTime) {
  constexpr int64_t kYear1800 = -5'364'662'400;
  EXPECT_EQ(OffsetSeconds(kYear1800, "America/Los_Angeles"), -(7 * kHour + 52 * 60 + 58));
  EXPECT_EQ(OffsetSeconds(kYear1800, "Europe/Amsterdam"),
            OffsetSeconds(-INT64_C(62'135'596'800), "Europe/Amsterdam"));
}

TEST(TimeZone, RulesGoOnForEver) {
  // July and January of the years 2500, 9999 and 200000.
  for (const int64_t july :
       {INT64_C(16'741'900'800), INT64_C(253'386'360'000), INT64_C(6'249'239'769'600)}) {
    EXPECT_EQ(OffsetSeconds(july, "Europe/Berlin"), 2 * kHour) << july;
    EXPECT_EQ(OffsetSeconds(july - 180 * 86'400, "Europe/Berlin"), kHour) << july;
    EXPECT_EQ(InstantSeconds(july + 2 * kHour, "Europe/Berlin"), july);
    EXPECT_EQ(OffsetSeconds(july, "Asia/Tokyo"), 9 * kHour);
  }
}

TEST(TimeZone, TheEndsOfTheRangeAreNoInstantsOfEveryZone) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  for (const char* name : {"America/New_York", "Asia/Tokyo", "+14:00", "-14:00"}) {
    const TimeZone& zone = Zone(name);
    const bool east = LocalClock(zone).OffsetAt(kMax) > 0;
    EXPECT_EQ(zone.ToInstant(kMax).has_value(), east) << name;
    EXPECT_EQ(zone.ToInstant(kMin).has_value(), !east) << name;
    LocalClock clock(zone);
    EXPECT_EQ(clock.ToLocal(east ? kMax : kMin), east ? kMax : kMin);
  }
}

TEST(TimeZone, AClockGivesWhatASearchGives) {
  for (const char* name : {"America/New_York", "Australia/Lord_Howe", "Europe/Dublin",
                           "Africa/Casablanca", "UTC"}) {
    const TimeZone& zone = Zone(name);
    LocalClock clock(zone);
    // Odd steps, there and back, over the changes of a century and a half.
    for (int64_t i = -20'000; i < 20'000; ++i) {
      const int64_t instant = (i % 2 == 0 ? i : -i) * 123'457'891'011;
      ASSERT_EQ(clock.OffsetAt(instant), LocalClock(zone).OffsetAt(instant)) << name;
      const int64_t local = clock.ToLocal(instant);
      ASSERT_EQ(zone.ToInstant(local, clock.OffsetAt(instant)), instant) << name;
    }
  }
}

TEST(TimeZone, UnknownZonesAreConfigurationErrors) {
  for (const char* zone : {"Mars/Olympus", "+99:00", "", "/etc/passwd", "../zoneinfo/UTC",
                           "Europe/../Europe/Paris", "right/UTC", "europe/berlin"}) {
    EXPECT_EQ(core::KindOf(TimeZone::Find(zone).status()),
              core::ErrorKind::kConfiguration)
        << zone;
  }
}

TEST(TimeZone, OnlyWhatWasReadIsFoundWithoutReading) {
  EXPECT_EQ(TimeZone::FindLoaded("Antarctica/Troll"), nullptr);
  EXPECT_NE(TimeZone::FindLoaded("+03:00"), nullptr);
  TimeZone::LoadAll();
  EXPECT_EQ(TimeZone::FindLoaded("Antarctica/Troll"), &Zone("Antarctica/Troll"));
  EXPECT_EQ(TimeZone::FindLoaded("Mars/Base"), nullptr);
}

}  // namespace
}  // namespace wheelpit::index
