// SPDX-License-Identifier: Apache-2.0
// Nodes that decide for each row what is evaluated: AND, OR, CASE, COALESCE; and those
// that look at nulls.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/exec/expr/node.h"

namespace wheelpit::exec::expr {

/// Values for some of the rows: values[k] is that of row positions[k].
struct Branch {
  Vector values;
  std::vector<int32_t> positions;
};

/// One vector of `count` rows out of branches; rows in none of them are null. Where
/// branches overlap the later one counts, and the earlier one must be null there.
arrow::Result<Vector> Merge(const std::shared_ptr<arrow::DataType>& type,
                            const std::vector<Branch>& branches, int64_t count,
                            arrow::MemoryPool* pool);

/// `can_fail`: whether an argument can.
arrow::Result<NodePtr> MakeConditionalNode(const plan::ExprPtr& expression, bool can_fail,
                                           std::vector<NodePtr> arguments);

}  // namespace wheelpit::exec::expr
