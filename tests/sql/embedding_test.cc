// SPDX-License-Identifier: Apache-2.0
// An engine in somebody else's process: with the embedder's memory, threads, clock and
// log.
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "test_engine.h"
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/log.h"

namespace wheelpit::sqltest {
namespace {

class CountingExecutor final : public core::Executor {
 public:
  explicit CountingExecutor(core::ThreadRole role)
      : pool_(core::ThreadPool::Make({.thread_count = 1, .role = role}).ValueOrDie()) {}
  void Submit(std::function<void()> task) override {
    ++tasks;
    pool_->Submit(std::move(task));
  }
  int thread_count() const override { return pool_->thread_count(); }

  std::atomic<int> tasks{0};

 private:
  std::unique_ptr<core::ThreadPool> pool_;
};

class KeptLog final : public core::Logger {
 public:
  bool Enabled(core::LogLevel level) const override {
    return level >= core::LogLevel::kInfo;
  }
  void Log(core::LogLevel level, std::string_view event,
           std::initializer_list<core::LogField> fields) override {
    std::string line(core::ToString(level));
    line += " " + std::string(event);
    for (const auto& [name, value] : fields) {
      line += " " + std::string(name) + "=" + value;
    }
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class StoppedClock final : public core::Clock {
 public:
  int64_t MonotonicNanos() const override { return 5; }
  int64_t WallMillis() const override { return 7; }
};

TEST(Embedding, EverythingThatTheEngineUsesMayBeReplaced) {
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  CountingExecutor compute(core::ThreadRole::kCompute);
  CountingExecutor io(core::ThreadRole::kIo);
  KeptLog log;
  const StoppedClock clock;
  {
    const auto engine = engine::Engine::Make(TestConfig("/var/tmp", {}).ValueOrDie(),
                                             {.pool = &pool,
                                              .compute = &compute,
                                              .io = &io,
                                              .clock = &clock,
                                              .logger = &log})
                            .ValueOrDie();
    const auto session = engine->MakeSession().ValueOrDie();
    const Answer good = Ask(session.get(), "SELECT word FROM '" WHEELPIT_SOURCE_DIR
                                           "/tests/data/types.parquet' LIMIT 2");
    EXPECT_TRUE(good.status.ok()) << good.status;
    EXPECT_EQ(good.rows.size(), 2u);
    EXPECT_FALSE(Ask(session.get(), "SELECT 1 / 0").status.ok());
  }
  EXPECT_GT(pool.total_bytes_allocated(), 0);
  EXPECT_EQ(pool.bytes_allocated(), 0);
  EXPECT_GT(compute.tasks, 0);
  EXPECT_GT(io.tasks, 0);
  const auto lines = log.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("query ended"), std::string::npos);
  EXPECT_NE(lines[0].find("outcome=done"), std::string::npos);
  EXPECT_NE(lines[0].find("milliseconds=0"), std::string::npos);
  EXPECT_NE(lines[1].find("division by zero"), std::string::npos) << lines[1];
}

}  // namespace
}  // namespace wheelpit::sqltest
