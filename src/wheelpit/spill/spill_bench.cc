// SPDX-License-Identifier: Apache-2.0
// What a query pays that does not spill, what the first spill costs, and how far writing
// and reading are from moving the same bytes in memory.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include "wheelpit/io/syscalls.h"
#include "wheelpit/spill/extent_format.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::spill {

namespace {

constexpr int64_t kNoLimit = int64_t{1} << 40;

// Directories under TEST_TMPDIR or /var/tmp, removed at the end of the process.
class Host {
 public:
  explicit Host(int64_t directory_count) {
    const char* root = std::getenv("TEST_TMPDIR");
    for (int64_t i = 0; i < directory_count; ++i) {
      std::string path =
          std::string(root != nullptr ? root : "/var/tmp") + "/spill_bench_XXXXXX";
      paths_.push_back(::mkdtemp(path.data()));
    }
    directories_ = SpillDirectories::Make(paths_, &syscalls_).ValueOrDie();
  }
  ~Host() {
    for (const auto& path : paths_) {
      ::rmdir(path.c_str());
    }
  }
  std::unique_ptr<SpillSpace> MakeSpace() {
    return SpillSpace::Make(
        {.query = "q1", .limit_bytes = kNoLimit},
        {.directories = directories_.get(), .quota = &quota_, .io = nullptr});
  }

 private:
  io::KernelSyscalls syscalls_;
  std::vector<std::string> paths_;
  std::unique_ptr<SpillDirectories> directories_;
  SpillQuota quota_{{.owner = "the process", .setting = "s", .limit_bytes = kNoLimit},
                    nullptr};
};

// Argument: how many directories. To be the same for all of them and all thread counts.
void MakeAndDrop(benchmark::State& state) {
  static Host one(1);
  static Host eight(8);
  Host& host = state.range(0) == 1 ? one : eight;
  for (auto _ : state) {
    benchmark::DoNotOptimize(host.MakeSpace());
  }
}
BENCHMARK(MakeAndDrop)->Arg(1)->Arg(8)->Threads(1)->Threads(16)->UseRealTime();

// The tail matters as well: one in a hundred must not wait for the other directories.
void FirstSpill(benchmark::State& state) {
  Host host(state.range(0));
  const std::vector<uint8_t> payload(64, 'x');
  std::vector<double> nanos;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const auto space = host.MakeSpace();
    benchmark::DoNotOptimize(space->Write(1, payload).ok());
    nanos.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(nanos.begin(), nanos.end());
  state.counters["p50_ns"] = nanos[nanos.size() / 2];
  state.counters["p99_ns"] = nanos[nanos.size() * 99 / 100];
}
BENCHMARK(FirstSpill)->Arg(1)->Arg(8);

void CopyInMemory(benchmark::State& state) {
  const std::vector<uint8_t> from(static_cast<size_t>(state.range(0)), 'x');
  std::vector<uint8_t> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CopyInMemory)->Arg(64 << 10)->Arg(1 << 20);

void Checksum(benchmark::State& state) {
  const std::vector<uint8_t> payload(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(MakeExtentHeader({}, payload));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Checksum)->Arg(64 << 10)->Arg(1 << 20);

// Into the page cache and into ranges that are used again, so that it is the module that
// is measured and not the disk.
void Write(benchmark::State& state) {
  Host host(1);
  const auto space = host.MakeSpace();
  const std::vector<uint8_t> payload(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(space->Write(1, payload).ok());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Write)->Arg(64 << 10)->Arg(1 << 20);

void Read(benchmark::State& state) {
  Host host(1);
  const auto space = host.MakeSpace();
  const std::vector<uint8_t> payload(static_cast<size_t>(state.range(0)), 'x');
  const auto extent = space->Write(1, payload).ValueOrDie();
  for (auto _ : state) {
    benchmark::DoNotOptimize(extent.Read(arrow::system_memory_pool()).ok());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Read)->Arg(64 << 10)->Arg(1 << 20);

}  // namespace

}  // namespace wheelpit::spill
