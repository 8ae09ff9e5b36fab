// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/binder.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/plan_outline.h"

namespace wheelpit::sql {
namespace {

class Views : public testing::Test {
 protected:
  std::string OutlineOfText(std::string_view text) {
    auto bound = BindText(text, &tables_);
    return bound.ok() ? Outline(*bound->plan) : ErrorOf(text);
  }

  // Message, class and what the range covers.
  std::string ErrorOf(std::string_view text) {
    auto bound = BindText(text, &tables_);
    if (bound.ok()) {
      return "no error";
    }
    const core::ErrorInfo info = core::InfoOf(bound.status());
    return bound.status().message() + " " + info.error_class + " [" +
           std::string(text.substr(info.sql_offset, info.sql_length)) + "]";
  }

  FakeTables tables_;
};

TEST_F(Views, AreTheirQueries) {
  tables_.CreateView("CREATE VIEW v AS SELECT a, s AS t FROM 'x' WHERE a > 1");
  EXPECT_EQ(OutlineOfText("SELECT t FROM V WHERE a < 9"),
            "project[s](scan[a, s]{(a > 1), (a < 9)})");
  EXPECT_EQ(OutlineOfText("SELECT w.t, v.a FROM v AS w"),
            "there is no table or column v; FROM has w UNRESOLVED_COLUMN [v.a]");
}

TEST_F(Views, MayNameTheirColumns) {
  tables_.CreateView("CREATE TEMP VIEW v (k COMMENT 'a key', l) AS SELECT a, s FROM 'x'");
  EXPECT_EQ(OutlineOfText("SELECT l FROM v WHERE k = 1"),
            "project[s](scan[a, s]{(a = 1)})");
  EXPECT_EQ(ErrorOf("CREATE VIEW w (a, b) AS SELECT 1"),
            "2 names for 1 column ASSIGNMENT_ARITY_MISMATCH [a]");
  EXPECT_EQ(ErrorOf("CREATE VIEW w (a, A) AS SELECT 1, 2"),
            "two columns of the view are called A COLUMN_ALREADY_EXISTS [A]");
}

TEST_F(Views, MayBeFiles) {
  tables_.CreateView("CREATE TEMPORARY VIEW v USING parquet OPTIONS (path 'x')");
  EXPECT_EQ(OutlineOfText("SELECT a FROM v"), "scan[a]");
  EXPECT_EQ(tables_.path, "x");
}

TEST_F(Views, NamesOfTheQueryShadowThem) {
  tables_.CreateView("CREATE VIEW v AS SELECT a FROM 'x'");
  EXPECT_EQ(OutlineOfText("WITH v AS (SELECT s FROM 'x') SELECT * FROM v"), "scan[s]");
  OutlineOfText("SELECT * FROM 'v'");
  EXPECT_EQ(tables_.path, "v");
}

// A common table of the query is none of the view's.
TEST_F(Views, SeeOtherViewsAndNoCommonTables) {
  tables_.CreateView("CREATE VIEW base AS SELECT a FROM 'x'");
  tables_.CreateView("CREATE VIEW v AS SELECT a + 1 AS b FROM base");
  EXPECT_EQ(OutlineOfText("WITH base AS (SELECT 1) SELECT b FROM v"),
            "project[(a + 1)](scan[a])");
}

TEST_F(Views, ErrorsInsideSayWhere) {
  tables_.CreateView("CREATE VIEW v AS\nSELECT nope FROM 'x'");
  tables_.CreateView("CREATE VIEW w AS SELECT * FROM v");
  EXPECT_TRUE(ErrorOf("SELECT 1 FROM v").starts_with("in view v, line 2, column 8: "));
  EXPECT_TRUE(ErrorOf("SELECT 1 FROM v").ends_with("UNRESOLVED_COLUMN [v]"));
  // The innermost alone, however many there are.
  EXPECT_TRUE(ErrorOf("SELECT 1 FROM w").starts_with("in view v, line 2, column 8: "));
  EXPECT_TRUE(ErrorOf("SELECT 1 FROM w").ends_with("UNRESOLVED_COLUMN [w]"));
}

TEST_F(Views, WhatIsBoundPointsAtTheUse) {
  tables_.CreateView("CREATE VIEW v AS SELECT a AS c, 1 / a AS b FROM 'x' WHERE a > 1");
  const std::string text = "SELECT b FROM v";
  const auto bound = BindText(text, &tables_).ValueOrDie();
  const plan::Expr& division = *bound.plan->expressions[0];
  EXPECT_EQ(text.substr(division.range.offset, division.range.length), "v");
  const plan::Expr& filter = *bound.plan->inputs[0]->filter[0];
  EXPECT_EQ(text.substr(filter.range.offset, filter.range.length), "v");
}

TEST_F(Views, AreNotMadeOfThemselves) {
  tables_.CreateView("CREATE VIEW w AS SELECT 1");
  tables_.CreateView("CREATE VIEW v AS SELECT * FROM w");
  EXPECT_EQ(ErrorOf("CREATE OR REPLACE VIEW w AS SELECT * FROM V"),
            "in view v, line 1, column 32: view w would be made of itself "
            "RECURSIVE_VIEW [V]");
  tables_.CreateView("CREATE VIEW w AS SELECT * FROM v");
  EXPECT_TRUE(ErrorOf("SELECT * FROM w").ends_with("RECURSIVE_VIEW [w]"));
}

TEST_F(Views, AreCheckedWhenMade) {
  EXPECT_EQ(ErrorOf("CREATE VIEW v AS SELECT nope FROM 'x'").substr(0, 8), "there is");
  EXPECT_TRUE(ErrorOf("CREATE VIEW v AS SELECT a, a FROM 'x'")
                  .ends_with("COLUMN_ALREADY_EXISTS [v]"));
  EXPECT_TRUE(ErrorOf("CREATE VIEW a.v AS SELECT 1")
                  .ends_with("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS [a.v]"));
  EXPECT_TRUE(ErrorOf("CREATE VIEW v (a INT) USING csv")
                  .ends_with("UNSUPPORTED_FEATURE [CREATE VIEW v (a INT) USING csv]"));
  EXPECT_TRUE(ErrorOf("CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1")
                  .ends_with("INVALID_SQL_SYNTAX [IF]"));
  EXPECT_TRUE(
      ErrorOf("CREATE VIEW v AS SELECT FROM").ends_with("PARSE_SYNTAX_ERROR [FROM]"));
}

TEST_F(Views, AreDescribed) {
  tables_.CreateView("CREATE VIEW v (k) AS SELECT a FROM 'x'");
  const auto bound = BindText("DESCRIBE v", &tables_).ValueOrDie();
  EXPECT_EQ(bound.kind, BoundKind::kDescribe);
  EXPECT_EQ(bound.schema->ToString(), "k: int32 not null");
}

TEST_F(Views, AreDroppedWhenThere) {
  tables_.CreateView("CREATE VIEW v AS SELECT 1");
  EXPECT_EQ(ErrorOf("DROP VIEW V"), "no error");
  EXPECT_EQ(ErrorOf("DROP VIEW IF EXISTS w"), "no error");
  EXPECT_EQ(ErrorOf("DROP VIEW w"), "there is no view w TABLE_OR_VIEW_NOT_FOUND [w]");
}

}  // namespace
}  // namespace wheelpit::sql
