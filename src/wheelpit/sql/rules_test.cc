// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/rules.h"

#include <string>

#include <gtest/gtest.h>

#include "wheelpit/sql/plan_outline.h"

namespace wheelpit::sql {
namespace {

TEST(Rules, ScansReadTheColumnsThatAreUsed) {
  EXPECT_EQ(OutlineOf("SELECT s, a FROM 'x'"), "project[s, a](scan[a, s])");
  EXPECT_EQ(OutlineOf("SELECT 1 FROM 'x'"), "project[1](scan[])");
  EXPECT_EQ(OutlineOf("SELECT a FROM (SELECT * FROM 'x' LIMIT 3)"),
            "limit[3+0](scan[a])");
  EXPECT_EQ(OutlineOf("SELECT count(*) FROM (SELECT a, s FROM 'x')"),
            "project[count(*)](aggregate[count(*)](scan[]))");
}

TEST(Rules, FiltersGoIntoTheScan) {
  EXPECT_EQ(OutlineOf("SELECT s FROM 'x' WHERE a > 1 AND p = 2"),
            "project[s](scan[a, s, p]{(a > 1), (p = 2)})");
  EXPECT_EQ(
      OutlineOf("SELECT s FROM (SELECT s, a AS q FROM 'x' WHERE a > 1) WHERE q < 5"),
      "project[s](scan[a, s]{(a > 1), (a < 5)})");
}

TEST(Rules, FiltersStayAboveLimitsAggregatesAndWhatCostsSomething) {
  EXPECT_EQ(OutlineOf("SELECT a FROM (SELECT a FROM 'x' LIMIT 3) WHERE a > 1"),
            "filter[(a > 1)](limit[3+0](scan[a]))");
  EXPECT_EQ(OutlineOf("SELECT m FROM (SELECT max(a) AS m FROM 'x') WHERE m > 1"),
            "project[max(a)](filter[(max(a) > 1)](aggregate[max(a)](scan[a])))");
  EXPECT_EQ(
      OutlineOf("SELECT q FROM (SELECT a + 1 AS q, a FROM 'x') WHERE q > 1 AND a > 2"),
      "filter[(q > 1)](project[(a + 1)](scan[a]{(a > 2)}))");
}

TEST(Rules, FiltersThatAreKnownDecide) {
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' WHERE 1 = 1"), "scan[a]");
  EXPECT_EQ(OutlineOf("SELECT a FROM 'x' WHERE 1 = 2 AND s = 'y'"), "values[0x1]");
  EXPECT_EQ(OutlineOf("SELECT count(*) FROM 'x' WHERE NULL = 1"),
            "project[count(*)](aggregate[count(*)](values[0x0]))");
}

TEST(Rules, PredicatesAreLoweredForPruning) {
  FakeTables tables;
  auto bound =
      BindText("SELECT s FROM 'x' WHERE a > 1 AND s LIKE '%y' AND p = 2", &tables);
  ASSERT_TRUE(bound.ok());
  const plan::Node& scan = *bound->plan->inputs[0];
  ASSERT_EQ(scan.predicate.size(), 2U);
  EXPECT_EQ(scan.predicate[0].column, "a");
  EXPECT_EQ(scan.predicate[1].column, "p");
}

TEST(Fold, KnownValuesAreWorkedOut) {
  EXPECT_EQ(OutlineOf("SELECT 1 + 2 * 3 AS q"), "project[7](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT 0.06 - 0.01 AS q"), "project[0.05](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT 1.5 * 2.25 AS q"), "project[3.375](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT 1.5D + 1 AS q"), "project[2.5D](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT 1 + NULL AS q"), "project[NULL](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END AS q"),
            "project['b'](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT s IS NULL OR b AS q FROM 'x'"), "project[b](scan[b])");
  EXPECT_EQ(OutlineOf("SELECT n IS NULL AS q FROM 'x'"), "project[(n IS NULL)](scan[n])");
}

TEST(Fold, WhatWouldFailIsLeftForTheRowThatNeedsIt) {
  EXPECT_EQ(OutlineOf("SELECT 2147483647 + 1 AS q"),
            "project[(2147483647 + 1)](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT 1 / 0 AS q"), "project[(1.0D / 0.0D)](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT CAST('y' AS INT) AS q"),
            "project[CAST('y' AS int)](values[1x0])");
  EXPECT_EQ(OutlineOf("SELECT CASE WHEN false THEN 1 / 0 ELSE 2.5D END AS q"),
            "project[2.5D](values[1x0])");
}

}  // namespace
}  // namespace wheelpit::sql
