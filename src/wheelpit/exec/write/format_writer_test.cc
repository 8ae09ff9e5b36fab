// SPDX-License-Identifier: Apache-2.0
// Texts as they must be, and what comes back of Parquet and Arrow.
#include "wheelpit/exec/write/format_writer.h"

#include <cmath>
#include <set>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "wheelpit/block/sample_batches.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/write_fixture.h"

namespace wheelpit::exec {
namespace {

using plan::FileFormatKind;

TEST(CsvFormat, QuotesWhatNeedsItAndTellsNullFromEmpty) {
  const auto batch = TwoColumns({1, 2, 3, std::nullopt}, {"a,b", "say \"x\"", "", {}});
  EXPECT_EQ(Written(batch, {.kind = FileFormatKind::kCsv}),
            "id,name\n1,\"a,b\"\n2,\"say \"\"x\"\"\"\n3,\"\"\n,\n");
}

TEST(CsvFormat, HasOptions) {
  const auto batch = TwoColumns({1, {}, 3}, {"a,b;", "NA", {}});
  plan::FileFormat format{.kind = FileFormatKind::kCsv};
  format.header = false;
  format.delimiter = ';';
  format.null_text = "NA";
  EXPECT_EQ(Written(batch, format), "1;\"a,b;\"\nNA;\"NA\"\n3;NA\n");
}

TEST(JsonFormat, KeepsNumbersBareAndEscapesText) {
  const auto batch = TwoColumns({1, {}}, {"a\"\n\x01", "\xff"});
  const std::string first = "{\"id\":1,\"name\":\"a\\\"\\n\\u0001\"}";
  const std::string second = "{\"id\":null,\"name\":\"\xef\xbf\xbd\"}";
  EXPECT_EQ(Written(batch, {.kind = FileFormatKind::kJsonLines}),
            first + "\n" + second + "\n");
  EXPECT_EQ(Written(batch, {.kind = FileFormatKind::kJson}),
            "[\n" + first + ",\n" + second + "\n]\n");
  EXPECT_EQ(Written(batch->Slice(0, 0), {.kind = FileFormatKind::kJson}), "[]\n");
}

TEST(JsonFormat, ValuesThatJsonHasNotAreStrings) {
  arrow::DoubleBuilder doubles;
  ASSERT_TRUE(doubles.AppendValues({std::nan(""), 1.5, -INFINITY, 1e10}).ok());
  const auto batch = BatchOf("x", doubles.Finish().ValueOrDie());
  EXPECT_EQ(Written(batch, {.kind = FileFormatKind::kJsonLines}),
            "{\"x\":\"NaN\"}\n{\"x\":1.5}\n{\"x\":\"-Infinity\"}\n{\"x\":1.0E10}\n");
}

TEST(MarkdownFormat, NoValueEndsItsCell) {
  const auto batch = TwoColumns({1, {}}, {"a|b\n`<b>", "\xff\x1b"});
  EXPECT_EQ(Written(batch, {.kind = FileFormatKind::kMarkdown}),
            "| id | name |\n| ---: | --- |\n| 1 | a\\|b<br>\\`&lt;b> |\n"
            "| NULL | \xef\xbf\xbd\xef\xbf\xbd |\n");
}

TEST(FormatWriter, ColumnsOfOneNameAreRefusedWhereNamesMustDiffer) {
  const auto twice = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("a", arrow::int32())});
  for (const FileFormatKind kind :
       {FileFormatKind::kJson, FileFormatKind::kJsonLines, FileFormatKind::kParquet}) {
    const auto status = StatusOf(twice, {.kind = kind});
    EXPECT_EQ(core::KindOf(status), core::ErrorKind::kInvalidSql);
    EXPECT_NE(status.message().find("rename one with AS"), std::string::npos) << status;
  }
  EXPECT_TRUE(StatusOf(twice, {.kind = FileFormatKind::kCsv}).ok());
}

