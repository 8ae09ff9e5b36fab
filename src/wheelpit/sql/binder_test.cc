// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/binder.h"

#include <string>
#include <string_view>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/column_names_test_data.h"
#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/plan_outline.h"

namespace wheelpit::sql {
namespace {

// Kind, class and what the range covers: "invalid_sql UNRESOLVED_COLUMN at zz".
std::string ErrorOf(std::string_view text) {
  FakeTables tables;
  auto bound = BindText(text, &tables);
  if (bound.ok()) {
    return "no error";
  }
  core::ErrorInfo info = core::InfoOf(bound.status());
  std::string place = info.sql_offset < 0
                          ? "nowhere"
                          : std::string(text.substr(info.sql_offset, info.sql_length));
  return std::string(core::ToString(info.kind)) + " " + info.error_class + " at " + place;
}

std::string MessageOf(std::string_view text) {
  FakeTables tables;
  auto bound = BindText(text, &tables);
  return bound.ok() ? "no error" : bound.status().message();
}

// What is not supported yet, by the range that the error points at.
std::string NotYetAt(std::string_view text) {
  std::string error = ErrorOf(text);
  constexpr std::string_view kPrefix = "unsupported UNSUPPORTED_FEATURE at ";
  return error.starts_with(kPrefix) ? error.substr(kPrefix.size()) : error;
}

std::string SchemaOf(std::string_view text) {
  FakeTables tables;
  auto bound = BindText(text, &tables);
  if (!bound.ok()) {
    return "error: " + bound.status().message();
  }
  std::string schema;
  for (const auto& field : bound->plan->schema->fields()) {
    schema += (schema.empty() ? "" : ", ") + field->name() + " " +
              plan::TypeName(*field->type()) + (field->nullable() ? "?" : "");
  }
  return schema;
}

TEST(Binder, ColumnsHaveTheNamesAndTypesThatSparkGivesThem) {
  for (const ColumnNameRow& row : kColumnNames) {
    FakeTables tables;
    auto bound =
        BindText("SELECT " + std::string(row.expression) + " FROM \"x\" t", &tables);
    ASSERT_TRUE(bound.ok()) << row.expression << ": " << bound.status().ToString();
    const auto& field = bound->plan->schema->field(0);
    EXPECT_EQ(field->name(), row.name) << row.expression;
    EXPECT_EQ(plan::TypeName(*field->type()), row.type) << row.expression;
  }
}

TEST(Binder, NamesAreFoundInAnyCaseAndQualified) {
  EXPECT_EQ(OutlineOf("SELECT A, bb, t.S FROM 'x' AS t"),
            "project[a, Bb, s](scan[a, Bb, s])");
  EXPECT_EQ(SchemaOf("SELECT BB, T.a FROM 'x' t"), "BB bigint, a int");
  EXPECT_EQ(OutlineOf("SELECT `dir/x`.a FROM parquet.`dir/x`"), "scan[a]");
  EXPECT_EQ(OutlineOf("SELECT a FROM read_parquet('x', hive_partitioning => true)"),
            "scan[a]");
}

TEST(Binder, StarsGiveEveryColumnButThoseExcepted) {
  EXPECT_EQ(OutlineOf("SELECT * FROM 'x'"), "scan[a, Bb, s, d, dt, b, f, ts, n, p]");
  EXPECT_EQ(OutlineOf("SELECT t.* EXCEPT (A, t.bb, s, d, dt, ts) FROM 'x' t"),
            "scan[b, f, n, p]");
  EXPECT_EQ(ErrorOf("SELECT * EXCEPT (zz) FROM 'x'"),
            "invalid_sql UNRESOLVED_COLUMN at zz");
  EXPECT_EQ(ErrorOf("SELECT u.* FROM 'x' t"),
            "invalid_sql CANNOT_RESOLVE_STAR_EXPAND at u.*");
  EXPECT_EQ(ErrorOf("SELECT a + * FROM 'x'"),
            "invalid_sql INVALID_USAGE_OF_STAR_OR_REGEX at *");
}

TEST(Binder, UnknownNamesComeWithASuggestionAndTheirRange) {
  EXPECT_EQ(ErrorOf("SELECT zz FROM 'x'"), "invalid_sql UNRESOLVED_COLUMN at zz");
  EXPECT_NE(MessageOf("SELECT sum(Bbb) FROM 'x'").find("did you mean Bb?"),
            std::string::npos);
  EXPECT_NE(MessageOf("SELECT a FROM 'x' WHERE u.a = 1").find("there is no"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("SELECT foor(f) FROM 'x'"), "invalid_sql UNRESOLVED_ROUTINE at foor");
  EXPECT_NE(MessageOf("SELECT foor(f) FROM 'x'").find("did you mean floor?"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("SELECT a FROM tt"), "invalid_sql TABLE_OR_VIEW_NOT_FOUND at tt");
  EXPECT_EQ(ErrorOf("SELECT a"), "invalid_sql UNRESOLVED_COLUMN at a");
}

TEST(Binder, ANameOfTwoColumnsIsAmbiguous) {
  EXPECT_EQ(ErrorOf("SELECT y FROM (SELECT a AS y, Bb AS Y FROM 'x')"),
            "invalid_sql AMBIGUOUS_REFERENCE at y");
  EXPECT_EQ(SchemaOf("SELECT * FROM (SELECT a AS y, Bb AS Y FROM 'x')"),
            "y int, Y bigint");
}

TEST(Binder, TypesThatDoNotFitAreErrorsAtTheirRange) {
  EXPECT_EQ(ErrorOf("SELECT a + b FROM 'x'"), "invalid_sql DATATYPE_MISMATCH at a + b");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' WHERE a"), "invalid_sql DATATYPE_MISMATCH at a");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' WHERE NULL"),
            "invalid_sql DATATYPE_MISMATCH at NULL");
  EXPECT_EQ(ErrorOf("SELECT CAST(a AS DATE) FROM 'x'"),
            "invalid_sql DATATYPE_MISMATCH at CAST(a AS DATE)");
  EXPECT_EQ(ErrorOf("SELECT upper(s, s) FROM 'x'"),
            "invalid_sql WRONG_NUM_ARGS at upper(s, s)");
  EXPECT_EQ(ErrorOf("SELECT if(a, 1, 2) FROM 'x'").substr(0, 29),
            "invalid_sql DATATYPE_MISMATCH");
}

TEST(Binder, AggregatesWithoutGroups) {
  EXPECT_EQ(
      OutlineOf("SELECT count(*), sum(a) + count(*) FROM 'x'"),
      "project[count(*), (sum(a) + count(*))](aggregate[count(*), sum(a)](scan[a]))");
  EXPECT_EQ(OutlineOf("SELECT count(*) FROM 'x'"),
            "project[count(*)](aggregate[count(*)](scan[]))");
  EXPECT_EQ(OutlineOf("SELECT count(1), count(a), count(n), count(NULL) FROM 'x'"),
            "project[count(*), count(*), count(n), count(NULL)]"
            "(aggregate[count(*), count(n), count(NULL)](scan[n]))");
  EXPECT_EQ(OutlineOf("SELECT sum(a) FILTER (WHERE b) AS q FROM 'x' WHERE p = 1"),
            "project[sum(a) FILTER (WHERE b)](aggregate[sum(a) FILTER (WHERE b)]"
            "(scan[a, b, p]{(p = 1)}))");
  EXPECT_EQ(OutlineOf("SELECT max(a) AS m FROM 'x' HAVING m > 1 AND count(*) > 2"),
            "project[max(a)](filter[((max(a) > 1) AND (count(*) > 2L))]"
            "(aggregate[max(a), count(*)](scan[a])))");
  EXPECT_EQ(OutlineOf("SELECT max(a) AS a FROM 'x' HAVING a > 1 AND min(a) > 0"),
            "project[max(a)](filter[((max(a) > 1) AND (min(a) > 0))]"
            "(aggregate[max(a), min(a)](scan[a])))");
  EXPECT_EQ(SchemaOf("SELECT count(n), sum(a), avg(d), min(s) AS low FROM 'x'"),
            "count(n) bigint, sum(a) bigint?, avg(d) decimal(14,6)?, low string?");
}

TEST(Binder, AggregatesInTheWrongPlaceAreErrors) {
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' WHERE sum(a) > 1"),
            "invalid_sql INVALID_WHERE_CONDITION at sum(a)");
  EXPECT_EQ(ErrorOf("SELECT sum(max(a)) FROM 'x'"),
            "invalid_sql NESTED_AGGREGATE_FUNCTION at max(a)");
  EXPECT_EQ(ErrorOf("SELECT a, count(*) FROM 'x'"), "invalid_sql MISSING_GROUP_BY at a");
  EXPECT_EQ(ErrorOf("SELECT *, count(*) FROM 'x'"), "invalid_sql MISSING_GROUP_BY at *");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' HAVING true"),
            "invalid_sql MISSING_GROUP_BY at a");
  EXPECT_EQ(ErrorOf("SELECT sum(a, a) FROM 'x'"),
            "invalid_sql WRONG_NUM_ARGS at sum(a, a)");
  EXPECT_EQ(ErrorOf("SELECT count(x.*) FROM 'x'").substr(0, 12), "invalid_sql ");
}

TEST(Binder, LimitsAreNumbersKnownBeforehand) {
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' LIMIT 2 + 3 OFFSET 1"), "limit[5+1](scan[a])");
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' OFFSET 7"), "limit[-1+7](scan[a])");
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' LIMIT ALL"), "scan[a]");
  for (std::string_view limit : {"-1", "a", "'1'", "1.5", "NULL", "1L"}) {
    std::string text = "SELECT a FROM 'x' LIMIT " + std::string(limit);
    EXPECT_EQ(ErrorOf(text),
              "invalid_sql INVALID_LIMIT_LIKE_EXPRESSION at " + std::string(limit));
  }
}

TEST(Binder, RowsWithoutATable) {
  EXPECT_EQ(OutlineOf("SELECT 1, 'a'"), "project[1, 'a'](values[1x0])");
  EXPECT_EQ(SchemaOf("VALUES (1, 'a'), (2L, NULL)"), "col1 bigint, col2 string?");
  EXPECT_EQ(SchemaOf("SELECT * FROM VALUES (1, 2) AS t(x, y)"), "x int, y int");
  EXPECT_EQ(OutlineOf("SELECT y FROM (VALUES (1, 2), (3, 4)) AS t(x, y) WHERE x > 1"),
            "project[col2](filter[(col1 > 1)](values[2x2]))");
  EXPECT_EQ(ErrorOf("VALUES (1), (1, 2)"),
            "invalid_sql INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH at (1, 2)");
  EXPECT_EQ(ErrorOf("SELECT * FROM VALUES (1, 2) AS t(x)"),
            "invalid_sql INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH at x");
  EXPECT_EQ(ErrorOf("VALUES (1), ('y')"),
            "invalid_sql INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE at 'y'");
  EXPECT_EQ(ErrorOf("SELECT *"), "invalid_sql PARSE_SYNTAX_ERROR at *");
}

TEST(Binder, SubqueriesInFromAndCommonTables) {
  EXPECT_EQ(OutlineOf("SELECT y FROM (SELECT a AS y, s FROM 'x') q WHERE q.y > 1"),
            "project[a](scan[a]{(a > 1)})");
  EXPECT_EQ(OutlineOf("WITH c AS (SELECT a, s FROM 'x'), e(u) AS (SELECT a FROM c) "
                      "SELECT u FROM e WHERE u = 2"),
            "project[a](scan[a]{(a = 2)})");
  EXPECT_EQ(ErrorOf("WITH c AS (SELECT a FROM e), e AS (SELECT 1 AS a) SELECT * FROM c"),
            "invalid_sql TABLE_OR_VIEW_NOT_FOUND at e");
  EXPECT_EQ(ErrorOf("WITH c AS (SELECT * FROM c) SELECT * FROM c"),
            "invalid_sql TABLE_OR_VIEW_NOT_FOUND at c");
  EXPECT_EQ(OutlineOf("SELECT sum(a) FROM (SELECT a, count(*) OVER () FROM 'x')"),
            "error: a window function is not supported yet");
}

TEST(Binder, DatesMoveByIntervals) {
  EXPECT_EQ(
      OutlineOf("SELECT a FROM 'x' WHERE dt >= date '1994-01-31' + interval '1' month"),
      "project[a](scan[a, dt]{(dt >= DATE '1994-02-28')})");
  EXPECT_EQ(OutlineOf("SELECT date '1998-12-01' - interval '90' day AS q"),
            "project[DATE '1998-09-02'](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT interval 2 weeks + dt AS q FROM 'x'"),
            "project[date_add(dt, 14)](scan[dt])");
  EXPECT_EQ(OutlineOf("SELECT dt - interval 1 month AS q FROM 'x'"),
            "project[(dt + INTERVAL '-1' MONTH)](scan[dt])");
  EXPECT_EQ(OutlineOf("SELECT dt - date '2020-01-01' AS q FROM 'x'"),
            "project[(dt - DATE '2020-01-01')](scan[dt])");
}

