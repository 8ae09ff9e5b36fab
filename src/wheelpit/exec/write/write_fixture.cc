// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/write_fixture.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
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

#ifdef __SANITIZE_THREAD__
// Arrow's libraries are built without this sanitizer: what orders their threads is
// unknown to it.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libarrow.so\nrace:libparquet.so\n";
}
#endif

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

namespace {

// As block::RowText, and of more nested types.
std::string ValueText(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) {
    return "null";
  }
  std::string text = "[";
  if (array.type_id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapArray&>(array);
    for (int64_t at = map.value_offset(row); at < map.value_offset(row + 1); ++at) {
      text += ValueText(*map.keys(), at) + ":" + ValueText(*map.items(), at) + ",";
    }
    return text + "]";
  }
  if (array.type_id() == arrow::Type::LARGE_LIST) {
    const auto& list = static_cast<const arrow::LargeListArray&>(array);
    for (int64_t at = list.value_offset(row); at < list.value_offset(row + 1); ++at) {
      text += ValueText(*list.values(), at) + ",";
    }
    return text + "]";
  }
  if (array.type_id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListArray&>(array);
    const int64_t begin = list.value_offset(row);
    for (int64_t at = begin; at < begin + list.value_length(row); ++at) {
      text += ValueText(*list.values(), at) + ",";
    }
    return text + "]";
  }
  return block::RowText(array, row);
}

}  // namespace

std::vector<std::string> ValueTexts(const arrow::RecordBatch& batch) {
  std::vector<std::string> texts;
  for (const auto& column : batch.columns()) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      texts.push_back(ValueText(*column, row));
    }
  }
  return texts;
}

std::vector<std::string> ValueTexts(const arrow::Table& table) {
  const auto batch = table.CombineChunksToBatch(arrow::system_memory_pool());
  EXPECT_TRUE(batch.ok()) << batch.status();
  return ValueTexts(**batch);
}

}  // namespace wheelpit::exec
