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

TEST(Distinct, OtherAggregatesAreCarriedThroughBothGroupings) {
  EXPECT_EQ(OutlineOf("SELECT s, count(DISTINCT a), count(*), sum(n), max(f), avg(a) "
                      "FROM 'x' GROUP BY s"),
            "project[s, count(a), coalesce(sum(count(*)), 0L), sum(sum(n)), max(max(f)), "
            "(CAST(sum(sum(a)) AS double) / CAST(sum(count(a)) AS double))]("
            "aggregate[count(a), sum(count(*)), sum(sum(n)), max(max(f)), sum(sum(a)), "
            "sum(count(a))]by[s](aggregate[count(*), sum(n), max(f), sum(a), count(a)]"
            "by[s, a](scan[a, s, f, n])))");
}

TEST(Distinct, RowsAreExpandedForWhatCannotBeCarried) {
  EXPECT_EQ(OutlineOf("SELECT s, count(DISTINCT a), stddev(f) FROM 'x' GROUP BY s"),
            "project[s, count(a), max(stddev_samp(f)) FILTER (WHERE (list = 1))]("
            "aggregate[count(a), max(stddev_samp(f)) FILTER (WHERE (list = 1))]by[s]("
            "aggregate[stddev_samp(f)]by[s, list, a](expand[s, 0, a, NULL; s, 1, NULL, f]"
            "(project[s, a, f](scan[a, s, f])))))");
}

TEST(Distinct, ListsWithoutKeysAreSideBySide) {
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT a), sum(f), count(DISTINCT n) FROM 'x'"),
            "project[coalesce(max(count(DISTINCT a)), 0L), max(sum(f)), "
            "coalesce(max(count(DISTINCT n)), 0L)]("
            "aggregate[max(count(DISTINCT a)), max(sum(f)), max(count(DISTINCT n))]("
            "union(project[NULL, sum(f), NULL](aggregate[sum(f)](scan[f])), "
            "project[count(a), NULL, NULL](aggregate[count(a)](aggregate[]by[a](scan[a]))"
            "), project[NULL, NULL, count(n)](aggregate[count(n)](aggregate[]by[n]("
            "scan[n]))))))");
}

TEST(Distinct, FilteredRowsAreReadOnce) {
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT a), count(DISTINCT n) FROM 'x' WHERE b"),
            "project[count(a), count(n)](aggregate[count(a), count(n)]("
            "aggregate[]by[list, a, n](expand[0, a, NULL; 1, NULL, n]("
            "project[a, n](scan[a, b, n]{b})))))");
  EXPECT_EQ(OutlineOf("SELECT count(DISTINCT a), count(*) FROM 'x' WHERE b"),
            "project[count(a), coalesce(sum(count(*)), 0L)]("
            "aggregate[count(a), sum(count(*))](aggregate[count(*)]by[a]("
            "scan[a, b]{b})))");
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
