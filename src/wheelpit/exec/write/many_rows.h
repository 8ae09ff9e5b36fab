// SPDX-License-Identifier: Apache-2.0
// Rows for tests and for the benchmark.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// Numbers that repeat, numbers that do not, text, with nulls.
std::shared_ptr<arrow::RecordBatch> ManyRows(int64_t count);

}  // namespace wheelpit::exec
