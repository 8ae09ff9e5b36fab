// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/index/parquet_test_file.h"
#include "wheelpit/index/table.h"
#include "wheelpit/index/table_fixture.h"

namespace wheelpit::index {
namespace {

using core::Metric;
using testing::ElementsAre;

class SplitsTest : public TableFixture {
 protected:
  std::shared_ptr<const Table> Open(const std::string& name = "t") {
    auto table =
        OpenTable(At(name), {}, options_, file_system_.get(), context_, &metrics_);
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ValueOr(nullptr);
  }
  std::vector<Split> Plan(const Table& table, const Predicate& predicate = {},
                          const SplitOptions& options = {}) {
    return PlanSplits(table, {0}, predicate, options, &metrics_);
  }
  // "file:row group" of everything that is read, in order.
  static std::vector<std::string> Read(const std::vector<Split>& splits) {
    std::vector<std::string> out;
    for (const Split& split : splits) {
      for (const ScanUnit& unit : split) {
        for (int g = unit.first_row_group; g < unit.last_row_group; ++g) {
          out.push_back(std::to_string(unit.file) + ":" + std::to_string(g));
        }
      }
    }
    return out;
  }
  static PredicateTerm Term(const std::string& column, PredicateOp op,
                            std::vector<std::shared_ptr<arrow::Scalar>> literals) {
    return {.column = column, .op = op, .literals = std::move(literals)};
  }
  static std::shared_ptr<arrow::Scalar> Int(int32_t value) {
    return std::make_shared<arrow::Int32Scalar>(value);
  }
};

// Ten rows in groups of two: 0 1, 10 11, 20 21, …
std::string TenRows() {
  return ParquetBytes(
      {{"a", arrow::int32(), "[0, 1, 10, 11, 20, 21, 30, 31, null, null]"}},
      {.rows_of_row_group = 2});
}

TEST_F(SplitsTest, RowGroupsThatCannotMatchAreLeftOut) {
  directory_.Write("t/f", TenRows());
  const auto table = Open();
  EXPECT_THAT(Read(Plan(*table)), ElementsAre("0:0", "0:1", "0:2", "0:3", "0:4"));
  EXPECT_EQ(Count(Metric::kRowGroupsPruned), 0);
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kEqual, {Int(20)})})),
              ElementsAre("0:2"));
  EXPECT_EQ(Count(Metric::kRowGroupsPruned), 4);
  EXPECT_THAT(Read(Plan(*table, {Term("A", PredicateOp::kIn, {Int(1), Int(31)})})),
              ElementsAre("0:0", "0:3"));
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kIsNull, {})})),
              ElementsAre("0:4"));
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kIsNotNull, {})})),
              ElementsAre("0:0", "0:1", "0:2", "0:3"));
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kGreater, {Int(10)}),
                                 Term("a", PredicateOp::kLess, {Int(30)})})),
              ElementsAre("0:1", "0:2"));
  EXPECT_EQ(Count(Metric::kFilesPruned), 0);
}

TEST_F(SplitsTest, FilesWithoutAnythingLeftAreCounted) {
  directory_.Write("t/f", TenRows());
  directory_.Write("t/g", ParquetBytes({{"a", arrow::int32(), "[100]"}}));
  directory_.Write("t/h", ParquetBytes({{"a", arrow::int32(), "[]"}}));
  const auto table = Open();
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kEqual, {Int(100)})})),
              ElementsAre("1:0"));
  EXPECT_EQ(Count(Metric::kFilesPruned), 1);
  EXPECT_EQ(Count(Metric::kRowGroupsPruned), 5);
}

TEST_F(SplitsTest, TermsOfUnknownColumnsKeepEverything) {
  directory_.Write("t/f", TenRows());
  const auto table = Open();
  EXPECT_EQ(Read(Plan(*table, {Term("x", PredicateOp::kEqual, {Int(7)})})).size(), 5u);
}

TEST_F(SplitsTest, ColumnsThatAFileLacksAreNullInIt) {
  directory_.Write("t/1", ParquetBytes({{"a", arrow::int32(), "[1]"}}));
  directory_.Write(
      "t/2", ParquetBytes({{"a", arrow::int32(), "[1]"}, {"b", arrow::int32(), "[5]"}}));
  const auto table = Open();
  EXPECT_THAT(Read(Plan(*table, {Term("b", PredicateOp::kEqual, {Int(5)})})),
              ElementsAre("1:0"));
  EXPECT_THAT(Read(Plan(*table, {Term("b", PredicateOp::kIsNotNull, {})})),
              ElementsAre("1:0"));
  EXPECT_THAT(Read(Plan(*table, {Term("b", PredicateOp::kIsNull, {})})),
              ElementsAre("0:0"));
}

TEST_F(SplitsTest, PartitionValuesExcludeFiles) {
  directory_.Write("t/k=1/f", ParquetBytes({{"a", arrow::int32(), "[1]"}}));
  directory_.Write("t/k=2/f", ParquetBytes({{"a", arrow::int32(), "[1]"}}));
  directory_.Write("t/k=__HIVE_DEFAULT_PARTITION__/f",
                   ParquetBytes({{"a", arrow::int32(), "[1]"}}));
  const auto table = Open();
  EXPECT_THAT(Read(Plan(*table, {Term("k", PredicateOp::kEqual, {Int(2)})})),
              ElementsAre("1:0"));
  EXPECT_THAT(Read(Plan(*table, {Term("k", PredicateOp::kIsNull, {})})),
              ElementsAre("2:0"));
  EXPECT_EQ(Count(Metric::kFilesPruned), 4);
}

