// SPDX-License-Identifier: Apache-2.0
// The names of Spark's functions, so that one that is not done yet is told from one that
// nobody knows.
#pragma once

#include <string_view>

namespace wheelpit::sql {

/// `name` in lower case.
bool IsSparkFunction(std::string_view name);

/// Whether `name`, in lower case, is a function also without parentheses (CURRENT_DATE).
bool IsBareFunction(std::string_view name);

}  // namespace wheelpit::sql