TEST(Binder, ConjunctsOverNamesAndLiteralsReachTheResolverUnbound) {
  auto terms = [](std::string_view where) {
    FakeTables tables;
    auto bound = BindText("SELECT a FROM 'x' AS t WHERE " + std::string(where), &tables);
    EXPECT_TRUE(bound.ok()) << bound.status().ToString();
    return tables.terms;
  };
  EXPECT_EQ(terms("p = 3 AND 5 > t.P AND a + 1 = 2"), "p=3, P<5");
  EXPECT_EQ(terms("p IN (1, 2) AND p BETWEEN 1 AND 1 + 1"), "p in(1 2), p>=1, p<=2");
  EXPECT_EQ(terms("p IS NULL AND s IS NOT NULL"), "p is null, s is not null");
  EXPECT_EQ(terms("dt < date '1994-01-01' + interval 1 year"), "dt<1995-01-01");
  EXPECT_EQ(terms("p = 1 OR p = 2"), "");
  EXPECT_EQ(terms("NOT p = 1 AND p NOT IN (1) AND p NOT BETWEEN 1 AND 2"), "");
  EXPECT_EQ(terms("p = NULL AND p IN (1, NULL) AND p = a AND p <> 1"), "");
}

TEST(Binder, TermsOfAnotherRelationDoNotReachTheResolver) {
  FakeTables tables;
  ASSERT_TRUE(
      BindText("SELECT q FROM (SELECT a AS q FROM 'x') WHERE q = 1", &tables).ok());
  EXPECT_EQ(tables.terms, "");
  ASSERT_TRUE(
      BindText("SELECT c1 FROM 'x' AS t(c1,c2,c3,c4,c5,c6,c7,c8,c9,a) WHERE a = 1",
               &tables)
          .ok());
  EXPECT_EQ(tables.terms, "");
}

