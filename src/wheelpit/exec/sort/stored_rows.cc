// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/stored_rows.h"

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
                 ? arrow::fixed_size_binary(static_cast<int32_t>(SplitWidth(*type)))
                 : type;
  }
}

template <int64_t kWidth>
void Split(const uint8_t* values, int64_t count, uint8_t* bytes) {
  for (int64_t at = 0; at < kWidth; ++at) {
    for (int64_t i = 0; i < count; ++i) {
      bytes[at * count + i] = values[i * kWidth + at];
    }
  }
}

template <int64_t kWidth>
void Join(const uint8_t* bytes, int64_t count, uint8_t* values) {
  for (int64_t at = 0; at < kWidth; ++at) {
    for (int64_t i = 0; i < count; ++i) {
      values[i * kWidth + at] = bytes[at * count + i];
    }
  }
}

void Rearrange(const uint8_t* from, int64_t count, int64_t width, bool split,
               uint8_t* to) {
  switch (width) {
    case 4:
      return split ? Split<4>(from, count, to) : Join<4>(from, count, to);
    case 8:
      return split ? Split<8>(from, count, to) : Join<8>(from, count, to);
    default:
      return split ? Split<16>(from, count, to) : Join<16>(from, count, to);
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
    const int64_t width = SplitWidth(*type);
    if (width == 0 && batch.column(i)->type()->Equals(*type)) {
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
    if (width > 0) {
      WHEELPIT_CHECK(data->offset == 0 && (count == 0 || data->buffers[1] != nullptr),
                     "rows that are stored begin with their buffers");
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                            arrow::AllocateBuffer(count * width, pool));
      if (count > 0) {
        Rearrange(data->buffers[1]->data(), count, width, split, buffer->mutable_data());
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
