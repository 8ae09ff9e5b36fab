// SPDX-License-Identifier: Apache-2.0
// MovingPredicate: what a reader of the rows comes to know while the scan runs, and what
// leaves out more and more of them: the cut-off of a top-k.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/predicate.h"

namespace wheelpit::exec {

class MovingPredicate {
 public:
  virtual ~MovingPredicate() = default;

  // Any thread:
  /// The column that it is about, as the table's schema spells it.
  virtual const std::string& column() const = 0;
  /// How often it has moved; 0: it leaves out nothing yet. Cheap.
  virtual int64_t version() const = 0;
  /// What holds for every row that is still wanted. A later one holds for no more rows.
  virtual arrow::Result<index::Predicate> Now(arrow::MemoryPool* pool) const = 0;
};

}  // namespace wheelpit::exec
