// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/scan_cut_off.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/scalar.h>

namespace wheelpit::scheduler {

using index::PredicateOp;

class RowFilterOfCutOff final : public exec::RowFilter {
 public:
  RowFilterOfCutOff(std::shared_ptr<const ScanCutOff> cut_off, arrow::MemoryPool* pool)
      : cut_off_(std::move(cut_off)), columns_({cut_off_->position_}), pool_(pool) {}

  const std::vector<int>& columns() const override { return columns_; }
  bool may_fail() const override { return false; }

  arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays, int64_t length,
                                  int32_t* rows) override {
    if (cut_off_->version() == 0) {
      std::iota(rows, rows + length, 0);
      return length;
    }
    return cut_off_->cut_off_->Select(arrays[0], length, pool_, rows);
  }

 private:
  const std::shared_ptr<const ScanCutOff> cut_off_;
  const std::vector<int> columns_;
  arrow::MemoryPool* const pool_;
};

void ScanCutOff::Connect(std::shared_ptr<const exec::CutOff> cut_off, int position,
                         std::string column, const plan::SortKey& key) {
  cut_off_ = std::move(cut_off);
  position_ = position;
  column_ = std::move(column);
  key_ = key;
}

arrow::Result<index::Predicate> ScanCutOff::Now(arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(const auto last, cut_off_->FirstColumn(pool));
  index::Predicate wanted;
  if (last == nullptr) {
    return wanted;
  }
  if (last->IsNull(0)) {
    // Where nulls come first no value is wanted any more; where they come last all are.
    if (key_.nulls_first) {
      wanted.push_back({.column = column_, .op = PredicateOp::kIsNull, .literals = {}});
    }
    return wanted;
  }
  ARROW_ASSIGN_OR_RAISE(auto value, last->GetScalar(0));
  wanted.push_back(
      {.column = column_,
       .op = key_.descending ? PredicateOp::kGreaterEqual : PredicateOp::kLessEqual,
       .literals = {std::move(value)},
       .or_null = key_.nulls_first});
  return wanted;
}

std::unique_ptr<exec::RowFilter> ScanCutOff::MakeRowFilter(
    std::shared_ptr<const ScanCutOff> cut_off, arrow::MemoryPool* pool) {
  return std::make_unique<RowFilterOfCutOff>(std::move(cut_off), pool);
}

ScanBelow ScanBelowTopK(const plan::Node& sort) {
  if (sort.limit <= 0 || sort.sort_keys.empty()) {
    return {};
  }
  int column = sort.sort_keys[0].column;
  const plan::Node* node = sort.inputs[0].get();
  while (node->kind == plan::NodeKind::kProject) {
    const bool bare = std::all_of(node->expressions.begin(), node->expressions.end(),
                                  [](const auto& expression) {
                                    return expression->kind == plan::ExprKind::kColumn;
                                  });
    if (!bare) {
      return {};
    }
    column = node->expressions[static_cast<size_t>(column)]->column;
    node = node->inputs[0].get();
  }
  return node->kind == plan::NodeKind::kScan ? ScanBelow{node, column} : ScanBelow{};
}

}  // namespace wheelpit::scheduler
