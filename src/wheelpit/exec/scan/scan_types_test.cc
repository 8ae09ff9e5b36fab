// SPDX-License-Identifier: Apache-2.0
// Types, encodings, nested columns, missing and constant columns, widening.
#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using arrow::TimeUnit;
using core::ErrorKind;
using core::KindOf;
using core::Metric;
using parquet::Encoding;
using parquet::WriterProperties;

std::shared_ptr<arrow::Array> Numbers(int64_t rows, bool nulls) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(
        (nulls && i % 7 == 3 ? builder.AppendNull() : builder.Append(i * 37 % 101)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Cast(const std::shared_ptr<arrow::Array>& array,
                                   const std::shared_ptr<arrow::DataType>& type) {
  return arrow::compute::Cast(*array, type).ValueOrDie();
}

std::shared_ptr<arrow::Table> OneColumn(const std::shared_ptr<arrow::Array>& array) {
  return arrow::Table::Make(arrow::schema({arrow::field("c", array->type())}), {array});
}

std::shared_ptr<arrow::Array> ReadBack(ScannedTable& scanned) {
  const auto read = scanned.Run(scanned.AllColumns());
  EXPECT_TRUE(read.ok()) << read.status();
  if (!read.ok()) return nullptr;
  EXPECT_TRUE((*read)->ValidateFull().ok());
  return (*read)->column(0)->num_chunks() == 0
             ? arrow::MakeEmptyArray((*read)->column(0)->type()).ValueOrDie()
             : arrow::Concatenate((*read)->column(0)->chunks()).ValueOrDie();
}

// What a column written as `written` reads as.
void ExpectReads(const std::shared_ptr<arrow::Array>& written,
                 const std::shared_ptr<arrow::Array>& expected,
                 std::shared_ptr<WriterProperties> properties, bool int96 = false) {
  ScannedTable scanned;
  scanned.batch_rows = 100;
  scanned.Add("f", WriteParquet(*OneColumn(written), std::move(properties), 400, int96));
  const auto read = ReadBack(scanned);
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(read->Equals(*expected)) << written->type()->ToString() << "\n"
                                       << read->ToString() << expected->ToString();
}

TEST(ScanTypes, TimesIntegersAndBytesAreSparks) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto utc = arrow::timestamp(TimeUnit::MICRO, "UTC");
  for (const bool nulls : {false, true}) {
    const auto numbers = Numbers(1000, nulls);
    const auto in = [&](const std::shared_ptr<arrow::DataType>& type) {
      return Cast(numbers, type);
    };
    for (const bool dictionary : {true, false}) {
      WriterProperties::Builder builder;
      if (!dictionary) builder.disable_dictionary();
      const auto properties = builder.build();
      const auto micros = Cast(in(arrow::int64()), utc);
      ExpectReads(micros, micros, properties, /*int96=*/true);
      ExpectReads(in(arrow::timestamp(TimeUnit::MILLI, "UTC")),
                  Cast(in(arrow::timestamp(TimeUnit::MILLI, "UTC")), utc), properties);
      const auto nanos = in(arrow::timestamp(TimeUnit::NANO));
      const auto cut =
          arrow::compute::CastOptions::Unsafe(arrow::timestamp(TimeUnit::MICRO));
      ExpectReads(
          nanos, arrow::compute::Cast(arrow::Datum(nanos), cut).ValueOrDie().make_array(),
          properties);
      ExpectReads(in(arrow::uint8()), in(arrow::int16()), properties);
      ExpectReads(in(arrow::uint16()), in(arrow::int32()), properties);
      ExpectReads(in(arrow::uint32()), in(arrow::int64()), properties);
      ExpectReads(in(arrow::uint64()), in(arrow::decimal128(20, 0)), properties);
      arrow::FixedSizeBinaryBuilder fixed(arrow::fixed_size_binary(3));
      arrow::BinaryBuilder plain;
      for (int i = 0; i < 500; ++i) {
        const std::string value = std::to_string(100 + i);
        ASSERT_TRUE(fixed.Append(value).ok());
        ASSERT_TRUE(plain.Append(value).ok());
      }
      ExpectReads(fixed.Finish().ValueOrDie(), plain.Finish().ValueOrDie(), properties);
    }
  }
}

TEST(ScanTypes, MomentsBeforeTheEpochRoundDown) {
  arrow::TimestampBuilder nanos(arrow::timestamp(TimeUnit::NANO, "UTC"),
                                arrow::default_memory_pool());
  ASSERT_TRUE(nanos.AppendValues(std::vector<int64_t>{-1, -1000, -1001, 1999}).ok());
  arrow::TimestampBuilder micros(arrow::timestamp(TimeUnit::MICRO, "UTC"),
                                 arrow::default_memory_pool());
  ASSERT_TRUE(micros.AppendValues(std::vector<int64_t>{-1, -1, -2, 1}).ok());
  ExpectReads(nanos.Finish().ValueOrDie(), micros.Finish().ValueOrDie(),
              WriterProperties::Builder().build());
}

TEST(ScanTypes, EveryEncodingReadsTheSame) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const std::vector<
      std::pair<std::shared_ptr<arrow::DataType>, std::vector<Encoding::type>>>
      cases = {
          {arrow::int32(), {Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT}},
          {arrow::int64(), {Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT}},
          {arrow::float32(), {Encoding::BYTE_STREAM_SPLIT}},
          {arrow::float64(), {Encoding::BYTE_STREAM_SPLIT}},
          {arrow::utf8(),
           {Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY}},
          {arrow::boolean(), {Encoding::RLE, Encoding::PLAIN}},
          {arrow::decimal128(30, 2), {Encoding::BYTE_STREAM_SPLIT}},
      };
  for (const auto& [type, encodings] : cases) {
    for (const auto encoding : encodings) {
      for (const bool nulls : {false, true}) {
        auto numbers = Numbers(1000, nulls);
        if (type->id() == arrow::Type::DECIMAL128) {
          numbers =
              Cast(Cast(numbers, arrow::decimal128(19, 0)), arrow::decimal128(28, 0));
        }
        const auto array = Cast(numbers, type);
        for (const auto version :
             {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
          ExpectReads(array, array,
                      WriterProperties::Builder()
                          .disable_dictionary()
                          ->encoding(encoding)
                          ->data_page_version(version)
                          ->data_pagesize(500)
                          ->write_batch_size(64)
                          ->compression(parquet::Compression::ZSTD)
                          ->build());
        }
      }
    }
  }
}

TEST(ScanTypes, NestedColumnsPassThroughAndFollowTheFilter) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto key = Numbers(900, false);
  arrow::Int32Builder offsets;
  for (int32_t i = 0; i <= 900; ++i) ASSERT_TRUE(offsets.Append(i).ok());
  const auto list =
      arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *Numbers(900, true))
          .ValueOrDie();
  const auto record = arrow::StructArray::Make({Numbers(900, true), list},
                                               std::vector<std::string>{"x", "l"})
                          .ValueOrDie();
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("key", arrow::int64(), false),
                                        arrow::field("list", list->type()),
                                        arrow::field("record", record->type())}),
                         {key, list, record});
  for (const int64_t prefetch : {int64_t{8} << 20, int64_t{1} << 10}) {
    ScannedTable scanned;
    scanned.batch_rows = 70;
    scanned.prefetch_bytes = prefetch;
    scanned.Add("f", WriteParquet(*table, WriterProperties::Builder().build(), 400));
    std::vector<std::unique_ptr<RowFilter>> filters;
    filters.push_back(ValueFilter<int64_t>(0, [](int64_t v) { return v % 3 == 0; }));
    const auto read = scanned.Run({0, 1, 2}, std::move(filters));
    ASSERT_TRUE(read.ok()) << read.status();
    arrow::BooleanBuilder mask;
    for (int64_t i = 0; i < 900; ++i) {
      const auto& values = static_cast<const arrow::Int64Array&>(*key);
      ASSERT_TRUE(mask.Append(values.Value(i) % 3 == 0).ok());
    }
    const auto expected =
        arrow::compute::Filter(table, mask.Finish().ValueOrDie()).ValueOrDie().table();
    ASSERT_EQ((*read)->num_rows(), expected->num_rows());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ((*read)->column(i)->ToString(), (*read)->column(i)->ToString());
      const auto got = arrow::Concatenate((*read)->column(i)->chunks()).ValueOrDie();
      const auto want = arrow::Concatenate(expected->column(i)->chunks()).ValueOrDie();
      EXPECT_TRUE(got->View(want->type()).ValueOrDie()->Equals(*want))
          << got->ToString() << want->ToString();
    }
  }
}

