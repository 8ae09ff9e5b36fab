// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/phases.h"

#include <utility>

#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::scheduler {
namespace {

using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

constexpr int64_t kMiB = int64_t{1} << 20;

NodePtr Made(NodeKind kind, std::vector<NodePtr> inputs = {}) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->schema = arrow::schema({arrow::field("a", arrow::int32())});
  node->inputs = std::move(inputs);
  if (kind == NodeKind::kAggregate) {
    node->keys = {plan::MakeColumn(0, "a", arrow::int32(), true)};
  }
  return node;
}

NodePtr Over(NodeKind kind, NodePtr input) {
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input));
  return Made(kind, std::move(inputs));
}

NodePtr Union(NodePtr one, NodePtr other) {
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(one));
  inputs.push_back(std::move(other));
  return Made(NodeKind::kUnion, std::move(inputs));
}

// "held 8: scan+sink 8, source 8", a phase a line.
std::string TextOf(const Node& plan) {
  std::string text;
  for (const PhaseNeed& phase : PhasesOf(plan)) {
    std::string stages;
    for (const StageNeed& stage : phase.stages) {
      stages += stages.empty() ? "" : ",";
      for (size_t i = 0; i < stage.scans.size(); ++i) {
        stages += " scan";
      }
      for (const auto& [name, bytes] :
           {std::pair(" source ", stage.source_bytes + stage.source_workspace_bytes),
            std::pair(" sink ", stage.sink_bytes),
            std::pair(" serial ", stage.serial_bytes)}) {
        stages += bytes == 0 ? "" : name + std::to_string(bytes / kMiB);
      }
    }
    text += "held " + std::to_string(phase.held_bytes / kMiB) + ":" + stages + "\n";
  }
  return text;
}

TEST(Phases, WhatCollectsNothingIsOnePhase) {
  EXPECT_EQ(TextOf(*Made(NodeKind::kValues)), "held 0:\n");
  EXPECT_EQ(TextOf(*Over(NodeKind::kFilter, Made(NodeKind::kScan))), "held 0: scan\n");
  EXPECT_EQ(TextOf(*Over(NodeKind::kLimit, Made(NodeKind::kScan))), "held 0: scan,\n");
}

TEST(Phases, GroupsAndSortsEndAPhaseEach) {
  EXPECT_EQ(
      TextOf(*Over(NodeKind::kSort, Over(NodeKind::kAggregate, Made(NodeKind::kScan)))),
      "held 0: scan sink 8\n"
      "held 8: source 8 sink 8\n"
      "held 8: source 8\n");
}

TEST(Phases, WhatIsOneRowOfAllIsReadInAPhaseOfItsOwn) {
  const auto one_row = [](NodePtr input) {
    NodePtr node = Over(NodeKind::kAggregate, std::move(input));
    node->keys.clear();
    return node;
  };
  EXPECT_EQ(TextOf(*one_row(Made(NodeKind::kScan))),
            "held 0: scan\n"
            "held 0:\n");
  // The groups of the first are gone when the second's are collected.
  EXPECT_EQ(TextOf(*Union(one_row(Over(NodeKind::kAggregate, Made(NodeKind::kScan))),
                          one_row(Over(NodeKind::kAggregate, Made(NodeKind::kScan))))),
            "held 0: scan sink 8\n"
            "held 8: source 8\n"
            "held 0: scan sink 8\n"
            "held 8: source 8\n"
            "held 0:\n");
}

TEST(Phases, WritingIsBesideTheMerge) {
  EXPECT_EQ(TextOf(*Over(NodeKind::kWrite, Over(NodeKind::kSort, Made(NodeKind::kScan)))),
            "held 0: scan sink 8\n"
            "held 8: source 8, serial 8\n");
}

TEST(Phases, InputsOfAUnionAreCollectedOneAfterTheOther) {
  EXPECT_EQ(TextOf(*Union(Over(NodeKind::kAggregate, Made(NodeKind::kScan)),
                          Over(NodeKind::kSort, Made(NodeKind::kScan)))),
            "held 0: scan sink 8\n"
            "held 8: scan sink 8\n"
            // What the sort holds, and the workspace of the groups.
            "held 16: source 11\n");
  EXPECT_EQ(TextOf(*Over(NodeKind::kSort,
                         Union(Made(NodeKind::kScan),
                               Over(NodeKind::kLimit, Made(NodeKind::kScan))))),
            "held 0: scan, scan sink 8\n"
            "held 8: source 8\n");
}

}  // namespace
}  // namespace wheelpit::scheduler
