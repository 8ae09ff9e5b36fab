// SPDX-License-Identifier: Apache-2.0
// What opening and planning a table of many small files costs. CPU time is that of the
// whole process: the work is spread over threads.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/index/footer_cache.h"
#include "wheelpit/index/listing.h"
#include "wheelpit/index/parquet_test_file.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {
namespace {

// A folder of `count` copies of one file with 16 columns, as in a fact table.
class ManyFiles {
 public:
  explicit ManyFiles(int64_t count) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "wheelpit-bench-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    std::vector<TestColumn> columns;
    for (int i = 0; i < 12; ++i) {
      columns.push_back({"number_" + std::to_string(i), arrow::int64(), "[1]"});
    }
    for (int i = 0; i < 4; ++i) {
      columns.push_back({"text_" + std::to_string(i), arrow::utf8(), "[\"text\"]"});
    }
    const std::string bytes = ParquetBytes(columns);
    for (int64_t i = 0; i < count; ++i) {
      const std::string name =
          path_ + "/part-" + std::to_string(100'000 + i) + ".parquet";
      std::ofstream(name, std::ios::binary) << bytes;
      std::filesystem::last_write_time(
          name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }
  ~ManyFiles() { std::filesystem::remove_all(path_); }
  ManyFiles(const ManyFiles&) = delete;
  ManyFiles& operator=(const ManyFiles&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TableBench : public benchmark::Fixture {
 public:
  void SetUp(benchmark::State& state) override {
    files_ = std::make_unique<ManyFiles>(state.range(0));
    threads_ = core::ThreadPool::Make(
                   {.thread_count = 8, .role = core::ThreadRole::kIo, .name = "io"})
                   .ValueOrDie();
    context_.pool = arrow::default_memory_pool();
    context_.io = threads_.get();
    context_.clock = &clock_;
  }
  void TearDown(benchmark::State&) override {
    threads_.reset();
    files_.reset();
  }

 protected:
  std::shared_ptr<const Table> Open(FooterCache* cache) {
    return OpenTable(files_->path(), {}, {}, file_system_.get(), context_, &metrics_,
                     cache)
        .ValueOrDie();
  }

  std::unique_ptr<ManyFiles> files_;
  io::KernelSyscalls syscalls_;
  std::unique_ptr<fs::FileSystem> file_system_ =
      fs::LocalFileSystem::Make(syscalls_).ValueOrDie();
  core::SystemClock clock_;
  std::unique_ptr<core::ThreadPool> threads_;
  core::Context context_;
  core::MetricSet metrics_;
};

BENCHMARK_DEFINE_F(TableBench, List)(benchmark::State& state) {
  for (auto _ : state) {
    FileListing sample;
    benchmark::DoNotOptimize(ListFiles(files_->path(), {}, {}, file_system_.get(),
                                       context_, &metrics_, &sample)
                                 .ValueOrDie());
  }
}

BENCHMARK_DEFINE_F(TableBench, OpenCold)(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Open(nullptr));
  }
}

BENCHMARK_DEFINE_F(TableBench, OpenWithCache)(benchmark::State& state) {
  const auto process =
      memory::ProcessBudget::Make(1 << 30, arrow::default_memory_pool()).ValueOrDie();
  const auto owned = FooterCache::Make(1 << 30, process.get()).ValueOrDie();
  FooterCache& cache = *owned;
  Open(&cache);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Open(&cache));
  }
}

BENCHMARK_DEFINE_F(TableBench, Plan)(benchmark::State& state) {
  const auto table = Open(nullptr);
  const Predicate predicate = {{.column = "number_3",
                                .op = PredicateOp::kGreaterEqual,
                                .literals = {std::make_shared<arrow::Int64Scalar>(1)}}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(PlanSplits(*table, {3}, predicate, {}, &metrics_));
  }
}

#define WHEELPIT_TABLE_BENCH(name)       \
  BENCHMARK_REGISTER_F(TableBench, name) \
      ->Arg(500)                         \
      ->Arg(10'000)                      \
      ->Unit(benchmark::kMillisecond)    \
      ->MeasureProcessCPUTime()          \
      ->UseRealTime()

WHEELPIT_TABLE_BENCH(List);
WHEELPIT_TABLE_BENCH(OpenCold);
WHEELPIT_TABLE_BENCH(OpenWithCache);
WHEELPIT_TABLE_BENCH(Plan);

}  // namespace
}  // namespace wheelpit::index
