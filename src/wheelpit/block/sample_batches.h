// SPDX-License-Identifier: Apache-2.0
// Batches of every kind of column, for the tests of this module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::block {

struct Sample {
  std::string name;  ///< of its golden file
  std::shared_ptr<arrow::RecordBatch> batch;
};

/// The same batches on every call: fixed-width types, text, views, nested, dictionaries
/// (also inside each other), slices, no rows, no columns.
arrow::Result<std::vector<Sample>> SampleBatches();

/// Row `i` as text, the same for two arrays that say the same in different buffers or by
/// different dictionaries.
std::string RowText(const arrow::Array& array, int64_t i);

/// The rows of every column.
std::vector<std::string> RowTexts(const arrow::RecordBatch& batch);

}  // namespace wheelpit::block
