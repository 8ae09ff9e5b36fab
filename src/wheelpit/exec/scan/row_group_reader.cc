// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/row_group_reader.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace wheelpit::exec {

namespace {

// Where rows are wide, about this much comes out at once and is filtered at once.
constexpr int64_t kBatchBytes = int64_t{1} << 20;
constexpr int64_t kFilterBytes = int64_t{4} << 20;

}  // namespace

RowGroupReader::RowGroupReader(Options options,
                               std::vector<std::unique_ptr<ColumnReader>> columns)
    : options_(std::move(options)),
      columns_(std::move(columns)),
      kept_(columns_.size()) {}

arrow::Result<Step> RowGroupReader::Next() {
  if (phase_ == Phase::kBegin && !BeginBatch()) return Step::End();
  while (phase_ == Phase::kFilter) {
    if (selection_.count() == 0) {
      EndBatch();
      return Step::Yield();
    }
    if (filter_index_ == options_.filters.size()) {
      phase_ = Phase::kOutput;
      output_position_ = 0;
      break;
    }
    ARROW_ASSIGN_OR_RAISE(const bool done, RunFilter(options_.filters[filter_index_]));
    if (!done) return Step::Waiting(wait_);
    ++filter_index_;
  }
  return Output();
}

// False at the end of the rows.
bool RowGroupReader::BeginBatch() {
  while (range_ < options_.rows.size() && begin_ >= options_.rows[range_].end) ++range_;
  if (range_ == options_.rows.size()) return false;
  begin_ = std::max(begin_, options_.rows[range_].begin);
  const int64_t rows = std::clamp<int64_t>(
      kFilterBytes / std::max<int64_t>(options_.row_bytes, 1), 1, options_.batch_rows);
  selection_.length = std::min(rows, options_.rows[range_].end - begin_);
  selection_.all = true;
  filter_index_ = 0;
  std::fill(kept_.begin(), kept_.end(), nullptr);
  phase_ = Phase::kFilter;
  return true;
}

void RowGroupReader::EndBatch() {
  begin_ += selection_.length;
  phase_ = Phase::kBegin;
}

arrow::Result<bool> RowGroupReader::EnsureSelected(size_t column,
                                                   const RowSelection& selection) {
  const int64_t first = begin_ + selection.row(0);
  const int64_t last = begin_ + selection.row(selection.count() - 1);
  return columns_[column]->Ensure(first, last + 1, &wait_);
}

bool RowGroupReader::WantedLater(size_t column) const {
  const int position = static_cast<int>(column);
  if (std::count(options_.output.begin(), options_.output.end(), position) > 0) {
    return true;
  }
  return std::any_of(options_.filters.begin() + static_cast<int64_t>(filter_index_) + 1,
                     options_.filters.end(), [&](const RowFilter* later) {
                       const auto& columns = later->columns();
                       return std::count(columns.begin(), columns.end(), position) > 0;
                     });
}

