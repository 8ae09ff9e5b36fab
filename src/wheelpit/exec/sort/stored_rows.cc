// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/stored_rows.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using BatchResult = arrow::Result<std::shared_ptr<arrow::RecordBatch>>;

// Of values that are split into their bytes; 0 for others.
int64_t SplitWidth(const arrow::DataType& type) {
  if (!arrow::is_fixed_width(type.id()) || type.id() == arrow::Type::BOOL ||
      type.id() == arrow::Type::DICTIONARY) {
    return 0;
  }
  const int64_t width = type.byte_width();
  return width == 4 || width == 8 || width == 16 ? width : 0;
}

// Decimals whose second word says nothing.
bool IsNarrow(const arrow::DataType& type) {
  return type.id() == arrow::Type::DECIMAL128 &&
         static_cast<const arrow::DecimalType&>(type).precision() <= 18;
}

int64_t StoredWidth(const arrow::DataType& type) {
  return IsNarrow(type) ? int64_t{sizeof(int64_t)} : SplitWidth(type);
}

std::shared_ptr<arrow::DataType> StoredType(
    const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING:
      return arrow::binary();
    case arrow::Type::LARGE_STRING:
      return arrow::large_binary();
    case arrow::Type::STRING_VIEW:
      return arrow::binary_view();
    case arrow::Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryType&>(*type);
      const bool text = !arrow::is_fixed_width(coded.value_type()->id());
      return text ? arrow::dictionary(coded.index_type(), StoredType(coded.value_type()),
                                      coded.ordered())
                  : type;
    }
    default:
      return SplitWidth(*type) > 0
                 ? arrow::fixed_size_binary(static_cast<int32_t>(StoredWidth(*type)))
                 : type;
  }
}

// 16 rows at a time.
using Lanes [[gnu::vector_size(16)]] = uint8_t;
constexpr int64_t kRows = 16;

