// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/cut_off.h"

#include <utility>

#include <arrow/array/array_base.h>

namespace wheelpit::exec {

namespace {

// The part of a key that its first column has. Keys are not prefixes of one another, so
// the first column's alone orders as the whole does, up to what equals it.
bool ComesAfter(std::string_view first_column, std::string_view key) {
  return first_column > key.substr(0, first_column.size());
}

}  // namespace

CutOff::CutOff(std::shared_ptr<const KeyEncoder> encoder,
               std::shared_ptr<const KeyEncoder> first)
    : encoder_(std::move(encoder)), first_(std::move(first)) {}

void CutOff::Lower(std::string_view key) {
  auto locked = key_.Lock();
  if (locked->empty() || key < *locked) {
    *locked = std::string(key);
    version_.fetch_add(1, std::memory_order_release);
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> CutOff::FirstColumn(
    arrow::MemoryPool* pool) const {
  const std::string whole = key();
  if (whole.empty()) {
    return nullptr;
  }
  const std::string_view view = whole;
  ARROW_ASSIGN_OR_RAISE(auto columns, encoder_->Decode(std::span(&view, 1), pool));
  return columns[0];
}

arrow::Result<int64_t> CutOff::Select(const std::shared_ptr<arrow::Array>& first_column,
                                      int64_t length, arrow::MemoryPool* pool,
                                      int32_t* rows) const {
  const std::string whole = key();
  ARROW_ASSIGN_OR_RAISE(const auto keys, first_->Encode({first_column}, length, pool));
  int64_t count = 0;
  for (int64_t i = 0; i < length; ++i) {
    rows[count] = static_cast<int32_t>(i);
    count += whole.empty() || !ComesAfter(keys[i], whole) ? 1 : 0;
  }
  return count;
}

}  // namespace wheelpit::exec
