// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/keys/key_column_reader.h"

#include <arrow/array/array_dict.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

// False when a code lies outside of the dictionary.
template <typename Code>
bool CopyCodes(const arrow::DictionaryArray& column, const int32_t* selection,
               int64_t count, int32_t* out) {
  const arrow::Array& indices = *column.indices();
  const Code* codes = indices.data()->GetValues<Code>(1);
  const int64_t size = column.dictionary()->length();
  const bool has_nulls = indices.null_count() > 0;
  bool fits = true;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = selection == nullptr ? i : selection[i];
    if (has_nulls && indices.IsNull(row)) {
      out[i] = -1;
      continue;
    }
    const auto code = static_cast<uint64_t>(codes[row]);
    fits &= code < static_cast<uint64_t>(size);
    out[i] = static_cast<int32_t>(code);
  }
  return fits;
}

bool CopyCodes(const arrow::DictionaryArray& column, const int32_t* selection,
               int64_t count, int32_t* out) {
  switch (column.indices()->type_id()) {
    case arrow::Type::INT8:
      return CopyCodes<int8_t>(column, selection, count, out);
    case arrow::Type::UINT8:
      return CopyCodes<uint8_t>(column, selection, count, out);
    case arrow::Type::INT16:
      return CopyCodes<int16_t>(column, selection, count, out);
    case arrow::Type::UINT16:
      return CopyCodes<uint16_t>(column, selection, count, out);
    case arrow::Type::INT32:
      return CopyCodes<int32_t>(column, selection, count, out);
    case arrow::Type::UINT32:
      return CopyCodes<uint32_t>(column, selection, count, out);
    case arrow::Type::INT64:
      return CopyCodes<int64_t>(column, selection, count, out);
    default:
      return CopyCodes<uint64_t>(column, selection, count, out);
  }
}

}  // namespace

const arrow::DataType& ValueType(const arrow::DataType& type) {
  return type.id() == arrow::Type::DICTIONARY
             ? *static_cast<const arrow::DictionaryType&>(type).value_type()
             : type;
}

arrow::Result<KeyColumnReader> KeyColumnReader::Make(const arrow::Array& column,
                                                     const int32_t* selection,
                                                     int64_t count,
                                                     arrow::MemoryPool* pool) {
  KeyColumnReader reader;
  reader.values_ = &column;
  reader.count_ = count;
  reader.rows_ = selection;
  if (column.type_id() == arrow::Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(column);
    reader.values_ = coded.dictionary().get();
    ARROW_ASSIGN_OR_RAISE(
        reader.codes_,
        arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(int32_t)), pool));
    auto* codes = reinterpret_cast<int32_t*>(reader.codes_->mutable_data());
    if (coded.dictionary()->length() > INT32_MAX ||
        !CopyCodes(coded, selection, count, codes)) {
      return core::Error(core::ErrorKind::kCorrupt, "a code of a ",
                         column.type()->ToString(), " column is not in its dictionary");
    }
    reader.rows_ = codes;
    reader.has_nulls_ = column.null_count() > 0;
  }
  const arrow::ArrayData& data = *reader.values_->data();
  if (data.type->id() != arrow::Type::NA && reader.values_->null_count() > 0) {
    reader.has_nulls_ = true;
    reader.validity_ = data.buffers[0]->data();
    reader.offset_ = data.offset;
  }
  return reader;
}

}  // namespace wheelpit::exec