TEST(Binder, TheResolversErrorsPassThrough) {
  FakeTables tables;
  tables.has_no_table = true;
  auto bound = BindText("SELECT * FROM 'dir/x'", &tables);
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(core::KindOf(bound.status()), core::ErrorKind::kNotFound);
}

TEST(Binder, KeysAreExpressionsPositionsAndAliases) {
  const std::string by_sum = "aggregate[count(*)]by[(a + 1)](";
  for (const char* text : {"SELECT a + 1, count(*) FROM 'x' GROUP BY a + 1",
                           "SELECT a + 1, count(*) FROM 'x' GROUP BY 1",
                           "SELECT a + 1 AS k, count(*) FROM 'x' GROUP BY k",
                           "SELECT a + 1, count(*) FROM 'x' GROUP BY ALL",
                           "SELECT a + 1, count(*) FROM 'x' GROUP BY a + 1, 1, 'c'"}) {
    EXPECT_THAT(OutlineOf(text), testing::HasSubstr(by_sum)) << text;
  }
  // A column before an alias.
  EXPECT_THAT(OutlineOf("SELECT max(n) AS a FROM 'x' GROUP BY a"),
              testing::HasSubstr("by[a]"));
  EXPECT_THAT(OutlineOf("SELECT 1 FROM 'x' GROUP BY 'c'"),
              testing::HasSubstr("aggregate[]by['c']"));
}

