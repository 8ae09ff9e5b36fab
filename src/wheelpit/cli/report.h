// SPDX-License-Identifier: Apache-2.0
// What a statement cost, in a few lines for people: what was read, what was spilled and
// where, and how long each stage took.
#pragma once

#include <cstdint>
#include <string>

#include "wheelpit/engine/session.h"

namespace wheelpit::cli {

/// Whether the statement put rows on disk that did not fit into memory.
bool HasSpilled(const engine::QueryStats& stats);

/// Lines with their ends.
std::string ReportText(const engine::QueryStats& stats, int64_t rows);

}  // namespace wheelpit::cli
