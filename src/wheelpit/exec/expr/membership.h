// SPDX-License-Identifier: Apache-2.0
// IN over a list of constants.
#pragma once

#include <vector>

#include <arrow/result.h>

#include "wheelpit/exec/expr/node.h"

namespace wheelpit::exec::expr {

/// `arguments`: the value, then items that are constants, all of one type.
arrow::Result<NodePtr> MakeMembershipNode(const plan::ExprPtr& expression,
                                          std::vector<NodePtr> arguments);

}  // namespace wheelpit::exec::expr
