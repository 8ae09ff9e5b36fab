// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/nested_text.h"

#include <limits>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {
namespace {

std::vector<std::string> Texts(const std::shared_ptr<arrow::Array>& array,
                               NestedForm form) {
  auto schema = arrow::schema({arrow::field("c", array->type())});
  auto text =
      BatchText::Make(schema, {.nested = form, .pool = arrow::default_memory_pool()});
  EXPECT_TRUE(text.ok()) << text.status();
  auto columns =
      (*text)->Convert(*arrow::RecordBatch::Make(schema, array->length(), {array}));
  EXPECT_TRUE(columns.ok()) << columns.status();
  std::vector<std::string> out;
  const auto& strings = static_cast<const arrow::StringArray&>(*columns->at(0));
  for (int64_t i = 0; i < strings.length(); ++i) {
    out.push_back(strings.IsNull(i) ? "NULL" : strings.GetString(i));
  }
  return out;
}

std::vector<std::string> Spark(const std::shared_ptr<arrow::Array>& array) {
  return Texts(array, NestedForm::kSpark);
}

std::vector<std::string> Json(const std::shared_ptr<arrow::Array>& array) {
  return Texts(array, NestedForm::kJson);
}

using Strings = std::vector<std::string>;

std::shared_ptr<arrow::Array> Words(const std::vector<const char*>& words) {
  arrow::StringBuilder builder;
  for (const char* word : words) {
    EXPECT_TRUE((word == nullptr ? builder.AppendNull() : builder.Append(word)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Doubles(const std::vector<double>& values) {
  arrow::DoubleBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Offsets(const std::vector<int32_t>& offsets) {
  arrow::Int32Builder builder;
  for (const int32_t offset : offsets) {
    EXPECT_TRUE((offset < 0 ? builder.AppendNull() : builder.Append(offset)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Lists(const std::vector<int32_t>& offsets,
                                    const std::shared_ptr<arrow::Array>& items) {
  return arrow::ListArray::FromArrays(*Offsets(offsets), *items).ValueOrDie();
}

TEST(NestedText, Lists) {
  const auto lists = Lists({0, 2, -1, 2, 3}, Words({"a\"b", nullptr, "x, y"}));
  EXPECT_EQ(Spark(lists), (Strings{"[a\"b, null]", "[]", "NULL", "[x, y]"}));
  EXPECT_EQ(Json(lists), (Strings{"[\"a\\\"b\",null]", "[]", "NULL", "[\"x, y\"]"}));
}

TEST(NestedText, NumbersAreBareInJsonUnlessItHasNone) {
  const auto lists =
      Lists({0, 3}, Doubles({1.5, 1e10, -std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(Spark(lists), (Strings{"[1.5, 1.0E10, -Infinity]"}));
  EXPECT_EQ(Json(lists), (Strings{"[1.5,1.0E10,\"-Infinity\"]"}));
}

TEST(NestedText, MapsAndTheirKeys) {
  const auto maps = arrow::MapArray::FromArrays(Offsets({0, 2, 2}), Words({"k\"", "j"}),
                                                Lists({0, -1, 1}, Words({"v"})))
                        .ValueOrDie();
  EXPECT_EQ(Spark(maps), (Strings{"{k\" -> [v], j -> null}", "{}"}));
  EXPECT_EQ(Json(maps), (Strings{"{\"k\\\"\":[\"v\"],\"j\":null}", "{}"}));
  const auto numbers =
      arrow::MapArray::FromArrays(Offsets({0, 1}), Doubles({0.5}), Words({"v"}))
          .ValueOrDie();
  EXPECT_EQ(Spark(numbers), (Strings{"{0.5 -> v}"}));
  EXPECT_EQ(Json(numbers), (Strings{"{\"0.5\":\"v\"}"}));
}

TEST(NestedText, Structs) {
  const auto structs =
      arrow::StructArray::Make(
          {Doubles({1, 2}), Words({"a", nullptr}), Lists({0, 1, 1}, Words({"z"}))},
          {arrow::field("x", arrow::float64()), arrow::field("y\"", arrow::utf8()),
           arrow::field("z", arrow::list(arrow::utf8()))})
          .ValueOrDie();
  EXPECT_EQ(Spark(structs), (Strings{"{1.0, a, [z]}", "{2.0, null, []}"}));
  EXPECT_EQ(Json(structs), (Strings{"{\"x\":1.0,\"y\\\"\":\"a\",\"z\":[\"z\"]}",
                                    "{\"x\":2.0,\"y\\\"\":null,\"z\":[]}"}));
}

TEST(NestedText, SlicesShowTheirOwnRows) {
  const auto lists = Lists({0, 1, 2, 3}, Words({"a", "b", "c"}));
  EXPECT_EQ(Spark(lists->Slice(1, 1)), (Strings{"[b]"}));
  const auto structs =
      arrow::StructArray::Make({lists}, {arrow::field("l", lists->type())}).ValueOrDie();
  EXPECT_EQ(Json(structs->Slice(2)), (Strings{"{\"l\":[\"c\"]}"}));
  const auto outer = Lists({0, 1, 3}, structs);
  EXPECT_EQ(Spark(outer->Slice(1)), (Strings{"[{[b]}, {[c]}]"}));
  EXPECT_EQ(Spark(outer->Slice(0, 0)), (Strings{}));
}

TEST(NestedText, OtherNestedTypesAreNamed) {
  const auto type = arrow::fixed_size_list(arrow::int32(), 2);
  const auto text = BatchText::Make(arrow::schema({arrow::field("c", type)}),
                                    {.pool = arrow::default_memory_pool()});
  EXPECT_EQ(core::KindOf(text.status()), core::ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace wheelpit::exec
