// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/phases.h"

#include <algorithm>
#include <utility>

#include "wheelpit/exec/grouped_aggregate.h"
#include "wheelpit/exec/sort/sort_merge.h"
#include "wheelpit/exec/write/file_write.h"

namespace wheelpit::scheduler {

namespace {

using plan::Node;
using plan::NodeKind;

int64_t BytesOf(const exec::OperatorMemoryOptions& options) {
  return options.minimum_bytes + options.workspace_bytes;
}

// The stage that a node's rows come out of, and what runs beside it (see StageBuilder).
struct Open {
  StageNeed stage;
  bool parallel = false;
  std::vector<StageNeed> beside;
  int64_t read_bytes = 0;  // collected by earlier phases for this one
};

class PhaseWalk {
 public:
  std::vector<PhaseNeed> Run(const Node& root) {
    EndPhase(Walk(root), 0);
    return std::move(phases_);
  }

 private:
  Open Walk(const Node& node) {
    switch (node.kind) {
      case NodeKind::kScan:
        return {.stage = {.scans = {&node}}, .parallel = true, .beside = {}};
      case NodeKind::kValues:
        return {};
      case NodeKind::kUnion:
        return Joined(node);
      case NodeKind::kSort:
        return Collected(Walk(*node.inputs[0]), BytesOf(exec::SortMerge::SinkMemory(0)),
                         exec::SortMerge::SourceMemory(0), node.limit < 0);
      case NodeKind::kAggregate:
        return node.keys.empty()
                   ? Aggregated(Walk(*node.inputs[0]))
                   : Collected(Walk(*node.inputs[0]),
                               BytesOf(exec::GroupedAggregate::SinkMemory(0)),
                               exec::GroupedAggregate::SourceMemory(0), true);
      case NodeKind::kLimit:
        return Gathered(Walk(*node.inputs[0]));
      case NodeKind::kWrite: {
        Open open = Gathered(Walk(*node.inputs[0]));
        open.stage.serial_bytes = BytesOf(exec::FileWrite::SinkMemory(0));
        open.stage.serial_more_bytes = exec::FileWrite::MoreBytes(node.format);
        return open;
      }
      default:
        return Walk(*node.inputs[0]);
    }
  }

  Open Joined(const Node& node) {
    Open all{.stage = {}, .parallel = true, .beside = {}};
    for (const auto& input : node.inputs) {
      Open one = Walk(*input);
      all.stage.scans.insert(all.stage.scans.end(), one.stage.scans.begin(),
                             one.stage.scans.end());
      // One budget does for all of them: see StageBuilder.
      all.stage.source_bytes = std::max(all.stage.source_bytes, one.stage.source_bytes);
      all.stage.source_workspace_bytes =
          std::max(all.stage.source_workspace_bytes, one.stage.source_workspace_bytes);
      all.beside.insert(all.beside.end(), one.beside.begin(), one.beside.end());
      all.read_bytes += one.read_bytes;
    }
    return all;
  }

  static Open Gathered(Open open) {
    if (open.parallel) {
      open.beside.push_back(std::exchange(open.stage, {}));
      open.parallel = false;
    }
    return open;
  }

  // What is kept of all rows is a row.
  Open Aggregated(Open open) {
    return open.parallel ? Collected(std::move(open), 0, {}, false) : open;
  }

  Open Collected(Open open, int64_t sink_bytes, const exec::OperatorMemoryOptions& source,
                 bool parallel) {
    open.stage.sink_bytes = sink_bytes;
    EndPhase(std::move(open), sink_bytes);
    return {.stage = {.scans = {},
                      .source_bytes = source.minimum_bytes,
                      .source_workspace_bytes = source.workspace_bytes},
            .parallel = parallel,
            .beside = {},
            .read_bytes = sink_bytes};
  }

  void EndPhase(Open open, int64_t collected_bytes) {
    PhaseNeed phase{.stages = std::move(open.beside), .held_bytes = held_bytes_};
    phase.stages.push_back(std::move(open.stage));
    phases_.push_back(std::move(phase));
    held_bytes_ += collected_bytes - open.read_bytes;
  }

  std::vector<PhaseNeed> phases_;
  int64_t held_bytes_ = 0;
};

}  // namespace

std::vector<PhaseNeed> PhasesOf(const plan::Node& plan) {
  return PhaseWalk().Run(plan);
}

}  // namespace wheelpit::scheduler
