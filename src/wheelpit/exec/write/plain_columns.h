// SPDX-License-Identifier: Apache-2.0
// Columns without dictionaries and views: Parquet's library takes dictionaries only where
// no entry of theirs is null, and views only where they are not sliced; to Arrow's files
// they bring bytes that no row refers to.
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// The schema with the values' types in the place of dictionaries and views, in lists,
/// maps and structs too.
std::shared_ptr<arrow::Schema> PlainSchema(const arrow::Schema& schema);

/// The same rows by PlainSchema of theirs. Other columns are not copied.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> PlainRows(
    const arrow::RecordBatch& batch, arrow::MemoryPool* pool);

}  // namespace wheelpit::exec
