// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/coded_columns.h"

#include <arrow/type.h>

namespace wheelpit::scheduler {

using plan::NodeKind;

std::vector<bool> CodedOfInput(const plan::Node& node, const std::vector<bool>& coded) {
  const auto count = static_cast<size_t>(node.inputs[0]->schema->num_fields());
  std::vector<bool> below(count, false);
  switch (node.kind) {
    case NodeKind::kFilter:
    case NodeKind::kLimit:
      return coded;
    case NodeKind::kAggregate:
      // What evaluates expressions takes both; only keys are worth it.
      for (const auto& key : node.keys) {
        if (key->kind == plan::ExprKind::kColumn) {
          below[static_cast<size_t>(key->column)] = true;
        }
      }
      return below;
    case NodeKind::kProject: {
      // A bare column is handed on as it comes.
      std::vector<bool> plain(count, false);
      for (size_t i = 0; i < node.expressions.size(); ++i) {
        if (node.expressions[i]->kind == plan::ExprKind::kColumn) {
          (coded[i] ? below : plain)[static_cast<size_t>(node.expressions[i]->column)] =
              true;
        }
      }
      for (size_t i = 0; i < count; ++i) {
        below[i] = below[i] && !plain[i];
      }
      return below;
    }
    default:
      return below;
  }
}

}  // namespace wheelpit::scheduler
