// SPDX-License-Identifier: Apache-2.0
// The texts expected here are Apache Spark's, from tests/golden/spark-expressions.
#include "value_text.h"

#include <limits>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

namespace wheelpit::sqltest {
namespace {

template <typename Builder, typename Value>
std::optional<std::string> TextOf(Builder* builder, const Value& value) {
  EXPECT_TRUE(builder->Append(value).ok());
  const auto array = builder->Finish();
  EXPECT_TRUE(array.ok());
  return ValueText(**array, 0);
}

TEST(ValueText, NumbersAreWrittenAsJavaWritesThem) {
  EXPECT_EQ(FloatText(0.0), "0.0");
  EXPECT_EQ(FloatText(-0.0), "-0.0");
  EXPECT_EQ(FloatText(1.0), "1.0");
  EXPECT_EQ(FloatText(0.1F), "0.1");
  EXPECT_EQ(FloatText(100.0), "100.0");
  EXPECT_EQ(FloatText(0.001), "0.001");
  EXPECT_EQ(FloatText(0.00012345), "1.2345E-4");
  EXPECT_EQ(FloatText(9999999.0), "9999999.0");
  EXPECT_EQ(FloatText(1e7), "1.0E7");
  EXPECT_EQ(FloatText(12345678.9), "1.23456789E7");
  EXPECT_EQ(FloatText(1.7976931348623157e308), "1.7976931348623157E308");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(FloatText(-std::numeric_limits<float>::infinity()), "-Infinity");
}

TEST(ValueText, DecimalsKeepTheirScale) {
  arrow::Decimal128Builder builder(arrow::decimal128(38, 3),
                                   arrow::default_memory_pool());
  EXPECT_EQ(TextOf(&builder, arrow::Decimal128(0)), "0.000");
  EXPECT_EQ(TextOf(&builder, arrow::Decimal128(-5)), "-0.005");
  EXPECT_EQ(TextOf(&builder, arrow::Decimal128(12345)), "12.345");
  arrow::Decimal128Builder whole(arrow::decimal128(38, 0), arrow::default_memory_pool());
  EXPECT_EQ(TextOf(&whole, arrow::Decimal128(-120)), "-120");
}

TEST(ValueText, DatesOutsideFourDigitYearsCarryASign) {
  arrow::Date32Builder builder;
  EXPECT_EQ(TextOf(&builder, 0), "1970-01-01");
  EXPECT_EQ(TextOf(&builder, -1), "1969-12-31");
  EXPECT_EQ(TextOf(&builder, 18321), "2020-02-29");
  EXPECT_EQ(TextOf(&builder, 2932896), "9999-12-31");
  EXPECT_EQ(TextOf(&builder, 2932897), "+10000-01-01");
  EXPECT_EQ(TextOf(&builder, -719162), "0001-01-01");
  EXPECT_EQ(TextOf(&builder, -719893), "-0001-01-01");
}

TEST(ValueText, TimeStampsDropZerosOfTheFraction) {
  EXPECT_EQ(TimestampText(0), "1970-01-01 00:00:00");
  EXPECT_EQ(TimestampText(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(TimestampText(1582979696789012), "2020-02-29 12:34:56.789012");
  EXPECT_EQ(TimestampText(100000), "1970-01-01 00:00:00.1");
}

TEST(ValueText, BytesAreDigitsAndTextIsItself) {
  arrow::BinaryBuilder bytes;
  EXPECT_EQ(TextOf(&bytes, std::string("\x00\xfeZ", 3)), "00FE5A");
  arrow::StringBuilder text;
  EXPECT_EQ(TextOf(&text, "é"), "é");
  EXPECT_TRUE(text.AppendNull().ok());
  EXPECT_EQ(ValueText(**text.Finish(), 0), std::nullopt);
}

}  // namespace
}  // namespace wheelpit::sqltest
