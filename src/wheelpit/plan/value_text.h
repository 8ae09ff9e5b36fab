// SPDX-License-Identifier: Apache-2.0
// Values as text, in the forms that Spark writes and reads: for CAST, for literals in SQL
// text, for EXPLAIN and for error messages. Pure functions, safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace wheelpit::plan {

using int128 = __int128;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

/// The quotient rounded down, for a positive divisor.
constexpr int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

struct CivilDate {
  int64_t year = 1970;
  int32_t month = 1;
  int32_t day = 1;
};

/// Proleptic Gregorian, days since 1970-01-01; both total, for every int32 day.
CivilDate CivilFromDays(int64_t days);
int64_t DaysFromCivil(CivilDate date);
/// Whether there is such a day.
bool IsCivilDate(CivilDate date);

void AppendInt(int64_t value, std::string* out);
/// The shortest digits that read back as the same value, laid out as Java does: "1.0",
/// "1.0E10", "NaN", "Infinity".
void AppendDouble(double value, std::string* out);
void AppendFloat(float value, std::string* out);
/// Never in scientific notation: "0.0000001".
void AppendDecimal(int128 unscaled, int scale, std::string* out);
/// "1994-01-01"; a year of more than four digits has a sign.
void AppendDate(int64_t days, std::string* out);
/// "1994-01-01 12:30:00.25" of local microseconds.
void AppendTimestamp(int64_t local_micros, std::string* out);

/// `text` without ASCII blanks and control characters at both ends.
std::string_view TrimBlanks(std::string_view text);

/// "[+-]digits" with blanks around; nothing for other text or beyond 64 bits.
std::optional<int64_t> ParseInteger(std::string_view text);

/// "[+-]yyyy[-[m]m[-[d]d[( |T)anything]]]" with blanks around it.
std::optional<int32_t> ParseDate(std::string_view text);

struct ParsedTimestamp {
  int64_t local_micros = 0;
  std::string_view zone;   ///< what follows the time, without blanks; empty when nothing
  bool time_only = false;  ///< no date was written; `local_micros` counts from midnight
};

/// "[+-]yyyy[-[m]m[-[d]d[( |T)[h]h[:[m]m[:[s]s[.fraction]]][zone]]]]" or "[T]h:m…".
/// Digits after the sixth of the fraction are dropped. The zone is not looked at.
std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text);

/// A value as a SQL literal: 49.00, 5L, 'it\'s', DATE '1994-01-01', NULL.
std::string LiteralText(const arrow::Scalar& value);

/// The string that CAST gives, for types whose text needs no time zone; a TIMESTAMP is
/// shown in UTC. "NULL" for null.
std::string ValueText(const arrow::Scalar& value);

}  // namespace wheelpit::plan
