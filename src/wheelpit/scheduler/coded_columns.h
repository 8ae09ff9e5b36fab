// SPDX-License-Identifier: Apache-2.0
// Which text columns may come as dictionary columns: those that reach only operators that
// know codes. All others get plain values, so that nobody has to expect both.
#pragma once

#include <vector>

#include "wheelpit/plan/plan.h"

namespace wheelpit::scheduler {

/// Of the columns of the node's first input those that may be dictionary columns, when
/// those of its own may be that `coded` says.
std::vector<bool> CodedOfInput(const plan::Node& node, const std::vector<bool>& coded);

}  // namespace wheelpit::scheduler
