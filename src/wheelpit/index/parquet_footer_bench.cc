// SPDX-License-Identifier: Apache-2.0
// One footer of 16 columns and one row group, as 10,000 small files have: ours with a
// known schema, ours alone, Arrow's.
#include <cstring>

#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <benchmark/benchmark.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>

#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::index {
namespace {

struct Sample {
  std::string footer;
  int64_t file_size = 0;
};

Sample MakeSample() {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (int i = 0; i < 16; ++i) {
    arrow::Int64Builder builder;
    (void)builder.Append(i);
    fields.push_back(arrow::field("column_" + std::to_string(i), arrow::int64()));
    columns.push_back(builder.Finish().ValueOrDie());
  }
  const auto table = arrow::Table::Make(arrow::schema(fields), columns);
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  (void)parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink);
  const std::string file = sink->Finish().ValueOrDie()->ToString();
  uint32_t size = 0;
  std::memcpy(&size, file.data() + file.size() - 8, sizeof(size));
  return {file.substr(file.size() - 8 - size, size), static_cast<int64_t>(file.size())};
}

void DecodeKnownSchema(benchmark::State& state) {
  const Sample sample = MakeSample();
  const auto known =
      DecodeParquetFooter(sample.footer, sample.file_size, nullptr).ValueOrDie()->schema;
  for (auto _ : state) {
    benchmark::DoNotOptimize(DecodeParquetFooter(sample.footer, sample.file_size, known));
  }
}
BENCHMARK(DecodeKnownSchema);

void DecodeNewSchema(benchmark::State& state) {
  const Sample sample = MakeSample();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        DecodeParquetFooter(sample.footer, sample.file_size, nullptr));
  }
}
BENCHMARK(DecodeNewSchema);

void DecodeByArrow(benchmark::State& state) {
  const Sample sample = MakeSample();
  for (auto _ : state) {
    benchmark::DoNotOptimize(parquet::FileMetaData::Make(
        sample.footer.data(), static_cast<int64_t>(sample.footer.size())));
  }
}
BENCHMARK(DecodeByArrow);

}  // namespace
}  // namespace wheelpit::index