TEST(ParquetFormat, WhatItCannotHoldIsNamed) {
  EXPECT_EQ(core::KindOf(StatusOf(arrow::schema({}), {})), core::ErrorKind::kInvalidSql);
  const auto status =
      StatusOf(arrow::schema({arrow::field("m", arrow::month_interval())}), {});
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kUnsupported);
  EXPECT_NE(status.message().find("column m"), std::string::npos) << status;
}

TEST(ParquetFormat, SampleColumnsComeBackOrAreRefusedByName) {
  int written = 0;
  std::set<std::string> refused;
  for (const auto& sample : block::SampleBatches().ValueOrDie()) {
    for (int i = 0; i < sample.batch->num_columns(); ++i) {
      const auto batch = BatchOf("c", sample.batch->column(i));
      SCOPED_TRACE(sample.name + " " + batch->schema()->ToString());
      for (const plan::FileCodec codec :
           {plan::FileCodec::kNone, plan::FileCodec::kSnappy, plan::FileCodec::kZstd,
            plan::FileCodec::kGzip, plan::FileCodec::kLz4}) {
        const plan::FileFormat format{.kind = FileFormatKind::kParquet, .codec = codec};
        const auto status = StatusOf(batch->schema(), format);
        if (!status.ok()) {
          EXPECT_EQ(core::KindOf(status), core::ErrorKind::kUnsupported);
          refused.insert(batch->column(0)->type()->name());
          continue;
        }
        ++written;
        EXPECT_EQ(ValueTexts(*ReadParquet(Written(batch, format))), ValueTexts(*batch));
      }
    }
  }
  EXPECT_GE(written, 100);
  EXPECT_EQ(refused, (std::set<std::string>{"dense_union", "sparse_union"}));
}

TEST(ParquetFormat, DecimalsAndTimesAreStoredAsSparkStoresThem) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (int precision = 1; precision <= 38; ++precision) {
    const auto type = arrow::decimal128(precision, precision / 2);
    fields.push_back(arrow::field("d" + std::to_string(precision), type));
    columns.push_back(arrow::MakeArrayFromScalar(
                          *arrow::Scalar::Parse(type, precision == 1 ? "-7" : "-1.2")
                               .ValueOr(arrow::MakeNullScalar(type)),
                          3)
                          .ValueOrDie());
  }
  for (const auto& type : {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                           arrow::timestamp(arrow::TimeUnit::MICRO)}) {
    fields.push_back(arrow::field(type->ToString(), type));
    columns.push_back(arrow::MakeArrayOfNull(type, 3).ValueOrDie());
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), 3, columns);
  const std::string bytes = Written(batch, {});
  const auto back = ReadParquet(bytes);
  EXPECT_EQ(ValueTexts(*back), ValueTexts(*batch));
  const auto metadata = MetadataOf(bytes);
  EXPECT_EQ(metadata->created_by(), "wheelpit version 0.1.0");
  EXPECT_EQ(metadata->key_value_metadata(), nullptr);
  for (int i = 0; i < 38; ++i) {
    const auto physical = metadata->schema()->Column(i)->physical_type();
    EXPECT_EQ(physical, i < 9    ? parquet::Type::INT32
                        : i < 18 ? parquet::Type::INT64
                                 : parquet::Type::FIXED_LEN_BYTE_ARRAY);
  }
  const auto adjusted = [&](int column) {
    return static_cast<const parquet::TimestampLogicalType&>(
               *metadata->schema()->Column(column)->logical_type())
        .is_adjusted_to_utc();
  };
  EXPECT_TRUE(adjusted(38));
  EXPECT_FALSE(adjusted(39));
}

