// SPDX-License-Identifier: Apache-2.0
// What a column keeps alive is often far more than what its rows say: a slice of views
// holds the text of all rows, a filtered dictionary column the whole dictionary. Spilled
// like that, a query writes many times its data. This is the cut-down before encoding.
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::block {

/// `column` with the same values and without bytes that no row refers to, at any depth:
/// text behind views, dictionary values, values behind list views. Bytes that several
/// rows share stay shared, so the result is never larger than the input. What the IPC
/// writer cuts by itself (offsets and fixed-width slices) and columns with little to gain
/// come back as they are. Copies come from `pool`.
arrow::Result<std::shared_ptr<arrow::Array>> KeepLiveBytes(
    const std::shared_ptr<arrow::Array>& column, arrow::MemoryPool* pool);

}  // namespace wheelpit::block
