// SPDX-License-Identifier: Apache-2.0
// Sorting rows like TPC-H's lineitem by comment, order and line, all columns, two compute
// threads. CPU is of the whole process, I/O thread included; items are rows.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <benchmark/benchmark.h>

#include "wheelpit/exec/sort/chunk_builder.h"
#include "wheelpit/exec/sort/run_merge.h"
#include "wheelpit/exec/sort/sort_harness.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kBatchRows = 8192;

uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 33;
}

class Lineitem {
 public:
  std::shared_ptr<arrow::RecordBatch> NextBatch(int64_t rows) {
    arrow::ArrayVector columns = {Orders(rows),
                                  Numbers(arrow::Int64Builder(), rows, 200'000),
                                  Numbers(arrow::Int64Builder(), rows, 10'000),
                                  Numbers(arrow::Int32Builder(), rows, 7)};
    for (const uint64_t limit : {5'000u, 10'000'000u, 11u, 9u}) {
      columns.push_back(
          Numbers(arrow::Decimal128Builder(arrow::decimal128(15, 2)), rows, limit));
    }
    columns.push_back(Words(rows, {"N", "R", "A"}));
    columns.push_back(Words(rows, {"O", "F"}));
    for (int i = 0; i < 3; ++i) {
      columns.push_back(Numbers(arrow::Date32Builder(), rows, 2500));
    }
    columns.push_back(
        Words(rows, {"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}));
    columns.push_back(Words(rows, {"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP"}));
    columns.push_back(Comments(rows));
    if (schema_ == nullptr) {
      arrow::FieldVector fields;
      for (const auto& column : columns) {
        fields.push_back(
            arrow::field("c" + std::to_string(fields.size()), column->type()));
      }
      schema_ = arrow::schema(fields);
    }
    return arrow::RecordBatch::Make(schema_, rows, columns);
  }

 private:
  std::shared_ptr<arrow::Array> Orders(int64_t rows) {
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < rows; ++i) {
      static_cast<void>(builder.Append(next_++ / 4));
    }
    return *builder.Finish();
  }

  template <typename Builder>
  std::shared_ptr<arrow::Array> Numbers(Builder&& builder, int64_t rows, uint64_t limit) {
    for (int64_t i = 0; i < rows; ++i) {
      static_cast<void>(builder.Append(static_cast<int32_t>(Next(&state_) % limit)));
    }
    return *builder.Finish();
  }

  std::shared_ptr<arrow::Array> Words(int64_t rows,
                                      const std::vector<std::string>& words) {
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < rows; ++i) {
      static_cast<void>(builder.Append(words[Next(&state_) % words.size()]));
    }
    return *builder.Finish();
  }

  // Words of a small vocabulary, 10 to 43 bytes.
  std::shared_ptr<arrow::Array> Comments(int64_t rows) {
    static const std::vector<std::string> words = {
        "furiously", "quickly", "carefully", "express", "regular", "deposits",
        "requests",  "ironic",  "accounts",  "special", "final",   "packages",
        "pending",   "bold",    "even",      "silent",  "unusual", "the",
        "according", "across",  "blithely",  "above",   "slyly",   "theodolites"};
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < rows; ++i) {
      const size_t size = 10 + Next(&state_) % 34;
      std::string text = words[Next(&state_) % words.size()];
      while (text.size() < size) {
        text += ' ' + words[Next(&state_) % words.size()];
      }
      text.resize(size);
      static_cast<void>(builder.Append(text.substr(Next(&state_) % 5)));
    }
    return *builder.Finish();
  }

  uint64_t state_ = 1;
  int64_t next_ = 0;
  std::shared_ptr<arrow::Schema> schema_;
};

// The same rows for all.
const SortCase& Rows(int64_t rows) {
  static SortCase made;
  if (made.tasks.empty()) {
    constexpr int64_t kTasks = 4;
    Lineitem lineitem;
    for (int64_t task = 0; task < kTasks; ++task) {
      Batches batches;
      for (int64_t left = rows / kTasks; left > 0; left -= kBatchRows) {
        batches.push_back(lineitem.NextBatch(std::min(left, kBatchRows)));
      }
      made.tasks.push_back(std::move(batches));
    }
    made.options.schema = made.tasks[0][0]->schema();
    made.options.keys = {{.column = 15}, {.column = 0}, {.column = 3}};
    made.options.range_count = 2;
    made.keep_rows = false;
  }
  return made;
}

constexpr int64_t kRows = 1'000'000;

// The argument is the memory limit in MiB; 0: none.
void BM_Sort(benchmark::State& state) {
  SortCase sort_case = Rows(kRows);
  sort_case.limit_bytes = state.range(0) << 20;
  const std::string folder =
      std::filesystem::temp_directory_path() / "wheelpit_sort_bench";
  std::filesystem::create_directories(folder);
  io::KernelSyscalls syscalls;
  SortHarness harness(folder, &syscalls);
  SortOutcome outcome;
  for (auto _ : state) {
    outcome = harness.Run(sort_case);
    if (!outcome.status.ok() || outcome.row_count != kRows / 4 * 4) {
      state.SkipWithError(outcome.status.ToString().c_str());
      break;
    }
  }
  std::filesystem::remove_all(folder);
  state.SetItemsProcessed(state.iterations() * kRows);
  state.counters["spilled_MB"] = static_cast<double>(outcome.spilled_bytes) / 1e6;
}
BENCHMARK(BM_Sort)
    ->Arg(0)
    ->Arg(96)
    ->Arg(48)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

SortedRows RowsOf(const SortCase& sort_case) {
  SortedRows rows;
  rows.schema = sort_case.options.schema;
  std::vector<KeyColumn> keys;
  for (const SortKey& key : sort_case.options.keys) {
    rows.key_columns.push_back(key.column);
    keys.push_back({rows.schema->field(key.column)->type()});
  }
  rows.encoder = *KeyEncoder::Make(std::move(keys));
  return rows;
}

std::vector<MergeInput> ChunksOf(const SortCase& sort_case, const SortedRows& rows) {
  std::vector<MergeInput> chunks;
  ChunkBuilder builder(&rows);
  for (const auto& batch : sort_case.tasks[0]) {
    builder.Add(batch);
    while (builder.full()) {
      static_cast<void>(builder.Measure());
      chunks.push_back(
          {.chunk = *builder.Build({}, arrow::default_memory_pool()), .run = {}});
    }
  }
  return chunks;
}

// One task's rows, on one thread: what sorting and gathering in the cache costs.
void BM_Chunks(benchmark::State& state) {
  const SortCase& sort_case = Rows(kRows);
  const SortedRows rows = RowsOf(sort_case);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ChunksOf(sort_case, rows));
  }
  state.SetItemsProcessed(state.iterations() * kRows / 4);
}
BENCHMARK(BM_Chunks)->Unit(benchmark::kMillisecond);

// And what merging them costs.
void BM_Merge(benchmark::State& state) {
  const SortCase& sort_case = Rows(kRows);
  const SortedRows rows = RowsOf(sort_case);
  const auto chunks = ChunksOf(sort_case, rows);
  int64_t count = 0;
  for (auto _ : state) {
    RunMerge merge(&rows, chunks, {}, {});
    while (true) {
      const auto step = *merge.Next(512 << 10, 16 << 10, arrow::default_memory_pool());
      if (step.batch == nullptr) {
        break;
      }
      count += step.batch->num_rows();
    }
  }
  state.SetItemsProcessed(count);
}
BENCHMARK(BM_Merge)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wheelpit::exec
