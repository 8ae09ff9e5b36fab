// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as the chunk of a flat column. The first four bytes choose
// type, codec, nullability and the number of rows. Seeds in flat_column_corpus/.
// Covers: src/wheelpit/exec/scan/flat_column.cc src/wheelpit/exec/scan/page_header.cc
// src/wheelpit/exec/scan/page_stream.cc src/wheelpit/exec/scan/rle_decoder.cc
// src/wheelpit/exec/scan/array_assembler.cc
#include <algorithm>
#include <cstdlib>

#include <arrow/array/array_base.h>
#include <parquet/schema.h>

#include "wheelpit/exec/scan/flat_column.h"
#include "wheelpit/exec/scan/scan_fixture.h"

namespace {

using parquet::LogicalType;
using parquet::Type;
using namespace wheelpit;  // NOLINT(google-build-using-namespace): a program

struct Kind {
  Type::type physical;
  std::shared_ptr<const LogicalType> logical;
  int width;
  std::shared_ptr<arrow::DataType> type;
};

const Kind& KindOf(uint8_t choice) {
  static const std::vector<Kind> kinds = {
      {Type::BOOLEAN, LogicalType::None(), -1, arrow::boolean()},
      {Type::INT32, LogicalType::None(), -1, arrow::int32()},
      {Type::INT32, LogicalType::Int(8, true), -1, arrow::int8()},
      {Type::INT64, LogicalType::None(), -1, arrow::int64()},
      {Type::INT64, LogicalType::Decimal(15, 2), -1, arrow::decimal128(38, 20)},
      {Type::INT96, LogicalType::None(), -1,
       arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
      {Type::DOUBLE, LogicalType::None(), -1, arrow::float64()},
      {Type::BYTE_ARRAY, LogicalType::String(), -1, arrow::utf8()},
      {Type::BYTE_ARRAY, LogicalType::Decimal(20, 2), -1, arrow::decimal128(20, 2)},
      {Type::FIXED_LEN_BYTE_ARRAY, LogicalType::None(), 5, arrow::binary()},
      {Type::FIXED_LEN_BYTE_ARRAY, LogicalType::Decimal(9, 2), 5,
       arrow::decimal128(10, 2)},
  };
  return kinds[choice % kinds.size()];
}

arrow::Status Scan(exec::FlatColumn& column, int64_t row_count, bool filtered) {
  exec::FunctionFilter filter(
      {0}, [](const arrow::ArrayVector& arrays, int64_t row) -> arrow::Result<bool> {
        return arrays[0]->IsValid(row) && row % 3 == 0;
      });
  core::Wait wait;
  for (int64_t begin = 0; begin < row_count; begin += 100) {
    exec::RowSelection rows;
    rows.length = std::min<int64_t>(100, row_count - begin);
    ARROW_ASSIGN_OR_RAISE(const bool ready,
                          column.Ensure(begin, begin + rows.length, &wait));
    if (!ready) std::abort();  // everything is in memory
    if (filtered) {
      ARROW_RETURN_NOT_OK(column.Filter(begin, &filter, /*keep=*/true, &rows));
    } else {
      ARROW_RETURN_NOT_OK(column.Read(begin, rows));
    }
    ARROW_ASSIGN_OR_RAISE(const auto array, column.Finish());
    if (array->length() != rows.count() || !array->Validate().ok()) std::abort();
  }
  return arrow::Status::OK();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const Kind& kind = KindOf(data[0]);
  const bool optional = (data[2] & 1) != 0;
  const auto bytes = static_cast<int64_t>(size) - 4;
  const int64_t rows = data[3] * 4 + 1;
  const auto node = parquet::schema::PrimitiveNode::Make(
      "c", optional ? parquet::Repetition::OPTIONAL : parquet::Repetition::REQUIRED,
      kind.logical, kind.physical, kind.width);
  const parquet::ColumnDescriptor descriptor(node, optional ? 1 : 0, 0);
  core::MetricSet metrics;
  exec::Fetcher fetcher({.file_system = nullptr, .pool = arrow::default_memory_pool()});
  index::ParquetChunk chunk;
  chunk.data_page_offset = 0;
  chunk.compressed_bytes = bytes;
  chunk.codec = static_cast<int8_t>(data[1] % 8);
  exec::FlatColumn::Options options{
      .stream = {.path = "f",
                 .column = "c",
                 .row_count = rows,
                 .optional = optional,
                 .pool = arrow::default_memory_pool(),
                 .metrics = &metrics},
      .leaf = {.physical_type = static_cast<int8_t>(kind.physical),
               .max_definition_level = static_cast<int16_t>(optional ? 1 : 0),
               .width_bytes = std::max(kind.width, 0)},
      .descriptor = &descriptor,
      .type = kind.type};
  auto column = exec::FlatColumn::Make(
      options, chunk,
      exec::ChunkBytes(&fetcher, nullptr, {0, bytes},
                       {{0, arrow::Buffer::Wrap(data + 4, static_cast<size_t>(bytes))}},
                       0));
  if (!column.ok()) return 0;
  static_cast<void>(Scan(**column, rows, (data[2] & 2) != 0));
  return 0;
}