TEST_F(SplitsTest, PartitionValuesWinOverStatisticsOfTheSameName) {
  directory_.Write("t/a=7/f", ParquetBytes({{"a", arrow::int32(), "[1]"},
                                            {"b", arrow::int32(), "[1]"}}));
  const auto table = Open();
  EXPECT_EQ(Read(Plan(*table, {Term("a", PredicateOp::kEqual, {Int(7)})})).size(), 1u);
  EXPECT_EQ(Read(Plan(*table, {Term("a", PredicateOp::kEqual, {Int(1)})})).size(), 0u);
}

// A file's own type may be narrower than the table's.
TEST_F(SplitsTest, StatisticsOfNarrowerTypesAreComparedByValue) {
  directory_.Write("t/1", ParquetBytes({{"a", arrow::int32(), "[1, 2]"}}));
  directory_.Write("t/2", ParquetBytes({{"a", arrow::decimal128(20, 2), "[\"5.25\"]"}}));
  const auto table = Open();
  const auto literal = TestScalar(arrow::decimal128(21, 2), "\"5.25\"");
  EXPECT_THAT(Read(Plan(*table, {Term("a", PredicateOp::kEqual, {literal})})),
              ElementsAre("1:0"));
}

TEST_F(SplitsTest, SmallFilesArePackedFourTasksToASlot) {
  const std::string bytes = ParquetBytes({{"a", arrow::int32(), "[1]"}});
  for (int i = 0; i < 500; ++i) {
    directory_.Write("t/f" + std::to_string(i), bytes);
  }
  const auto table = Open();
  const std::vector<Split> splits = Plan(*table, {}, {.task_slots = 2});
  EXPECT_EQ(splits.size(), 8u);
  for (const Split& split : splits) {
    EXPECT_GE(split.size(), 62u);
    EXPECT_LE(split.size(), 63u);
  }
  EXPECT_EQ(Read(splits).size(), 500u);
  EXPECT_EQ(Plan(*table, {}, {.task_slots = 1}).size(), 4u);
  EXPECT_EQ(Plan(*table, {}, {.task_slots = 1000}).size(), 500u);
}

TEST_F(SplitsTest, LargeInputsAreCutByBytesAndFilesMayBeDivided) {
  std::string json = "[";
  for (int i = 0; i < 64'000; ++i) {
    json += (i == 0 ? "" : ",") + std::to_string(i * 7919 % 64'007);
  }
  json += "]";
  directory_.Write("t/f", ParquetBytes({{"a", arrow::int32(), json}},
                                       {.rows_of_row_group = 1000, .dictionary = false}));
  const auto table = Open();
  int64_t bytes = 0;
  for (const ParquetRowGroup& group : table->files[0].footer->row_groups) {
    bytes += group.chunks[0].compressed_bytes;
  }
  const SplitOptions options = {
      .task_slots = 1, .tasks_per_slot_max = 4, .split_bytes_max = bytes / 16};
  const std::vector<Split> splits = Plan(*table, {}, options);
  EXPECT_GE(splits.size(), 16u);
  EXPECT_LE(splits.size(), 17u);
  int64_t seen_bytes = 0;
  int64_t seen_rows = 0;
  for (const Split& split : splits) {
    // Neighbouring row groups are one unit.
    ASSERT_EQ(split.size(), 1u);
    EXPECT_LE(split[0].compressed_bytes, bytes / 16 + bytes / 64);
    seen_bytes += split[0].compressed_bytes;
    seen_rows += split[0].row_count;
  }
  EXPECT_EQ(seen_bytes, bytes);
  EXPECT_EQ(seen_rows, 64'000);
  EXPECT_EQ(Read(splits).size(), 64u);
  EXPECT_EQ(Read(Plan(*table, {}, options)), Read(splits));
}

TEST_F(SplitsTest, OnlyWantedColumnsCount) {
  directory_.Write("t/f", ParquetBytes({{"a", arrow::int32(), "[1]"},
                                        {"b", arrow::utf8(), "[\"a long text\"]"}}));
  const auto table = Open();
  const auto& chunks = table->files[0].footer->row_groups[0].chunks;
  EXPECT_EQ(PlanSplits(*table, {1}, {}, {}, &metrics_)[0][0].compressed_bytes,
            chunks[1].compressed_bytes);
  EXPECT_EQ(PlanSplits(*table, {}, {}, {}, &metrics_)[0][0].compressed_bytes, 0);
  EXPECT_EQ(PlanSplits(*table, {}, {}, {}, &metrics_)[0][0].row_count, 1);
}

TEST_F(SplitsTest, NothingToReadIsNoSplit) {
  directory_.Write("t/f", ParquetBytes({{"a", arrow::int32(), "[]"}}));
  const auto table = Open();
  EXPECT_TRUE(Plan(*table).empty());
  EXPECT_EQ(Count(Metric::kFilesPruned), 0);
}

}  // namespace
}  // namespace wheelpit::index
