// SPDX-License-Identifier: Apache-2.0
// What it costs to encode rows of the width of TPC-H lineitem in each format. The file
// named by WHEELPIT_BENCH_FILE (Parquet) is written instead, if there is one.
#include <cstdlib>

#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <benchmark/benchmark.h>
#include <parquet/arrow/reader.h>

#include "wheelpit/exec/write/format_writer.h"
#include "wheelpit/exec/write/many_rows.h"
#include "wheelpit/exec/write/plain_columns.h"

namespace wheelpit::exec {
namespace {

class Counter final : public ByteSink {
 public:
  arrow::Status Write(std::string_view bytes) override {
    bytes_ += static_cast<int64_t>(bytes.size());
    return arrow::Status::OK();
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

arrow::RecordBatchVector Rows() {
  const char* path = std::getenv("WHEELPIT_BENCH_FILE");
  if (path == nullptr) {
    return {ManyRows(1'000'000)};
  }
  auto reader = parquet::arrow::OpenFile(arrow::io::ReadableFile::Open(path).ValueOrDie(),
                                         arrow::system_memory_pool())
                    .ValueOrDie();
  const auto table = reader->ReadTable().ValueOrDie();
  arrow::TableBatchReader batches(*table);
  batches.set_chunksize(8192);
  // Text as the engine's own scan gives it, not as views.
  arrow::RecordBatchVector rows;
  for (const auto& batch : batches.ToRecordBatches().ValueOrDie()) {
    rows.push_back(PlainRows(*batch, arrow::system_memory_pool()).ValueOrDie());
  }
  return rows;
}

void Encode(benchmark::State& state, plan::FileFormatKind kind, plan::FileCodec codec,
            int64_t memory_bytes) {
  static const arrow::RecordBatchVector rows = Rows();
  plan::FileFormat format;
  format.kind = kind;
  format.codec = codec;
  for (auto _ : state) {
    arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
    Counter sink;
    auto writer =
        MakeFormatWriter(rows[0]->schema(),
                         {.format = format, .pool = &pool, .memory_bytes = memory_bytes},
                         &sink)
            .ValueOrDie();
    benchmark::DoNotOptimize(writer->Begin().ok());
    for (const auto& batch : rows) {
      benchmark::DoNotOptimize(writer->Write(*batch).ok());
    }
    benchmark::DoNotOptimize(writer->Finish().ok());
    state.counters["MB"] = static_cast<double>(sink.bytes()) / 1e6;
    state.counters["peak_MB"] = static_cast<double>(pool.max_memory()) / 1e6;
  }
}

using plan::FileCodec;
using plan::FileFormatKind;
BENCHMARK_CAPTURE(Encode, parquet_snappy_copy, FileFormatKind::kParquet,
                  FileCodec::kSnappy, 3 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, parquet_snappy, FileFormatKind::kParquet, FileCodec::kSnappy,
                  64 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, parquet_zstd_copy, FileFormatKind::kParquet, FileCodec::kZstd,
                  3 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, csv, FileFormatKind::kCsv, FileCodec::kNone, 3 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, ndjson, FileFormatKind::kJsonLines, FileCodec::kNone, 3 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, arrow, FileFormatKind::kArrow, FileCodec::kNone, 3 << 20)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wheelpit::exec
