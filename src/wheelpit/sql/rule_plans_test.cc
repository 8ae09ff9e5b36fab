// SPDX-License-Identifier: Apache-2.0
// Rules over groups, sorts and unions: plans put together by hand, so that each shows
// one rule.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/plan_outline.h"
#include "wheelpit/sql/rules.h"

namespace wheelpit::sql {
namespace {

using plan::ExprPtr;
using plan::Function;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

NodePtr Make(NodeKind kind, NodePtr input) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->schema = input->schema;
  node->inputs.push_back(std::move(input));
  return node;
}

ExprPtr Column(const Node& node, const std::string& name) {
  const int i = node.schema->GetFieldIndex(name);
  const arrow::Field& field = *node.schema->field(i);
  return plan::MakeColumn(i, name, field.type(), field.nullable());
}

ExprPtr Number(int value) {
  return plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(value));
}

ExprPtr More(ExprPtr left, int right) {
  return plan::MakeCall(Function::kGreater, {std::move(left), Number(right)})
      .ValueOrDie();
}

NodePtr Scan() {
  FakeTables tables;
  return BindText("SELECT * FROM 'x'", &tables).ValueOrDie().plan;
}

NodePtr Filter(NodePtr input, ExprPtr condition) {
  NodePtr node = Make(NodeKind::kFilter, std::move(input));
  node->condition = std::move(condition);
  return node;
}

NodePtr Project(NodePtr input, const std::vector<ExprPtr>& expressions) {
  NodePtr node = Make(NodeKind::kProject, std::move(input));
  arrow::FieldVector fields;
  for (const ExprPtr& one : expressions) {
    fields.push_back(arrow::field(plan::ToString(*one), one->type, one->nullable));
  }
  node->expressions = expressions;
  node->schema = arrow::schema(std::move(fields));
  return node;
}

NodePtr Columns(NodePtr input, const std::vector<std::string>& names) {
  std::vector<ExprPtr> columns;
  for (const std::string& name : names) {
    columns.push_back(Column(*input, name));
  }
  return Project(std::move(input), columns);
}

// Groups by `keys` with the largest of each of `columns`, called by its own name.
NodePtr Group(NodePtr input, const std::vector<ExprPtr>& keys,
              const std::vector<std::string>& columns) {
  NodePtr node = Make(NodeKind::kAggregate, std::move(input));
  arrow::FieldVector fields;
  for (const ExprPtr& key : keys) {
    fields.push_back(arrow::field(plan::ToString(*key), key->type, key->nullable));
  }
  for (const std::string& column : columns) {
    node->aggregates.push_back(plan::MakeAggregate(plan::AggregateFunction::kMax,
                                                   Column(*node->inputs[0], column),
                                                   nullptr, {})
                                   .ValueOrDie());
    fields.push_back(arrow::field("max_" + column, node->aggregates.back().type));
  }
  node->keys = keys;
  node->schema = arrow::schema(std::move(fields));
  return node;
}

NodePtr Sort(NodePtr input, const std::string& key) {
  NodePtr node = Make(NodeKind::kSort, std::move(input));
  node->sort_keys = {{.column = node->schema->GetFieldIndex(key)}};
  return node;
}

NodePtr Limit(NodePtr input, int64_t limit, int64_t offset = 0) {
  NodePtr node = Make(NodeKind::kLimit, std::move(input));
  node->limit = limit;
  node->offset = offset;
  return node;
}

NodePtr Union(NodePtr left, NodePtr right) {
  NodePtr node = Make(NodeKind::kUnion, std::move(left));
  node->inputs.push_back(std::move(right));
  return node;
}

std::string Optimized(NodePtr root) {
  return Outline(*Optimize(std::move(root)));
}

