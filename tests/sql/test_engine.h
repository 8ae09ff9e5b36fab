// SPDX-License-Identifier: Apache-2.0
// An engine for tests, and whole answers: what a query gave, as text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>

#include "wheelpit/core/config.h"
#include "wheelpit/engine/session.h"

namespace wheelpit::sqltest {

using Settings = std::vector<std::pair<std::string, std::string>>;
using Row = std::vector<std::optional<std::string>>;

struct Answer {
  arrow::Status status;
  std::vector<std::string> names;
  std::vector<std::string> types;  ///< Spark's names
  std::vector<Row> rows;           ///< ValueText of each value
  /// Taken from Arrow's default pool while the statement ran: outside of its budget.
  int64_t uncounted_bytes = 0;
};

/// Small but sufficient values for what the program would work out from the machine,
/// then `settings`. Spilled data goes to `directory`.
arrow::Result<core::Config> TestConfig(const std::string& directory,
                                       const Settings& settings);

/// Runs one statement to its end. Errors are in the answer.
Answer Ask(engine::Session* session, const std::string& sql);

}  // namespace wheelpit::sqltest
