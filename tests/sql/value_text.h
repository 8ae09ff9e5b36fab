// SPDX-License-Identifier: Apache-2.0
// Values as Spark's CAST(value AS STRING) in UTC writes them, binaries as upper-case
// hexadecimal digits. Written for tests alone: the engine's own conversion to text is
// among the things they check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

namespace wheelpit::sqltest {

/// Nothing for null. Types that no test expects give their own description.
std::optional<std::string> ValueText(const arrow::Array& array, int64_t row);

/// A time stamp of that many microseconds since 1970-01-01T00:00:00Z, in UTC.
std::string TimestampText(int64_t micros);

/// As Java writes a double or a float: the fewest digits that read back as the same.
std::string FloatText(double value);
std::string FloatText(float value);

}  // namespace wheelpit::sqltest