TEST(ParquetFormat, ManyRowsAreCutIntoGroupsWithStatisticsAndPageIndex) {
  const auto batch = ManyRows(100'000);
  plan::FileFormat format;
  format.row_group_rows = 30'000;
  const std::string bytes = Written(batch, format);
  const auto metadata = MetadataOf(bytes);
  EXPECT_EQ(metadata->num_row_groups(), 4);
  const auto group = metadata->RowGroup(3);
  const auto chunk = group->ColumnChunk(0);
  EXPECT_EQ(chunk->num_values(), 10'000);
  EXPECT_TRUE(chunk->is_stats_set());
  EXPECT_TRUE(chunk->GetColumnIndexLocation().has_value());
  EXPECT_TRUE(chunk->GetOffsetIndexLocation().has_value());
  EXPECT_TRUE(
      ReadParquet(bytes)->Equals(*arrow::Table::FromRecordBatches({batch}).ValueOrDie()));
}

TEST(ParquetFormat, GroupsEndWhereMemoryDoes) {
  const auto batch = ManyRows(200'000);
  Bytes sink;
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  auto writer =
      MakeFormatWriter(batch->schema(),
                       {.format = {}, .pool = &pool, .memory_bytes = 1 << 20}, &sink)
          .ValueOrDie();
  ASSERT_TRUE(writer->Begin().ok());
  ASSERT_TRUE(writer->Write(*batch).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_GE(MetadataOf(sink.text)->num_row_groups(), 3);
  EXPECT_LT(pool.max_memory(), 3 << 20);
  EXPECT_EQ(ReadParquet(sink.text)->num_rows(), 200'000);
}

TEST(ParquetFormat, NoRowsAreAFileToo) {
  const auto batch = TwoColumns({}, {});
  const auto back = ReadParquet(Written(batch, {}));
  EXPECT_EQ(back->num_rows(), 0);
  EXPECT_EQ(back->num_columns(), 2);
}

TEST(ArrowFormat, SampleRowsComeBack) {
  for (const auto& sample : block::SampleBatches().ValueOrDie()) {
    for (const bool stream : {false, true}) {
      for (const auto codec :
           {plan::FileCodec::kNone, plan::FileCodec::kLz4, plan::FileCodec::kZstd}) {
        SCOPED_TRACE(sample.name);
        const std::string bytes = Written(
            sample.batch, {.kind = FileFormatKind::kArrow, .codec = codec}, stream);
        const auto buffer = arrow::Buffer::FromString(bytes);
        const auto input = std::make_shared<arrow::io::BufferReader>(buffer);
        std::shared_ptr<arrow::Table> back;
        if (stream) {
          back = arrow::ipc::RecordBatchStreamReader::Open(input)
                     .ValueOrDie()
                     ->ToTable()
                     .ValueOrDie();
        } else {
          back = arrow::ipc::RecordBatchFileReader::Open(input)
                     .ValueOrDie()
                     ->ToTable()
                     .ValueOrDie();
        }
        EXPECT_EQ(ValueTexts(*back), ValueTexts(*sample.batch));
      }
    }
  }
}

TEST(FormatWriter, ASliceIsMeasuredByItsOwnRows) {
  const auto batch = ManyRows(10'000);
  const int64_t whole = RowBytesOf(*batch);
  EXPECT_NEAR(static_cast<double>(RowBytesOf(*batch->Slice(5000, 10))),
              static_cast<double>(whole), 8);
  EXPECT_EQ(RowsOf(*batch->Slice(0, 100), 10 * whole),
            RowsOf(*batch->Slice(100, 100), 10 * whole));
  EXPECT_EQ(RowsOf(*batch, 1), 1);
}

TEST(FormatWriter, NothingComesFromArrowsDefaultPool) {
  const auto batch = ManyRows(50'000);
  for (const FileFormatKind kind :
       {FileFormatKind::kParquet, FileFormatKind::kCsv, FileFormatKind::kJson,
        FileFormatKind::kArrow, FileFormatKind::kMarkdown}) {
    SCOPED_TRACE(plan::ToString(kind));
    arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
    Bytes sink;
    const int64_t before = arrow::default_memory_pool()->total_bytes_allocated();
    {
      auto writer = MakeFormatWriter(batch->schema(),
                                     {.format = {.kind = kind}, .pool = &pool}, &sink)
                        .ValueOrDie();
      ASSERT_TRUE(writer->Begin().ok());
      ASSERT_TRUE(writer->Write(*batch).ok());
      ASSERT_TRUE(writer->Finish().ok());
    }
    EXPECT_EQ(arrow::default_memory_pool()->total_bytes_allocated(), before);
    EXPECT_EQ(pool.bytes_allocated(), 0);
  }
}

}  // namespace
}  // namespace wheelpit::exec
