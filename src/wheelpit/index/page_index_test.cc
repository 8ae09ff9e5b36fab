// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/page_index.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/index/parquet_test_file.h"

namespace wheelpit::index {
namespace {

// A table of one file with pages of two rows.
struct OneFile {
  std::string bytes;
  Table table;
};

OneFile MakeFile(const std::vector<TestColumn>& columns, bool statistics = true) {
  OneFile out;
  out.bytes = ParquetBytes(
      columns, {.statistics = statistics, .page_index = true, .rows_of_page = 2});
  uint32_t length = 0;
  std::memcpy(&length, out.bytes.data() + out.bytes.size() - 8, sizeof length);
  TableFile file;
  file.path = "f";
  file.size_bytes = static_cast<int64_t>(out.bytes.size());
  file.footer =
      DecodeParquetFooter(out.bytes.substr(out.bytes.size() - 8 - length, length),
                          file.size_bytes, nullptr)
          .ValueOrDie();
  out.table.schema = file.footer->schema->arrow;
  auto map = std::make_shared<std::vector<int>>();
  for (int i = 0; i < out.table.schema->num_fields(); ++i) map->push_back(i);
  file.column_map = map;
  out.table.files.push_back(std::move(file));
  return out;
}

std::string_view Part(const OneFile& file, int64_t offset, int64_t size) {
  return std::string_view(file.bytes)
      .substr(static_cast<size_t>(offset), static_cast<size_t>(size));
}

std::string_view OffsetIndexOf(const OneFile& file, int leaf) {
  const auto& chunk =
      file.table.files[0].footer->row_groups[0].chunks[static_cast<size_t>(leaf)];
  return Part(file, chunk.offset_index_offset, chunk.offset_index_bytes);
}

std::string_view ColumnIndexOf(const OneFile& file, int leaf) {
  const auto& chunk =
      file.table.files[0].footer->row_groups[0].chunks[static_cast<size_t>(leaf)];
  return Part(file, chunk.column_index_offset, chunk.column_index_bytes);
}

std::vector<PageLocation> PagesOf(const OneFile& file, int leaf) {
  const auto& group = file.table.files[0].footer->row_groups[0];
  return DecodeOffsetIndex(OffsetIndexOf(file, leaf),
                           group.chunks[static_cast<size_t>(leaf)], group.row_count)
      .ValueOrDie();
}

std::vector<RowRange> RowsOf(const OneFile& file, const Predicate& predicate) {
  PagePruner pruner(file.table, predicate);
  const auto leaves = pruner.Enter(file.table.files[0]);
  std::vector<std::vector<PageLocation>> pages;
  std::vector<PagePruner::LeafIndex> indexes;
  pages.reserve(leaves.size());
  for (const int leaf : leaves) {
    pages.push_back(PagesOf(file, leaf));
    indexes.push_back({ColumnIndexOf(file, leaf), &pages.back()});
  }
  return pruner.Rows(file.table.files[0].footer->row_groups[0], indexes).ValueOrDie();
}

PredicateTerm Term(const std::string& column, PredicateOp op,
                   const std::shared_ptr<arrow::DataType>& type = nullptr,
                   const std::string& json = "") {
  PredicateTerm term{.column = column, .op = op, .literals = {}};
  if (type != nullptr) term.literals.push_back(TestScalar(type, json));
  return term;
}

using Ranges = std::vector<RowRange>;

TEST(PageIndex, PagesLieWhereTheIndexSays) {
  const OneFile file = MakeFile({{"n", arrow::int64(), "[1, 2, 3, 4, 5, 6, 7]"}});
  const auto pages = PagesOf(file, 0);
  ASSERT_EQ(pages.size(), 4u);
  EXPECT_EQ(pages[3].first_row, 6);
  EXPECT_EQ(pages[1].offset, pages[0].offset + pages[0].size_bytes);
}

TEST(PageIndex, OnlyPagesThatMayMatchAreLeft) {
  const OneFile file =
      MakeFile({{"n", arrow::int64(), "[1, 2, 3, 4, 5, 6, 7, 8]"},
                {"s", arrow::utf8(), R"(["a", "b", "x", "y", "a", "b", "x", "y"])"}});
  const auto n = arrow::int64();
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kEqual, n, "4")}), (Ranges{{2, 4}}));
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kGreater, n, "4")}), (Ranges{{4, 8}}));
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kEqual, n, "9")}), (Ranges{}));
  EXPECT_EQ(RowsOf(file, {Term("s", PredicateOp::kEqual, arrow::utf8(), R"("x")")}),
            (Ranges{{2, 4}, {6, 8}}));
  EXPECT_EQ(RowsOf(file, {Term("s", PredicateOp::kEqual, arrow::utf8(), R"("x")"),
                          Term("n", PredicateOp::kLess, n, "6")}),
            (Ranges{{2, 4}}));
  EXPECT_EQ(RowsOf(file, {}), (Ranges{{0, 8}}));
}

