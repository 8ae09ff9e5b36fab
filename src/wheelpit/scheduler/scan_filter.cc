// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/scan_filter.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/type.h>

namespace wheelpit::scheduler {

class RowFilterOfScan final : public exec::RowFilter {
 public:
  explicit RowFilterOfScan(std::shared_ptr<const ScanFilter> filter)
      : filter_(std::move(filter)), columns_(filter_->column_count_) {}

  const std::vector<int>& columns() const override { return filter_->columns_; }

  arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays, int64_t length,
                                  int32_t* rows) override {
    for (size_t i = 0; i < arrays.size(); ++i) {
      columns_[static_cast<size_t>(filter_->columns_[i])] = arrays[i];
    }
    const arrow::Status status = filter_->filter_->Select(columns_, length, &selection_);
    for (const int column : filter_->columns_) {
      columns_[static_cast<size_t>(column)].reset();
    }
    ARROW_RETURN_NOT_OK(status);
    std::copy(selection_.begin(), selection_.end(), rows);
    return static_cast<int64_t>(selection_.size());
  }

  bool may_fail() const override { return filter_->may_fail(); }

 private:
  std::shared_ptr<const ScanFilter> filter_;
  arrow::ArrayVector
      columns_;  // as the filter wants them, those that it does not read null
  exec::Selection selection_;
};

arrow::Result<std::shared_ptr<const ScanFilter>> ScanFilter::Make(
    const plan::ExprPtr& conjunct, const arrow::Schema& input,
    const exec::EvaluatorOptions& options) {
  auto filter = std::make_shared<ScanFilter>();
  ARROW_ASSIGN_OR_RAISE(filter->filter_, exec::Filter::Make({conjunct}, input, options));
  filter->columns_ = plan::ColumnsOf(*conjunct);
  filter->column_count_ = static_cast<size_t>(input.num_fields());
  return filter;
}

std::unique_ptr<exec::RowFilter> ScanFilter::MakeRowFilter(
    std::shared_ptr<const ScanFilter> filter) {
  return std::make_unique<RowFilterOfScan>(std::move(filter));
}

}  // namespace wheelpit::scheduler