TEST(Binder, WhatGroupsDoNotTellIsRefused) {
  EXPECT_EQ(ErrorOf("SELECT a, s FROM 'x' GROUP BY a"),
            "invalid_sql MISSING_AGGREGATION at s");
  EXPECT_EQ(ErrorOf("SELECT * FROM 'x' GROUP BY a"),
            "invalid_sql MISSING_AGGREGATION at *");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' GROUP BY a ORDER BY s"),
            "invalid_sql MISSING_AGGREGATION at s");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' GROUP BY a HAVING s = 'q'"),
            "invalid_sql MISSING_AGGREGATION at s");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' GROUP BY 2"),
            "invalid_sql GROUP_BY_POS_OUT_OF_RANGE at 2");
  EXPECT_EQ(ErrorOf("SELECT sum(a) FROM 'x' GROUP BY 1"),
            "invalid_sql GROUP_BY_POS_AGGREGATE at 1");
  EXPECT_EQ(ErrorOf("SELECT sum(a) AS k FROM 'x' GROUP BY k"),
            "invalid_sql GROUP_BY_AGGREGATE at k");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' GROUP BY sum(a)"),
            "invalid_sql INVALID_WHERE_CONDITION at sum(a)");
}

TEST(Binder, GroupingSetsExpandRows) {
  EXPECT_EQ(OutlineOf("SELECT a, s, sum(n), grouping(s) FROM 'x' GROUP BY ROLLUP (a, s)"),
            "project[a, s, sum(n), CASE WHEN ((grouping_id & 1L) = 0L) THEN 0Y ELSE 1Y "
            "END](aggregate[sum(n)]by[a, s, grouping_id](expand[a, s, 0L, n; "
            "a, NULL, 1L, n; NULL, NULL, 3L, n](scan[a, s, n])))");
  // Sets that repeat are told apart, and one of all keys is nothing special.
  EXPECT_THAT(OutlineOf("SELECT a FROM 'x' GROUP BY GROUPING SETS ((a), (a))"),
              testing::HasSubstr("by[a, grouping_id, grouping_set](expand[a, 0L, 0; "
                                 "a, 0L, 1]("));
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' GROUP BY GROUPING SETS ((a, s))"),
            OutlineOf("SELECT a FROM 'x' GROUP BY a, s"));
}

