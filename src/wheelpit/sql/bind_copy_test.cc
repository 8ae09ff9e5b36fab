// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/bind_copy.h"

#include <string>
#include <string_view>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/plan_outline.h"

namespace wheelpit::sql {
namespace {

// The message and what its range covers: "message [at text]".
std::string ErrorOf(std::string_view text) {
  FakeTables tables;
  auto bound = BindText(text, &tables);
  if (bound.ok()) {
    return "no error";
  }
  const core::ErrorInfo info = core::InfoOf(bound.status());
  EXPECT_EQ(info.kind, core::ErrorKind::kInvalidSql);
  return bound.status().message() + " [" +
         std::string(text.substr(info.sql_offset, info.sql_length)) + "]";
}

TEST(Copy, WritesTheRowsOfAQuery) {
  EXPECT_EQ(OutlineOf("COPY (SELECT a, s FROM 'x' WHERE a > 1) TO 'y.csv'"),
            "write[y.csv csv](scan[a, s]{(a > 1)})");
}

TEST(Copy, WritesWholeTables) {
  EXPECT_EQ(OutlineOf("COPY 'x' TO 'y.parquet'"),
            "write[y.parquet parquet](scan[a, Bb, s, d, dt, b, f, ts, n, p])");
  EXPECT_EQ(OutlineOf("COPY parquet.`x` TO 'y.parquet'"),
            "write[y.parquet parquet](scan[a, Bb, s, d, dt, b, f, ts, n, p])");
}

TEST(Copy, SaysHowMuchItWrote) {
  FakeTables tables;
  auto bound = BindText("COPY (SELECT 1) TO 'y.json'", &tables);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->kind, BoundKind::kQuery);
  EXPECT_TRUE(bound->plan->schema->Equals(
      *arrow::schema({arrow::field("rows", arrow::int64(), false),
                      arrow::field("bytes", arrow::int64(), false)})));
}

TEST(Copy, OptionsAreWordsNumbersAndTexts) {
  EXPECT_EQ(OutlineOf("COPY (SELECT a FROM 'x') TO 'y' "
                      "(FORMAT parquet, codec = 'zstd', ROW_GROUP_SIZE 1000)"),
            "write[y parquet (codec zstd, row_group_rows 1000)](scan[a])");
  EXPECT_EQ(OutlineOf("COPY (SELECT a FROM 'x') TO 'y.csv' WITH (HEADER, sep '|')"),
            "write[y.csv csv (delimiter |)](scan[a])");
  EXPECT_EQ(OutlineOf("COPY (SELECT a FROM 'x') TO 'y.csv' (HEADER false)"),
            "write[y.csv csv (no header)](scan[a])");
}

TEST(Copy, ErrorsPointAtWhatIsWrong) {
  EXPECT_TRUE(ErrorOf("COPY (SELECT 1) TO 'y'").ends_with("['y']"));
  EXPECT_TRUE(ErrorOf("COPY (SELECT 1) TO ''").ends_with("['']"));
  EXPECT_TRUE(ErrorOf("COPY (SELECT 1) TO 'y' (FORMAT orcs)").ends_with("[FORMAT orcs]"));
  EXPECT_TRUE(ErrorOf("COPY (SELECT 1) TO 'y.csv' (HEADER upper('x'))")
                  .ends_with("[upper('x')]"));
  EXPECT_TRUE(ErrorOf("COPY (SELECT nope FROM 'x') TO 'y.csv'").ends_with("[nope]"));
  EXPECT_TRUE(ErrorOf("COPY t TO 'y.csv'").ends_with("[t]"));
}

TEST(Copy, ColumnsOfOneNameAreRefusedWhereNamesTellThemApart) {
  EXPECT_EQ(ErrorOf("COPY (SELECT a, s, n AS A, s FROM 'x') TO 'y.parquet'"),
            "several columns are called A, s, and a file of format parquet needs one "
            "name for each; give them names with AS "
            "[SELECT a, s, n AS A, s FROM 'x']");
  EXPECT_EQ(OutlineOf("COPY (SELECT a, a FROM 'x') TO 'y.csv'"),
            "write[y.csv csv](project[a, a](scan[a]))");
}

TEST(Copy, CanBeExplained) {
  FakeTables tables;
  auto bound = BindText("EXPLAIN COPY (SELECT a FROM 'x') TO 'y.md'", &tables);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->kind, BoundKind::kExplain);
  EXPECT_EQ(plan::ToString(*bound->plan),
            "Write y.md as markdown\n"
            "  Scan x [a]\n");
}

}  // namespace
}  // namespace wheelpit::sql
