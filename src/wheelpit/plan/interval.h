// SPDX-License-Identifier: Apache-2.0
// Spark's two kinds of intervals: years and months, counted in months (int32), and days
// down to microseconds, counted in microseconds (int64; a day has 24 hours). A type also
// says which fields a value is shown with: INTERVAL DAY TO HOUR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::plan {

/// In the order of their size.
enum class IntervalField : uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond };

/// The fields of a type; both of the same kind, `first` not after `last`.
struct IntervalFields {
  IntervalField first = IntervalField::kDay;
  IntervalField last = IntervalField::kSecond;
  bool year_month() const { return last <= IntervalField::kMonth; }
  friend bool operator==(const IntervalFields&, const IntervalFields&) = default;
};

/// An Arrow extension type over month_interval or duration[us], which is what readers
/// that do not know it see.
std::shared_ptr<arrow::DataType> IntervalType(IntervalFields fields);

/// Of an interval type; nothing for any other.
std::optional<IntervalFields> IntervalFieldsOf(const arrow::DataType& type);

/// A value of an interval type; months beyond int32 are the caller's fault.
std::shared_ptr<arrow::Scalar> MakeIntervalScalar(
    int64_t value, const std::shared_ptr<arrow::DataType>& type);
/// Months or microseconds of a scalar that is not null.
int64_t IntervalValueOf(const arrow::Scalar& scalar);

/// "interval day to hour".
std::string IntervalTypeName(IntervalFields fields);

/// Months or microseconds that one of a field is.
int64_t IntervalUnit(IntervalField field);

/// The value without what is smaller than its last field.
int64_t TruncateInterval(int64_t value, IntervalField last);

/// "INTERVAL '1 02' DAY TO HOUR".
void AppendInterval(int64_t value, IntervalFields fields, std::string* out);

/// "1 02", or what AppendInterval writes, in any case. Nothing for other text, and beyond
/// the range.
std::optional<int64_t> ParseInterval(std::string_view text, IntervalFields fields);

/// The date so many months later, the day cut to the month's length; nothing when out of
/// range.
std::optional<int64_t> AddMonths(int64_t days, int64_t months);

}  // namespace wheelpit::plan
