// SPDX-License-Identifier: Apache-2.0
// Sorted rows in the shape in which they go to disk: text as binary, since a file may
// hold what is not UTF-8, and that is no reason to fail a sort; values of a fixed width
// as their first bytes, then their second ones, and so on, most of which are the same in
// all rows: LZ4 is three times as fast on them, and they get smaller. Decimals of up to
// 18 digits leave out the half that only repeats the sign.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// The types that rows of `schema` have on disk.
std::shared_ptr<arrow::Schema> StoredSchema(const arrow::Schema& schema);

/// Rows that were gathered (at offset 0), for disk. `stored_schema` is StoredSchema of
/// theirs. Copies of what is split into bytes come from `pool`. kCorrupt for a
/// decimal that has more digits than its type.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToStored(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& stored_schema,
    arrow::MemoryPool* pool);

/// And back; `stored` is a valid batch of stored_schema at offset 0.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> FromStored(
    const arrow::RecordBatch& stored, const std::shared_ptr<arrow::Schema>& schema,
    arrow::MemoryPool* pool);

/// What ToStored and FromStored copy at most.
int64_t SplitBytes(const arrow::RecordBatch& batch);

}  // namespace wheelpit::exec
