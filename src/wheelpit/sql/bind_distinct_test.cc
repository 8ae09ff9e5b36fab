// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wheelpit/sql/plan_outline.h"

namespace wheelpit::sql {
namespace {

TEST(Distinct, ValuesOfOneListAreGroupedOnce) {
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT a) FROM 'x'"),
            "project[count(a)](aggregate[count(a)](aggregate[]by[a](scan[a])))");
  EXPECT_EQ(OutlineOf("SELECT s, sum(DISTINCT n), count(DISTINCT n) FROM 'x' GROUP BY s"),
            "project[s, sum(n), count(n)](aggregate[sum(n), count(n)]by[s]("
            "aggregate[]by[s, n](scan[s, n])))");
}

TEST(Distinct, SeveralListsAndOtherAggregatesExpandRows) {
  EXPECT_EQ(OutlineOf("SELECT s, count(DISTINCT a), count(DISTINCT n), count(*), sum(f) "
                      "FROM 'x' GROUP BY s"),
            "project[s, count(a), count(n), "
            "coalesce(max(count(*)) FILTER (WHERE (list = 2)), 0L), "
            "max(sum(f)) FILTER (WHERE (list = 2))]("
            "aggregate[count(a), count(n), max(count(*)) FILTER (WHERE (list = 2)), "
            "max(sum(f)) FILTER (WHERE (list = 2))]by[s]("
            "aggregate[count(*), sum(f)]by[s, list, a, n]("
            "expand[s, 0, a, NULL, NULL; s, 1, NULL, n, NULL; s, 2, NULL, NULL, f]("
            "project[s, a, n, f](scan[a, s, f, n])))))");
}

TEST(Distinct, FiltersMakeValuesNull) {
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT a) FILTER (WHERE b) FROM 'x'"),
            "project[count(CASE WHEN b THEN a END)]("
            "aggregate[count(CASE WHEN b THEN a END)]("
            "aggregate[]by[CASE WHEN b THEN a END](scan[a, b])))");
}

TEST(Distinct, RowsOfSeveralValuesCountWhenNoneIsNull) {
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT n, s) AS q FROM 'x'"),
            "project[count(CASE WHEN ((n IS NOT NULL) AND (s IS NOT NULL)) THEN 1 END)]("
            "aggregate[count(CASE WHEN ((n IS NOT NULL) AND (s IS NOT NULL)) THEN 1 "
            "END)](aggregate[]by[n, s](scan[s, n])))");
}

TEST(Distinct, TheLeastOfAllIsTheLeastOfTheDifferent) {
  EXPECT_EQ(OutlineOf("SELECT min(DISTINCT a) AS q FROM 'x'"),
            "project[min(a)](aggregate[min(a)](scan[a]))");
}

}  // namespace
}  // namespace wheelpit::sql
