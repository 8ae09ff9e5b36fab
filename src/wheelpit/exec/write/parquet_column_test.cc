// SPDX-License-Identifier: Apache-2.0
// Pages of our own, as the library reads them.
#include "wheelpit/exec/write/parquet_column.h"

#include <cmath>
#include <limits>
#include <random>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include "wheelpit/exec/write/code_runs.h"
#include "wheelpit/exec/write/write_fixture.h"

namespace wheelpit::exec {
namespace {

// Bit 0 first, as the runs of Parquet are read.
std::vector<uint16_t> DecodeRuns(const std::vector<uint8_t>& bytes, int width,
                                 size_t count) {
  std::vector<uint16_t> codes;
  size_t at = 0;
  while (codes.size() < count) {
    uint64_t header = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = bytes.at(at++);
      header |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) {
        break;
      }
    }
    const auto value_bytes = static_cast<size_t>((width + 7) / 8);
    if ((header & 1) == 0) {
      uint16_t code = 0;
      for (size_t i = 0; i < value_bytes; ++i) {
        code = static_cast<uint16_t>(code | bytes.at(at + i) << (8 * i));
      }
      at += value_bytes;
      codes.insert(codes.end(), header >> 1, code);
      continue;
    }
    for (uint64_t i = 0; i < (header >> 1) * 8; ++i) {
      uint16_t code = 0;
      for (size_t bit = 0; bit < static_cast<size_t>(width); ++bit) {
        const size_t position = i * static_cast<size_t>(width) + bit;
        const int set = bytes.at(at + position / 8) >> (position % 8) & 1;
        code = static_cast<uint16_t>(code | set << bit);
      }
      codes.push_back(code);
    }
    at += (header >> 1) * static_cast<size_t>(width);
  }
  EXPECT_EQ(at, bytes.size());
  codes.resize(count);
  return codes;
}

TEST(CodeRuns, ComeBackWhateverTheirRunsAre) {
  std::mt19937 random(1);
  for (int width = 1; width <= 16; ++width) {
    for (const int longest : {1, 3, 9, 40, 5000}) {
      std::vector<uint16_t> codes;
      const size_t count = random() % 3000 + 1;
      while (codes.size() < count) {
        codes.insert(codes.end(), random() % static_cast<unsigned>(longest) + 1,
                     static_cast<uint16_t>(random() & ((1u << width) - 1)));
      }
      const int64_t most = RunsBytesMax(std::ssize(codes), width);
      std::vector<uint8_t> bytes(static_cast<size_t>(most));
      const int64_t size = EncodeRuns(codes, width, bytes.data());
      ASSERT_LE(size, most);
      bytes.resize(static_cast<size_t>(size));
      EXPECT_EQ(DecodeRuns(bytes, width, codes.size()), codes);
      if (longest == 5000) {
        EXPECT_LT(size, 200);
      }
    }
  }
}

// A column of `distinct` different values, nulls among them.
struct Shape {
  std::shared_ptr<arrow::DataType> type;
  int64_t distinct = 1;
  double nulls = 0;
};

