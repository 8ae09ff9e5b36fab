// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/plain_columns.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

namespace wheelpit::exec {

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;
using DataPtr = std::shared_ptr<arrow::ArrayData>;

// The same nested type over other parts; null for types that are left as they are.
TypePtr Rebuilt(const arrow::DataType& type, arrow::FieldVector parts) {
  switch (type.id()) {
    case arrow::Type::LIST:
      return arrow::list(parts[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(parts[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          parts[0], static_cast<const arrow::FixedSizeListType&>(type).list_size());
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(parts[0]);
    case arrow::Type::STRUCT:
      return arrow::struct_(std::move(parts));
    default:
      return nullptr;
  }
}

TypePtr PlainType(const TypePtr& type) {
  if (type->id() == arrow::Type::DICTIONARY) {
    return PlainType(static_cast<const arrow::DictionaryType&>(*type).value_type());
  }
  if (type->id() == arrow::Type::STRING_VIEW) {
    return arrow::utf8();
  }
  if (type->id() == arrow::Type::BINARY_VIEW) {
    return arrow::binary();
  }
  arrow::FieldVector parts;
  bool same = true;
  for (const auto& field : type->fields()) {
    parts.push_back(field->WithType(PlainType(field->type())));
    same = same && parts.back()->type() == field->type();
  }
  const TypePtr rebuilt = same ? nullptr : Rebuilt(*type, std::move(parts));
  return rebuilt == nullptr ? type : rebuilt;
}

arrow::Result<DataPtr> PlainData(const DataPtr& data, arrow::MemoryPool* pool);

// Codes and entries have nulls of their own.
arrow::Result<DataPtr> Decoded(const DataPtr& data, arrow::MemoryPool* pool) {
  const arrow::DictionaryArray coded(data);
  ARROW_ASSIGN_OR_RAISE(const DataPtr entries,
                        PlainData(coded.dictionary()->data(), pool));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool, entries->type, &builder));
  const arrow::ArraySpan span(*entries);
  for (int64_t i = 0; i < coded.length(); ++i) {
    ARROW_RETURN_NOT_OK(coded.IsNull(i)
                            ? builder->AppendNull()
                            : builder->AppendArraySlice(span, coded.GetValueIndex(i), 1));
  }
  ARROW_ASSIGN_OR_RAISE(const auto plain, builder->Finish());
  return plain->data();
}

arrow::Result<DataPtr> CopiedViews(const DataPtr& data, arrow::MemoryPool* pool) {
  const arrow::BinaryViewArray views(data);
  arrow::BinaryBuilder builder(pool);
  for (int64_t i = 0; i < views.length(); ++i) {
    ARROW_RETURN_NOT_OK(views.IsNull(i) ? builder.AppendNull()
                                        : builder.Append(views.GetView(i)));
  }
  ARROW_ASSIGN_OR_RAISE(const auto plain, builder.Finish());
  DataPtr copied = plain->data();
  copied->type = PlainType(data->type);  // text as text
  return copied;
}

arrow::Result<DataPtr> PlainData(const DataPtr& data, arrow::MemoryPool* pool) {
  if (data->type->id() == arrow::Type::DICTIONARY) {
    return Decoded(data, pool);
  }
  if (arrow::is_binary_view_like(data->type->id())) {
    return CopiedViews(data, pool);
  }
  TypePtr type = PlainType(data->type);
  if (type == data->type) {
    return data;
  }
  DataPtr plain = data->Copy();
  plain->type = std::move(type);
  for (auto& part : plain->child_data) {
    ARROW_ASSIGN_OR_RAISE(part, PlainData(part, pool));
  }
  return plain;
}

}  // namespace

std::shared_ptr<arrow::Schema> PlainSchema(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    fields.push_back(field->WithType(PlainType(field->type())));
  }
  return arrow::schema(std::move(fields));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> PlainRows(
    const arrow::RecordBatch& batch, arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(const DataPtr data, PlainData(column->data(), pool));
    columns.push_back(data == column->data() ? column : arrow::MakeArray(data));
  }
  return arrow::RecordBatch::Make(PlainSchema(*batch.schema()), batch.num_rows(),
                                  std::move(columns));
}

}  // namespace wheelpit::exec
