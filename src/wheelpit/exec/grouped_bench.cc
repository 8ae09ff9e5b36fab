// SPDX-License-Identifier: Apache-2.0
// Aggregation by groups without the scan: few groups (as in TPC-H Q1), thousands, and as
// many as rows, without limit and in little memory. CPU time of the process.
#include <random>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <benchmark/benchmark.h>

#include "wheelpit/exec/grouped_fixture.h"

namespace wheelpit::exec {
namespace {

using plan::AggregateFunction;

constexpr int64_t kBatchRows = 8192;
constexpr int64_t kTasks = 16;

plan::ExprPtr ColumnOf(const arrow::Schema& schema, int i) {
  return plan::MakeColumn(i, schema.field(i)->name(), schema.field(i)->type(), false);
}

plan::Aggregate Of(AggregateFunction function, const plan::ExprPtr& argument) {
  return plan::MakeAggregate(function, argument, nullptr, {}).ValueOrDie();
}

std::shared_ptr<arrow::Array> Integers(std::mt19937_64* random, int64_t distinct) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < kBatchRows; ++i) {
    (void)builder.Append(
        static_cast<int64_t>((*random)() % static_cast<uint64_t>(distinct)));
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Decimals(std::mt19937_64* random,
                                       const std::shared_ptr<arrow::DataType>& type) {
  arrow::Decimal128Builder builder(type);
  for (int64_t i = 0; i < kBatchRows; ++i) {
    (void)builder.Append(arrow::Decimal128(static_cast<int64_t>((*random)() % 10000)));
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Flags(std::mt19937_64* random, int count) {
  arrow::StringBuilder values;
  for (int i = 0; i < count; ++i) {
    (void)values.Append(std::string(1, static_cast<char>('A' + i)));
  }
  arrow::Int32Builder codes;
  for (int64_t i = 0; i < kBatchRows; ++i) {
    (void)codes.Append(static_cast<int32_t>((*random)() % static_cast<uint64_t>(count)));
  }
  return arrow::DictionaryArray::FromArrays(codes.Finish().ValueOrDie(),
                                            values.Finish().ValueOrDie())
      .ValueOrDie();
}

template <typename Columns>
void Fill(GroupedRun* run, int64_t rows, Columns columns) {
  std::mt19937_64 random(1);
  run->tasks.resize(kTasks);
  for (int64_t batch = 0; batch < rows / kBatchRows; ++batch) {
    run->tasks[static_cast<size_t>(batch % kTasks)].push_back(
        arrow::RecordBatch::Make(run->input, kBatchRows, columns(&random)));
  }
  run->slots = 2;
}

void Measure(benchmark::State& state, GroupedRun run) {
  GroupedMachine machine;
  GroupedOutcome outcome;
  for (auto step : state) {
    (void)step;
    outcome = machine.Run(run, /*keep_rows=*/false);
    if (!outcome.status.ok()) {
      state.SkipWithError(outcome.status.ToString().c_str());
    }
  }
  state.counters["groups"] = static_cast<double>(outcome.row_count);
  state.counters["spilled_MB"] = static_cast<double>(outcome.spilled_bytes) / 1e6;
  state.counters["peak_MB"] = static_cast<double>(outcome.peak_bytes) / 1e6;
}

void FourGroups(benchmark::State& state) {
  GroupedRun run;
  const auto price = arrow::decimal128(15, 2);
  const auto product = arrow::decimal128(32, 4);
  run.input = arrow::schema(
      {arrow::field("flag", arrow::dictionary(arrow::int32(), arrow::utf8())),
       arrow::field("status", arrow::dictionary(arrow::int32(), arrow::utf8())),
       arrow::field("quantity", price), arrow::field("price", price),
       arrow::field("discounted", product), arrow::field("charge", product),
       arrow::field("discount", price)});
  Fill(&run, 6'000'000, [&](std::mt19937_64* random) {
    return arrow::ArrayVector{Flags(random, 2),          Flags(random, 2),
                              Decimals(random, price),   Decimals(random, price),
                              Decimals(random, product), Decimals(random, product),
                              Decimals(random, price)};
  });
  run.keys = {ColumnOf(*run.input, 0), ColumnOf(*run.input, 1)};
  for (const int i : {2, 3, 4, 5}) {
    run.aggregates.push_back(Of(AggregateFunction::kSum, ColumnOf(*run.input, i)));
  }
  for (const int i : {2, 3, 6}) {
    run.aggregates.push_back(Of(AggregateFunction::kAvg, ColumnOf(*run.input, i)));
  }
  run.aggregates.push_back(Of(AggregateFunction::kCountAll, nullptr));
  Measure(state, std::move(run));
}

// Two bigint keys of so many values together; count(*).
void IntegerKeys(benchmark::State& state) {
  GroupedRun run;
  run.input = arrow::schema(
      {arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  const int64_t distinct = state.range(0);
  Fill(&run, 6'000'000, [&](std::mt19937_64* random) {
    return arrow::ArrayVector{Integers(random, 10), Integers(random, distinct / 10)};
  });
  run.keys = {ColumnOf(*run.input, 0), ColumnOf(*run.input, 1)};
  run.aggregates = {Of(AggregateFunction::kCountAll, nullptr)};
  run.memory_bytes = state.range(1) << 20;
  Measure(state, std::move(run));
}

BENCHMARK(FourGroups)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK(IntegerKeys)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond)
    ->ArgNames({"groups", "MiB"})
    ->Args({10'000, 4096})
    ->Args({200'000, 4096})
    ->Args({1'000'000, 4096})
    ->Args({100'000'000, 4096})
    ->Args({100'000'000, 256})
    ->Args({100'000'000, 64});

}  // namespace
}  // namespace wheelpit::exec
