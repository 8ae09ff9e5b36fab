// SPDX-License-Identifier: Apache-2.0
// A pushed filter as the scan wants it: one conjunct over some of the scan's columns.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/scan/row_filter.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::scheduler {

/// A conjunct compiled once and shared by the tasks of a stage.
class ScanFilter {
 public:
  static arrow::Result<std::shared_ptr<const ScanFilter>> Make(
      const plan::ExprPtr& conjunct, const arrow::Schema& input,
      const exec::EvaluatorOptions& options);

  /// For one running scan; `filter` is kept alive by it.
  static std::unique_ptr<exec::RowFilter> MakeRowFilter(
      std::shared_ptr<const ScanFilter> filter);

  /// Whether some row could make it raise an error.
  bool may_fail() const { return filter_->can_fail(); }

 private:
  friend class RowFilterOfScan;
  std::unique_ptr<exec::Filter> filter_;
  std::vector<int> columns_;
  size_t column_count_ = 0;
};

}  // namespace wheelpit::scheduler
