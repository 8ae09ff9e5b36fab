// SPDX-License-Identifier: Apache-2.0
// Which columns the nodes of a plan give each other.
#pragma once

#include "wheelpit/plan/plan.h"

namespace wheelpit::sql {

/// Scans read the columns that are used and no others, every node computes what is used
/// above it, and scans' predicates are lowered from their filters. The root's columns
/// stay as they are.
void PruneColumns(plan::Node* root);

}  // namespace wheelpit::sql