TEST(Rules, ColumnsGoThatNobodyUsesAboveGroupsSortsAndUnions) {
  NodePtr scan = Scan();
  NodePtr group = Group(Scan(), {Column(*scan, "s")}, {"a", "Bb"});
  EXPECT_EQ(Optimized(Columns(std::move(group), {"max_Bb"})),
            "project[max_Bb](aggregate[max(Bb)]by[s](scan[Bb, s]))");
  EXPECT_EQ(Optimized(Columns(Sort(Scan(), "d"), {"s"})),
            "project[s](sort[d](scan[s, d]))");
  EXPECT_EQ(Optimized(Columns(Union(Scan(), Scan()), {"s"})), "union(scan[s], scan[s])");
}

TEST(Rules, InputsOfAUnionKeepTheirOwnColumnsToThemselves) {
  NodePtr left = Sort(Scan(), "d");
  left->limit = 3;
  EXPECT_EQ(Optimized(Columns(Union(std::move(left), Scan()), {"s", "f"})),
            "union(project[s, f](top3[d](scan[s, d, f])), scan[s, f])");
}

TEST(Rules, DistinctRowsNeedAllOfTheirKeys) {
  NodePtr scan = Scan();
  NodePtr distinct = Group(Scan(), {Column(*scan, "s"), Column(*scan, "a")}, {});
  EXPECT_EQ(Optimized(Columns(std::move(distinct), {"a"})),
            "project[a](aggregate[]by[s, a](scan[a, s]))");
}

TEST(Rules, ExpandedRowsArePrunedOneByOne) {
  NodePtr expand = Make(NodeKind::kExpand, Scan());
  const ExprPtr a = Column(*expand, "a");
  const ExprPtr n = Column(*expand, "n");
  expand->rows = {{a, n, Number(0)}, {Number(7), n, Number(1)}};
  expand->schema =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("n", arrow::int32()),
                     arrow::field("id", arrow::int32())});
  EXPECT_EQ(Optimized(Columns(std::move(expand), {"a", "id"})),
            "expand[a, 0; 7, 1](scan[a])");
}

TEST(Rules, FiltersOnKeysGoBelowTheGroups) {
  NodePtr group = Group(Scan(), {Column(*Scan(), "a")}, {"n"});
  ExprPtr key = More(Column(*group, "a"), 1);
  ExprPtr value = More(Column(*group, "max_n"), 2);
  EXPECT_EQ(
      Optimized(Filter(std::move(group), plan::JoinConjuncts({std::move(key), value}))),
      "filter[(max_n > 2)](aggregate[max(n)]by[a](scan[a, n]{(a > 1)}))");
}

// A group of 0.0 and -0.0 has one of them as its key.
TEST(Rules, FiltersOnFloatingPointKeysStayAbove) {
  NodePtr group = Group(Scan(), {Column(*Scan(), "f")}, {});
  ExprPtr key = More(Column(*group, "f"), 1);
  EXPECT_EQ(Optimized(Filter(std::move(group), std::move(key))),
            "filter[(f > 1.0D)](aggregate[]by[f](scan[f]))");
}

TEST(Rules, FiltersOnComputedKeysStayAbove) {
  ExprPtr sum =
      plan::MakeCall(Function::kAdd, {Column(*Scan(), "a"), Number(1)}).ValueOrDie();
  NodePtr group = Group(Scan(), {sum}, {});
  ExprPtr key = More(Column(*group, "(a + 1)"), 1);
  EXPECT_EQ(Optimized(Filter(std::move(group), std::move(key))),
            "filter[((a + 1) > 1)](aggregate[]by[(a + 1)](scan[a]))");
}

TEST(Rules, FiltersGoIntoEveryInputOfAUnionUnderTheNamesThere) {
  NodePtr left = Columns(Scan(), {"a", "s"});
  NodePtr right = Columns(Scan(), {"n", "s"});
  NodePtr both = Union(std::move(left), std::move(right));
  ExprPtr condition = More(Column(*both, "a"), 1);
  EXPECT_EQ(Optimized(Filter(std::move(both), std::move(condition))),
            "union(scan[a, s]{(a > 1)}, project[n, s](scan[s, n]{(n > 1)}))");
}

