// SPDX-License-Identifier: Apache-2.0
// What counting costs over the pool below it, and what recycled mappings save.
#include <memory>

#include <arrow/memory_pool.h>
#include <benchmark/benchmark.h>

#include "wheelpit/memory/budget.h"
#include "wheelpit/memory/mapped_pool.h"

namespace wheelpit::memory {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

/// One allocation and free per iteration; touches a byte of every page when asked to.
void AllocateAndFree(benchmark::State& state, arrow::MemoryPool& pool, bool touch) {
  const int64_t size = state.range(0);
  for (auto _ : state) {
    uint8_t* data = nullptr;
    if (!pool.Allocate(size, &data).ok()) {
      state.SkipWithError("no memory");
      return;
    }
    if (touch) {
      for (int64_t at = 0; at < size; at += 4096) {
        data[at] = 1;
      }
    }
    benchmark::DoNotOptimize(data);
    pool.Free(data, size);
  }
  state.SetBytesProcessed(state.iterations() * size);
}

void Backend(benchmark::State& state) {
  static MappedMemoryPool pool;
  AllocateAndFree(state, pool, false);
}
BENCHMARK(Backend)->Arg(64 << 10)->Threads(1)->Threads(2);

struct Budgets {
  MappedMemoryPool pool;
  std::unique_ptr<ProcessBudget> process =
      ProcessBudget::Make(1000 * kMiB, &pool).ValueOrDie();
  std::unique_ptr<QueryBudget> query = process->MakeQuery("q", 0, 0).ValueOrDie();
  std::unique_ptr<OperatorBudget> op =
      query->MakeOperator("bench", 0, nullptr).ValueOrDie();
};

void ThroughOperator(benchmark::State& state) {
  static Budgets budgets;
  AllocateAndFree(state, *budgets.op, false);
}
BENCHMARK(ThroughOperator)->Arg(64 << 10)->Threads(1)->Threads(2);

/// The counting alone, without any pool below.
void CountOnly(benchmark::State& state) {
  static Budgets budgets;
  for (auto _ : state) {
    benchmark::DoNotOptimize(budgets.op->CountExternal(64 << 10).ok());
    budgets.op->UncountExternal(64 << 10);
  }
}
BENCHMARK(CountOnly)->Threads(1)->Threads(2);

void ReserveWhatIsReserved(benchmark::State& state) {
  Budgets budgets;
  core::Wait wait;
  for (auto _ : state) {
    benchmark::DoNotOptimize(budgets.op->Reserve(64 << 10, &wait).ok());
  }
}
BENCHMARK(ReserveWhatIsReserved);

/// A step taken from the process and given back.
void ReserveAStep(benchmark::State& state) {
  Budgets budgets;
  core::Wait wait;
  for (auto _ : state) {
    benchmark::DoNotOptimize(budgets.op->Reserve(kMiB, &wait).ok());
    budgets.op->ReleaseUnusedReservation();
  }
}
BENCHMARK(ReserveAStep);

void TouchedSystem(benchmark::State& state) {
  AllocateAndFree(state, *arrow::system_memory_pool(), true);
}
BENCHMARK(TouchedSystem)->Arg(64 << 10)->Arg(kMiB)->Arg(8 * kMiB);

void TouchedMapped(benchmark::State& state) {
  MappedMemoryPool pool;
  AllocateAndFree(state, pool, true);
}
BENCHMARK(TouchedMapped)->Arg(64 << 10)->Arg(kMiB)->Arg(8 * kMiB);

void TouchedRecycled(benchmark::State& state) {
  MappedMemoryPool pool;
  auto process = ProcessBudget::Make(1000 * kMiB, &pool).ValueOrDie();
  auto recycling = BufferRecycling::Start(&pool, process.get(), 8 * kMiB).ValueOrDie();
  AllocateAndFree(state, pool, true);
}
BENCHMARK(TouchedRecycled)->Arg(64 << 10)->Arg(kMiB)->Arg(8 * kMiB);

}  // namespace
}  // namespace wheelpit::memory
