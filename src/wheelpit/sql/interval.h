// SPDX-License-Identifier: Apache-2.0
// INTERVAL literals to values, by Spark's rules. There are two kinds, years and months,
// or days down to microseconds; a literal never mixes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/result.h>

#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

struct IntervalValue {
  bool year_month = false;
  bool whole_days = false;  ///< days and weeks only: added to a date it gives a date
  int64_t months = 0;
  int64_t micros = 0;  ///< a day has 24 hours
};

/// The value of a kInterval node. Texts that are no interval, units that do not go
/// together and overflow are kInvalidSql with class INVALID_INTERVAL_FORMAT and the
/// node's range.
arrow::Result<IntervalValue> EvaluateInterval(const ast::Expression& interval);

/// A kInterval node as the offset of a time zone, "+02:00"; nothing for one that is not
/// of whole seconds, or longer than 18 hours.
std::optional<std::string> IntervalAsOffset(const ast::Expression& interval);

}  // namespace wheelpit::sql
