// SPDX-License-Identifier: Apache-2.0
// Scans of files with a page index: the same rows as without, from fewer bytes.
#include "wheelpit/exec/scan/page_selector.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using core::Metric;

constexpr int64_t kRows = 120'000;

// A key that ascends, with a null at every thousandth; numbers and texts of which no page
// ends where another column's does.
std::shared_ptr<arrow::Table> Sample() {
  arrow::Int64Builder keys;
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < kRows; ++i) {
    const bool null = i % 1000 == 999;
    EXPECT_TRUE((null ? keys.AppendNull() : keys.Append(i)).ok());
    EXPECT_TRUE(numbers.Append(i * 0x9E3779B97F4A7C15).ok());
    EXPECT_TRUE(texts.Append("row " + std::to_string(i * 7919)).ok());
  }
  return arrow::Table::Make(arrow::schema({arrow::field("key", arrow::int64()),
                                           arrow::field("number", arrow::int64(), false),
                                           arrow::field("text", arrow::utf8(), false)}),
                            {keys.Finish().ValueOrDie(), numbers.Finish().ValueOrDie(),
                             texts.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::Buffer> File(const arrow::Table& table, bool dictionary,
                                    int64_t row_group_rows = kRows) {
  parquet::WriterProperties::Builder builder;
  builder.enable_write_page_index()->data_pagesize(16 << 10)->write_batch_size(100);
  if (!dictionary) builder.disable_dictionary();
  return WriteParquet(table, builder.build(), row_group_rows);
}

index::PredicateTerm Term(index::PredicateOp op, int64_t literal) {
  return {.column = "key", .op = op, .literals = {arrow::MakeScalar(literal)}};
}

std::vector<std::unique_ptr<RowFilter>> Between(int64_t low, int64_t high) {
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(
      ValueFilter<int64_t>(0, [=](int64_t v) { return v >= low && v < high; }));
  return filters;
}

index::Predicate BetweenTerms(int64_t low, int64_t high) {
  return {Term(index::PredicateOp::kGreaterEqual, low),
          Term(index::PredicateOp::kLess, high)};
}

TEST(PageSelector, TheSameRowsComeFromFewerBytes) {
  const auto table = Sample();
  for (const bool dictionary : {true, false}) {
    for (const int64_t row_group_rows : {kRows, kRows / 3 + 1}) {
      const auto file = File(*table, dictionary, row_group_rows);
      for (const int64_t prefetch : {int64_t{8} << 20, int64_t{64} << 10}) {
        for (const int64_t batch_rows : {int64_t{1000}, int64_t{77}}) {
          ScannedTable scanned;
          scanned.prefetch_bytes = prefetch;
          scanned.batch_rows = batch_rows;
          scanned.Add("f.parquet", file);
          const int64_t low = 39'500;
          const int64_t high = 41'700;
          const auto whole = scanned.Run({0, 1, 2}, Between(low, high)).ValueOrDie();
          const int64_t all_bytes = scanned.Get(Metric::kBytesRead);
          scanned.predicate = BetweenTerms(low, high);
          const auto pruned = scanned.Run({0, 1, 2}, Between(low, high));
          ASSERT_TRUE(pruned.ok()) << pruned.status();
          EXPECT_TRUE((*pruned)->Equals(*whole));
          EXPECT_EQ((*pruned)->num_rows(), high - low - 2);
          EXPECT_GT(scanned.Get(Metric::kPagesPruned), dictionary ? 20 : 100);
          EXPECT_LT(scanned.Get(Metric::kRowsRead), kRows / 5);
          // Dictionaries are read whole, and in windows what lies between is read too.
          if (!dictionary && prefetch > 1 << 20) {
            EXPECT_LT(scanned.Get(Metric::kBytesRead), all_bytes / 5);
          }
        }
      }
    }
  }
}

// Moves to `key <= limit` (or null) when rows of it have been read.
class Falling final : public MovingPredicate {
 public:
  Falling(int64_t limit, bool nulls) : limit_(limit), nulls_(nulls) {}
  const std::string& column() const override { return column_; }
  int64_t version() const override { return moved ? 1 : 0; }
  arrow::Result<index::Predicate> Now(arrow::MemoryPool*) const override {
    index::PredicateTerm term = Term(index::PredicateOp::kLessEqual, limit_);
    term.or_null = nulls_;
    return index::Predicate{term};
  }
  mutable std::atomic<bool> moved{false};

 private:
  const std::string column_ = "key";
  const int64_t limit_;
  const bool nulls_;
};

TEST(PageSelector, WhatMovesLeavesOutRowGroupsAndPages) {
  ScannedTable scanned;
  scanned.Add("f.parquet", File(*Sample(), false, kRows / 4));
  const auto moving = std::make_shared<Falling>(31'000, false);
  scanned.moving = moving;
  const auto all = scanned.Run({0, 1, 2}).ValueOrDie();
  EXPECT_EQ(all->num_rows(), kRows);
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsPruned), 0);
  moving->moved = true;
  const auto some = scanned.Run({0, 1, 2}).ValueOrDie();
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsPruned), 2);
  EXPECT_GT(scanned.Get(Metric::kPagesPruned), 20);
  EXPECT_LT(some->num_rows(), 35'000);
  EXPECT_TRUE(some->Slice(0, 31'001)->Equals(*all->Slice(0, 31'001)));
  // Of pages that may have a null none is left out where nulls are wanted.
  scanned.moving = std::make_shared<Falling>(31'000, true);
  static_cast<const Falling&>(*scanned.moving).moved = true;
  const auto with_nulls = scanned.Run({0}).ValueOrDie();
  EXPECT_EQ(with_nulls->column(0)->null_count(), all->column(0)->null_count());
}

