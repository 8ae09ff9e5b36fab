// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/plan.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::plan {
namespace {

TEST(Plan, ExplainShowsOneNodePerLine) {
  auto table = std::make_shared<index::Table>();
  table->name = "lineitem";
  table->schema = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())});
  const ExprPtr b = MakeColumn(0, "b", arrow::int32(), true);
  const ExprPtr five = MakeLiteral(std::make_shared<arrow::Int32Scalar>(5));

  auto scan = std::make_unique<Node>();
  scan->kind = NodeKind::kScan;
  scan->table = table;
  scan->columns = {1};
  scan->schema = arrow::schema({arrow::field("b", arrow::int32())});
  scan->filter = {*MakeCall(Function::kLess, {b, five})};
  scan->predicate = LowerPredicate(scan->filter, *scan->schema);

  auto aggregate = std::make_unique<Node>();
  aggregate->kind = NodeKind::kAggregate;
  aggregate->aggregates = {
      *MakeAggregate(AggregateFunction::kCountAll, nullptr, nullptr, {}),
      *MakeAggregate(AggregateFunction::kSum, b, scan->filter[0], {})};
  aggregate->schema = arrow::schema(
      {arrow::field("n", arrow::int64()), arrow::field("total", arrow::int64())});
  aggregate->inputs.push_back(std::move(scan));

  auto project = std::make_unique<Node>();
  project->kind = NodeKind::kProject;
  project->schema = arrow::schema({arrow::field("n", arrow::int64())});
  project->expressions = {MakeColumn(0, "n", arrow::int64(), true)};
  project->inputs.push_back(std::move(aggregate));

  Node limit;
  limit.kind = NodeKind::kLimit;
  limit.limit = 10;
  limit.offset = 2;
  limit.inputs.push_back(std::move(project));

  EXPECT_EQ(ToString(limit),
            "Limit 10 offset 2\n"
            "  Project [n]\n"
            "    Aggregate [count(*), sum(b) FILTER (WHERE (b < 5))]\n"
            "      Scan lineitem [b] filter (b < 5) pruned by b\n");
}

TEST(Plan, FilterOfAnAggregateMustBeBoolean) {
  const ExprPtr five = MakeLiteral(std::make_shared<arrow::Int32Scalar>(5));
  const auto aggregate = MakeAggregate(AggregateFunction::kCountAll, nullptr, five, {});
  EXPECT_EQ(core::KindOf(aggregate.status()), core::ErrorKind::kInvalidSql);
}

}  // namespace
}  // namespace wheelpit::plan
