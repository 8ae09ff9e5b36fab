// SPDX-License-Identifier: Apache-2.0
// RowFilter: what the scan asks of a pushed filter. One object per conjunct (or per group
// of conjuncts over the same column) and per running scan: not shared between threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

class RowFilter {
 public:
  virtual ~RowFilter() = default;

  /// The columns that it reads, as positions in ScanOptions::columns; at least one, each
  /// once.
  virtual const std::vector<int>& columns() const = 0;

  /// Writes the rows for which the filter is true (not false, not null) to `rows`,
  /// ascending, and returns their number. `arrays[i]` is columns()[i], of `length` rows;
  /// `rows` has room for that many. Must not keep the arrays.
  virtual arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays,
                                          int64_t length, int32_t* rows) = 0;

  /// Whether evaluation can fail for some values (a cast, a division). Such filters run
  /// after all others, in the order in which they were given.
  virtual bool may_fail() const = 0;
};

}  // namespace wheelpit::exec
