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

  bool may_fail() const override { return filter_->may_fail_; }

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
  filter->may_fail_ = MayFail(*conjunct);
  return filter;
}

std::unique_ptr<exec::RowFilter> ScanFilter::MakeRowFilter(
    std::shared_ptr<const ScanFilter> filter) {
  return std::make_unique<RowFilterOfScan>(std::move(filter));
}

bool MayFail(const plan::Expr& expression) {
  using plan::Function;
  switch (expression.kind) {
    case plan::ExprKind::kLiteral:
    case plan::ExprKind::kColumn:
      return false;
    case plan::ExprKind::kCast:
      return !expression.try_cast;
    case plan::ExprKind::kCall:
      break;
  }
  switch (expression.function) {
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
    case Function::kNullSafeEqual:
    case Function::kAnd:
    case Function::kOr:
    case Function::kNot:
    case Function::kIsNull:
    case Function::kIsNotNull:
    case Function::kIsNaN:
    case Function::kIn:
    case Function::kStartsWith:
    case Function::kEndsWith:
    case Function::kContains:
      break;
    default:
      return true;
  }
  return std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const plan::ExprPtr& argument) { return MayFail(*argument); });
}

}  // namespace wheelpit::scheduler
