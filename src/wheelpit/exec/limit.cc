// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/limit.h"

#include <algorithm>

#include <arrow/record_batch.h>

namespace wheelpit::exec {

LimitOperator::LimitOperator(int64_t limit, int64_t offset)
    : left_(limit), skip_(offset) {}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> LimitOperator::Process(
    std::shared_ptr<arrow::RecordBatch> batch) {
  const int64_t skipped = std::min(skip_, batch->num_rows());
  skip_ -= skipped;
  const int64_t rows = batch->num_rows() - skipped;
  const int64_t taken = left_ < 0 ? rows : std::min(left_, rows);
  if (left_ >= 0) {
    left_ -= taken;
  }
  if (taken == 0) {
    return nullptr;
  }
  return taken == batch->num_rows() ? batch : batch->Slice(skipped, taken);
}

bool LimitOperator::done() const {
  return left_ == 0;
}

}  // namespace wheelpit::exec