TEST(Binder, GroupingSetsAreBounded) {
  const auto cube = [](int keys) {
    std::string text = "a";
    for (int i = 1; i < keys; ++i) {
      text += ", a + " + std::to_string(i);
    }
    return "SELECT count(*) FROM 'x' GROUP BY CUBE (" + text + ")";
  };
  EXPECT_THAT(OutlineOf(cube(12)), testing::HasSubstr("expand["));
  EXPECT_THAT(ErrorOf(cube(13)), testing::HasSubstr("TOO_MANY_GROUPING_SETS"));
  EXPECT_THAT(ErrorOf("SELECT count(*) FROM 'x' GROUP BY CUBE(a, s, n, f, b, d), "
                      "CUBE(a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7)"),
              testing::HasSubstr("TOO_MANY_GROUPING_SETS"));
  std::string keys = "a";
  for (int i = 1; i <= 64; ++i) {
    keys += ", a + " + std::to_string(i);
  }
  EXPECT_THAT(ErrorOf("SELECT count(*) FROM 'x' GROUP BY ROLLUP (" + keys + ")"),
              testing::HasSubstr("GROUPING_SIZE_LIMIT_EXCEEDED"));
}

TEST(Binder, OrderTakesAliasesPositionsAndColumnsThatAreNotShown) {
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' ORDER BY s DESC, a NULLS LAST, 'c'"),
            "project[a](sort[s desc nulls last, a nulls last](scan[a, s]))");
  EXPECT_EQ(OutlineOf("SELECT a AS s FROM 'x' ORDER BY s LIMIT 2 OFFSET 3"),
            "limit[2+3](top5[s](project[a](scan[a])))");
  EXPECT_EQ(OutlineOf("SELECT a, s FROM 'x' ORDER BY 2, 1, s"), "sort[s, a](scan[a, s])");
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' ORDER BY ALL DESC NULLS FIRST"),
            "sort[a desc](scan[a])");
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' GROUP BY a ORDER BY count(*) DESC LIMIT 1"),
            "limit[1+0](project[a](top1[count(*) desc nulls last]("
            "aggregate[count(*)]by[a](scan[a]))))");
  EXPECT_EQ(ErrorOf("SELECT a FROM 'x' ORDER BY 2"),
            "invalid_sql ORDER_BY_POS_OUT_OF_RANGE at 2");
  EXPECT_EQ(ErrorOf("SELECT DISTINCT a FROM 'x' ORDER BY s"),
            "invalid_sql UNRESOLVED_COLUMN at s");
}

TEST(Binder, UnionsTakeTheCommonTypeAndAreFlat) {
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' UNION ALL SELECT a FROM 'x' UNION ALL "
                      "SELECT a FROM 'x'"),
            "union(scan[a], scan[a], scan[a])");
  EXPECT_THAT(OutlineOf("SELECT a FROM 'x' UNION SELECT d FROM 'x' ORDER BY 1"),
              testing::HasSubstr("sort[a](aggregate[]by[a](union("));
  EXPECT_EQ(ErrorOf("SELECT a, s FROM 'x' UNION ALL SELECT a FROM 'x'"),
            "invalid_sql NUM_COLUMNS_MISMATCH at UNION");
  EXPECT_EQ(ErrorOf("SELECT b FROM 'x' UNION SELECT dt FROM 'x'"),
            "invalid_sql INCOMPATIBLE_COLUMN_TYPE at UNION");
  EXPECT_EQ(NotYetAt("SELECT a FROM 'x' EXCEPT ALL SELECT a FROM 'x'"), "EXCEPT");
}

