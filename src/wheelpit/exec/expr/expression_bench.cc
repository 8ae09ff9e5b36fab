// SPDX-License-Identifier: Apache-2.0
// Loops that queries spend their time in, over batches that fit the second-level cache.
// Items are rows; bytes are those of the columns that are read.
#include <memory>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <benchmark/benchmark.h>

#include "wheelpit/exec/expr/aggregate_state.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;
using plan::Function;

constexpr int64_t kRows = 16'384;

// A fixed sequence without a pattern that a branch predictor could learn.
uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 33;
}

std::shared_ptr<arrow::Array> Longs() {
  arrow::Int64Builder builder;
  uint64_t state = 1;
  for (int64_t i = 0; i < kRows; ++i) {
    static_cast<void>(builder.Append(static_cast<int64_t>(Next(&state) % 100)));
  }
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Decimals() {
  arrow::Decimal128Builder builder(arrow::decimal128(15, 2));
  uint64_t state = 2;
  for (int64_t i = 0; i < kRows; ++i) {
    static_cast<void>(
        builder.Append(arrow::Decimal128(static_cast<int64_t>(Next(&state) % 10'000))));
  }
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Doubles() {
  arrow::DoubleBuilder builder;
  uint64_t state = 3;
  for (int64_t i = 0; i < kRows; ++i) {
    static_cast<void>(builder.Append(static_cast<double>(Next(&state) % 100) / 7));
  }
  return *builder.Finish();
}

ExprPtr Column(int i, const std::shared_ptr<arrow::Array>& array) {
  return plan::MakeColumn(i, "c" + std::to_string(i), array->type(), true);
}

ExprPtr Decimal(int64_t unscaled) {
  return plan::MakeLiteral(std::make_shared<arrow::Decimal128Scalar>(
      arrow::Decimal128(unscaled), arrow::decimal128(4, 2)));
}

arrow::Schema SchemaOf(const arrow::ArrayVector& columns) {
  arrow::FieldVector fields;
  for (const auto& column : columns) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), column->type()));
  }
  return arrow::Schema(fields);
}

void RunFilter(benchmark::State& state, const arrow::ArrayVector& columns,
               const std::vector<ExprPtr>& conjuncts, int64_t row_bytes) {
  const auto filter =
      *Filter::Make(conjuncts, SchemaOf(columns), {.pool = arrow::default_memory_pool()});
  Selection selection;
  for (auto _ : state) {
    if (!filter->Select(columns, kRows, &selection).ok()) {
      state.SkipWithError("filter failed");
    }
    benchmark::DoNotOptimize(selection.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * kRows * row_bytes);
}

void RunProject(benchmark::State& state, const arrow::ArrayVector& columns,
                const ExprPtr& expression, int64_t row_bytes) {
  const auto evaluator = *Evaluator::Make({expression}, SchemaOf(columns),
                                          {.pool = arrow::default_memory_pool()});
  for (auto _ : state) {
    const auto arrays = evaluator->Evaluate(columns, kRows);
    if (!arrays.ok()) {
      state.SkipWithError("evaluation failed");
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * kRows * row_bytes);
}

// The argument is the share of rows that are selected, in percent.
void BM_LongLessLiteral(benchmark::State& state) {
  const arrow::ArrayVector columns = {Longs()};
  const auto bound = static_cast<int32_t>(state.range(0));
  RunFilter(
      state, columns,
      {*plan::MakeCall(Function::kLess,
                       {Column(0, columns[0]),
                        plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(bound))})},
      8);
}
BENCHMARK(BM_LongLessLiteral)->Arg(0)->Arg(2)->Arg(50)->Arg(100);

void BM_DecimalLessLiteral(benchmark::State& state) {
  const arrow::ArrayVector columns = {Decimals()};
  RunFilter(state, columns,
            {*plan::MakeCall(Function::kLess,
                             {Column(0, columns[0]), Decimal(state.range(0) * 100)})},
            16);
}
BENCHMARK(BM_DecimalLessLiteral)->Arg(2)->Arg(50);

void BM_FiveConjuncts(benchmark::State& state) {
  const arrow::ArrayVector columns = {Longs(), Decimals(), Decimals()};
  const ExprPtr year = Column(0, columns[0]);
  const ExprPtr discount = Column(1, columns[1]);
  const auto literal = [](int32_t value) {
    return plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(value));
  };
  RunFilter(state, columns,
            {*plan::MakeCall(Function::kGreaterEqual, {year, literal(40)}),
             *plan::MakeCall(Function::kLess, {year, literal(55)}),
             *plan::MakeCall(Function::kGreaterEqual, {discount, Decimal(2000)}),
             *plan::MakeCall(Function::kLessEqual, {discount, Decimal(5000)}),
             *plan::MakeCall(Function::kLess, {Column(2, columns[2]), Decimal(5000)})},
            40);
}
BENCHMARK(BM_FiveConjuncts);

void BM_DecimalMultiply(benchmark::State& state) {
  const arrow::ArrayVector columns = {Decimals(), Decimals()};
  RunProject(state, columns,
             *plan::MakeCall(Function::kMultiply,
                             {Column(0, columns[0]), Column(1, columns[1])}),
             32);
}
BENCHMARK(BM_DecimalMultiply);

void BM_DecimalPriceWithDiscount(benchmark::State& state) {
  const arrow::ArrayVector columns = {Decimals(), Decimals()};
  const ExprPtr one = plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(1));
  RunProject(state, columns,
             *plan::MakeCall(
                 Function::kMultiply,
                 {Column(0, columns[0]),
                  *plan::MakeCall(Function::kSubtract, {one, Column(1, columns[1])})}),
             32);
}
BENCHMARK(BM_DecimalPriceWithDiscount);

void BM_DoubleArithmetic(benchmark::State& state) {
  const arrow::ArrayVector columns = {Doubles(), Doubles()};
  RunProject(
      state, columns,
      *plan::MakeCall(Function::kAdd,
                      {*plan::MakeCall(Function::kMultiply,
                                       {Column(0, columns[0]), Column(1, columns[1])}),
                       Column(0, columns[0])}),
      16);
}
BENCHMARK(BM_DoubleArithmetic);

void BM_LongAddChecked(benchmark::State& state) {
  const arrow::ArrayVector columns = {Longs(), Longs()};
  RunProject(
      state, columns,
      *plan::MakeCall(Function::kAdd, {Column(0, columns[0]), Column(1, columns[1])}),
      16);
}
BENCHMARK(BM_LongAddChecked);

void BM_DecimalSum(benchmark::State& state) {
  const arrow::ArrayVector columns = {Decimals()};
  const auto aggregates =
      *Aggregates::Make({*plan::MakeAggregate(plan::AggregateFunction::kSum,
                                              Column(0, columns[0]), nullptr, {})},
                        SchemaOf(columns), {.pool = arrow::default_memory_pool()});
  for (auto _ : state) {
    if (!aggregates->Update(columns, kRows).ok()) {
      state.SkipWithError("update failed");
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * kRows * 16);
}
BENCHMARK(BM_DecimalSum);

}  // namespace
}  // namespace wheelpit::exec
