// SPDX-License-Identifier: Apache-2.0
// Scans of Parquet files that exist: WHEELPIT_BENCH_PARQUET names TPC-H lineitem, as one
// file or a glob. CPU is of the whole process, I/O threads included.
#include <cstdlib>
#include <numeric>

#include <arrow/scalar.h>
#include <benchmark/benchmark.h>

#include "wheelpit/exec/scan/scan_fixture.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/index/predicate.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::exec {
namespace {

using Filters = std::vector<std::unique_ptr<RowFilter>>;

struct Query {
  std::vector<std::string> columns;
  std::vector<int> output;
  std::function<Filters()> filters;
};

// The low 64 bits are all of a decimal(15, 2).
struct Decimal {
  int64_t low;
  int64_t high;
};

// Vectors of predicates compiled into the loop, as the expression evaluator's are.
template <typename T, typename Keep>
class FastFilter final : public RowFilter {
 public:
  FastFilter(int column, Keep keep) : columns_({column}), keep_(keep) {}
  const std::vector<int>& columns() const override { return columns_; }
  bool may_fail() const override { return false; }
  arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays, int64_t length,
                                  int32_t* rows) override {
    const T* values = arrays[0]->data()->template GetValues<T>(1);
    int64_t count = 0;
    for (int64_t i = 0; i < length; ++i) {
      rows[count] = static_cast<int32_t>(i);
      count += keep_(values[i]) ? 1 : 0;
    }
    return count;
  }

 private:
  std::vector<int> columns_;
  Keep keep_;
};

template <typename T, typename Keep>
std::unique_ptr<RowFilter> Fast(int column, Keep keep) {
  return std::make_unique<FastFilter<T, Keep>>(column, keep);
}

void Run(benchmark::State& state, const Query& query, const index::Predicate& predicate) {
  const char* path = std::getenv("WHEELPIT_BENCH_PARQUET");
  if (path == nullptr) {
    state.SkipWithError("WHEELPIT_BENCH_PARQUET is not set");
    return;
  }
  io::KernelSyscalls syscalls;
  const auto file_system = fs::LocalFileSystem::Make(syscalls).ValueOrDie();
  const auto io = core::ThreadPool::Make(
                      {.thread_count = 2, .role = core::ThreadRole::kIo, .name = "io"})
                      .ValueOrDie();
  const core::SystemClock clock;
  core::Context context{
      .pool = arrow::default_memory_pool(), .io = io.get(), .clock = &clock};
  core::MetricSet metrics;
  const auto table =
      index::OpenTable(path, {}, {}, file_system.get(), context, &metrics).ValueOrDie();
  std::vector<int> columns;
  for (const auto& name : query.columns) {
    columns.push_back(table->schema->GetFieldIndex(name));
  }
  int64_t rows = 0;
  for (auto _ : state) {
    core::TaskGroup io_tasks(io.get());
    rows = 0;
    for (const auto& split :
         index::PlanSplits(*table, columns, predicate, {.task_slots = 2}, &metrics)) {
      ScanOptions options{.table = table,
                          .columns = columns,
                          .filters = query.filters(),
                          .predicate = predicate,
                          .moving = nullptr,
                          .output = query.output,
                          .dictionaries = {},
                          .split = split,
                          .io_tasks = &io_tasks,
                          .metrics = &metrics};
      const auto source = MakeScanSource(std::move(options), context).ValueOrDie();
      for (;;) {
        Step step = source->Next().ValueOrDie();
        if (step.kind == Step::Kind::kEnd) break;
        if (step.kind == Step::Kind::kWait) step.wait.Block();
        if (step.kind == Step::Kind::kBatch) rows += step.batch->num_rows();
      }
    }
    benchmark::DoNotOptimize(rows);
  }
  state.counters["rows"] = static_cast<double>(rows);
  state.counters["decoded_MB"] =
      static_cast<double>(metrics.Get(core::Metric::kBytesDecoded)) / 1e6 /
      static_cast<double>(state.iterations());
}

void CountQuantityAbove49(benchmark::State& state) {
  Run(state,
      {.columns = {"l_quantity"},
       .output = {},
       .filters =
           [] {
             Filters filters;
             filters.push_back(Fast<Decimal>(0, [](Decimal v) { return v.low > 4900; }));
             return filters;
           }},
      {});
}
BENCHMARK(CountQuantityAbove49)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void TpchQuery6(benchmark::State& state) {
  Run(state,
      {.columns = {"l_shipdate", "l_discount", "l_quantity", "l_extendedprice"},
       .output = {1, 3},
       .filters =
           [] {
             Filters filters;
             filters.push_back(
                 Fast<int32_t>(0, [](int32_t v) { return v >= 8766 && v < 9131; }));
             filters.push_back(
                 Fast<Decimal>(1, [](Decimal v) { return v.low >= 5 && v.low <= 7; }));
             filters.push_back(Fast<Decimal>(2, [](Decimal v) { return v.low < 2400; }));
             return filters;
           }},
      {});
}
BENCHMARK(TpchQuery6)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void OrderkeyIs1(benchmark::State& state) {
  const index::Predicate predicate{{.column = "l_orderkey",
                                    .op = index::PredicateOp::kEqual,
                                    .literals = {arrow::MakeScalar(int64_t{1})}}};
  Query query{.columns = {"l_orderkey"}, .output = {}, .filters = [] {
                Filters filters;
                filters.push_back(Fast<int64_t>(0, [](int64_t v) { return v == 1; }));
                return filters;
              }};
  for (const char* name :
       {"l_partkey", "l_suppkey", "l_linenumber", "l_quantity", "l_extendedprice",
        "l_discount", "l_tax", "l_returnflag", "l_linestatus", "l_shipdate",
        "l_commitdate", "l_receiptdate", "l_shipinstruct", "l_shipmode", "l_comment"}) {
    query.columns.push_back(name);
  }
  query.output.resize(query.columns.size());
  std::iota(query.output.begin(), query.output.end(), 0);
  Run(state, query, predicate);
}
BENCHMARK(OrderkeyIs1)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void AllColumns(benchmark::State& state) {
  Query query{.columns = {"l_orderkey", "l_partkey", "l_suppkey", "l_linenumber",
                          "l_quantity", "l_extendedprice", "l_discount", "l_tax",
                          "l_returnflag", "l_linestatus", "l_shipdate", "l_commitdate",
                          "l_receiptdate", "l_shipinstruct", "l_shipmode", "l_comment"},
              .output = std::vector<int>(16),
              .filters = [] { return Filters(); }};
  std::iota(query.output.begin(), query.output.end(), 0);
  Run(state, query, {});
}
BENCHMARK(AllColumns)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void CountRows(benchmark::State& state) {
  Run(state, {.columns = {}, .output = {}, .filters = [] { return Filters(); }}, {});
}
BENCHMARK(CountRows)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wheelpit::exec