TEST(ScanTypes, MissingColumnsAreNullAndPartitionValuesConstant) {
  ScannedTable scanned;
  scanned.SetSchema(arrow::schema({arrow::field("c", arrow::int64()),
                                   arrow::field("absent", arrow::utf8()),
                                   arrow::field("day", arrow::int32())}));
  const auto bytes =
      WriteParquet(*OneColumn(Numbers(10, false)), WriterProperties::Builder().build());
  for (const int day : {1, 2}) {
    scanned.Add("day=" + std::to_string(day), bytes);
    auto& file = scanned.table->files.back();
    file.partition_values = {arrow::MakeScalar(day)};
    auto map = *file.column_map;
    map[2] = -2;
    file.column_map = std::make_shared<std::vector<int>>(map);
  }
  const auto read = scanned.Run({2, 1, 0});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->num_rows(), 20);
  EXPECT_EQ((*read)->column(1)->null_count(), 20);
  EXPECT_EQ((*read)->column(0)->GetScalar(9).ValueOrDie()->ToString(), "1");
  EXPECT_EQ((*read)->column(0)->GetScalar(10).ValueOrDie()->ToString(), "2");
  // A filter over the partition alone spares the other file.
  scanned.file_system.Remove("day=1");
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(ValueFilter<int32_t>(0, [](int32_t v) { return v == 2; }));
  const auto one = scanned.Run({2, 0}, std::move(filters));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ((*one)->num_rows(), 10);
  EXPECT_EQ(scanned.Get(Metric::kFilesRead), 1);
}

