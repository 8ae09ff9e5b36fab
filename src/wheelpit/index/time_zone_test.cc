// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/time_zone.h"

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {
namespace {

// Seconds since 1970 of a local time in 2024, as if in UTC.
constexpr int64_t kMarch10At0230 = 1'710'037'800;    // New York skips this
constexpr int64_t kNovember3At0130 = 1'730'597'400;  // and has this twice
constexpr int64_t kJuly1At1200 = 1'719'835'200;

int64_t InstantSeconds(int64_t local_seconds, const std::string& zone) {
  const auto micros = ToInstant(local_seconds * 1'000'000, zone);
  EXPECT_TRUE(micros.ok()) << micros.status();
  return micros.ValueOr(0) / 1'000'000;
}

TEST(TimeZone, OffsetsAndUtcAreTakenFromTheirNames) {
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "UTC"), kJuly1At1200);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "+02:00"), kJuly1At1200 - 7200);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "-05:30"), kJuly1At1200 + 19800);
}

TEST(TimeZone, NamedZonesHaveSummerTime) {
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "America/New_York"), kJuly1At1200 + 4 * 3600);
  EXPECT_EQ(InstantSeconds(kJuly1At1200, "Asia/Kolkata"), kJuly1At1200 - 19800);
}

TEST(TimeZone, SkippedTimesMoveOnAndRepeatedOnesAreTheEarlier) {
  // 03:30 by the summer clock, four hours behind.
  EXPECT_EQ(InstantSeconds(kMarch10At0230, "America/New_York"),
            kMarch10At0230 + 3600 + 4 * 3600);
  EXPECT_EQ(InstantSeconds(kNovember3At0130, "America/New_York"),
            kNovember3At0130 + 4 * 3600);
}

TEST(TimeZone, UnknownZonesAreConfigurationErrors) {
  for (const char* zone : {"Mars/Olympus", "+99:00", "+2:00", ""}) {
    EXPECT_EQ(core::KindOf(ToInstant(0, zone).status()), core::ErrorKind::kConfiguration)
        << zone;
  }
}

}  // namespace
}  // namespace wheelpit::index
