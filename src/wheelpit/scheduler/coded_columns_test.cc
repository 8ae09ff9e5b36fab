// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/coded_columns.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::scheduler {
namespace {

using plan::Node;
using plan::NodeKind;
using Coded = std::vector<bool>;

std::shared_ptr<arrow::Schema> Texts(int count) {
  arrow::FieldVector fields;
  for (int i = 0; i < count; ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), arrow::utf8()));
  }
  return arrow::schema(fields);
}

plan::ExprPtr Column(int column) {
  auto expression = std::make_shared<plan::Expr>();
  expression->kind = plan::ExprKind::kColumn;
  expression->type = arrow::utf8();
  expression->column = column;
  return expression;
}

plan::ExprPtr Call(int column) {
  auto expression = std::make_shared<plan::Expr>();
  expression->kind = plan::ExprKind::kCall;
  expression->type = arrow::utf8();
  expression->arguments = {Column(column)};
  return expression;
}

Node Over(NodeKind kind, int columns) {
  Node node;
  node.kind = kind;
  node.inputs.push_back(std::make_unique<Node>());
  node.inputs[0]->schema = Texts(columns);
  node.schema = Texts(columns);
  return node;
}

TEST(CodedColumns, BareKeysOfGroupsMayBeCoded) {
  Node groups = Over(NodeKind::kAggregate, 3);
  groups.keys = {Column(2), Call(0)};
  EXPECT_EQ(CodedOfInput(groups, Coded(2, false)), (Coded{false, false, true}));
}

TEST(CodedColumns, FilterAndLimitHandOnWhatTheyGet) {
  const Coded coded = {true, false};
  EXPECT_EQ(CodedOfInput(Over(NodeKind::kFilter, 2), coded), coded);
  EXPECT_EQ(CodedOfInput(Over(NodeKind::kLimit, 2), coded), coded);
}

TEST(CodedColumns, ProjectAsksForCodesWhereEveryBareUseTakesThem) {
  Node project = Over(NodeKind::kProject, 4);
  project.expressions = {Column(1), Column(2), Column(2), Call(3), Call(1)};
  EXPECT_EQ(CodedOfInput(project, {true, true, false, true, false}),
            (Coded{false, true, false, false}));
}

TEST(CodedColumns, OthersGetPlainValues) {
  for (const NodeKind kind : {NodeKind::kSort, NodeKind::kWrite, NodeKind::kExpand}) {
    EXPECT_EQ(CodedOfInput(Over(kind, 2), Coded(2, true)), Coded(2, false));
  }
}

}  // namespace
}  // namespace wheelpit::scheduler