TEST(Binder, RowsOfTwoSidesAreGrouped) {
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' EXCEPT SELECT a FROM 'y'"),
            "project[a](filter[(max(side) = 0)](aggregate[max(side)]by[a]("
            "union(project[a, 0](scan[a]), project[a, 1](scan[a])))))");
  EXPECT_THAT(OutlineOf("SELECT a FROM 'x' INTERSECT SELECT a FROM 'y'"),
              testing::HasSubstr("filter[(min(side) < max(side))]("));
}

TEST(Binder, WhatIsNotPlannedYetIsSaidAtItsPlace) {
  EXPECT_EQ(NotYetAt("SELECT a FROM 'x' LEFT JOIN 'y' USING (a)"), "LEFT JOIN");
  EXPECT_EQ(NotYetAt("SELECT a FROM 'x', 'y'"), "'y'");
  EXPECT_EQ(NotYetAt("SELECT sum(a) OVER () FROM 'x'"), "sum(a) OVER ()");
  EXPECT_EQ(NotYetAt("SELECT (SELECT 1)"), "(SELECT 1)");
  EXPECT_EQ(NotYetAt("SELECT a IN (SELECT 1) FROM 'x'"), "a IN (SELECT 1)");
  EXPECT_EQ(NotYetAt("SELECT a FROM 'x' TABLESAMPLE (5 ROWS)"), "TABLESAMPLE (5 ROWS)");
  EXPECT_EQ(NotYetAt("SELECT a FROM 'x' LATERAL VIEW explode(s) e AS q"),
            "LATERAL VIEW explode(s) e AS q");
  EXPECT_EQ(NotYetAt("SELECT s[0] FROM 'x'"), "s[0]");
  EXPECT_EQ(NotYetAt("SELECT a << 1 FROM 'x'"), "<<");
  EXPECT_EQ(NotYetAt("SELECT :v"), ":v");
  EXPECT_EQ(NotYetAt("SELECT a FROM csv.`x`"), "csv.`x`");
  EXPECT_EQ(NotYetAt("SELECT * FROM range(5)"), "range");
  EXPECT_EQ(NotYetAt("FROM 'x' |> WHERE a > 1"), "WHERE a > 1");
  EXPECT_EQ(NotYetAt("SELECT a AS q, q + 1 FROM 'x'"), "q");
  EXPECT_EQ(NotYetAt("CREATE TABLE t (a INT)"), "CREATE TABLE t (a INT)");
  EXPECT_EQ(NotYetAt("EXPLAIN SET a = 1"), "SET a = 1");
  EXPECT_EQ(NotYetAt("DESCRIBE 'x' a"), "DESCRIBE 'x' a");
}

TEST(Binder, OtherStatements) {
  FakeTables tables;
  auto explain = BindText("EXPLAIN ANALYZE SELECT a FROM 'x'", &tables);
  ASSERT_TRUE(explain.ok());
  EXPECT_EQ(explain->kind, BoundKind::kExplain);
  EXPECT_TRUE(explain->analyze);
  EXPECT_EQ(Outline(*explain->plan), "scan[a]");
  auto describe = BindText("DESCRIBE 'dir/x'", &tables);
  ASSERT_TRUE(describe.ok());
  EXPECT_EQ(tables.path, "dir/x");
  EXPECT_EQ(describe->schema->num_fields(), 10);
  EXPECT_EQ(describe->partition_columns, std::vector<std::string>{"p"});
  auto query = BindText("DESCRIBE SELECT a AS q FROM 'x'", &tables);
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->kind, BoundKind::kDescribe);
  EXPECT_EQ(query->schema->field(0)->name(), "q");
  auto set = BindText("SET memory.limit = 1GB", &tables);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->kind, BoundKind::kSet);
  EXPECT_EQ(set->key, "memory.limit");
  EXPECT_EQ(set->value, "1GB");
  EXPECT_EQ(BindText("SHOW ALL", &tables)->kind, BoundKind::kShow);
  EXPECT_EQ(BindText("RESET", &tables)->kind, BoundKind::kReset);
}

