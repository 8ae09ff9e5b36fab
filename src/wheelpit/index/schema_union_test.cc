// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/schema_union.h"

#include <memory>
#include <string>

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const ParquetSchema> Schema(const arrow::FieldVector& fields) {
  auto schema = std::make_shared<ParquetSchema>();
  schema->arrow = arrow::schema(fields);
  return schema;
}

std::string Wider(const std::shared_ptr<arrow::DataType>& a,
                  const std::shared_ptr<arrow::DataType>& b) {
  const auto one = WiderType(a, b);
  const auto other = WiderType(b, a);
  EXPECT_EQ(one == nullptr, other == nullptr);
  if (one != nullptr && other != nullptr) {
    EXPECT_TRUE(one->Equals(*other)) << *one << " " << *other;
  }
  return one == nullptr ? "none" : one->ToString();
}

TEST(WiderType, IntegersGrow) {
  EXPECT_EQ(Wider(arrow::int8(), arrow::int16()), "int16");
  EXPECT_EQ(Wider(arrow::int16(), arrow::int64()), "int64");
  EXPECT_EQ(Wider(arrow::int32(), arrow::int32()), "int32");
}

TEST(WiderType, ADoubleTakesOnlyWhatItHoldsExactly) {
  EXPECT_EQ(Wider(arrow::float32(), arrow::float64()), "double");
  EXPECT_EQ(Wider(arrow::int32(), arrow::float64()), "double");
  EXPECT_EQ(Wider(arrow::int64(), arrow::float64()), "none");
  EXPECT_EQ(Wider(arrow::int32(), arrow::float32()), "none");
  EXPECT_EQ(Wider(arrow::decimal128(5, 2), arrow::float64()), "none");
}

TEST(WiderType, DecimalsKeepWholeDigitsAndScale) {
  EXPECT_EQ(Wider(arrow::decimal128(10, 2), arrow::decimal128(12, 2)),
            "decimal128(12, 2)");
  EXPECT_EQ(Wider(arrow::decimal128(10, 2), arrow::decimal128(8, 4)),
            "decimal128(12, 4)");
  EXPECT_EQ(Wider(arrow::decimal128(38, 0), arrow::decimal128(38, 10)), "none");
  EXPECT_EQ(Wider(arrow::int32(), arrow::decimal128(5, 2)), "decimal128(12, 2)");
  EXPECT_EQ(Wider(arrow::int64(), arrow::decimal128(20, 0)), "decimal128(20, 0)");
  EXPECT_EQ(Wider(arrow::int64(), arrow::decimal128(38, 20)), "none");
}

TEST(WiderType, AColumnOfNullsTakesTheOtherType) {
  EXPECT_EQ(Wider(arrow::null(), arrow::utf8()), "string");
}

TEST(WiderType, OtherTypesMustBeEqual) {
  EXPECT_EQ(Wider(arrow::utf8(), arrow::binary()), "none");
  EXPECT_EQ(Wider(arrow::date32(), arrow::int32()), "none");
  EXPECT_EQ(Wider(arrow::date32(), arrow::timestamp(arrow::TimeUnit::MICRO)), "none");
  EXPECT_EQ(Wider(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                  arrow::timestamp(arrow::TimeUnit::MICRO)),
            "none");
  EXPECT_EQ(Wider(arrow::boolean(), arrow::int8()), "none");
  EXPECT_EQ(Wider(arrow::list(arrow::int32()), arrow::list(arrow::int64())), "none");
  EXPECT_EQ(Wider(arrow::struct_({arrow::field("x", arrow::int32())}),
                  arrow::struct_({arrow::field("x", arrow::int32())})),
            "struct<x: int32>");
}

TEST(SchemaUnion, EarlierMapsCoverLaterColumns) {
  const auto first = Schema({arrow::field("a", arrow::int32())});
  const auto second =
      Schema({arrow::field("b", arrow::utf8()), arrow::field("a", arrow::int32())});
  SchemaUnion schemas;
  ASSERT_TRUE(schemas.Add(first, "1").ok());
  ASSERT_TRUE(schemas.Add(second, "2").ok());
  ASSERT_TRUE(schemas.Add(first, "3").ok());
  schemas.Finish({arrow::field("k", arrow::int32())});
  EXPECT_EQ(schemas.schema()->ToString(), "a: int32\nb: string\nk: int32");
  EXPECT_THAT(*schemas.ColumnMapOf(first.get()), ElementsAre(0, -1, -2));
  EXPECT_THAT(*schemas.ColumnMapOf(second.get()), ElementsAre(1, 0, -2));
}

TEST(SchemaUnion, ColumnsOfTypeNullAreReadAsAbsent) {
  const auto nulls = Schema({arrow::field("a", arrow::null())});
  const auto texts = Schema({arrow::field("a", arrow::utf8())});
  SchemaUnion schemas;
  ASSERT_TRUE(schemas.Add(nulls, "1").ok());
  ASSERT_TRUE(schemas.Add(texts, "2").ok());
  schemas.Finish({});
  EXPECT_EQ(schemas.schema()->ToString(), "a: string");
  EXPECT_THAT(*schemas.ColumnMapOf(nulls.get()), ElementsAre(-1));
  EXPECT_THAT(*schemas.ColumnMapOf(texts.get()), ElementsAre(0));
}

TEST(SchemaUnion, EveryColumnMayBeNull) {
  const auto schema = Schema({arrow::field("a", arrow::int32(), /*nullable=*/false)});
  SchemaUnion schemas;
  ASSERT_TRUE(schemas.Add(schema, "1").ok());
  schemas.Finish({});
  EXPECT_TRUE(schemas.schema()->field(0)->nullable());
}

TEST(SchemaUnion, ErrorsNameTheFilesThatTheTypesAreFrom) {
  SchemaUnion schemas;
  ASSERT_TRUE(schemas.Add(Schema({arrow::field("a", arrow::int8())}), "one").ok());
  ASSERT_TRUE(schemas.Add(Schema({arrow::field("a", arrow::int32())}), "two").ok());
  ASSERT_TRUE(schemas.Add(Schema({arrow::field("A", arrow::int16())}), "three").ok());
  const arrow::Status status =
      schemas.Add(Schema({arrow::field("A", arrow::date32())}), "four");
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kInvalidSql);
  EXPECT_THAT(status.message(), HasSubstr("is int in 'two' and date in 'four'"));
}

}  // namespace
}  // namespace wheelpit::index
