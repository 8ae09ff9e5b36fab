// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/format_writer.h"

#include <algorithm>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/json_text.h"
#include "wheelpit/exec/write/writers.h"

namespace wheelpit::exec {

namespace {

int64_t ValueBytes(const arrow::Array& column);

template <typename List>
int64_t ListBytes(const arrow::Array& column) {
  const auto& list = static_cast<const List&>(column);
  const int64_t begin = list.value_offset(0);
  const int64_t size = list.value_offset(column.length()) - begin;
  return ValueBytes(*list.values()->Slice(begin, size)) + column.length() * 4;
}

template <typename Binary>
int64_t TextBytes(const arrow::Array& column) {
  const auto& text = static_cast<const Binary&>(column);
  return text.value_offset(column.length()) - text.value_offset(0) + column.length() * 4;
}

// Of its own rows alone, and written out: what a writer has to do with it.
int64_t ValueBytes(const arrow::Array& column) {
  constexpr int64_t kUnknown = 32;  // coded values and types that are rare
  switch (column.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return TextBytes<arrow::BinaryArray>(column);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return TextBytes<arrow::LargeBinaryArray>(column);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW: {
      const auto& views = static_cast<const arrow::BinaryViewArray&>(column);
      int64_t bytes = column.length() * 4;
      for (int64_t i = 0; i < column.length(); ++i) {
        bytes += column.IsNull(i) ? 0 : static_cast<int64_t>(views.GetView(i).size());
      }
      return bytes;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return ListBytes<arrow::ListArray>(column);
    case arrow::Type::LARGE_LIST:
      return ListBytes<arrow::LargeListArray>(column);
    case arrow::Type::STRUCT: {
      int64_t bytes = 0;
      for (const auto& part : static_cast<const arrow::StructArray&>(column).fields()) {
        bytes += ValueBytes(*part);
      }
      return bytes;
    }
    default:
      return column.length() * (arrow::is_fixed_width(column.type_id()) &&
                                        column.type_id() != arrow::Type::DICTIONARY
                                    ? column.type()->bit_width() / 8 + 1
                                    : kUnknown);
  }
}

}  // namespace

WriterResult MakeFormatWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                              ByteSink* sink) {
  switch (options.format.kind) {
    case plan::FileFormatKind::kParquet:
      return MakeParquetWriter(schema, options, sink);
    case plan::FileFormatKind::kArrow:
      return MakeArrowWriter(schema, options, sink);
    default:
      return MakeTextWriter(schema, options, sink);
  }
}

arrow::Status CheckNamesDiffer(const arrow::Schema& schema, std::string_view what) {
  for (const auto& field : schema.fields()) {
    if (schema.GetAllFieldIndices(field->name()).size() > 1) {
      return core::Error(core::ErrorKind::kInvalidSql, "two columns are called ",
                         JsonString(field->name()), ", which ", what,
                         " has once; rename one with AS");
    }
  }
  return arrow::Status::OK();
}

int64_t RowBytesOf(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  for (const auto& column : batch.columns()) {
    bytes += ValueBytes(*column);
  }
  return std::max<int64_t>(bytes / std::max<int64_t>(batch.num_rows(), 1), 1);
}

int64_t RowsOf(const arrow::RecordBatch& batch, int64_t bytes) {
  return std::max<int64_t>(bytes / RowBytesOf(batch), 1);
}

}  // namespace wheelpit::exec
