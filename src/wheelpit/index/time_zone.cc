// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/time_zone.h"

#include <memory>
#include <optional>
#include <string_view>

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/initialize.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {

namespace {

using arrow::compute::AssumeTimezoneOptions;

constexpr int64_t kMicrosOfMinute = 60'000'000;
constexpr int64_t kMicrosOfDay = 24 * 60 * kMicrosOfMinute;

// "+hh:mm" and "-hh:mm", up to 18 hours as java.time has it. In minutes.
std::optional<int64_t> FixedOffset(std::string_view zone) {
  if (zone == "UTC" || zone == "GMT" || zone == "Z" || zone == "Etc/UTC") {
    return 0;
  }
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') {
    return std::nullopt;
  }
  int64_t digits[4];
  constexpr size_t kAt[] = {1, 2, 4, 5};
  for (size_t i = 0; i < 4; ++i) {
    const char c = zone[kAt[i]];
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    digits[i] = c - '0';
  }
  const int64_t minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3];
  if (digits[2] > 5 || minutes > 18 * 60) {
    return std::nullopt;
  }
  return zone[0] == '-' ? -minutes : minutes;
}

arrow::Result<int64_t> AssumeZone(int64_t local_micros, const std::string& time_zone) {
  const arrow::TimestampScalar local(local_micros,
                                     arrow::timestamp(arrow::TimeUnit::MICRO));
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum instant,
      arrow::compute::AssumeTimezone(
          arrow::Datum(std::make_shared<arrow::TimestampScalar>(local)),
          AssumeTimezoneOptions(time_zone, AssumeTimezoneOptions::AMBIGUOUS_EARLIEST)));
  return static_cast<const arrow::TimestampScalar&>(*instant.scalar()).value;
}

}  // namespace

arrow::Result<int64_t> ToInstant(int64_t local_micros, const std::string& time_zone) {
  if (const auto minutes = FixedOffset(time_zone)) {
    return local_micros - *minutes * kMicrosOfMinute;
  }
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  const arrow::Result<int64_t> instant = AssumeZone(local_micros, time_zone);
  if (instant.ok()) {
    return instant;
  }
  // A time that is skipped: the offset of the day before moves it behind the gap. A zone
  // that is not known fails again.
  const arrow::Result<int64_t> day_before =
      AssumeZone(local_micros - kMicrosOfDay, time_zone);
  if (!day_before.ok()) {
    return core::Error(core::ErrorKind::kConfiguration, "the time zone '", time_zone,
                       "' is not known: ", day_before.status().message());
  }
  return *day_before + kMicrosOfDay;
}

}  // namespace wheelpit::index
