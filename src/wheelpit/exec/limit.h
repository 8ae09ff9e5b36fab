// SPDX-License-Identifier: Apache-2.0
// LIMIT and OFFSET: passes a window of the rows that come, and is done when it has.
#pragma once

#include <cstdint>
#include <memory>

#include "wheelpit/exec/driver.h"

namespace wheelpit::exec {

class LimitOperator final : public Operator {
 public:
  /// `limit` -1 is all rows.
  LimitOperator(int64_t limit, int64_t offset);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override;
  bool done() const override;

 private:
  int64_t left_;  // -1: no limit
  int64_t skip_;
};

}  // namespace wheelpit::exec
