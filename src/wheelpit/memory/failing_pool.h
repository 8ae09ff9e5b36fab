// SPDX-License-Identifier: Apache-2.0
// For tests: a backend that runs out of memory when it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <arrow/memory_pool.h>
#include <arrow/status.h>

namespace wheelpit::memory {

/// Any thread.
class FailingPool final : public arrow::MemoryPool {
 public:
  /// Lets `calls` allocations pass and fails all after them; -1: none fails.
  void FailAfter(int64_t calls) {
    calls_left_ = calls;
    every_ = 0;
  }
  /// Fails each `every`-th allocation; 0: none.
  void FailEvery(int64_t every) {
    calls_left_ = -1;
    every_ = every;
  }

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(Admit());
    return pool_.Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override {
    ARROW_RETURN_NOT_OK(Admit());
    return pool_.Reallocate(old_size, new_size, alignment, ptr);
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    pool_.Free(buffer, size, alignment);
  }
  int64_t bytes_allocated() const override { return pool_.bytes_allocated(); }
  int64_t max_memory() const override { return pool_.max_memory(); }
  int64_t total_bytes_allocated() const override { return pool_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_.num_allocations(); }
  std::string backend_name() const override { return "failing"; }

 private:
  arrow::Status Admit() {
    const int64_t call = ++calls_;
    const int64_t every = every_.load();
    if (calls_left_.load() == 0 || (every > 0 && call % every == 0)) {
      return arrow::Status::OutOfMemory("as told, at call ", call);
    }
    if (calls_left_.load() > 0) {
      --calls_left_;
    }
    return arrow::Status::OK();
  }

  arrow::ProxyMemoryPool pool_{arrow::default_memory_pool()};
  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> calls_left_{-1};
  std::atomic<int64_t> every_{0};
};

}  // namespace wheelpit::memory
