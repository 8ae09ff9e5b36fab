// SPDX-License-Identifier: Apache-2.0
// For tests of what compares rows: random columns full of edge cases, and the plain
// comparison of Spark's ORDER BY and GROUP BY, value by value.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/exec/keys/key_encoder.h"

namespace wheelpit::exec {

/// Every type that can be a key, with text in each of its layouts and two dictionaries.
std::vector<std::shared_ptr<arrow::DataType>> SampleKeyTypes();

struct SampleOptions {
  uint64_t seed = 1;
  /// In 100 rows.
  int nulls = 10;
  /// Out of how many values each is drawn; few make ties.
  int distinct = 50;
  /// Of the longest text.
  int text_bytes_max = 20;
};

/// A slice of something longer.
std::shared_ptr<arrow::Array> SampleColumn(const std::shared_ptr<arrow::DataType>& type,
                                           int64_t length, const SampleOptions& options);

/// < 0, 0 or > 0, as row `a` comes before, with or after row `b`.
int ComparePlainly(const std::vector<KeyColumn>& keys,
                   const arrow::ArrayVector& a_columns, int64_t a,
                   const arrow::ArrayVector& b_columns, int64_t b);

}  // namespace wheelpit::exec
