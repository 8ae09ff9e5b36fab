// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/nested_text.h"

#include <string_view>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

namespace {

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

// Where the parts of the rows lie in the arrays of all parts; of a struct: where its row.
Range PartsOf(const arrow::Array& array, int64_t begin, int64_t end) {
  if (array.type_id() == arrow::Type::STRUCT) {
    return {begin, end};
  }
  const auto& list = static_cast<const arrow::ListArray&>(array);
  return {list.value_offset(begin), list.value_offset(end)};
}

}  // namespace

NestedText::NestedText(const std::shared_ptr<arrow::DataType>& type,
                       const TextOptions& options)
    : type_(type), options_(options) {}

NestedText::~NestedText() = default;

arrow::Result<std::unique_ptr<NestedText>> NestedText::Make(
    const std::shared_ptr<arrow::DataType>& type, const TextOptions& options) {
  arrow::FieldVector parts;
  switch (type->id()) {
    case arrow::Type::LIST:
    case arrow::Type::STRUCT:
      parts = type->fields();
      break;
    case arrow::Type::MAP:
      parts = type->field(0)->type()->fields();
      break;
    default:
      return core::Error(core::ErrorKind::kUnsupported, "values of type ",
                         plan::TypeName(*type), " cannot be shown as text yet");
  }
  std::unique_ptr<NestedText> text(new NestedText(type, options));
  for (const auto& part : parts) {
    text->forms_.push_back(JsonFormOf(*part->type()));
    text->keys_.push_back(JsonString(part->name()) + ":");
  }
  text->parts_ = arrow::schema(std::move(parts));
  ARROW_ASSIGN_OR_RAISE(text->part_text_, BatchText::Make(text->parts_, options));
  return text;
}

arrow::Result<arrow::ArrayVector> NestedText::PartTexts(const arrow::Array& array) const {
  const Range range = PartsOf(array, 0, array.length());
  arrow::ArrayVector parts;
  if (type_->id() == arrow::Type::STRUCT) {
    // Sliced as the struct itself is.
    parts = static_cast<const arrow::StructArray&>(array).fields();
  } else if (type_->id() == arrow::Type::LIST) {
    parts = {static_cast<const arrow::ListArray&>(array).values()};
  } else {
    const auto& map = static_cast<const arrow::MapArray&>(array);
    parts = {map.keys(), map.items()};
  }
  const int64_t length = range.end - range.begin;
  for (auto& part : parts) {
    part = part->Slice(range.begin, length);
  }
  return part_text_->Convert(*arrow::RecordBatch::Make(parts_, length, std::move(parts)));
}

arrow::Result<std::shared_ptr<arrow::Array>> NestedText::Convert(
    const arrow::Array& array) const {
  ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector parts, PartTexts(array));
  const int64_t first = PartsOf(array, 0, 0).begin;
  arrow::StringBuilder builder(options_.pool);
  std::string text;
  for (int64_t row = 0; row < array.length(); ++row) {
    if (array.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    const Range range = PartsOf(array, row, row + 1);
    text.clear();
    if (type_->id() == arrow::Type::STRUCT) {
      AppendStruct(parts, row, &text);
    } else if (type_->id() == arrow::Type::LIST) {
      AppendList(*parts[0], range.begin - first, range.end - first, &text);
    } else {
      AppendMap(parts, range.begin - first, range.end - first, &text);
    }
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

void NestedText::AppendPart(const arrow::Array& texts, int64_t at, size_t part,
                            std::string* out) const {
  if (texts.IsNull(at)) {
    *out += "null";
    return;
  }
  const auto text = static_cast<const arrow::StringArray&>(texts).GetView(at);
  if (options_.nested == NestedForm::kJson) {
    AppendJson(text, forms_[part], out);
  } else {
    *out += text;
  }
}

void NestedText::AppendList(const arrow::Array& items, int64_t begin, int64_t end,
                            std::string* out) const {
  const std::string_view comma = options_.nested == NestedForm::kJson ? "," : ", ";
  *out += '[';
  for (int64_t at = begin; at < end; ++at) {
    *out += at == begin ? "" : comma;
    AppendPart(items, at, 0, out);
  }
  *out += ']';
}

void NestedText::AppendMap(const arrow::ArrayVector& parts, int64_t begin, int64_t end,
                           std::string* out) const {
  const bool json = options_.nested == NestedForm::kJson;
  const auto& keys = static_cast<const arrow::StringArray&>(*parts[0]);
  *out += '{';
  for (int64_t at = begin; at < end; ++at) {
    if (json) {
      // A key of any type is a string there.
      *out += at == begin ? "" : ",";
      *out += JsonString(keys.GetView(at)) + ":";
    } else {
      *out += at == begin ? "" : ", ";
      AppendPart(keys, at, 0, out);
      *out += " -> ";
    }
    AppendPart(*parts[1], at, 1, out);
  }
  *out += '}';
}

void NestedText::AppendStruct(const arrow::ArrayVector& parts, int64_t row,
                              std::string* out) const {
  const bool json = options_.nested == NestedForm::kJson;
  *out += '{';
  for (size_t part = 0; part < parts.size(); ++part) {
    *out += part == 0 ? "" : json ? "," : ", ";
    *out += json ? keys_[part] : "";
    AppendPart(*parts[part], row, part, out);
  }
  *out += '}';
}

}  // namespace wheelpit::exec
