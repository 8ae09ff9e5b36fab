// SPDX-License-Identifier: Apache-2.0
// Whole scans of files that Arrow wrote, against what was written.
#include "wheelpit/exec/scan/scan_source.h"

#include <random>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using core::Metric;
using parquet::WriterProperties;

void ExpectEqual(const arrow::Table& actual, const arrow::Table& expected) {
  ASSERT_TRUE(actual.ValidateFull().ok()) << actual.ValidateFull();
  ASSERT_EQ(actual.num_rows(), expected.num_rows());
  for (int i = 0; i < actual.num_columns(); ++i) {
    EXPECT_TRUE(actual.column(i)->Equals(*expected.column(i)))
        << actual.field(i)->ToString() << "\n"
        << actual.column(i)->Slice(0, 10)->ToString() << "\n"
        << expected.column(i)->Slice(0, 10)->ToString();
  }
}

// Columns of every flat type, with few and with many distinct values, with nulls.
std::shared_ptr<arrow::Array> Numbers(int64_t rows, int64_t distinct, double null_share,
                                      uint32_t seed) {
  std::mt19937 random(seed);
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    if (static_cast<double>(random() % 1000) < null_share * 1000) {
      EXPECT_TRUE(builder.AppendNull().ok());
    } else {
      EXPECT_TRUE(builder.Append(static_cast<int64_t>(random()) % distinct - 5).ok());
    }
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> As(const std::shared_ptr<arrow::Array>& numbers,
                                 const std::shared_ptr<arrow::DataType>& type) {
  using arrow::compute::Cast;
  if (type->id() == arrow::Type::BOOL) {
    return arrow::compute::CallFunction("greater", {numbers, arrow::Datum(int64_t{0})})
        .ValueOrDie()
        .make_array();
  }
  auto from = numbers;
  if (type->id() == arrow::Type::BINARY) from = Cast(*from, arrow::utf8()).ValueOrDie();
  if (type->id() == arrow::Type::DATE32) from = Cast(*from, arrow::int32()).ValueOrDie();
  if (type->id() == arrow::Type::DECIMAL128) {
    from = Cast(*from, arrow::decimal128(19, 0)).ValueOrDie();
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
    from = Cast(*from, arrow::decimal128(38, decimal.scale())).ValueOrDie();
  }
  return Cast(*from, type).ValueOrDie();
}

std::shared_ptr<arrow::Table> FlatTable(int64_t rows) {
  EXPECT_TRUE(arrow::compute::Initialize().ok());
  using namespace arrow;
  const std::vector<std::shared_ptr<DataType>> types = {boolean(),
                                                        int8(),
                                                        int16(),
                                                        int32(),
                                                        int64(),
                                                        float32(),
                                                        float64(),
                                                        date32(),
                                                        timestamp(TimeUnit::MICRO, "UTC"),
                                                        timestamp(TimeUnit::MICRO),
                                                        utf8(),
                                                        binary(),
                                                        decimal128(7, 2),
                                                        decimal128(15, 2),
                                                        decimal128(30, 3)};
  FieldVector fields;
  ArrayVector arrays;
  uint32_t seed = 1;
  for (const auto& type : types) {
    for (const int64_t distinct : {20, 100}) {
      for (const double nulls : {0.0, 0.2}) {
        fields.push_back(field(type->ToString() + std::to_string(seed), type, nulls > 0));
        arrays.push_back(As(Numbers(rows, distinct, nulls, seed++), type));
      }
    }
  }
  return Table::Make(schema(fields), arrays);
}

TEST(ScanSource, FlatTypesReadAsWrittenUnderEveryOption) {
  const auto table = FlatTable(5000);
  using Builder = WriterProperties::Builder;
  const auto small = [](Builder builder) {
    return builder.data_pagesize(2000)->write_batch_size(100)->build();
  };
  const std::vector<std::shared_ptr<arrow::Buffer>> files = {
      WriteParquet(*table, Builder().build()),
      WriteParquet(*table, small(Builder()), 1700),
      WriteParquet(*table, small(*Builder().disable_dictionary()), 1700),
      WriteParquet(*table, small(*Builder().dictionary_pagesize_limit(200)), 1700),
      WriteParquet(*table, small(*Builder().compression(parquet::Compression::SNAPPY)),
                   1700),
      WriteParquet(*table,
                   small(*Builder()
                              .compression(parquet::Compression::ZSTD)
                              ->data_page_version(parquet::ParquetDataPageVersion::V2)
                              ->enable_page_checksum()
                              ->enable_store_decimal_as_integer()),
                   1700),
      WriteParquet(*table, small(*Builder().compression(parquet::Compression::GZIP)),
                   1700),
      WriteParquet(*table, small(*Builder().compression(parquet::Compression::BROTLI)),
                   1700),
      WriteParquet(*table, small(*Builder().compression(parquet::Compression::LZ4)),
                   1700),
  };
  for (const auto& file : files) {
    for (const int64_t prefetch : {int64_t{8} << 20, int64_t{64} << 10}) {
      ScannedTable scanned;
      scanned.prefetch_bytes = prefetch;
      scanned.Add("f.parquet", file);
      const auto read = scanned.Run(scanned.AllColumns());
      ASSERT_TRUE(read.ok()) << read.status();
      ExpectEqual(**read, *table);
      EXPECT_EQ(scanned.Get(Metric::kRowsRead), 5000);
      EXPECT_EQ(scanned.Get(Metric::kPagesSkipped), 0);
      for (const auto& batch : scanned.batches) {
        EXPECT_LE(batch->num_rows(), scanned.batch_rows);
      }
    }
  }
}

TEST(ScanSource, FiltersAndLateColumnsAgreeWithArrow) {
  const auto table = FlatTable(8000);
  const int64_t wanted = 3;
  const int numbers = 4 * 4 + 1;  // int64, few values, nulls
  const int plain = 4 * 4 + 3;    // int64, more values, nulls
  for (const bool dictionary : {true, false}) {
    WriterProperties::Builder builder;
    builder.data_pagesize(1000)->write_batch_size(50);
    if (!dictionary) builder.disable_dictionary();
    ScannedTable scanned;
    scanned.Add("f.parquet", WriteParquet(*table, builder.build(), 3000));
    std::vector<std::unique_ptr<RowFilter>> filters;
    filters.push_back(
        ValueFilter<int64_t>(numbers, [&](int64_t v) { return v == wanted; }));
    filters.push_back(ValueFilter<int64_t>(plain, [&](int64_t v) { return v > 50; }));
    const auto read = scanned.Run(scanned.AllColumns(), std::move(filters));
    ASSERT_TRUE(read.ok()) << read.status();
    using arrow::compute::CallFunction;
    const auto mask =
        CallFunction(
            "and",
            {CallFunction("equal", {table->column(numbers), arrow::Datum(wanted)})
                 .ValueOrDie(),
             CallFunction("greater", {table->column(plain), arrow::Datum(int64_t{50})})
                 .ValueOrDie()})
            .ValueOrDie();
    const auto expected = arrow::compute::Filter(table, mask).ValueOrDie().table();
    ASSERT_GT(expected->num_rows(), 10);
    ExpectEqual(**read, *expected);
  }
}

TEST(ScanSource, CountsWithoutColumnsReadNothing) {
  const auto table = FlatTable(5000);
  ScannedTable scanned;
  scanned.Add("f.parquet",
              WriteParquet(*table, WriterProperties::Builder().build(), 1500));
  scanned.file_system.Remove("f.parquet");
  const auto read = scanned.Run({});
  ASSERT_TRUE(read.ok()) << read.status();
  int64_t rows = 0;
  for (const auto& batch : scanned.batches) {
    EXPECT_LE(batch->num_rows(), scanned.batch_rows);
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 5000);
  EXPECT_EQ(scanned.Get(Metric::kReads), 0);
}

TEST(ScanSource, AFilterSeesTheDictionaryOnceAndNotTheRows) {
  const auto table = FlatTable(20'000);
  const int column = 4 * 4;  // int64, 20 values
  ScannedTable scanned;
  scanned.Add("f.parquet",
              WriteParquet(*table, WriterProperties::Builder().build(), 10'000));
  auto filter = ValueFilter<int64_t>(0, [](int64_t v) { return v == 3; });
  const auto* counted = static_cast<FunctionFilter*>(filter.get());
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(std::move(filter));
  // The filter lives in the source, so its count is read through its last value.
  int64_t evaluated = 0;
  filters.push_back(std::make_unique<FunctionFilter>(
      std::vector<int>{0},
      [&](const arrow::ArrayVector&, int64_t) -> arrow::Result<bool> {
        evaluated = counted->evaluated_rows;
        return true;
      }));
  const auto read = scanned.Run({column}, std::move(filters), std::vector<int>{});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_GT(evaluated, 0);
  EXPECT_LE(evaluated, 2 * 20);
}

TEST(ScanSource, PagesWithoutARowLeftAreNotDecoded) {
  arrow::Int64Builder ordered;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(ordered.Append(i).ok());
    ASSERT_TRUE(texts.Append("some longer text " + std::to_string(i * 7919)).ok());
  }
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("key", arrow::int64(), false),
                                        arrow::field("text", arrow::utf8(), false)}),
                         {ordered.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  ScannedTable scanned;
  scanned.Add("f.parquet", WriteParquet(*table, WriterProperties::Builder()
                                                    .disable_dictionary()
                                                    ->data_pagesize(20'000)
                                                    ->write_batch_size(500)
                                                    ->build()));
  ASSERT_TRUE(scanned.Run({0, 1}).ok());
  const int64_t all = scanned.Get(Metric::kBytesDecoded);
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(ValueFilter<int64_t>(0, [](int64_t v) { return v == 54'321; }));
  const auto read = scanned.Run({0, 1}, std::move(filters), std::vector<int>{1});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ((*read)->num_rows(), 1);
  ExpectEqual(**read, *table->SelectColumns({1}).ValueOrDie()->Slice(54'321, 1));
  EXPECT_GT(scanned.Get(Metric::kPagesSkipped), 50);
  // The key column and one page of texts.
  EXPECT_LT(scanned.Get(Metric::kBytesDecoded), 800'000 + 50'000);
  EXPECT_GT(all, 3'000'000);
}

TEST(ScanSource, AFilterThatFailsForAValueThatNoRowHasDoesNotFail) {
  const auto table = FlatTable(3000);
  const int column = 4 * 4;
  ScannedTable scanned;
  scanned.Add("f.parquet", WriteParquet(*table, WriterProperties::Builder().build()));
  const auto make = [](int64_t bad) {
    return std::make_unique<FunctionFilter>(
        std::vector<int>{0},
        [bad](const arrow::ArrayVector& arrays, int64_t row) -> arrow::Result<bool> {
          const int64_t value = arrays[0]->data()->GetValues<int64_t>(1)[row];
          if (value == bad) return core::Error(core::ErrorKind::kData, "bad value");
          return value == 3;
        },
        /*may_fail=*/true);
  };
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(make(5));
  filters.push_back(ValueFilter<int64_t>(0, [](int64_t v) { return v < 5; }));
  const auto read = scanned.Run({column}, std::move(filters));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_GT((*read)->num_rows(), 10);
  filters.clear();
  filters.push_back(make(4));
  filters.push_back(ValueFilter<int64_t>(0, [](int64_t v) { return v < 5; }));
  EXPECT_EQ(core::KindOf(scanned.Run({column}, std::move(filters)).status()),
            core::ErrorKind::kData);
}

TEST(ScanSource, SmallFilesComeInOrderWithOneReadEach) {
  const auto table = FlatTable(300);
  ScannedTable scanned;
  for (int i = 0; i < 300; ++i) {
    scanned.Add("f" + std::to_string(i),
                WriteParquet(*table->Slice(i, 1), WriterProperties::Builder().build()));
  }
  const std::vector<int> columns = {16, 17, 40, 41};
  const auto read = scanned.Run(columns);
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectEqual(**read, *table->SelectColumns(columns).ValueOrDie());
  EXPECT_EQ(scanned.Get(Metric::kReads), 300);
  EXPECT_EQ(scanned.Get(Metric::kFilesRead), 300);
}

TEST(ScanSource, AStopEndsTheScan) {
  ScannedTable scanned;
  scanned.Add("f", WriteParquet(*FlatTable(100), WriterProperties::Builder().build()));
  arrow::StopSource stop;
  scanned.stop = stop.token();
  stop.RequestStop();
  EXPECT_EQ(core::KindOf(scanned.Run({0}).status()), core::ErrorKind::kCancelled);
}

TEST(ScanSource, WideRowsComeInSmallBatchesAndHugeOnesAlone) {
  arrow::StringBuilder texts;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(texts.Append(std::string(100'000, static_cast<char>('a' + i % 26))).ok());
  }
  ASSERT_TRUE(texts.Append(std::string(100'000'000, 'h')).ok());
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("s", arrow::utf8(), false)}),
                         {texts.Finish().ValueOrDie()});
  for (const bool dictionary : {true, false}) {
    WriterProperties::Builder builder;
    builder.compression(parquet::Compression::SNAPPY)->write_batch_size(10);
    if (!dictionary) builder.disable_dictionary();
    ScannedTable scanned;
    scanned.prefetch_bytes = 1 << 20;
    scanned.Add("f", WriteParquet(*table, builder.build(), 100));
    const auto read = scanned.Run({0});
    ASSERT_TRUE(read.ok()) << read.status();
    ExpectEqual(**read, *table);
    for (const auto& batch : scanned.batches) {
      EXPECT_LE(batch->num_rows(), 11);
    }
    EXPECT_EQ(scanned.batches.back()->num_rows(), 1);
  }
}

}  // namespace
}  // namespace wheelpit::exec