TEST(PageIndex, NullsAndNaNsAreNeverLost) {
  const OneFile file =
      MakeFile({{"n", arrow::int32(), "[null, null, 1, null, 3, 4]"},
                {"x", arrow::float64(), "[NaN, 0.5, 1.0, NaN, 2.0, 3.0]"}});
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kIsNull)}), (Ranges{{0, 4}}));
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kIsNotNull)}), (Ranges{{2, 6}}));
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kEqual, arrow::int32(), "1")}),
            (Ranges{{2, 4}}));
  // NaN is the largest value: any page may hide one.
  EXPECT_EQ(RowsOf(file, {Term("x", PredicateOp::kGreater, arrow::float64(), "100.0")}),
            (Ranges{{0, 6}}));
  EXPECT_EQ(RowsOf(file, {Term("x", PredicateOp::kLess, arrow::float64(), "1.5")}),
            (Ranges{{0, 4}}));
}

TEST(PageIndex, ColumnsWithoutAnIndexPruneNothing) {
  OneFile file = MakeFile({{"n", arrow::int64(), "[1, 2, 3, 4]"}}, /*statistics=*/false);
  EXPECT_EQ(RowsOf(file, {Term("n", PredicateOp::kEqual, arrow::int64(), "9")}),
            (Ranges{{0, 4}}));
}

TEST(PageIndex, BoundsThatMayNotBeTrustedPruneOnlyNulls) {
  OneFile file = MakeFile({{"s", arrow::utf8(), R"(["a", "b", null, null])"}});
  auto footer = std::make_shared<ParquetFooter>(*file.table.files[0].footer);
  footer->row_groups[0].chunks[0].has_min_max = false;
  file.table.files[0].footer = footer;
  EXPECT_EQ(RowsOf(file, {Term("s", PredicateOp::kEqual, arrow::utf8(), R"("z")")}),
            (Ranges{{0, 2}}));
}

TEST(PageIndex, RangesIntersect) {
  const Ranges a = {{0, 10}, {20, 30}, {40, 41}};
  EXPECT_EQ(Intersect(a, {{5, 25}, {29, 50}}),
            (Ranges{{5, 10}, {20, 25}, {29, 30}, {40, 41}}));
  EXPECT_EQ(Intersect(a, {}), (Ranges{}));
  EXPECT_EQ(Intersect(a, {{10, 20}}), (Ranges{}));
}

// Whatever the bytes are: an answer whose numbers lie in the chunk, or kCorrupt.
TEST(PageIndex, ChangedBytesAreFoundOutOrHarmless) {
  const OneFile file =
      MakeFile({{"s", arrow::utf8(), R"(["a", "b", null, "y", "a", "b", "x", "y"])"}});
  const auto& group = file.table.files[0].footer->row_groups[0];
  const ParquetChunk& chunk = group.chunks[0];
  const std::string offsets(OffsetIndexOf(file, 0));
  const std::string values(ColumnIndexOf(file, 0));
  const auto check = [&](const std::string& bytes) {
    const auto pages = DecodeOffsetIndex(bytes, chunk, group.row_count);
    if (!pages.ok()) {
      EXPECT_EQ(core::KindOf(pages.status()), core::ErrorKind::kCorrupt);
    } else {
      int64_t row = -1;
      int64_t at = chunk.offset();
      for (const PageLocation& page : *pages) {
        EXPECT_GE(page.offset, at);
        EXPECT_GT(page.first_row, row);
        EXPECT_GT(page.size_bytes, 0);
        row = page.first_row;
        at = page.offset + page.size_bytes;
      }
      EXPECT_LT(row, group.row_count);
      EXPECT_LE(at, chunk.offset() + chunk.compressed_bytes);
    }
    const auto entries = DecodeColumnIndex(bytes, 4);
    if (!entries.ok()) {
      EXPECT_EQ(core::KindOf(entries.status()), core::ErrorKind::kCorrupt);
    }
  };
  for (const std::string& whole : {offsets, values}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      check(whole.substr(0, i));
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
        check(changed);
      }
    }
  }
  EXPECT_FALSE(DecodeColumnIndex(values, 3).ok());
  EXPECT_FALSE(DecodeColumnIndex(values, 5).ok());
}

}  // namespace
}  // namespace wheelpit::index
