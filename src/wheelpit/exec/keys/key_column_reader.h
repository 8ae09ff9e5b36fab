// SPDX-License-Identifier: Apache-2.0
// A key column seen as values behind row numbers: slices, selections and dictionary codes
// are all the same thing to the loops that encode.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// The type of values: of a dictionary type that of its values.
const arrow::DataType& ValueType(const arrow::DataType& type);

class KeyColumnReader {
 public:
  /// Of rows `selection[0 … count)` of `column`, or of its first `count` rows. The codes
  /// of a dictionary column are looked up once, into memory of `pool`.
  static arrow::Result<KeyColumnReader> Make(const arrow::Array& column,
                                             const int32_t* selection, int64_t count,
                                             arrow::MemoryPool* pool);

  const arrow::Array& values() const { return *values_; }
  int64_t count() const { return count_; }
  bool has_nulls() const { return has_nulls_; }
  /// Where row `i` stands in values(); -1 for a null.
  int64_t At(int64_t i) const {
    const int64_t row = rows_ == nullptr ? i : rows_[i];
    if (!has_nulls_) {
      return row;
    }
    return row < 0 || !IsValid(row) ? -1 : row;
  }

 private:
  bool IsValid(int64_t row) const {
    const int64_t bit = row + offset_;
    return validity_ == nullptr || ((validity_[bit >> 3] >> (bit & 7)) & 1) != 0;
  }

  const arrow::Array* values_ = nullptr;
  int64_t count_ = 0;
  bool has_nulls_ = false;
  const int32_t* rows_ = nullptr;
  const uint8_t* validity_ = nullptr;
  int64_t offset_ = 0;
  std::shared_ptr<arrow::Buffer> codes_;  // what rows_ points into, of a dictionary
};

}  // namespace wheelpit::exec
