// SPDX-License-Identifier: Apache-2.0
// Types of columns as SQL names them, for messages.
#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace wheelpit::index {

/// "int", "decimal(12,2)", "array<string>": as in Spark, also for types that it has not
/// ("time", "decimal(60,2)").
std::string TypeName(const arrow::DataType& type);

}  // namespace wheelpit::index
