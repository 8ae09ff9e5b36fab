// SPDX-License-Identifier: Apache-2.0
// The cut-off of a top-k: a key that so many rows do not exceed that a row with a larger
// one is not wanted. Sinks lower it while they run; a scan reads it and leaves out row
// groups, pages and rows. It only ever gets lower, so that an old one is right as well.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/exec/keys/key_encoder.h"

namespace wheelpit::exec {

class CutOff {
 public:
  /// `encoder` is of all key columns; `first` of the first of them alone.
  CutOff(std::shared_ptr<const KeyEncoder> encoder,
         std::shared_ptr<const KeyEncoder> first);

  // Any thread:
  /// How often it was lowered; 0: there is none yet. Cheap: to be asked per batch.
  int64_t version() const { return version_.load(std::memory_order_acquire); }
  /// The whole key; empty when there is none yet.
  std::string key() const { return *key_.Lock(); }
  void Lower(std::string_view key);

  /// The value of the first key column in the cut-off, one row: for statistics. Null when
  /// there is no cut-off yet. A row whose first key column comes after it is not wanted,
  /// one that equals it may be.
  arrow::Result<std::shared_ptr<arrow::Array>> FirstColumn(arrow::MemoryPool* pool) const;

  /// Writes those of the first `length` rows of `first_column` that may be wanted to
  /// `rows`, ascending, and returns their number.
  arrow::Result<int64_t> Select(const std::shared_ptr<arrow::Array>& first_column,
                                int64_t length, arrow::MemoryPool* pool,
                                int32_t* rows) const;

 private:
  const std::shared_ptr<const KeyEncoder> encoder_;
  const std::shared_ptr<const KeyEncoder> first_;
  core::Guarded<std::string> mutable key_;
  std::atomic<int64_t> version_{0};
};

}  // namespace wheelpit::exec
