// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/array_assembler.h"

#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/array/util.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

template <int32_t kWidth, bool kNulls>
void GatherWidth(const uint8_t* values, std::span<const int32_t> indices, uint8_t* out) {
  for (const int32_t index : indices) {
    if (!kNulls || index >= 0) {
      std::memcpy(out, values + int64_t{index} * kWidth, kWidth);
    } else {
      std::memset(out, 0, kWidth);
    }
    out += kWidth;
  }
}

template <bool kNulls>
void GatherAny(const uint8_t* values, int32_t width, std::span<const int32_t> indices,
               uint8_t* out) {
  switch (width) {
    case 1:
      return GatherWidth<1, kNulls>(values, indices, out);
    case 2:
      return GatherWidth<2, kNulls>(values, indices, out);
    case 4:
      return GatherWidth<4, kNulls>(values, indices, out);
    case 8:
      return GatherWidth<8, kNulls>(values, indices, out);
    case 12:
      return GatherWidth<12, kNulls>(values, indices, out);
    default:
      WHEELPIT_DCHECK(width == 16);
      return GatherWidth<16, kNulls>(values, indices, out);
  }
}

}  // namespace

void GatherValues(const uint8_t* values, int32_t width, std::span<const int32_t> indices,
                  bool has_nulls, uint8_t* out) {
  return has_nulls ? GatherAny<true>(values, width, indices, out)
                   : GatherAny<false>(values, width, indices, out);
}

ArrayAssembler::ArrayAssembler(std::shared_ptr<arrow::DataType> type, ValueLayout layout,
                               arrow::MemoryPool* pool)
    : type_(std::move(type)),
      layout_(layout),
      pool_(pool),
      data_(pool),
      bits_(pool),
      offsets_(pool),
      gathered_(pool) {}

arrow::Status ArrayAssembler::AppendValidity(std::span<const int32_t> indices,
                                             bool has_nulls) {
  if (!has_nulls && !validity_) return arrow::Status::OK();
  const auto count = static_cast<int64_t>(indices.size());
  if (!validity_) {
    validity_.emplace(pool_);
    ARROW_RETURN_NOT_OK(validity_->Append(length_, true));
  }
  if (!has_nulls) return validity_->Append(count, true);
  ARROW_RETURN_NOT_OK(validity_->Reserve(count));
  for (const int32_t index : indices) validity_->UnsafeAppend(index >= 0);
  return arrow::Status::OK();
}

arrow::Result<bool> ArrayAssembler::Gather(const DenseValues& values,
                                           std::span<const int32_t> indices,
                                           bool has_nulls) {
  ARROW_RETURN_NOT_OK(AppendValidity(indices, has_nulls));
  bool fits = true;
  if (layout_.storage == Storage::kFixed) {
    ARROW_ASSIGN_OR_RAISE(fits, GatherFixed(values, indices, has_nulls));
  } else if (layout_.storage == Storage::kBool) {
    ARROW_RETURN_NOT_OK(GatherBool(values.data, indices));
  } else {
    ARROW_RETURN_NOT_OK(
        GatherBytes(reinterpret_cast<const ByteView*>(values.data), indices));
  }
  length_ += static_cast<int64_t>(indices.size());
  return fits;
}

arrow::Result<bool> ArrayAssembler::GatherFixed(const DenseValues& values,
                                                std::span<const int32_t> indices,
                                                bool has_nulls) {
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t out_bytes = count * layout_.target_width;
  ARROW_RETURN_NOT_OK(data_.Reserve(out_bytes));
  uint8_t* out = data_.mutable_data() + data_.length();
  bool fits = true;
  if (values.converted || layout_.conversion == nullptr) {
    GatherValues(values.data, layout_.target_width, indices, has_nulls, out);
  } else {
    gathered_.Rewind(0);
    ARROW_RETURN_NOT_OK(gathered_.Reserve(count * layout_.raw_width));
    GatherValues(values.data, layout_.raw_width, indices, has_nulls,
                 gathered_.mutable_data());
    fits = layout_.conversion(gathered_.data(), count, layout_.arguments, out);
  }
  data_.UnsafeAdvance(out_bytes);
  return fits;
}

arrow::Status ArrayAssembler::GatherBool(const uint8_t* values,
                                         std::span<const int32_t> indices) {
  ARROW_RETURN_NOT_OK(bits_.Reserve(static_cast<int64_t>(indices.size())));
  for (const int32_t index : indices) {
    bits_.UnsafeAppend(index >= 0 && values[index] != 0);
  }
  return arrow::Status::OK();
}

arrow::Status ArrayAssembler::GatherBytes(const ByteView* values,
                                          std::span<const int32_t> indices) {
  int64_t total = data_.length();
  for (const int32_t index : indices) total += index >= 0 ? values[index].size_bytes : 0;
  if (total > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kMemoryLimit, "one batch would hold ", total,
                       " bytes of strings, more than an array can: set scan.batch_rows ",
                       "lower");
  }
  ARROW_RETURN_NOT_OK(data_.Reserve(total - data_.length()));
  ARROW_RETURN_NOT_OK(offsets_.Reserve(static_cast<int64_t>(indices.size()) + 1));
  if (offsets_.length() == 0) offsets_.UnsafeAppend(0);
  for (const int32_t index : indices) {
    if (index >= 0 && values[index].size_bytes > 0) {
      data_.UnsafeAppend(values[index].data, values[index].size_bytes);
    }
    offsets_.UnsafeAppend(static_cast<int32_t>(data_.length()));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> ArrayAssembler::Finish() {
  std::vector<std::shared_ptr<arrow::Buffer>> buffers(1);
  int64_t null_count = 0;
  if (validity_) {
    null_count = validity_->false_count();
    ARROW_ASSIGN_OR_RAISE(buffers[0], validity_->Finish());
    validity_.reset();
  }
  if (layout_.storage == Storage::kBytes) {
    if (offsets_.length() == 0) ARROW_RETURN_NOT_OK(offsets_.Append(0));
    buffers.emplace_back();
    ARROW_ASSIGN_OR_RAISE(buffers.back(), offsets_.Finish());
  }
  buffers.emplace_back();
  if (layout_.storage == Storage::kBool) {
    ARROW_ASSIGN_OR_RAISE(buffers.back(), bits_.Finish());
  } else {
    ARROW_ASSIGN_OR_RAISE(buffers.back(), data_.Finish());
  }
  auto data = arrow::ArrayData::Make(type_, length_, std::move(buffers), null_count);
  length_ = 0;
  return arrow::MakeArray(data);
}

}  // namespace wheelpit::exec
