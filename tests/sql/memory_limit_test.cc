// SPDX-License-Identifier: Apache-2.0
// The memory limit, seen from outside: what a query needs, what it says that it needs,
// and what happens to those for which there is no room yet.
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fs_conformance/forwarding_syscalls.h"
#include "fs_conformance/temp_directory.h"
#include "test_engine.h"
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/index/parquet_test_file.h"

namespace wheelpit::sqltest {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

/// A file of several row groups with more than a page in every chunk of `text`.
std::string LargeFile() {
  constexpr int kRows = 120'000;
  std::mt19937_64 random(7);
  std::string numbers = "[";
  std::string texts = "[";
  for (int i = 0; i < kRows; ++i) {
    numbers += (i == 0 ? "" : ",") + std::to_string(random() % 1'000'000);
    texts += i == 0 ? "\"" : ",\"";
    for (int j = 0; j < 4; ++j) {
      texts += std::to_string(random() % 10'000'000'000'000'000ULL);
    }
    texts += '"';
  }
  return index::ParquetBytes(
      {{"n", arrow::int64(), numbers + "]"}, {"text", arrow::utf8(), texts + "]"}},
      {.rows_of_row_group = 40'000, .dictionary = false});
}

class MemoryLimit : public testing::Test {
 protected:
  static void SetUpTestSuite() { bytes_ = new std::string(LargeFile()); }
  static void TearDownTestSuite() { delete bytes_; }

  void SetUp() override {
    directory_.Write("t/a.parquet", *bytes_);
    table_ = "'" + directory_.path() + "/t'";
  }

  void Open(int64_t limit_bytes, int threads = 2, int io_threads = 2) {
    Open(limit_bytes, threads, io_threads, directory_.path() + "/no such directory");
  }

  void Open(int64_t limit_bytes, int threads, int io_threads,
            const std::string& spill_directory) {
    session_.reset();
    engine_.reset();
    const auto config =
        TestConfig(spill_directory, {{"memory.limit", std::to_string(limit_bytes)},
                                     {"compute.threads", std::to_string(threads)},
                                     {"io.threads", std::to_string(io_threads)}})
            .ValueOrDie();
    engine_ = engine::Engine::Make(config, {.syscalls = &syscalls_}).ValueOrDie();
    session_ = engine_->MakeSession().ValueOrDie();
  }

  arrow::Status Run(const std::string& sql) { return Ask(session_.get(), sql).status; }

  std::unique_ptr<engine::Query> Submit(const std::string& sql) {
    return session_->Submit(sql).ValueOrDie();
  }

  /// The whole MiB that an error says would do; 0 when it says none.
  static int64_t Named(const arrow::Status& status) {
    const std::string& message = status.message();
    const size_t at = message.find("at least ");
    int mib = 0;
    if (at == std::string::npos ||
        std::sscanf(message.c_str() + at, "at least %d MiB", &mib) != 1) {
      return 0;
    }
    return mib * kMiB;
  }

  static int64_t CountRows(engine::Query& query) {
    int64_t rows = 0;
    while (auto batch = query.Next().ValueOrDie()) {
      rows += batch->num_rows();
    }
    return rows;
  }

  class WatchedSyscalls final : public fs_conformance::ForwardingSyscalls {
   public:
    int Open(int at_fd, const char* path, int flags, mode_t mode) override {
      std::lock_guard lock(mutex_);
      opened_ += std::string(path) + "\n";
      return kernel_.Open(at_fd, path, flags, mode);
    }
    std::string opened() {
      std::lock_guard lock(mutex_);
      return opened_;
    }

   private:
    std::mutex mutex_;
    std::string opened_;
  };

  static std::string* bytes_;
  fs_conformance::TempDirectory directory_;
  std::string table_;
  WatchedSyscalls syscalls_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::Session> session_;
};

std::string* MemoryLimit::bytes_ = nullptr;

TEST_F(MemoryLimit, TheLimitThatAnErrorNamesWorksAndSoDoesEveryLargerOne) {
  const std::vector<std::pair<std::string, int>> cases = {
      {"SELECT sum(n) FROM " + table_ + " WHERE n % 3 = 1", 1},
      {"SELECT * FROM " + table_, 3},
      {"SELECT upper(text) FROM " + table_ + " WHERE n > 10", 2}};
  for (const auto& [sql, threads] : cases) {
    Open(4 * kMiB, threads);
    const arrow::Status refused = Run(sql);
    EXPECT_EQ(core::KindOf(refused), core::ErrorKind::kMemoryLimit) << refused;
    const int64_t named = Named(refused);
    ASSERT_GT(named, 4 * kMiB) << refused;
    // The border lies in the last MiB below.
    int64_t refused_at = named - kMiB;
    int64_t works_at = named;
    while (works_at - refused_at > (64 << 10)) {
      const int64_t middle = refused_at + (works_at - refused_at) / 2;
      Open(middle, threads);
      const arrow::Status status = Run(sql);
      (status.ok() ? works_at : refused_at) = middle;
      EXPECT_TRUE(status.ok() || Named(status) == named) << status;
    }
    for (int64_t limit = works_at; limit < 6 * works_at; limit += limit / 2) {
      Open(limit, threads);
      EXPECT_EQ(Run(sql), arrow::Status::OK()) << limit << ": " << sql;
    }
  }
}

TEST_F(MemoryLimit, EachKindOfStatementFinishesInTheLimitThatItsErrorNames) {
  const std::string from = " FROM " + table_;
  const std::string target = directory_.path() + "/copied";
  const std::string groups = "SELECT n AS k, max(text)" + from + " GROUP BY n";
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * " + from + " LIMIT 10", "SELECT n" + from + " ORDER BY text DESC",
           "SELECT text" + from + " ORDER BY n % 1000 LIMIT 100", groups,
           "SELECT k % 10, count(*) FROM (" + groups + ") GROUP BY 1 ORDER BY 2, 1",
           "SELECT DISTINCT text" + from,
           "SELECT count(DISTINCT n), count(DISTINCT text), sum(n)" + from,
           "SELECT n % 7, count(DISTINCT n), count(DISTINCT text)" + from + " GROUP BY 1",
           "SELECT n % 7, text, sum(n)" + from + " GROUP BY ROLLUP(1, 2)",
           "SELECT n" + from + " UNION ALL SELECT n + 1" + from,
           "SELECT n" + from + " INTERSECT SELECT n" + from,
           "(SELECT n, text" + from + " ORDER BY text) UNION ALL (" + groups + ")",
           "SELECT n, text" + from + " UNION ALL (" + groups + ")",
           "(SELECT n, text" + from + " ORDER BY text LIMIT 9) UNION ALL (" + groups +
               ") UNION ALL SELECT n, text" + from,
           "COPY (SELECT n, text" + from + " ORDER BY text) TO '" + target + ".parquet'",
           "COPY (" + groups + ") TO '" + target + ".csv'"}) {
    Open(4 * kMiB, 2, 2, directory_.path());
    const arrow::Status refused = Run(sql);
    EXPECT_EQ(core::KindOf(refused), core::ErrorKind::kMemoryLimit) << refused;
    const int64_t named = Named(refused);
    ASSERT_GT(named, 4 * kMiB) << refused << sql;
    for (const int64_t limit : {named, named + 3 * kMiB, 2 * named}) {
      Open(limit, 2, 2, directory_.path());
      EXPECT_EQ(Run(sql), arrow::Status::OK()) << limit << ": " << sql;
    }
  }
}

// The second does not fit beside the first. Were an I/O thread held by its wait, the
// first could not read on.
TEST_F(MemoryLimit, AQueryThatWaitsForRoomHoldsNoThread) {
  const std::string sql = "SELECT * FROM " + table_;
  Open(4 * kMiB, 1);
  const int64_t least = Named(Run(sql));
  Open(least, /*threads=*/1, /*io_threads=*/1);
  auto first = Submit(sql);
  ASSERT_TRUE(first->schema().ok());
  auto second = Submit(sql);
  auto third = Submit(sql);
  EXPECT_EQ(CountRows(*first), 120'000);
  first.reset();
  EXPECT_EQ(CountRows(*second), 120'000);
  second.reset();
  EXPECT_EQ(CountRows(*third), 120'000);
}

// One client that reads of two queries in turns must not wait for itself.
TEST_F(MemoryLimit, AQueryLeavesRoomForAnotherLikeItWhereThereIsSoMuch) {
  Open(40 * kMiB);
  const std::string sql = "SELECT * FROM " + table_;
  auto first = Submit(sql);
  ASSERT_NE(first->Next().ValueOrDie(), nullptr);
  auto second = Submit(sql);
  EXPECT_EQ(CountRows(*second), 120'000);
}

TEST_F(MemoryLimit, AQueryThatWaitsForRoomCanBeCancelled) {
  Open(20 * kMiB, 1, 1);
  const std::string sql = "SELECT * FROM " + table_;
  auto first = Submit(sql);
  ASSERT_TRUE(first->schema().ok());
  auto second = Submit(sql);
  auto dropped = Submit(sql);
  second->Cancel();
  EXPECT_EQ(core::KindOf(second->Next().status()), core::ErrorKind::kCancelled);
  dropped.reset();
  EXPECT_EQ(CountRows(*first), 120'000);
}

// More clients than fit, statements that hold batches, and a cancel now and then.
TEST_F(MemoryLimit, ManyClientsShareOneBudget) {
  Open(40 * kMiB, 2, 1);
  auto pool = core::ThreadPool::Make({.thread_count = 6, .role = core::ThreadRole::kIo})
                  .ValueOrDie();
  core::TaskGroup clients(pool.get());
  for (int client = 0; client < 6; ++client) {
    clients.Spawn([&, client]() -> arrow::Status {
      auto session = engine_->MakeSession().ValueOrDie();
      for (int i = 0; i < 6; ++i) {
        auto query = session->Submit("SELECT n, text FROM " + table_).ValueOrDie();
        if ((client + i) % 3 == 0) {
          static_cast<void>(query->Next());
          query->Cancel();
          continue;
        }
        std::vector<std::shared_ptr<arrow::RecordBatch>> last(3);
        int64_t rows = 0;
        while (true) {
          ARROW_ASSIGN_OR_RAISE(auto batch, query->Next());
          if (batch == nullptr) {
            break;
          }
          rows += batch->num_rows();
          last[static_cast<size_t>(rows) % last.size()] = std::move(batch);
        }
        EXPECT_EQ(rows, 120'000);
        query.reset();  // Before its batches.
      }
      return arrow::Status::OK();
    });
  }
  EXPECT_EQ(clients.Close(), arrow::Status::OK());
}

TEST_F(MemoryLimit, WhatDoesNotSpillNeverLooksAtASpillDirectory) {
  Open(64 * kMiB);
  EXPECT_EQ(Run("SELECT max(text) FROM " + table_), arrow::Status::OK());
  EXPECT_EQ(syscalls_.opened().find("no such directory"), std::string::npos);
  EXPECT_NE(syscalls_.opened().find("a.parquet"), std::string::npos);
}

}  // namespace
}  // namespace wheelpit::sqltest