// Seen as one row of bytes, the second half of `lanes` goes between the bytes of the
// first: the bits of a byte's place rotate by one, the highest becomes the lowest.
template <int kWidth>
void Interleave(Lanes (&lanes)[kWidth]) {
  Lanes mixed[kWidth];
  for (int i = 0; i < kWidth / 2; ++i) {
    const Lanes first = lanes[i];
    const Lanes second = lanes[i + kWidth / 2];
    mixed[2 * i] = __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                           20, 5, 21, 6, 22, 7, 23);
    mixed[2 * i + 1] = __builtin_shufflevector(first, second, 8, 24, 9, 25, 10, 26, 11,
                                               27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
  std::memcpy(lanes, mixed, sizeof(mixed));
}

// A byte's place is row, then byte of the value: after four rotations the other way
// round.
template <int kWidth>
void SplitRows(const uint8_t* values, int64_t count, uint8_t* bytes) {
  Lanes lanes[kWidth];
  std::memcpy(lanes, values, sizeof(lanes));
  for (int row_bits = 4; row_bits > 0; --row_bits) {
    Interleave(lanes);
  }
  for (int at = 0; at < kWidth; ++at) {
    std::memcpy(bytes + at * count, &lanes[at], sizeof(Lanes));
  }
}

// And as many more as a byte's number has bits lead back.
template <int kWidth>
void JoinRows(const uint8_t* bytes, int64_t count, uint8_t* values) {
  Lanes lanes[kWidth];
  for (int at = 0; at < kWidth; ++at) {
    std::memcpy(&lanes[at], bytes + at * count, sizeof(Lanes));
  }
  for (int width = kWidth; width > 1; width /= 2) {
    Interleave(lanes);
  }
  std::memcpy(values, lanes, sizeof(lanes));
}

template <int kWidth>
void Split(const uint8_t* values, int64_t count, uint8_t* bytes) {
  int64_t row = 0;
  for (; row + kRows <= count; row += kRows) {
    SplitRows<kWidth>(values + row * kWidth, count, bytes + row);
  }
  for (; row < count; ++row) {
    for (int at = 0; at < kWidth; ++at) {
      bytes[at * count + row] = values[row * kWidth + at];
    }
  }
}

template <int kWidth>
void Join(const uint8_t* bytes, int64_t count, uint8_t* values) {
  int64_t row = 0;
  for (; row + kRows <= count; row += kRows) {
    JoinRows<kWidth>(bytes + row, count, values + row * kWidth);
  }
  for (; row < count; ++row) {
    for (int at = 0; at < kWidth; ++at) {
      values[row * kWidth + at] = bytes[at * count + row];
    }
  }
}

// Two words of which the second only repeats the sign of the first.
struct Wide {
  int64_t low;
  int64_t high;
};

// Whether that is so of all values.
bool SplitNarrow(const uint8_t* values, int64_t count, uint8_t* bytes) {
  constexpr int kWidth = sizeof(int64_t);
  const auto* wide = reinterpret_cast<const Wide*>(values);
  int64_t lost = 0;
  int64_t row = 0;
  for (; row + kRows <= count; row += kRows) {
    int64_t narrow[kRows];
    for (int64_t i = 0; i < kRows; ++i) {
      narrow[i] = wide[row + i].low;
      lost |= wide[row + i].high ^ (narrow[i] >> 63);
    }
    SplitRows<kWidth>(reinterpret_cast<const uint8_t*>(narrow), count, bytes + row);
  }
  for (; row < count; ++row) {
    lost |= wide[row].high ^ (wide[row].low >> 63);
    for (int at = 0; at < kWidth; ++at) {
      bytes[at * count + row] = static_cast<uint8_t>(wide[row].low >> (8 * at));
    }
  }
  return lost == 0;
}

void JoinNarrow(const uint8_t* bytes, int64_t count, uint8_t* values) {
  constexpr int kWidth = sizeof(int64_t);
  auto* wide = reinterpret_cast<Wide*>(values);
  for (int64_t row = 0; row < count; row += kRows) {
    const int64_t rows = std::min(kRows, count - row);
    int64_t narrow[kRows];
    auto* const to = reinterpret_cast<uint8_t*>(narrow);
    if (rows == kRows) {
      JoinRows<kWidth>(bytes + row, count, to);
    } else {
      for (int64_t i = 0; i < rows * kWidth; ++i) {
        to[i] = bytes[i % kWidth * count + row + i / kWidth];
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      wide[row + i] = {.low = narrow[i], .high = narrow[i] >> 63};
    }
  }
}

// No value that is there may lose anything by being narrow; what stands where one is null
// may.
arrow::Status CheckNarrow(const arrow::ArrayData& data, const std::string& column) {
  const auto* wide = reinterpret_cast<const Wide*>(data.buffers[1]->data());
  for (int64_t row = 0; row < data.length; ++row) {
    if (wide[row].high != wide[row].low >> 63 && data.IsValid(row)) {
      return core::Error(core::ErrorKind::kCorrupt, "column ", column,
                         " has a value of more digits than ", data.type->ToString());
    }
  }
  return arrow::Status::OK();
}

// `values` of a column in memory, `bytes` of it on disk.
arrow::Status SplitColumn(const arrow::ArrayData& data, const std::string& name,
                          uint8_t* bytes) {
  const uint8_t* const values = data.buffers[1]->data();
  if (IsNarrow(*data.type)) {
    return SplitNarrow(values, data.length, bytes) ? arrow::Status::OK()
                                                   : CheckNarrow(data, name);
  }
  switch (data.type->byte_width()) {
    case 4:
      Split<4>(values, data.length, bytes);
      break;
    case 8:
      Split<8>(values, data.length, bytes);
      break;
    default:
      Split<16>(values, data.length, bytes);
  }
  return arrow::Status::OK();
}

void JoinColumn(const uint8_t* bytes, int64_t count, const arrow::DataType& type,
                uint8_t* values) {
  if (IsNarrow(type)) {
    return JoinNarrow(bytes, count, values);
  }
  switch (type.byte_width()) {
    case 4:
      return Join<4>(bytes, count, values);
    case 8:
      return Join<8>(bytes, count, values);
    default:
      return Join<16>(bytes, count, values);
  }
}

// `split`: to the stored form, else from it.
BatchResult Convert(const arrow::RecordBatch& batch,
                    const std::shared_ptr<arrow::Schema>& schema, bool split,
                    arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  const int64_t count = batch.num_rows();
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& type = schema->field(i)->type();
    const bool rearranged = SplitWidth(split ? *batch.column(i)->type() : *type) > 0;
    if (!rearranged && batch.column(i)->type()->Equals(*type)) {
      columns.push_back(batch.column(i));
      continue;
    }
    auto data = std::make_shared<arrow::ArrayData>(*batch.column_data(i));
    data->type = type;
    if (data->dictionary != nullptr) {
      data->dictionary = std::make_shared<arrow::ArrayData>(*data->dictionary);
      data->dictionary->type =
          static_cast<const arrow::DictionaryType&>(*type).value_type();
    }
    if (rearranged) {
      WHEELPIT_CHECK(data->offset == 0 && (count == 0 || data->buffers[1] != nullptr),
                     "rows that are stored begin with their buffers");
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                            arrow::AllocateBuffer(count * type->byte_width(), pool));
      if (count > 0 && split) {
        ARROW_RETURN_NOT_OK(SplitColumn(*batch.column_data(i), schema->field(i)->name(),
                                        buffer->mutable_data()));
      } else if (count > 0) {
        JoinColumn(data->buffers[1]->data(), count, *type, buffer->mutable_data());
      }
      data->buffers[1] = std::move(buffer);
    }
    columns.push_back(arrow::MakeArray(std::move(data)));
  }
  return arrow::RecordBatch::Make(schema, count, std::move(columns));
}

}  // namespace

std::shared_ptr<arrow::Schema> StoredSchema(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    fields.push_back(field->WithType(StoredType(field->type())));
  }
  return arrow::schema(std::move(fields));
}

BatchResult ToStored(const arrow::RecordBatch& batch,
                     const std::shared_ptr<arrow::Schema>& stored_schema,
                     arrow::MemoryPool* pool) {
  return Convert(batch, stored_schema, /*split=*/true, pool);
}

BatchResult FromStored(const arrow::RecordBatch& stored,
                       const std::shared_ptr<arrow::Schema>& schema,
                       arrow::MemoryPool* pool) {
  return Convert(stored, schema, /*split=*/false, pool);
}

int64_t SplitBytes(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  for (const auto& column : batch.columns()) {
    bytes += batch.num_rows() * SplitWidth(*column->type());
  }
  return bytes;
}

}  // namespace wheelpit::exec
