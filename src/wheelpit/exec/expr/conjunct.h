// SPDX-License-Identifier: Apache-2.0
// One conjunct of a filter, in the form that shrinks selections fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/node.h"

namespace wheelpit::exec::expr {

class Conjunct {
 public:
  virtual ~Conjunct() = default;

  /// The rows of [0, length) for which it is true. `selection` is empty before.
  virtual arrow::Status Select(const arrow::ArrayVector& columns, int64_t length,
                               arrow::MemoryPool* pool,
                               std::vector<int32_t>* selection) const = 0;
  /// Keeps the rows for which it is true.
  virtual arrow::Status Shrink(const arrow::ArrayVector& columns, arrow::MemoryPool* pool,
                               std::vector<int32_t>* selection) const = 0;

  /// Lower comes first.
  int rank = 0;
  /// Whether some row could make it raise an error.
  bool can_fail = false;
};

/// A comparison of a column with a literal becomes a loop over the column's own values;
/// anything else a node.
arrow::Result<std::unique_ptr<Conjunct>> MakeConjunct(const plan::ExprPtr& expression,
                                                      const CompileOptions& options);

}  // namespace wheelpit::exec::expr