TEST(ScanTypes, NarrowerFilesAreWidened) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto numbers = Numbers(500, true);
  const auto widened = [&](const std::shared_ptr<arrow::DataType>& from,
                           const std::shared_ptr<arrow::DataType>& to) {
    auto array = numbers;
    if (from->id() == arrow::Type::DECIMAL128) {
      array = Cast(Cast(numbers, arrow::decimal128(19, 0)), arrow::decimal128(28, 2));
    }
    array = Cast(array, from);
    ScannedTable scanned;
    scanned.SetSchema(arrow::schema({arrow::field("c", to)}));
    scanned.Add("f",
                WriteParquet(*OneColumn(array), WriterProperties::Builder().build()));
    const auto read = ReadBack(scanned);
    ASSERT_NE(read, nullptr);
    EXPECT_TRUE(read->Equals(*Cast(array, to))) << from->ToString() << to->ToString();
  };
  widened(arrow::int8(), arrow::int64());
  widened(arrow::int16(), arrow::int32());
  widened(arrow::int32(), arrow::float64());
  widened(arrow::float32(), arrow::float64());
  widened(arrow::int32(), arrow::decimal128(20, 5));
  widened(arrow::int64(), arrow::decimal128(38, 18));
  widened(arrow::decimal128(7, 2), arrow::decimal128(38, 30));
  widened(arrow::decimal128(30, 2), arrow::decimal128(32, 4));
}

TEST(ScanTypes, WhatCannotBeReadIsNamed) {
  const auto time = Numbers(10, false)->View(arrow::time64(TimeUnit::MICRO)).ValueOrDie();
  ScannedTable scanned;
  scanned.Add("dir/f",
              WriteParquet(*OneColumn(time), WriterProperties::Builder().build()));
  const auto status = scanned.Run({0}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported) << status;
  EXPECT_NE(status.message().find("dir/f: row group 0, column 'c'"), std::string::npos);
  EXPECT_NE(status.message().find("Time("), std::string::npos) << status;
}

}  // namespace
}  // namespace wheelpit::exec
