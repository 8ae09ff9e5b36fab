// SPDX-License-Identifier: Apache-2.0
// The cut-off of a top-k, as the scan below it wants it: a filter over rows, and a
// predicate for row groups and pages. Made with the scan, connected when the stages are
// built up to the top-k, if ever.
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>

#include "wheelpit/exec/scan/moving_predicate.h"
#include "wheelpit/exec/scan/row_filter.h"
#include "wheelpit/exec/sort/cut_off.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::scheduler {

class ScanCutOff final : public exec::MovingPredicate {
 public:
  /// Once, before any task runs. `position` of the scan's columns is the first key of the
  /// top-k, `column` its name in the table.
  void Connect(std::shared_ptr<const exec::CutOff> cut_off, int position,
               std::string column, const plan::SortKey& key);
  bool connected() const { return cut_off_ != nullptr; }

  const std::string& column() const override { return column_; }
  int64_t version() const override { return cut_off_->version(); }
  arrow::Result<index::Predicate> Now(arrow::MemoryPool* pool) const override;

  /// For one running scan; `cut_off` is connected and kept alive by it.
  static std::unique_ptr<exec::RowFilter> MakeRowFilter(
      std::shared_ptr<const ScanCutOff> cut_off, arrow::MemoryPool* pool);

 private:
  friend class RowFilterOfCutOff;
  std::shared_ptr<const exec::CutOff> cut_off_;
  int position_ = 0;
  std::string column_;
  plan::SortKey key_;
};

/// The scan whose rows `sort` gets as they are, and which column of it is the first key:
/// only column references lie between, and nothing that can fail for a row that is left
/// out. Null when there is none.
struct ScanBelow {
  const plan::Node* scan = nullptr;
  int position = 0;
};
ScanBelow ScanBelowTopK(const plan::Node& sort);

}  // namespace wheelpit::scheduler
