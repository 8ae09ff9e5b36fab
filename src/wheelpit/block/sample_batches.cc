// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/block/sample_batches.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

namespace wheelpit::block {

namespace {

using arrow::field;
using arrow::json::ArrayFromJSONString;

struct Column {
  std::shared_ptr<arrow::DataType> type;
  std::string json;
};

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Batch(std::vector<Column> columns,
                                                         int64_t rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(field("c" + std::to_string(fields.size()), column.type));
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(),
                          ArrayFromJSONString(column.type, column.json));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, arrays);
}

constexpr const char* kLongWords =
    R"(["a", null, "a word that does not fit into a view", "", "another one that is long",
        "the last of the words that are long"])";

arrow::Result<std::shared_ptr<arrow::Array>> Words(
    const std::shared_ptr<arrow::DataType>& indices,
    const std::shared_ptr<arrow::DataType>& words) {
  ARROW_ASSIGN_OR_RAISE(const auto dictionary, ArrayFromJSONString(words, kLongWords));
  ARROW_ASSIGN_OR_RAISE(const auto codes,
                        ArrayFromJSONString(indices, "[5, 2, null, 2]"));
  return arrow::DictionaryArray::FromArrays(arrow::dictionary(indices, words), codes,
                                            dictionary);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Dictionaries() {
  ARROW_ASSIGN_OR_RAISE(const auto text, Words(arrow::int32(), arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(const auto views, Words(arrow::uint8(), arrow::utf8_view()));
  ARROW_ASSIGN_OR_RAISE(const auto offsets,
                        ArrayFromJSONString(arrow::int32(), "[0, 1, 1, 3, 4]"));
  ARROW_ASSIGN_OR_RAISE(const auto lists, arrow::ListArray::FromArrays(*offsets, *text));
  ARROW_ASSIGN_OR_RAISE(const auto codes,
                        ArrayFromJSONString(arrow::int8(), "[2, 0, 2, null]"));
  ARROW_ASSIGN_OR_RAISE(
      const auto nested,
      arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int8(), lists->type()),
                                         codes, lists));
  return arrow::RecordBatch::Make(
      arrow::schema({field("text", text->type()), field("views", views->type()),
                     field("lists", lists->type()), field("nested", nested->type())}),
      4, {text, views, lists, nested});
}

}  // namespace

arrow::Result<std::vector<Sample>> SampleBatches() {
  std::vector<Sample> samples;
  const auto add = [&](std::string name,
                       arrow::Result<std::shared_ptr<arrow::RecordBatch>> batch) {
    samples.push_back({std::move(name), batch.ValueOr(nullptr)});
    return batch.status();
  };
  ARROW_RETURN_NOT_OK(
      add("fixed_width",
          Batch({{arrow::boolean(), "[true, null, false]"},
                 {arrow::int8(), "[1, -128, null]"},
                 {arrow::uint64(), "[0, 18446744073709551615, 7]"},
                 {arrow::float64(), "[0.5, null, -1e300]"},
                 {arrow::decimal128(20, 2), R"(["1.00", "-99999999.99", null])"},
                 {arrow::date32(), "[0, 19000, null]"},
                 {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0, null, -1]"},
                 {arrow::fixed_size_binary(3), R"(["abc", null, "xyz"])"},
                 {arrow::null(), "[null, null, null]"}},
                3)));
  ARROW_RETURN_NOT_OK(add("text", Batch({{arrow::utf8(), kLongWords},
                                         {arrow::large_binary(), kLongWords},
                                         {arrow::utf8_view(), kLongWords},
                                         {arrow::binary_view(), kLongWords}},
                                        6)));
  const auto structs =
      arrow::struct_({field("n", arrow::int32()), field("s", arrow::utf8_view())});
  ARROW_RETURN_NOT_OK(add(
      "nested",
      Batch(
          {{arrow::list(arrow::utf8_view()),
            R"([["one of the long ones, indeed", "b"], null, []])"},
           {arrow::large_list(arrow::int16()), "[[1, null], [2], null]"},
           {arrow::fixed_size_list(arrow::int64(), 2), "[[1, 2], null, [null, 4]]"},
           {arrow::map(arrow::utf8(), arrow::int32()), R"([[["k", 1]], [], null])"},
           {structs, R"([[1, "a text beyond the twelve bytes"], null, [null, "z"]])"},
           {arrow::list_view(arrow::int32()), "[[1, 2, 3], null, [4]]"},
           {arrow::list(structs), R"([[[1, "x"], null], [], null])"},
           {arrow::sparse_union({field("a", arrow::int32()), field("b", arrow::utf8())}),
            R"([[0, 7], [1, "u"], [0, null]])"},
           {arrow::dense_union({field("a", arrow::int32()), field("b", arrow::utf8())}),
            R"([[0, 7], [1, "u"], [0, null]])"}},
          3)));
  ARROW_RETURN_NOT_OK(add("dictionaries", Dictionaries()));
  ARROW_RETURN_NOT_OK(add("no_rows", Batch({{arrow::int32(), "[]"},
                                            {arrow::utf8_view(), "[]"},
                                            {arrow::list(arrow::utf8()), "[]"}},
                                           0)));
  ARROW_RETURN_NOT_OK(add("no_columns", Batch({}, 12345)));
  for (size_t i = 0; i < 4; ++i) {
    const auto& whole = samples[i];
    samples.push_back({whole.name + "_slice", whole.batch->Slice(1, 2)});
  }
  return samples;
}

std::string RowText(const arrow::Array& array, int64_t i) {
  if (array.IsNull(i)) {
    return "null";
  }
  const auto elements = [](const arrow::Array& values, int64_t begin, int64_t size) {
    std::string text = "[";
    for (int64_t at = begin; at < begin + size; ++at) {
      text += RowText(values, at) + ",";
    }
    return text + "]";
  };
  switch (array.type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
      return RowText(*coded.dictionary(), coded.GetValueIndex(i));
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return elements(*list.values(), list.value_offset(i), list.value_length(i));
    }
    case arrow::Type::LIST_VIEW: {
      const auto& list = static_cast<const arrow::ListViewArray&>(array);
      return elements(*list.values(), list.value_offset(i), list.value_length(i));
    }
    case arrow::Type::STRUCT: {
      std::string text = "{";
      for (const auto& child : static_cast<const arrow::StructArray&>(array).fields()) {
        text += RowText(*child, i) + ",";
      }
      return text + "}";
    }
    default: {
      const auto scalar = array.GetScalar(i);
      return scalar.ok() ? (*scalar)->ToString() : scalar.status().ToString();
    }
  }
}

std::vector<std::string> RowTexts(const arrow::RecordBatch& batch) {
  std::vector<std::string> texts;
  for (const auto& column : batch.columns()) {
    for (int64_t i = 0; i < column->length(); ++i) {
      texts.push_back(RowText(*column, i));
    }
  }
  return texts;
}

}  // namespace wheelpit::block
