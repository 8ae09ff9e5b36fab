// SPDX-License-Identifier: Apache-2.0
// INTERVAL literals to values, by Spark's rules. There are two kinds, years and months,
// or days down to microseconds; a literal never mixes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/result.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

struct IntervalValue {
  plan::IntervalFields fields;  ///< from the largest to the smallest unit written
  int64_t months = 0;           ///< within int32
  int64_t micros = 0;           ///< a day has 24 hours
  bool year_month() const { return fields.year_month(); }
};

/// The value of a kInterval node. Texts that are no interval, units that do not go
/// together and overflow are kInvalidSql with class INVALID_INTERVAL_FORMAT and the
/// node's range.
arrow::Result<IntervalValue> EvaluateInterval(const ast::Expression& interval);

/// A kInterval node as the offset of a time zone, "+02:00"; nothing for one that is not
/// of whole seconds, or longer than 18 hours.
std::optional<std::string> IntervalAsOffset(const ast::Expression& interval);

}  // namespace wheelpit::sql
