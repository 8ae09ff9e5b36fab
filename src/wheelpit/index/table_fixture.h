// SPDX-License-Identifier: Apache-2.0
// What tests of listing share: a folder, a file system whose calls can be made to fail,
// threads, and counters.
#pragma once

#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fs_conformance/forwarding_syscalls.h"
#include "fs_conformance/temp_directory.h"
#include <arrow/memory_pool.h>
#include <arrow/util/cancel.h>
#include <gtest/gtest.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/context.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

/// The kernel's calls, but for those that tests want to fail.
class FailingCalls final : public fs_conformance::ForwardingSyscalls {
 public:
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    ++opens;
    if (before_open) {
      before_open(path);
    }
    if (const auto failure = failures.find(path); failure != failures.end()) {
      return -failure->second;
    }
    if (Fails()) {
      return -EIO;
    }
    const int fd = ForwardingSyscalls::Open(at_fd, path, flags, mode);
    open_files += fd >= 0 ? 1 : 0;
    return fd;
  }
  int Close(int fd) override {
    --open_files;
    return ForwardingSyscalls::Close(fd);
  }
  ssize_t Pread(int fd, void* data, size_t size, int64_t offset) override {
    ++preads;
    return Fails() ? -EIO : ForwardingSyscalls::Pread(fd, data, size, offset);
  }
  ssize_t Getdents(int fd, void* data, size_t size) override {
    return Fails() ? -EIO : ForwardingSyscalls::Getdents(fd, data, size);
  }
  int Statx(int at_fd, const char* path, int flags, unsigned mask,
            struct statx* out) override {
    return Fails() ? -EIO : ForwardingSyscalls::Statx(at_fd, path, flags, mask, out);
  }

  std::map<std::string, int, std::less<>> failures;  ///< errno by path
  std::function<void(const char*)> before_open;
  int fail_at = -1;  ///< the call of this number fails with EIO
  std::atomic<int> calls{0};
  std::atomic<bool> failed{false};
  std::atomic<int> opens{0};
  std::atomic<int> preads{0};
  std::atomic<int> open_files{0};

 private:
  bool Fails() {
    const bool fails = calls++ == fail_at;
    if (fails) {
      failed = true;
    }
    return fails;
  }
};

class TableFixture : public testing::Test {
 protected:
  TableFixture() {
    context_.pool = arrow::default_memory_pool();
    context_.io = threads_.get();
    context_.clock = &clock_;
  }

  std::string At(std::string_view name) const { return directory_ / name; }
  std::string Root() const { return directory_.path(); }
  int64_t Count(core::Metric metric) const { return metrics_.Get(metric); }
  /// The paths of files below the test's folder, without it.
  template <typename Files, typename PathOf>
  std::vector<std::string> Relative(const Files& files, PathOf path_of) const {
    std::vector<std::string> names;
    for (const auto& file : files) {
      names.push_back(path_of(file).substr(Root().size() + 1));
    }
    return names;
  }

  fs_conformance::TempDirectory directory_;
  FailingCalls syscalls_;
  std::unique_ptr<fs::FileSystem> file_system_ =
      fs::LocalFileSystem::Make(syscalls_).ValueOrDie();
  core::SystemClock clock_;
  std::unique_ptr<core::ThreadPool> threads_ =
      core::ThreadPool::Make(
          {.thread_count = 4, .role = core::ThreadRole::kIo, .name = "io"})
          .ValueOrDie();
  core::Context context_;
  core::MetricSet metrics_;
  TableOptions options_;
};

}  // namespace wheelpit::index
