// SPDX-License-Identifier: Apache-2.0
// Puts the values of one column together into an Arrow array, piece by piece: rows are
// gathered from dense values by index. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/scan/value_layout.h"

namespace wheelpit::exec {

/// Dense values: raw as ValueLayout says, or already the target's.
struct DenseValues {
  const uint8_t* data = nullptr;
  int64_t count = 0;
  bool converted = false;
};

/// Copies values[indices[i]] of `width` bytes each; zeros where the index is -1, which
/// none is unless `has_nulls`. Indices must be below the number of values.
void GatherValues(const uint8_t* values, int32_t width, std::span<const int32_t> indices,
                  bool has_nulls, uint8_t* out);

class ArrayAssembler {
 public:
  ArrayAssembler(std::shared_ptr<arrow::DataType> type, ValueLayout layout,
                 arrow::MemoryPool* pool);

  /// Appends values[indices[i]], null where the index is -1. False for a value that does
  /// not fit the type. `has_nulls` false promises that no index is -1.
  arrow::Result<bool> Gather(const DenseValues& values, std::span<const int32_t> indices,
                             bool has_nulls);

  int64_t length() const { return length_; }

  /// The array; the assembler is empty again then.
  arrow::Result<std::shared_ptr<arrow::Array>> Finish();

 private:
  arrow::Status AppendValidity(std::span<const int32_t> indices, bool has_nulls);
  arrow::Result<bool> GatherFixed(const DenseValues& values,
                                  std::span<const int32_t> indices, bool has_nulls);
  arrow::Status GatherBool(const uint8_t* values, std::span<const int32_t> indices);
  arrow::Status GatherBytes(const ByteView* values, std::span<const int32_t> indices);

  std::shared_ptr<arrow::DataType> type_;
  const ValueLayout layout_;
  arrow::MemoryPool* pool_;
  int64_t length_ = 0;
  std::optional<arrow::TypedBufferBuilder<bool>> validity_;  // made at the first null
  arrow::BufferBuilder data_;
  arrow::TypedBufferBuilder<bool> bits_;
  arrow::TypedBufferBuilder<int32_t> offsets_;
  arrow::BufferBuilder gathered_;  // raw values on their way to a conversion
};

}  // namespace wheelpit::exec
