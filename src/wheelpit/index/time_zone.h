// SPDX-License-Identifier: Apache-2.0
// Local time to instants, for time stamps in directory names.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>

namespace wheelpit::index {

/// The instant, in microseconds since 1970-01-01T00:00:00Z, at which clocks of the zone
/// show `local_micros` (counted as if the zone were UTC). As java.time: the earlier of
/// two, and a time that a change skips is moved on by what the change skips. Zones are
/// UTC, GMT, Z, offsets ("+02:00") and names of the system's zone database, which is read
/// here: threads that may block only. kConfiguration for an unknown zone.
arrow::Result<int64_t> ToInstant(int64_t local_micros, const std::string& time_zone);

}  // namespace wheelpit::index