TEST(PageSelector, WhatMovesMeetsWhatStands) {
  ScannedTable scanned;
  scanned.Add("f.parquet", File(*Sample(), false, kRows / 4));
  const auto moving = std::make_shared<Falling>(20'000, false);
  moving->moved = true;
  scanned.moving = moving;
  scanned.predicate = BetweenTerms(19'000, 40'000);
  const auto rows = scanned.Run({0, 1, 2}, Between(19'000, 20'001)).ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 1000);
  EXPECT_LT(scanned.Get(Metric::kRowsRead), 6000);
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsPruned), 3);
}

TEST(PageSelector, RowGroupsWithoutAPageLeftAreNotRead) {
  ScannedTable scanned;
  scanned.Add("f.parquet", File(*Sample(), false, kRows / 4));
  scanned.predicate = BetweenTerms(95'000, 95'010);
  const auto read = scanned.Run({0, 2}, Between(95'000, 95'010));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->num_rows(), 10);
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsPruned), 3);
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsRead), 1);
  EXPECT_EQ(scanned.Get(Metric::kFilesRead), 1);
  scanned.predicate = BetweenTerms(500'000, 500'010);
  EXPECT_EQ(scanned.Run({0, 2}, Between(500'000, 500'010)).ValueOrDie()->num_rows(), 0);
  EXPECT_EQ(scanned.Get(Metric::kRowGroupsRead), 0);
}

TEST(PageSelector, RowsThatMatchInManyPlacesAreAllFound) {
  const auto table = Sample();
  ScannedTable scanned;
  scanned.Add("f.parquet", File(*table, false));
  index::PredicateTerm in{.column = "key", .op = index::PredicateOp::kIn, .literals = {}};
  std::vector<int64_t> wanted;
  for (int64_t i = 5; i < kRows; i += 9'001) {
    wanted.push_back(i);
    in.literals.push_back(arrow::MakeScalar(i));
  }
  scanned.predicate = {in};
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(ValueFilter<int64_t>(
      0, [&](int64_t v) { return std::count(wanted.begin(), wanted.end(), v) > 0; }));
  const auto read = scanned.Run({0, 1, 2}, std::move(filters));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->num_rows(), std::ssize(wanted));
  EXPECT_GT(scanned.Get(Metric::kPagesPruned), 100);
}

// Bytes of the offset index that are changed lead to the same rows or to kCorrupt.
TEST(PageSelector, AChangedOffsetIndexNeverGivesOtherRows) {
  const auto table = Sample();
  const auto file = File(*table, false);
  ScannedTable untouched;
  untouched.Add("f.parquet", file);
  untouched.predicate = BetweenTerms(60'000, 60'400);
  const auto right = untouched.Run({0, 2}, Between(60'000, 60'400)).ValueOrDie();
  const auto& group = untouched.table->files[0].footer->row_groups[0];
  int refused = 0;
  for (const int leaf : {0, 2}) {
    const auto& chunk = group.chunks[static_cast<size_t>(leaf)];
    for (int64_t i = 0; i < chunk.offset_index_bytes; i += 7) {
      std::string bytes(reinterpret_cast<const char*>(file->data()),
                        static_cast<size_t>(file->size()));
      auto& byte = bytes[static_cast<size_t>(chunk.offset_index_offset + i)];
      byte = static_cast<char>(byte ^ (1 << (i % 8)));
      ScannedTable scanned;
      scanned.Add("f.parquet", arrow::Buffer::FromString(std::move(bytes)));
      scanned.predicate = untouched.predicate;
      const auto read = scanned.Run({0, 2}, Between(60'000, 60'400));
      if (read.ok()) {
        EXPECT_TRUE((*read)->Equals(*right)) << "leaf " << leaf << ", byte " << i;
      } else {
        EXPECT_EQ(core::KindOf(read.status()), core::ErrorKind::kCorrupt)
            << read.status();
        EXPECT_NE(read.status().message().find("f.parquet"), std::string::npos);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace wheelpit::exec
