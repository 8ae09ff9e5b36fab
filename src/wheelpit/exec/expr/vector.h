// SPDX-License-Identifier: Apache-2.0
// Vector: the values of an expression over some rows, in the form that the kernels loop
// over. Values are a plain span; booleans and validity are a byte each, so that every
// loop is a loop over bytes and vectorises; Arrow's bitmaps exist only at the borders.
// Vectors are made and used within one evaluation on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

using plan::int128;
using plan::TypeClass;

/// A decimal as Arrow stores it. Eight-byte aligned, unlike __int128.
struct DecimalWords {
  uint64_t low;
  int64_t high;
};

inline int128 ToInt128(DecimalWords words) {
  return (static_cast<int128>(words.high) << 64) | words.low;
}

inline DecimalWords ToWords(int128 value) {
  return {static_cast<uint64_t>(value), static_cast<int64_t>(value >> 64)};
}

struct Vector {
  std::shared_ptr<arrow::DataType> type;
  TypeClass type_class = TypeClass::kNull;
  /// One value stands for every row: `length` is 1 then.
  bool constant = false;
  int64_t length = 0;

  const void* values = nullptr;    ///< strings: length + 1 offsets into `bytes`
  const char* bytes = nullptr;     ///< strings: where offset 0 is
  const uint8_t* valid = nullptr;  ///< 1 or 0 per value; null when none is null
  // Shared: they belong to the input arrays or to other vectors as well.
  std::shared_ptr<arrow::Buffer> values_buffer;
  std::shared_ptr<arrow::Buffer> bytes_buffer;
  std::shared_ptr<arrow::Buffer> valid_buffer;
  std::shared_ptr<arrow::Array> other;  ///< kOther: the values themselves

  template <typename T>
  const T* Values() const {
    return static_cast<const T*>(values);
  }
  /// The position of the value of row i.
  int64_t At(int64_t i) const { return constant ? 0 : i; }
  bool IsValid(int64_t i) const { return valid == nullptr || valid[At(i)] != 0; }
  bool IsConstantNull() const { return constant && valid != nullptr && valid[0] == 0; }
  std::string_view Text(int64_t i) const {
    const int32_t* offsets = Values<int32_t>() + At(i);
    return {bytes + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
  }
};

/// Bytes per value of `values`; 0 for kNull and kOther, whose values are not looped over.
int WidthOf(TypeClass type_class);

/// A vector of `length` values whose values are yet to be written (for strings, the
/// offsets), all valid. The values can be written through `MutableValues`.
arrow::Result<Vector> AllocateVector(std::shared_ptr<arrow::DataType> type,
                                     int64_t length, arrow::MemoryPool* pool);

template <typename T>
T* MutableValues(Vector& vector) {
  // Only for vectors fresh from AllocateVector, which own their buffer alone.
  return static_cast<T*>(const_cast<void*>(vector.values));
}

/// Gives the vector a validity of its own, filled with `fill`; to be written by the
/// caller.
arrow::Result<uint8_t*> AllocateValidity(Vector* vector, uint8_t fill,
                                         arrow::MemoryPool* pool);

/// A constant null.
arrow::Result<Vector> NullVector(std::shared_ptr<arrow::DataType> type,
                                 arrow::MemoryPool* pool);

arrow::Result<Vector> ConstantVector(const arrow::Scalar& value, arrow::MemoryPool* pool);

/// The values of an array, without a copy but for booleans, validity and dictionaries.
/// `selection` (or null) picks `length` rows of it, in its order.
arrow::Result<Vector> VectorFromArray(const std::shared_ptr<arrow::Array>& array,
                                      const int32_t* selection, int64_t length,
                                      arrow::MemoryPool* pool);

/// The rows of `vector` at `positions`. Constants stay constants.
arrow::Result<Vector> Gather(const Vector& vector, const int32_t* positions,
                             int64_t count, arrow::MemoryPool* pool);

/// An Arrow array of `length` rows; a constant is repeated.
arrow::Result<std::shared_ptr<arrow::Array>> ToArray(const Vector& vector, int64_t length,
                                                     arrow::MemoryPool* pool);

/// The value of row i, for error messages and for constants.
arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Vector& vector, int64_t i,
                                                       arrow::MemoryPool* pool);

/// Collects text values into a vector. Total bytes are bounded by Arrow's 32-bit offsets.
class TextBuilder {
 public:
  /// Room for `length` values of type utf8 or binary.
  static arrow::Result<TextBuilder> Make(std::shared_ptr<arrow::DataType> type,
                                         int64_t length, arrow::MemoryPool* pool);
  TextBuilder(TextBuilder&&) noexcept;
  TextBuilder& operator=(TextBuilder&&) noexcept;
  ~TextBuilder();

  /// Appends a piece to the value under construction.
  arrow::Status Piece(std::string_view text);
  /// Ends the value under construction.
  void EndValue();
  arrow::Status Append(std::string_view text) {
    ARROW_RETURN_NOT_OK(Piece(text));
    EndValue();
    return arrow::Status::OK();
  }
  /// The vector of all values, all valid so far.
  arrow::Result<Vector> Finish();

 private:
  struct State;
  explicit TextBuilder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wheelpit::exec::expr
