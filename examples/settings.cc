// SPDX-License-Identifier: Apache-2.0
// Settings, errors and threads: the ground that every module stands on. Reads sizes from
// the command line, adds them up on a pool, and ends with the exit code of the error, if
// any.
// Run: settings 64MiB 512MB
#include <atomic>
#include <cstdint>
#include <iostream>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"

using namespace wheelpit;  // NOLINT(google-build-using-namespace): an example

arrow::Status Run(int count, char** sizes) {
  core::Config config;
  ARROW_RETURN_NOT_OK(config.Set("compute.threads", "2", core::ConfigSource::kFlag));
  const auto threads =
      static_cast<int>(config.Number(core::ConfigKey::kComputeThreads, 1));

  ARROW_ASSIGN_OR_RAISE(auto pool,
                        core::ThreadPool::Make({.thread_count = threads,
                                                .role = core::ThreadRole::kCompute,
                                                .name = "example"}));
  std::atomic<int64_t> sum_bytes{0};
  ARROW_RETURN_NOT_OK(
      core::ParallelFor(pool.get(), count, [&](int64_t i) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, core::ParseByteSize(sizes[i]));
        sum_bytes += size_bytes;
        return arrow::Status::OK();
      }));
  std::cout << count << " sizes, " << core::FormatByteSize(sum_bytes) << " in all\n";
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc - 1, argv + 1);
  if (!status.ok()) {
    std::cerr << "settings: " << status.message() << "\n";
    return core::ExitCodeOf(core::KindOf(status));
  }
  return 0;
}
