// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding of keys, over batches that fit the second-level cache. Items are
// rows, bytes those of the keys.
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <benchmark/benchmark.h>

#include "wheelpit/exec/keys/key_encoder.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kRows = 16'384;

uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 33;
}

template <typename Builder>
std::shared_ptr<arrow::Array> Numbers(Builder builder, uint64_t limit) {
  uint64_t state = 1;
  for (int64_t i = 0; i < kRows; ++i) {
    static_cast<void>(builder.Append(static_cast<int32_t>(Next(&state) % limit)));
  }
  return *builder.Finish();
}

// Like l_comment: 10 to 43 bytes.
std::shared_ptr<arrow::Array> Texts() {
  arrow::StringBuilder builder;
  uint64_t state = 3;
  for (int64_t i = 0; i < kRows; ++i) {
    std::string text(10 + Next(&state) % 34, ' ');
    for (char& letter : text) {
      letter = static_cast<char>('a' + Next(&state) % 26);
    }
    static_cast<void>(builder.Append(text));
  }
  return *builder.Finish();
}

arrow::ArrayVector ColumnsOf(int64_t kind) {
  const auto orders = Numbers(arrow::Int64Builder(), 6'000'000);
  const auto lines = Numbers(arrow::Int32Builder(), 7);
  switch (kind) {
    case 0:
      return {orders};
    case 1:
      return {orders, lines};
    case 2:
      return {Numbers(arrow::Decimal128Builder(arrow::decimal128(15, 2)), 100'000)};
    case 3:
      return {Texts()};
    default:
      return {Texts(), orders, lines};
  }
}

std::unique_ptr<KeyEncoder> EncoderOf(const arrow::ArrayVector& columns) {
  std::vector<KeyColumn> keys;
  for (const auto& column : columns) {
    keys.push_back({column->type()});
  }
  return *KeyEncoder::Make(std::move(keys));
}

void BM_Encode(benchmark::State& state) {
  const auto columns = ColumnsOf(state.range(0));
  const auto encoder = EncoderOf(columns);
  int64_t bytes = 0;
  for (auto _ : state) {
    const auto keys = *encoder->Encode(columns, kRows, arrow::default_memory_pool());
    bytes += keys.size_bytes();
    benchmark::DoNotOptimize(keys.bytes());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_Encode)->DenseRange(0, 4);

void BM_Decode(benchmark::State& state) {
  const auto columns = ColumnsOf(state.range(0));
  const auto encoder = EncoderOf(columns);
  const auto keys = *encoder->Encode(columns, kRows, arrow::default_memory_pool());
  std::vector<std::string_view> views;
  for (int64_t i = 0; i < kRows; ++i) {
    views.push_back(keys[i]);
  }
  for (auto _ : state) {
    const auto arrays = *encoder->Decode(views, arrow::default_memory_pool());
    benchmark::DoNotOptimize(arrays.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_Decode)->DenseRange(0, 4);

void BM_Hash(benchmark::State& state) {
  const auto columns = ColumnsOf(state.range(0));
  const auto keys =
      *EncoderOf(columns)->Encode(columns, kRows, arrow::default_memory_pool());
  std::vector<uint64_t> hashes(kRows);
  for (auto _ : state) {
    HashKeys(keys, hashes.data());
    benchmark::DoNotOptimize(hashes.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_Hash)->Arg(0)->Arg(1)->Arg(4);

}  // namespace
}  // namespace wheelpit::exec
