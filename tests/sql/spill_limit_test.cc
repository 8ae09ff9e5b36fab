// SPDX-License-Identifier: Apache-2.0
// The limits of spilled bytes, seen by the statements of one engine: who reaches one is
// told, and the next statement has all of it again.
#include <cstdint>
#include <memory>
#include <string>

#include "fs_conformance/temp_directory.h"
#include "test_engine.h"
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/index/parquet_test_file.h"

namespace wheelpit::sqltest {
namespace {

/// Rows whose texts no codec makes much smaller.
std::string SomeRows() {
  constexpr int kRows = 60'000;
  std::string numbers = "[";
  std::string texts = "[";
  uint64_t random = 88172645463325252;
  for (int i = 0; i < kRows; ++i) {
    numbers += (i == 0 ? "" : ",") + std::to_string(i);
    texts += i == 0 ? "\"" : ",\"";
    for (int j = 0; j < 8; ++j) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      texts += std::to_string(random);
    }
    texts += '"';
  }
  return index::ParquetBytes(
      {{"n", arrow::int64(), numbers + "]"}, {"text", arrow::utf8(), texts + "]"}},
      {.rows_of_row_group = 10'000, .dictionary = false});
}

class SpillLimit : public testing::Test {
 protected:
  void SetUp() override { directory_.Write("t/a.parquet", SomeRows()); }

  /// All rows of the table, so many times, sorted.
  std::string Sort(int times) const {
    const std::string rows = "SELECT n, text FROM '" + directory_.path() + "/t'";
    std::string all = rows;
    for (int i = 1; i < times; ++i) {
      all += " UNION ALL " + rows;
    }
    return "SELECT count(*) AS n FROM (SELECT text, n FROM (" + all +
           ") AS u ORDER BY text LIMIT 1000000) AS s WHERE n >= 0 AND text > ''";
  }

  void Open(const std::string& process_limit) {
    session_.reset();
    engine_.reset();
    const auto config =
        TestConfig(directory_.path(), {{"memory.limit", "28MiB"},
                                       {"compute.threads", "2"},
                                       {"spill.process_limit", process_limit}})
            .ValueOrDie();
    engine_ = engine::Engine::Make(config, {}).ValueOrDie();
    session_ = engine_->MakeSession().ValueOrDie();
  }

  /// Bytes that the statement has spilled.
  int64_t Spilled(const std::string& sql) {
    auto query = session_->Submit(sql).ValueOrDie();
    while (query->Next().ValueOrDie() != nullptr) {
    }
    const auto metric = static_cast<size_t>(core::Metric::kSpillBytesWritten);
    return query->stats().metrics[metric];
  }

  fs_conformance::TempDirectory directory_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::Session> session_;
};

TEST_F(SpillLimit, TheNextStatementHasAllOfItAgain) {
  Open("1TB");
  const int64_t once = Spilled(Sort(3));
  ASSERT_GT(once, 4 << 20);
  const std::string enough = std::to_string(once + once / 4);
  for (const bool of_process : {false, true}) {
    Open(of_process ? enough : "1TB");
    if (!of_process) {
      ASSERT_TRUE(Ask(session_.get(), "SET spill.limit = " + enough).status.ok());
    }
    const Answer refused = Ask(session_.get(), Sort(7));
    EXPECT_EQ(core::KindOf(refused.status), core::ErrorKind::kSpillLimit);
    EXPECT_NE(
        refused.status.message().find(of_process ? "spill.process_limit" : "spill.limit"),
        std::string::npos)
        << refused.status;
    const Answer good = Ask(session_.get(), Sort(3));
    ASSERT_TRUE(good.status.ok()) << good.status;
    EXPECT_EQ(good.rows, (std::vector<Row>{{"180000"}}));
  }
}

}  // namespace
}  // namespace wheelpit::sqltest
