// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/parquet_test_file.h"

#include <algorithm>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

namespace wheelpit::index {

std::string ParquetBytes(const std::vector<TestColumn>& columns,
                         const TestFileOptions& options) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const TestColumn& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(
        arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie());
  }
  const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
  parquet::WriterProperties::Builder properties;
  properties.max_row_group_length(options.rows_of_row_group);
  if (!options.statistics) {
    properties.disable_statistics();
  }
  if (!options.dictionary) {
    properties.disable_dictionary();
  }
  if (options.page_index) {
    properties.enable_write_page_index();
  }
  properties.max_rows_per_page(options.rows_of_page)->write_batch_size(1);
  if (options.decimals_as_integers) {
    properties.enable_store_decimal_as_integer();
  }
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (options.int96_timestamps) {
    arrow_properties.enable_deprecated_int96_timestamps();
  }
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const arrow::Status status = parquet::arrow::WriteTable(
      *table, arrow::default_memory_pool(), sink, options.rows_of_row_group,
      properties.build(), arrow_properties.build());
  if (!status.ok()) {
    status.Abort();
  }
  return sink->Finish().ValueOrDie()->ToString();
}

std::shared_ptr<arrow::Scalar> TestScalar(const std::shared_ptr<arrow::DataType>& type,
                                          std::string_view json) {
  return arrow::json::ScalarFromJSONString(type, json).ValueOrDie();
}

}  // namespace wheelpit::index
