// SPDX-License-Identifier: Apache-2.0
// How far encoding and decoding are from copying the same bytes. A decode that is not
// compressed copies nothing: what it costs is the look at every value.
#include <cstring>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

constexpr int64_t kRows = 64 << 10;

void Check(const arrow::Status& status) {
  WHEELPIT_CHECK(status.ok(), +status.ToString());
}

template <typename Builder>
std::shared_ptr<arrow::RecordBatch> Words(Builder builder) {
  for (int64_t i = 0; i < kRows; ++i) {
    Check(builder.Append("the words of row number " + std::to_string(i * 7919 % kRows)));
  }
  std::shared_ptr<arrow::Array> column;
  Check(builder.Finish(&column));
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", column->type())}),
                                  kRows, {column});
}

std::shared_ptr<arrow::RecordBatch> Numbers() {
  arrow::Int64Builder builder(arrow::system_memory_pool());
  for (int64_t i = 0; i < kRows * 4; ++i) {
    Check(builder.Append(i * 7919 % 1'000'000));
  }
  std::shared_ptr<arrow::Array> column;
  Check(builder.Finish(&column));
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", column->type())}),
                                  kRows * 4, {column});
}

std::shared_ptr<arrow::RecordBatch> BatchOf(int64_t kind) {
  arrow::MemoryPool* pool = arrow::system_memory_pool();
  switch (kind) {
    case 0:
      return Numbers();
    case 1:
      return Words(arrow::StringBuilder(pool));
    case 2:
      return Words(arrow::StringViewBuilder(arrow::utf8_view(), pool));
    default:  // every hundredth part of the views
      return BatchOf(2)->Slice(kRows / 2, kRows / 100);
  }
}

const char* const kKinds[] = {"int64", "utf8", "utf8_view", "slice of utf8_view"};

// Bytes of the batch before compression, as encoded.
int64_t RawBytes(const arrow::RecordBatch& batch) {
  return EncodeIpc(batch, {}, arrow::system_memory_pool()).ValueOr(nullptr)->size();
}

// Arguments: kind of batch, compression.
void Encode(benchmark::State& state) {
  const auto batch = BatchOf(state.range(0));
  const EncodeOptions options{.compression = static_cast<Compression>(state.range(1))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        EncodeIpc(*batch, options, arrow::system_memory_pool()).ok());
  }
  state.SetBytesProcessed(state.iterations() * RawBytes(*batch));
  state.SetLabel(kKinds[state.range(0)]);
}
BENCHMARK(Encode)->ArgsProduct({{0, 1, 2, 3}, {0, 1, 2}});

void Decode(benchmark::State& state) {
  const auto batch = BatchOf(state.range(0));
  const EncodeOptions options{.compression = static_cast<Compression>(state.range(1))};
  const auto bytes =
      EncodeIpc(*batch, options, arrow::system_memory_pool()).ValueOr(nullptr);
  const auto decoder = IpcDecoder::Make(batch->schema(), {}).ValueOr(nullptr);
  for (auto _ : state) {
    benchmark::DoNotOptimize(decoder->Decode(bytes, arrow::system_memory_pool()).ok());
  }
  state.SetBytesProcessed(state.iterations() * RawBytes(*batch));
  state.SetLabel(kKinds[state.range(0)]);
}
BENCHMARK(Decode)->ArgsProduct({{0, 1, 2, 3}, {0, 1, 2}});

void CopyInMemory(benchmark::State& state) {
  const std::vector<uint8_t> from(2 << 20, 'x');
  std::vector<uint8_t> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(from));
}
BENCHMARK(CopyInMemory);

}  // namespace

}  // namespace wheelpit::block