arrow::Status RowGroupReader::NarrowKept(const std::vector<int32_t>& positions) {
  for (auto& array : kept_) {
    if (array == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(array, TakePositions(array, positions, options_.pool));
  }
  return arrow::Status::OK();
}

// The column itself filters: on its dictionary where it can.
arrow::Result<bool> RowGroupReader::RunOverOne(RowFilter* filter, size_t column) {
  ARROW_ASSIGN_OR_RAISE(const bool ready, EnsureSelected(column, selection_));
  if (!ready) return false;
  const bool keep = WantedLater(column);
  const bool others = std::any_of(kept_.begin(), kept_.end(),
                                  [](const auto& array) { return array != nullptr; });
  const RowSelection before = others ? selection_ : RowSelection{};
  ARROW_RETURN_NOT_OK(columns_[column]->Filter(begin_, filter, keep, &selection_));
  if (others) {
    // Where the rows that are left were among those before: both ascend.
    positions_.clear();
    int64_t left = 0;
    for (int64_t i = 0; i < before.count() && left < selection_.count(); ++i) {
      if (before.row(i) != selection_.row(left)) continue;
      positions_.push_back(static_cast<int32_t>(i));
      ++left;
    }
    ARROW_RETURN_NOT_OK(NarrowKept(positions_));
  }
  if (keep) {
    ARROW_ASSIGN_OR_RAISE(kept_[column], columns_[column]->Finish());
  }
  return true;
}

arrow::Result<bool> RowGroupReader::RunFilter(RowFilter* filter) {
  const std::vector<int>& columns = filter->columns();
  if (columns.size() == 1 && kept_[static_cast<size_t>(columns[0])] == nullptr) {
    return RunOverOne(filter, static_cast<size_t>(columns[0]));
  }
  arrow::ArrayVector arrays;
  for (const int position : columns) {
    const auto column = static_cast<size_t>(position);
    if (kept_[column] == nullptr) {
      ARROW_ASSIGN_OR_RAISE(const bool ready, EnsureSelected(column, selection_));
      if (!ready) return false;
      ARROW_RETURN_NOT_OK(columns_[column]->Read(begin_, selection_));
      ARROW_ASSIGN_OR_RAISE(kept_[column], columns_[column]->Finish());
    }
    arrays.push_back(kept_[column]);
  }
  positions_.resize(static_cast<size_t>(selection_.count()));
  ARROW_ASSIGN_OR_RAISE(const int64_t count,
                        filter->Evaluate(arrays, selection_.count(), positions_.data()));
  positions_.resize(static_cast<size_t>(count));
  for (const int position : columns) {
    if (!WantedLater(static_cast<size_t>(position))) {
      kept_[static_cast<size_t>(position)] = nullptr;
    }
  }
  ARROW_RETURN_NOT_OK(NarrowKept(positions_));
  Narrow(positions_, &selection_);
  return true;
}

// Takes as many of the selected rows as make a batch.
void RowGroupReader::SelectOutput() {
  int64_t row_bytes = 1;
  for (const int position : options_.output) {
    row_bytes += columns_[static_cast<size_t>(position)]->bytes_per_row();
  }
  const int64_t left = selection_.count() - output_position_;
  const int64_t rows =
      std::min(left, std::max<int64_t>(kBatchBytes / std::max<int64_t>(row_bytes, 1), 1));
  if (rows == selection_.count()) {
    slice_ = selection_;
    return;
  }
  slice_.length = selection_.length;
  slice_.all = false;
  slice_.rows.clear();
  for (int64_t i = 0; i < rows; ++i) {
    slice_.rows.push_back(static_cast<int32_t>(selection_.row(output_position_ + i)));
  }
}

arrow::Result<Step> RowGroupReader::Output() {
  for (const int position : options_.output) {
    const auto column = static_cast<size_t>(position);
    if (kept_[column] != nullptr) continue;
    RowSelection rest;
    rest.length = selection_.length;
    rest.all = false;
    rest.rows = {static_cast<int32_t>(selection_.row(output_position_)),
                 static_cast<int32_t>(selection_.row(selection_.count() - 1))};
    ARROW_ASSIGN_OR_RAISE(const bool ready, EnsureSelected(column, rest));
    if (!ready) return Step::Waiting(wait_);
  }
  SelectOutput();
  const int64_t rows = slice_.count();
  arrow::ArrayVector arrays;
  for (const int position : options_.output) {
    const auto column = static_cast<size_t>(position);
    if (kept_[column] != nullptr) {
      arrays.push_back(kept_[column]->Slice(output_position_, rows));
      continue;
    }
    ARROW_RETURN_NOT_OK(columns_[column]->Read(begin_, slice_));
    ARROW_ASSIGN_OR_RAISE(auto array, columns_[column]->Finish());
    arrays.push_back(std::move(array));
  }
  output_position_ += rows;
  if (output_position_ == selection_.count()) EndBatch();
  return Step::Batch(arrow::RecordBatch::Make(options_.schema, rows, std::move(arrays)));
}

}  // namespace wheelpit::exec
