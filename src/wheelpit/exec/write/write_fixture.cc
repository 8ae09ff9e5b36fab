// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/write_fixture.h"

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "wheelpit/block/sample_batches.h"

namespace wheelpit::exec {

arrow::Status Bytes::Write(std::string_view bytes) {
  text += bytes;
  return arrow::Status::OK();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::string& name,
                                            std::shared_ptr<arrow::Array> column) {
  const int64_t rows = column->length();
  auto schema = arrow::schema({arrow::field(name, column->type())});
  return arrow::RecordBatch::Make(std::move(schema), rows, {std::move(column)});
}

std::shared_ptr<arrow::RecordBatch> TwoColumns(
    const std::vector<std::optional<int64_t>>& ids,
    const std::vector<std::optional<std::string>>& names) {
  arrow::Int64Builder id(arrow::system_memory_pool());
  arrow::StringBuilder name(arrow::system_memory_pool());
  for (const auto& value : ids) {
    EXPECT_TRUE((value.has_value() ? id.Append(*value) : id.AppendNull()).ok());
  }
  for (const auto& value : names) {
    EXPECT_TRUE((value.has_value() ? name.Append(*value) : name.AppendNull()).ok());
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64()),
                                                 arrow::field("name", arrow::utf8())}),
                                  static_cast<int64_t>(ids.size()),
                                  {id.Finish().ValueOrDie(), name.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::RecordBatch> ManyRows(int64_t count) {
  arrow::Int64Builder unique(arrow::system_memory_pool());
  arrow::Int32Builder repeated(arrow::system_memory_pool());
  arrow::StringBuilder text(arrow::system_memory_pool());
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(unique.Append(i * 7'919).ok());
    EXPECT_TRUE((i % 11 == 0 ? repeated.AppendNull()
                             : repeated.Append(static_cast<int32_t>(i % 50)))
                    .ok());
    EXPECT_TRUE(text.Append("row number " + std::to_string(i * 104'729 % 999'983)).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("unique", arrow::int64()),
                     arrow::field("repeated", arrow::int32()),
                     arrow::field("text", arrow::utf8())}),
      count,
      {unique.Finish().ValueOrDie(), repeated.Finish().ValueOrDie(),
       text.Finish().ValueOrDie()});
}

std::string Written(const std::shared_ptr<arrow::RecordBatch>& batch,
                    const plan::FileFormat& format, bool arrow_stream) {
  Bytes sink;
  auto writer = MakeFormatWriter(batch->schema(),
                                 {.format = format,
                                  .arrow_stream = arrow_stream,
                                  .pool = arrow::system_memory_pool()},
                                 &sink);
  EXPECT_TRUE(writer.ok()) << writer.status();
  if (writer.ok()) {
    for (const auto& status :
         {(*writer)->Begin(), (*writer)->Write(*batch), (*writer)->Finish()}) {
      EXPECT_TRUE(status.ok()) << status;
    }
  }
  return sink.text;
}

arrow::Status StatusOf(const std::shared_ptr<arrow::Schema>& schema,
                       const plan::FileFormat& format) {
  Bytes sink;
  return MakeFormatWriter(schema, {.format = format, .pool = arrow::system_memory_pool()},
                          &sink)
      .status();
}

std::shared_ptr<arrow::Table> ReadParquet(const std::string& bytes) {
  const auto input =
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  auto reader = parquet::arrow::OpenFile(input, arrow::system_memory_pool());
  EXPECT_TRUE(reader.ok()) << reader.status();
  return (*reader)->ReadTable().ValueOrDie();
}

std::shared_ptr<parquet::FileMetaData> MetadataOf(const std::string& bytes) {
  return parquet::ParquetFileReader::Open(
             std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)))
      ->metadata();
}

std::vector<std::string> ValueTexts(const arrow::RecordBatch& batch) {
  return block::RowTexts(batch);
}

std::vector<std::string> ValueTexts(const arrow::Table& table) {
  const auto batch = table.CombineChunksToBatch(arrow::system_memory_pool());
  EXPECT_TRUE(batch.ok()) << batch.status();
  return block::RowTexts(**batch);
}

}  // namespace wheelpit::exec
