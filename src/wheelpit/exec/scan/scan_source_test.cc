// SPDX-License-Identifier: Apache-2.0
// Whole scans of files that Arrow wrote, against what was written.
#include "wheelpit/exec/scan/scan_source.h"

#include <numeric>
#include <optional>
#include <random>

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/bit_util.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using core::ErrorKind;
using core::KindOf;
using core::Metric;
using parquet::WriterProperties;

std::shared_ptr<arrow::Buffer> Write(const arrow::Table& table,
                                     std::shared_ptr<WriterProperties> properties,
                                     int64_t row_group_rows = 1 << 20,
                                     bool int96 = false) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (int96) arrow_properties.enable_deprecated_int96_timestamps();
  const auto status = parquet::arrow::WriteTable(
      table, arrow::default_memory_pool(), sink, row_group_rows, std::move(properties),
      arrow_properties.build());
  EXPECT_TRUE(status.ok()) << status;
  return sink->Finish().ValueOrDie();
}

// A table of files in memory and scans of it.
class Scanned {
 public:
  Scanned() {
    table_->name = "t";
    table_->file_system = &file_system;
  }

  // The first file's schema is the table's unless `schema` is given.
  void Add(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
           std::shared_ptr<arrow::Schema> schema = nullptr) {
    arrow::io::BufferReader reader(bytes);
    int64_t bytes_read = 0;
    index::TableFile file;
    file.path = path;
    file.size_bytes = bytes->size();
    auto footer =
        index::ReadParquetFooter(reader, path, bytes->size(), nullptr, &bytes_read);
    ASSERT_TRUE(footer.ok()) << footer.status();
    file.footer = *footer;
    if (schema != nullptr) table_->schema = schema;
    if (table_->schema == nullptr) table_->schema = file.footer->schema->arrow;
    auto map = std::make_shared<std::vector<int>>();
    for (const auto& field : table_->schema->fields()) {
      map->push_back(file.footer->schema->arrow->GetFieldIndex(field->name()));
    }
    file.column_map = map;
    split.push_back({.file = static_cast<int>(table_->files.size()),
                     .first_row_group = 0,
                     .last_row_group = static_cast<int>(file.footer->row_groups.size())});
    table_->files.push_back(std::move(file));
    file_system.Put(path, std::move(bytes));
  }

  std::vector<int> AllColumns() const {
    std::vector<int> all(static_cast<size_t>(table_->schema->num_fields()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  arrow::Result<std::shared_ptr<arrow::Table>> Run(
      std::vector<int> columns, std::vector<std::unique_ptr<RowFilter>> filters = {},
      std::optional<std::vector<int>> output = std::nullopt) {
    if (!output) {
      output.emplace(columns.size());
      std::iota(output->begin(), output->end(), 0);
    }
    arrow::FieldVector fields;
    for (const int i : *output) {
      fields.push_back(table_->schema->field(columns[static_cast<size_t>(i)]));
    }
    metrics = std::make_unique<core::MetricSet>();
    core::TaskGroup io_tasks(io_.get());
    ScanOptions options{.table = table_,
                        .columns = std::move(columns),
                        .filters = std::move(filters),
                        .output = *output,
                        .split = split,
                        .batch_rows = batch_rows,
                        .prefetch_bytes = prefetch_bytes,
                        .io_tasks = &io_tasks,
                        .metrics = metrics.get()};
    core::Context context{.pool = arrow::default_memory_pool(), .io = io_.get()};
    context.stop = stop.token();
    ARROW_ASSIGN_OR_RAISE(auto source, MakeScanSource(std::move(options), context));
    ARROW_ASSIGN_OR_RAISE(batches, RunToEnd(source.get()));
    source.reset();
    ARROW_RETURN_NOT_OK(io_tasks.Close());
    return arrow::Table::FromRecordBatches(arrow::schema(fields), batches);
  }

  int64_t Metric(core::Metric metric) const { return metrics->Get(metric); }

  MemoryFileSystem file_system;
  index::Split split;
  int64_t batch_rows = 1000;
  int64_t prefetch_bytes = int64_t{8} << 20;
  std::unique_ptr<core::MetricSet> metrics;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  arrow::StopSource stop;
  index::Table& table() { return *table_; }

 private:
  std::shared_ptr<index::Table> table_ = std::make_shared<index::Table>();
  std::unique_ptr<core::ThreadPool> io_ =
      core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kIo})
          .ValueOrDie();
};

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
      Write(*table, Builder().build()),
      Write(*table, small(Builder()), 1700),
      Write(*table, small(*Builder().disable_dictionary()), 1700),
      Write(*table, small(*Builder().dictionary_pagesize_limit(200)), 1700),
      Write(*table, small(*Builder().compression(parquet::Compression::SNAPPY)), 1700),
      Write(*table,
            small(*Builder()
                       .compression(parquet::Compression::ZSTD)
                       ->data_page_version(parquet::ParquetDataPageVersion::V2)
                       ->enable_page_checksum()
                       ->enable_store_decimal_as_integer()),
            1700),
      Write(*table, small(*Builder().compression(parquet::Compression::GZIP)), 1700),
      Write(*table, small(*Builder().compression(parquet::Compression::BROTLI)), 1700),
      Write(*table, small(*Builder().compression(parquet::Compression::LZ4)), 1700),
  };
  for (const auto& file : files) {
    for (const int64_t prefetch : {int64_t{8} << 20, int64_t{64} << 10}) {
      Scanned scanned;
      scanned.prefetch_bytes = prefetch;
      scanned.Add("f.parquet", file);
      const auto read = scanned.Run(scanned.AllColumns());
      ASSERT_TRUE(read.ok()) << read.status();
      ExpectEqual(**read, *table);
      EXPECT_EQ(scanned.Metric(Metric::kRowsRead), 5000);
      EXPECT_EQ(scanned.Metric(Metric::kPagesSkipped), 0);
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
    Scanned scanned;
    scanned.Add("f.parquet", Write(*table, builder.build(), 3000));
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
  Scanned scanned;
  scanned.Add("f.parquet", Write(*table, WriterProperties::Builder().build(), 1500));
  scanned.file_system.Remove("f.parquet");
  const auto read = scanned.Run({});
  ASSERT_TRUE(read.ok()) << read.status();
  int64_t rows = 0;
  for (const auto& batch : scanned.batches) {
    EXPECT_LE(batch->num_rows(), scanned.batch_rows);
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 5000);
  EXPECT_EQ(scanned.Metric(Metric::kReads), 0);
}

}  // namespace
}  // namespace wheelpit::exec
