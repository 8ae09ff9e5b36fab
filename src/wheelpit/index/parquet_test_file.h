// SPDX-License-Identifier: Apache-2.0
// Small Parquet files for tests, by Arrow's writer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

namespace wheelpit::index {

/// A column: its values as a JSON list.
struct TestColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::string json;
};

struct TestFileOptions {
  int64_t rows_of_row_group = 1 << 20;
  bool statistics = true;
  bool int96_timestamps = false;
  bool decimals_as_integers = false;
  bool dictionary = true;
  bool page_index = false;
  int64_t rows_of_page = 20000;
};

/// The bytes of a file with these columns.
std::string ParquetBytes(const std::vector<TestColumn>& columns,
                         const TestFileOptions& options = {});

/// A scalar from its JSON text.
std::shared_ptr<arrow::Scalar> TestScalar(const std::shared_ptr<arrow::DataType>& type,
                                          std::string_view json);

}  // namespace wheelpit::index
