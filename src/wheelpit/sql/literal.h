// SPDX-License-Identifier: Apache-2.0
// Literals to values, by Spark's rules: which type a number has, which texts are dates
// and time stamps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// The value of a kLiteral node. `time_zone` (UTC or a fixed offset such as +02:00; a
/// region is kUnsupported) is where TIMESTAMP '…' without a zone is. Numbers out of range
/// and unreadable texts are kInvalidSql with Spark's class and the node's range.
arrow::Result<std::shared_ptr<arrow::Scalar>> LiteralValue(const ast::Expression& literal,
                                                           std::string_view time_zone);

/// Days since 1970-01-01 of "yyyy[-m[m][-d[d]]]", anything after a T or space left out;
/// nothing when it is no date.
std::optional<int32_t> ParseDate(std::string_view text);

/// Seconds east of UTC of "UTC", "GMT", "Z", "+h[h][:mm]"; nothing for others.
std::optional<int32_t> ParseZoneOffset(std::string_view text);

struct ParsedTimestamp {
  int64_t micros = 0;  ///< since 1970-01-01 00:00:00, as written
  std::optional<int32_t> zone_offset_seconds;
};

/// "yyyy[-m[m][-d[d]]][( |T)h[h]:m[m][:s[s][.fraction]]][zone]"
std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text);

/// The date so many months later, the day cut to the month's length; nothing when out of
/// range.
std::optional<int32_t> AddMonths(int32_t days, int64_t months);

}  // namespace wheelpit::sql