template <typename Builder, typename Make>
std::shared_ptr<arrow::Array> Build(Builder builder, const Shape& shape, int64_t rows,
                                    std::mt19937_64* random, Make make) {
  for (int64_t i = 0; i < rows; ++i) {
    const bool null = std::uniform_real_distribution<>(0, 1)(*random) < shape.nulls;
    const auto number =
        static_cast<int64_t>((*random)() % static_cast<uint64_t>(shape.distinct));
    EXPECT_TRUE((null ? builder.AppendNull() : builder.Append(make(number))).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> ColumnOf(const Shape& shape, int64_t rows,
                                       std::mt19937_64* random) {
  arrow::MemoryPool* const pool = arrow::system_memory_pool();
  const auto spread = [](int64_t number) { return number * 7919 - 5000; };
  switch (shape.type->id()) {
    case arrow::Type::INT8:
      return Build(arrow::Int8Builder(pool), shape, rows, random,
                   [](int64_t number) { return static_cast<int8_t>(number - 60); });
    case arrow::Type::INT32:
      return Build(arrow::Int32Builder(pool), shape, rows, random,
                   [&](int64_t number) { return static_cast<int32_t>(spread(number)); });
    case arrow::Type::INT64:
      return Build(arrow::Int64Builder(pool), shape, rows, random, spread);
    case arrow::Type::DOUBLE:
      return Build(arrow::DoubleBuilder(pool), shape, rows, random, [](int64_t number) {
        return number == 0   ? -0.0
               : number == 1 ? std::nan("")
                             : static_cast<double>(number) / 3;
      });
    case arrow::Type::DECIMAL128:
      return Build(arrow::Decimal128Builder(shape.type, pool), shape, rows, random,
                   [&](int64_t number) {
                     return arrow::Decimal128(spread(number) % 999'999'999);
                   });
    case arrow::Type::TIMESTAMP:
      return Build(arrow::TimestampBuilder(shape.type, pool), shape, rows, random,
                   spread);
    default:
      return Build(arrow::StringBuilder(pool), shape, rows, random, [&](int64_t number) {
        return std::string(static_cast<size_t>(number % 50), 'x') +
               std::to_string(number);
      });
  }
}

// The library's reader gives everything back, and every page is within its limits.
void Check(const std::shared_ptr<arrow::RecordBatch>& batch, int64_t memory_bytes,
           int64_t row_group_rows) {
  for (const auto& field : batch->schema()->fields()) {
    ASSERT_TRUE(ParquetColumn::Takes(*field->type())) << field->type()->ToString();
  }
  plan::FileFormat format;
  format.row_group_rows = row_group_rows;
  Bytes sink;
  auto writer = MakeFormatWriter(batch->schema(),
                                 {.format = format,
                                  .pool = arrow::system_memory_pool(),
                                  .memory_bytes = memory_bytes},
                                 &sink)
                    .ValueOrDie();
  ASSERT_TRUE(writer->Begin().ok());
  for (int64_t row = 0; row < batch->num_rows(); row += 5000) {
    ASSERT_TRUE(writer->Write(*batch->Slice(row, 5000)).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  const auto table = ReadParquet(sink.text);
  ASSERT_TRUE(table->ValidateFull().ok());
  const auto back = table->CombineChunksToBatch(arrow::system_memory_pool()).ValueOrDie();
  ASSERT_EQ(ValueTexts(*back), ValueTexts(*batch));
}

TEST(ParquetColumn, ValuesComeBackWhateverTheirNumberIs) {
  std::mt19937_64 random(7);
  const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::int8(),           arrow::int32(),
      arrow::int64(),          arrow::float64(),
      arrow::decimal128(9, 2), arrow::decimal128(18, 4),
      arrow::utf8(),           arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")};
  for (const auto& type : types) {
    for (const int64_t distinct : {1, 100, 6000, 1'000'000}) {
      for (const double nulls : {0.0, 0.1, 1.0}) {
        SCOPED_TRACE(type->ToString() + " " + std::to_string(distinct) + " " +
                     std::to_string(nulls));
        const int64_t in_type =
            type->id() == arrow::Type::INT8 ? std::min<int64_t>(distinct, 120) : distinct;
        const auto column = ColumnOf({type, in_type, nulls}, 25'000, &random);
        Check(BatchOf("c", column), 1 << 20, 20'000);
      }
    }
  }
}

TEST(ParquetColumn, WhatIsRareAtFirstAndManyLaterFallsBackToPlain) {
  std::mt19937_64 random(3);
  arrow::Int64Builder numbers(arrow::system_memory_pool());
  arrow::StringBuilder texts(arrow::system_memory_pool());
  for (int64_t i = 0; i < 100'000; ++i) {
    const int64_t number = i < 30'000 ? i % 7 : i;
    ASSERT_TRUE(numbers.Append(number).ok());
    ASSERT_TRUE(texts.Append("text " + std::to_string(number)).ok());
  }
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema(
          {arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())}),
      100'000, {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  Check(batch, 64 << 20, 1'000'000);
  const auto metadata = MetadataOf(Written(batch, {}));
  for (int i = 0; i < 2; ++i) {
    const auto encodings = metadata->RowGroup(0)->ColumnChunk(i)->encodings();
    for (const auto encoding :
         {parquet::Encoding::RLE_DICTIONARY, parquet::Encoding::PLAIN}) {
      EXPECT_NE(std::find(encodings.begin(), encodings.end(), encoding), encodings.end());
    }
  }
}

std::shared_ptr<parquet::ColumnIndex> ColumnIndexOf(const std::string& bytes,
                                                    int column) {
  auto reader = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  return reader->GetPageIndexReader()->RowGroup(0)->GetColumnIndex(column);
}

TEST(ParquetColumn, PagesHaveTheirLimitsInThePageIndex) {
  arrow::Int64Builder numbers(arrow::system_memory_pool());
  arrow::StringBuilder texts(arrow::system_memory_pool());
  for (int64_t i = 0; i < 60'000; ++i) {
    ASSERT_TRUE((i < 45'000 ? numbers.Append(-i / 4) : numbers.AppendNull()).ok());
    ASSERT_TRUE(texts.Append(i % 2 == 0 ? "b" : i < 20'000 ? "a" : "c").ok());
  }
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema(
          {arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())}),
      60'000, {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  const std::string bytes = Written(batch, {});
  const auto limits_of = [&](int column) {
    const auto index = ColumnIndexOf(bytes, column);
    return std::tuple(index->encoded_min_values(), index->encoded_max_values(),
                      index->null_counts(), index->null_pages());
  };
  const auto [low, high, nulls, null_pages] = limits_of(0);
  ASSERT_EQ(low.size(), 4u);  // 19,456 rows each
  int64_t least = 0;
  std::memcpy(&least, low[0].data(), sizeof(least));
  EXPECT_EQ(least, -19'455 / 4);
  EXPECT_EQ(nulls[3], 60'000 - 3 * 19'456);
  EXPECT_TRUE(null_pages[3]);
  EXPECT_FALSE(null_pages[0]);
  const auto text_limits = limits_of(1);
  EXPECT_EQ(std::get<0>(text_limits)[0], "a");
  EXPECT_EQ(std::get<1>(text_limits)[0], "b");
  EXPECT_EQ(std::get<0>(text_limits)[2], "b");
  EXPECT_EQ(std::get<1>(text_limits)[2], "c");
  const auto statistics = MetadataOf(bytes)->RowGroup(0)->ColumnChunk(1)->statistics();
  EXPECT_EQ(statistics->EncodeMin(), "a");
  EXPECT_EQ(statistics->EncodeMax(), "c");
  EXPECT_EQ(MetadataOf(bytes)->RowGroup(0)->ColumnChunk(0)->statistics()->null_count(),
            15'000);
}

TEST(ParquetColumn, NanAndSignsOfZeroAreNoLimits) {
  const auto limits_of = [](std::vector<double> values) {
    arrow::DoubleBuilder builder(arrow::system_memory_pool());
    EXPECT_TRUE(builder.AppendValues(values).ok());
    const auto metadata =
        MetadataOf(Written(BatchOf("x", builder.Finish().ValueOrDie()), {}));
    return metadata->RowGroup(0)->ColumnChunk(0)->statistics();
  };
  const auto number = [](const std::string& bytes) {
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  };
  const double nan = std::nan("");
  const auto some = limits_of({nan, 2.5, -1, nan});
  EXPECT_EQ(number(some->EncodeMin()), -1);
  EXPECT_EQ(number(some->EncodeMax()), 2.5);
  const auto zero = limits_of({0.0, 0.0});
  EXPECT_TRUE(std::signbit(number(zero->EncodeMin())));
  EXPECT_FALSE(std::signbit(number(zero->EncodeMax())));
  EXPECT_TRUE(limits_of({nan, nan}) == nullptr || !limits_of({nan, nan})->HasMinMax());
  const double infinity = std::numeric_limits<double>::infinity();
  const auto infinite = limits_of({infinity, infinity});
  EXPECT_EQ(number(infinite->EncodeMin()), infinity);
}

TEST(ParquetColumn, LongTextHasNoLimitsAndItsPagesEndEarly) {
  arrow::StringBuilder texts(arrow::system_memory_pool());
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(texts.Append(std::string(300'000, static_cast<char>('a' + i % 5))).ok());
  }
  const auto batch = BatchOf("t", texts.Finish().ValueOrDie());
  Check(batch, 4 << 20, 1'000'000);
  const auto metadata = MetadataOf(Written(batch, {}));
  const auto group = metadata->RowGroup(0);
  const auto chunk = group->ColumnChunk(0);
  EXPECT_TRUE(chunk->statistics() == nullptr || !chunk->statistics()->HasMinMax());
}

TEST(ParquetColumn, ANullWhereNoneMayBeIsAnError) {
  arrow::Int32Builder builder(arrow::system_memory_pool());
  ASSERT_TRUE(builder.AppendNull().ok());
  const auto schema = arrow::schema({arrow::field("x", arrow::int32(), false)});
  Bytes sink;
  auto writer =
      MakeFormatWriter(schema, {.format = {}, .pool = arrow::system_memory_pool()}, &sink)
          .ValueOrDie();
  ASSERT_TRUE(writer->Begin().ok());
  auto status = writer->Write(
      *arrow::RecordBatch::Make(schema, 1, {builder.Finish().ValueOrDie()}));
  if (status.ok()) {
    status = writer->Finish();
  }
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace wheelpit::exec