TEST(Binder, TimestampsWithoutAZoneAreInTheSessionsZone) {
  auto micros = [](std::string_view literal, std::string zone) {
    FakeTables tables;
    auto statement = Parse("SELECT " + std::string(literal));
    auto bound = Bind(*statement, {.time_zone = std::move(zone)}, tables);
    EXPECT_TRUE(bound.ok()) << bound.status().ToString();
    return static_cast<const arrow::TimestampScalar&>(
               *bound->plan->expressions[0]->literal)
        .value;
  };
  constexpr int64_t kHour = INT64_C(3600000000);
  EXPECT_EQ(micros("TIMESTAMP '1970-01-01 02:00:00'", "UTC"), 2 * kHour);
  EXPECT_EQ(micros("TIMESTAMP '1970-01-01 02:00:00'", "+02:00"), 0);
  EXPECT_EQ(micros("TIMESTAMP '1970-01-01 02:00:00+01:00'", "+02:00"), kHour);
  EXPECT_EQ(micros("TIMESTAMP_NTZ '1970-01-01 02:00:00'", "+02:00"), 2 * kHour);
}

std::string Repeat(std::string_view piece, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += piece;
  }
  return text;
}

TEST(Binder, TextsThatMultiplyThemselvesAreRefused) {
  // Stars that double the columns at every level, and operands that are used twice.
  std::string stars = "'x'";
  for (int i = 0; i < 40; ++i) {
    stars = "(SELECT *, * FROM " + stars + ")";
  }
  EXPECT_EQ(ErrorOf("SELECT 1 FROM " + stars), "invalid_sql TOO_MANY_COLUMNS at *");
  std::string between = Repeat("(", 100) + "b" + Repeat(" BETWEEN true AND true)", 100);
  EXPECT_EQ(ErrorOf("SELECT " + between + " FROM 'x'").substr(0, 34),
            "invalid_sql EXPRESSION_TOO_COMPLEX");
  std::string nullif = Repeat("nullif(", 100) + "a" + Repeat(", 1)", 100);
  EXPECT_EQ(ErrorOf("SELECT " + nullif + " FROM 'x'").substr(0, 34),
            "invalid_sql EXPRESSION_TOO_COMPLEX");
}

TEST(Binder, LongChainsOfCommonTablesAreRefusedBeforeTheStackEnds) {
  std::string text = "WITH c0 AS (SELECT 1 AS a)";
  for (int i = 1; i < 20000; ++i) {
    text +=
        ", c" + std::to_string(i) + " AS (SELECT * FROM c" + std::to_string(i - 1) + ")";
  }
  EXPECT_EQ(ErrorOf(text + " SELECT * FROM c150"), "no error");
  EXPECT_EQ(ErrorOf(text + " SELECT * FROM c19999").substr(0, 26),
            "invalid_sql QUERY_TOO_DEEP");
}

TEST(Binder, TheDeepestTreesAreBound) {
  std::string text = "SELECT a" + Repeat(" + a", kTreeDepthMax - 10) + " FROM 'x'";
  EXPECT_EQ(ErrorOf(text), "no error");
  text = "SELECT a FROM 'x' WHERE " + Repeat("(", kNestingMax - 10) + "a > 1" +
         Repeat(")", kNestingMax - 10);
  EXPECT_EQ(ErrorOf(text), "no error");
}

TEST(Binder, LongLogicalChainsBecomeShallowTrees) {
  FakeTables tables;
  std::string text = "SELECT s FROM 'x' WHERE a = 0" + Repeat(" OR a = 1", 20000);
  auto bound = BindText(text, &tables);
  ASSERT_TRUE(bound.ok()) << bound.status().ToString();
}

TEST(Binder, TablesThatDoubleAtEveryLevelAreRefused) {
  std::string text = "WITH t0 AS (SELECT 1 AS a)";
  for (int i = 1; i <= 60; ++i) {
    const std::string before = " FROM t" + std::to_string(i - 1);
    text += ", t" + std::to_string(i) + " AS (SELECT a" + before + " UNION ALL SELECT a" +
            before + ")";
  }
  EXPECT_TRUE(
      ErrorOf(text + " SELECT a FROM t60").starts_with("invalid_sql TOO_MANY_TABLES"));
  EXPECT_EQ(ErrorOf(text + " SELECT a FROM t8"), "no error");
}

}  // namespace
}  // namespace wheelpit::sql
