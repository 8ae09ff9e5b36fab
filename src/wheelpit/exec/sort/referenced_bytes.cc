// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/referenced_bytes.h"

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

namespace wheelpit::exec {

namespace {

// `length` values from `offset` on, which counts from the start of the buffers.
int64_t BytesOf(const arrow::ArrayData& data, int64_t offset, int64_t length);

template <typename Offset>
const Offset* OffsetsOf(const arrow::ArrayData& data, int64_t offset) {
  return reinterpret_cast<const Offset*>(data.buffers[1]->data()) + offset;
}

template <typename Offset>
int64_t TextBytes(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  const auto* offsets = OffsetsOf<Offset>(data, offset);
  return offsets[length] - offsets[0] +
         (length + 1) * static_cast<int64_t>(sizeof(Offset));
}

template <typename Offset>
int64_t ListBytes(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  const auto* offsets = OffsetsOf<Offset>(data, offset);
  const arrow::ArrayData& items = *data.child_data[0];
  return BytesOf(items, items.offset + offsets[0], offsets[length] - offsets[0]) +
         (length + 1) * static_cast<int64_t>(sizeof(Offset));
}

int64_t ViewBytes(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  const auto* views =
      reinterpret_cast<const arrow::BinaryViewType::c_type*>(data.buffers[1]->data()) +
      offset;
  int64_t bytes = length * arrow::BinaryViewType::kSize;
  for (int64_t i = 0; i < length; ++i) {
    bytes += views[i].is_inline() ? 0 : views[i].size();
  }
  return bytes;
}

int64_t ChildBytes(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  using arrow::Type;
  switch (data.type->id()) {
    case Type::STRUCT: {
      int64_t bytes = 0;
      for (const auto& child : data.child_data) {
        bytes += BytesOf(*child, child->offset + offset, length);
      }
      return bytes;
    }
    case Type::FIXED_SIZE_LIST: {
      const auto width =
          static_cast<const arrow::FixedSizeListType&>(*data.type).list_size();
      const arrow::ArrayData& items = *data.child_data[0];
      return BytesOf(items, items.offset + offset * width, length * width);
    }
    default: {
      // Unions, list views, runs: as if all of it were meant.
      int64_t bytes = 0;
      for (const auto& buffer : data.buffers) {
        bytes += buffer == nullptr ? 0 : buffer->size();
      }
      for (const auto& child : data.child_data) {
        bytes += ReferencedBytes(*child);
      }
      return bytes;
    }
  }
}

int64_t BytesOf(const arrow::ArrayData& data, int64_t offset, int64_t length) {
  using arrow::Type;
  const Type::type id = data.type->id();
  if (length == 0 || id == Type::NA) {
    return 0;
  }
  const int64_t validity =
      data.buffers.empty() || data.buffers[0] == nullptr ? 0 : (length + 7) / 8;
  if (id == Type::DICTIONARY) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*data.type);
    return validity + length * type.bit_width() / 8 + ReferencedBytes(*data.dictionary);
  }
  if (arrow::is_fixed_width(id)) {
    const auto& type = static_cast<const arrow::FixedWidthType&>(*data.type);
    return validity + (length * type.bit_width() + 7) / 8;
  }
  switch (id) {
    case Type::STRING:
    case Type::BINARY:
      return validity + TextBytes<int32_t>(data, offset, length);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return validity + TextBytes<int64_t>(data, offset, length);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return validity + ViewBytes(data, offset, length);
    case Type::LIST:
    case Type::MAP:
      return validity + ListBytes<int32_t>(data, offset, length);
    case Type::LARGE_LIST:
      return validity + ListBytes<int64_t>(data, offset, length);
    default:
      return validity + ChildBytes(data, offset, length);
  }
}

}  // namespace

int64_t ReferencedBytes(const arrow::ArrayData& data) {
  return BytesOf(data, data.offset, data.length);
}

}  // namespace wheelpit::exec
