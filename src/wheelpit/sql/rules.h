// SPDX-License-Identifier: Apache-2.0
// Rules over a bound plan.
#pragma once

#include <memory>

#include "wheelpit/plan/plan.h"

namespace wheelpit::sql {

/// The same result with less work: filters go down into scans (those that cannot fail
/// first, so that no rule brings an error forward), below groups by their keys, below
/// sorts and into every input of a union; groups are told apart by no more than it takes;
/// sorts whose order nobody sees go, and those under a limit keep its rows only; scans
/// read the columns that are used and no others, what pruning can use is lowered,
/// projections that change nothing go. The output's schema stays as it is.
std::unique_ptr<plan::Node> Optimize(std::unique_ptr<plan::Node> root);

}  // namespace wheelpit::sql