TEST(Rules, FiltersGoBelowSortsButNotBelowTheirLimit) {
  NodePtr sort = Sort(Columns(Scan(), {"a"}), "a");
  ExprPtr condition = More(Column(*sort, "a"), 1);
  NodePtr top = Sort(Columns(Scan(), {"a"}), "a");
  top->limit = 3;
  EXPECT_EQ(Optimized(Filter(std::move(sort), condition)), "sort[a](scan[a]{(a > 1)})");
  EXPECT_EQ(Optimized(Filter(std::move(top), condition)),
            "filter[(a > 1)](top3[a](scan[a]))");
}

TEST(Rules, SortsThatNobodySeesGo) {
  NodePtr scan = Columns(Scan(), {"a", "n"});
  NodePtr group = Group(Sort(std::move(scan), "n"), {}, {"a"});
  EXPECT_EQ(Optimized(std::move(group)), "aggregate[max(a)](scan[a])");
  NodePtr twice = Sort(Sort(Columns(Scan(), {"a", "n"}), "n"), "a");
  EXPECT_EQ(Optimized(std::move(twice)), "sort[a](scan[a, n])");
  NodePtr limited = Group(Limit(Sort(Columns(Scan(), {"a", "n"}), "n"), 3), {}, {"a"});
  EXPECT_EQ(Optimized(std::move(limited)),
            "aggregate[max(a)](limit[3+0](top3[n](scan[a, n])))");
}

TEST(Rules, SortsUnderALimitSortItsRowsOnly) {
  const auto sorted = [] { return Sort(Columns(Scan(), {"a", "n"}), "n"); };
  EXPECT_EQ(Optimized(Limit(Columns(sorted(), {"a"}), 3, 2)),
            "limit[3+2](project[a](top5[n](scan[a, n])))");
  EXPECT_EQ(Optimized(Limit(Limit(sorted(), 4, 1), 9, 2)),
            "limit[9+2](limit[4+1](top5[n](scan[a, n])))");
  EXPECT_EQ(Optimized(Limit(sorted(), INT64_MAX, 1)),
            "limit[9223372036854775807+1](sort[n](scan[a, n]))");
  EXPECT_EQ(Optimized(Limit(sorted(), -1, 2)), "limit[-1+2](sort[n](scan[a, n]))");
  ExprPtr condition =
      plan::MakeCall(Function::kIsNull, {Column(*sorted(), "n")}).ValueOrDie();
  EXPECT_EQ(Optimized(Limit(Filter(Limit(sorted(), 5), condition), 3)),
            "limit[3+0](filter[(n IS NULL)](limit[5+0](top5[n](scan[a, n]))))");
}

TEST(Rules, NoRowsAreAskedOfNobody) {
  EXPECT_EQ(Optimized(Limit(Columns(Scan(), {"a", "n"}), 0)), "values[0x2]");
}

TEST(Rules, KeysThatTellNothingApartGo) {
  NodePtr scan = Scan();
  const ExprPtr a = Column(*scan, "a");
  EXPECT_EQ(Optimized(Group(Scan(), {a, Number(1), a}, {"n"})),
            "project[a, 1, a, max_n](aggregate[max(n)]by[a](scan[a, n]))");
  // Of no rows there must be no group.
  EXPECT_EQ(Optimized(Group(Scan(), {Number(1), Number(2)}, {"n"})),
            "project[1, 2, max_n](aggregate[max(n)]by[1](scan[n]))");
}

TEST(Rules, WrittenColumnsAreAllKept) {
  NodePtr write = Make(NodeKind::kWrite, Columns(Scan(), {"a", "n"}));
  write->path = "out.parquet";
  write->schema = arrow::schema({arrow::field("rows", arrow::int64(), false),
                                 arrow::field("bytes", arrow::int64(), false)});
  EXPECT_EQ(Optimized(std::move(write)), "write[out.parquet parquet](scan[a, n])");
}

}  // namespace
}  // namespace wheelpit::sql
