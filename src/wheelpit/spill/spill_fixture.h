// SPDX-License-Identifier: Apache-2.0
// What the tests of this module share: temporary directories, a counting and failing
// system-call table, and a host made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/io/testing/fault_syscalls.h"
#include "wheelpit/spill/spill_space.h"

namespace wheelpit::spill {

/// Made new, removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }
  /// Names in it.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

constexpr int64_t kMiB = 1 << 20;

class SpillFixture : public testing::Test {
 protected:
  SpillFixture();
  ~SpillFixture() override;

  /// Starts anew with `count` directories.
  void UseDirectories(size_t count);
  /// The same for paths that a test has made.
  void UsePaths(std::vector<std::string> paths);
  /// The same directories, of which nothing is known. No space may live.
  void ForgetHealth();
  std::unique_ptr<SpillSpace> MakeSpace(int64_t limit_bytes = kMiB,
                                        std::string query = "q1");
  /// From now on spaces close files on io_, and their directories are looked at there.
  /// Without it every system call comes in the same order in every run.
  void UseIo() { host_io_ = io_.get(); }
  /// Returns when what was submitted to io_ before has run.
  void AwaitIo();
  /// Descriptors of this process that are open now.
  static int64_t OpenDescriptors();

  /// No quota, memory, name or descriptor that was not there before the test.
  void ExpectNothingLeft() const;

  arrow::MemoryPool* pool() { return &pool_; }

  arrow::ProxyMemoryPool pool_{arrow::system_memory_pool()};
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  core::ManualClock clock_;
  std::unique_ptr<core::ThreadPool> io_;
  core::Executor* host_io_ = nullptr;
  std::vector<std::unique_ptr<TemporaryDirectory>> temporary_;
  std::unique_ptr<SpillDirectories> directories_;
  SpillQuota quota_{
      {.owner = "the process", .setting = "spill.process_limit", .limit_bytes = 1 << 30},
      nullptr};
  core::MetricSet metrics_;
  int64_t descriptors_ = 0;  // open when the test began
};

/// Bytes that differ from seed to seed.
std::vector<uint8_t> Payload(size_t size, uint64_t seed);

/// Whether the extent still says what Payload(size, seed) said.
testing::AssertionResult Holds(const SpillExtent& extent, uint64_t seed,
                               arrow::MemoryPool* pool);

}  // namespace wheelpit::spill
