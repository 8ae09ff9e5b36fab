// SPDX-License-Identifier: Apache-2.0
// Casts as Spark 4.3 does them in ANSI mode.
#include <cmath>
#include <limits>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/exec/expr/test_support.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;

const auto kDecimal52 = [] { return arrow::decimal128(5, 2); };
const auto kDecimal102 = [] { return arrow::decimal128(10, 2); };

std::string To(std::shared_ptr<arrow::DataType> type, ExprPtr value) {
  return ValueOf(Cast(std::move(value), std::move(type)));
}

std::string TextTo(std::shared_ptr<arrow::DataType> type, const std::string& text) {
  return To(std::move(type), Text(text));
}

TEST(Cast, NumbersToIntegers) {
  EXPECT_EQ(To(arrow::int32(), Double(1.9)), "1");
  EXPECT_EQ(To(arrow::int32(), Double(-1.9)), "-1");
  EXPECT_EQ(To(arrow::int32(), Double(NAN)), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int32(), Double(2147483648.0)), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int32(), Double(2147483647.9)), "2147483647");
  EXPECT_EQ(To(arrow::int32(), Double(-2147483648.9)), "-2147483648");
  EXPECT_EQ(To(arrow::int64(), Double(9.223372036854775807e18)), "9223372036854775807");
  EXPECT_EQ(To(arrow::int64(), Double(INFINITY)), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int8(), Double(127.9)), "127");
  EXPECT_EQ(To(arrow::int8(), Float(128)), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int8(), Int(300)), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int8(), Int(-128)), "-128");
  EXPECT_EQ(To(arrow::int32(), Dec("1.99")), "1");
  EXPECT_EQ(To(arrow::int64(), Dec("-1.99")), "-1");
  EXPECT_EQ(To(arrow::int64(), Dec("99999999999999999999")), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::int32(), Bool(true)), "1");
}

TEST(Cast, NumbersToDecimals) {
  EXPECT_EQ(To(kDecimal52(), Dec("123.456")), "123.46");
  EXPECT_EQ(To(kDecimal52(), Dec("-123.455")), "-123.46");
  EXPECT_EQ(To(kDecimal52(), Dec("999.995")), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(To(arrow::decimal128(5, 0), Int(123456)), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(To(kDecimal102(), Double(0.1)), "0.10");
  EXPECT_EQ(To(kDecimal102(), Double(1.005)), "1.01");
  EXPECT_EQ(To(kDecimal102(), Double(1e30)), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(To(kDecimal102(), Double(1e300)), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(To(kDecimal102(), Double(NAN)), "NULL");
  EXPECT_EQ(To(kDecimal102(), Double(INFINITY)), "NULL");
  EXPECT_EQ(To(arrow::decimal128(10, 5), Float(1.1F)), "1.10000");
  EXPECT_EQ(To(arrow::decimal128(3, 1), Bool(true)), "1.0");
  EXPECT_EQ(To(arrow::decimal128(1, 1), Bool(true)), "NUMERIC_VALUE_OUT_OF_RANGE");
}

TEST(Cast, NumbersToFloatingPointAndBoolean) {
  EXPECT_EQ(To(arrow::float64(), Float(1.1F)), "1.100000023841858");
  EXPECT_EQ(To(arrow::float32(), Double(1e40)), "Infinity");
  EXPECT_EQ(To(arrow::float64(), Dec("0.05")), "0.05");
  EXPECT_EQ(To(arrow::float64(), Dec("12345678901234567890.123456789", 38, 9)),
            "1.2345678901234567E19");
  EXPECT_EQ(To(arrow::boolean(), Int(0)), "false");
  EXPECT_EQ(To(arrow::boolean(), Int(2)), "true");
  EXPECT_EQ(To(arrow::boolean(), Double(NAN)), "true");
  EXPECT_EQ(To(arrow::boolean(), Dec("0.0", 2, 1)), "false");
}

TEST(Cast, TextToIntegers) {
  EXPECT_EQ(TextTo(arrow::int32(), " 12 "), "12");
  EXPECT_EQ(TextTo(arrow::int32(), "+12"), "12");
  EXPECT_EQ(TextTo(arrow::int32(), "-2147483648"), "-2147483648");
  for (const char* bad : {"1.5", "1.", ".", "", "+", "+-1", "2147483648", "1e3", "0x1F",
                          "12L", "1_000", "1 2"}) {
    EXPECT_EQ(TextTo(arrow::int32(), bad), "CAST_INVALID_INPUT") << bad;
  }
  EXPECT_EQ(TextTo(arrow::int8(), "128"), "CAST_INVALID_INPUT");
  EXPECT_EQ(TextTo(arrow::int64(), "9223372036854775808"), "CAST_INVALID_INPUT");
}

TEST(Cast, TextToFloatingPoint) {
  EXPECT_EQ(TextTo(arrow::float64(), " 1.5 "), "1.5");
  EXPECT_EQ(TextTo(arrow::float64(), "+1.5"), "1.5");
  EXPECT_EQ(TextTo(arrow::float64(), "1.5d"), "1.5");
  EXPECT_EQ(TextTo(arrow::float64(), "1.5F"), "1.5");
  EXPECT_EQ(TextTo(arrow::float64(), "0x1p3"), "8.0");
  EXPECT_EQ(TextTo(arrow::float64(), "1e400"), "Infinity");
  EXPECT_EQ(TextTo(arrow::float64(), "-1e400"), "-Infinity");
  EXPECT_EQ(TextTo(arrow::float64(), "1e-400"), "0.0");
  EXPECT_EQ(TextTo(arrow::float64(), "inf"), "Infinity");
  EXPECT_EQ(TextTo(arrow::float64(), "-infinity"), "-Infinity");
  EXPECT_EQ(TextTo(arrow::float64(), "NaN"), "NaN");
  EXPECT_EQ(TextTo(arrow::float64(), ".5"), "0.5");
  EXPECT_EQ(TextTo(arrow::float64(), "5."), "5.0");
  EXPECT_EQ(TextTo(arrow::float32(), "1e-5"), "1.0E-5");
  for (const char* bad : {"-nan", "e5", "", "abc", "1e", "--1", "0x1", "d", "."}) {
    EXPECT_EQ(TextTo(arrow::float64(), bad), "CAST_INVALID_INPUT") << bad;
  }
}

TEST(Cast, TextToDecimals) {
  EXPECT_EQ(TextTo(kDecimal102(), "1.555"), "1.56");
  EXPECT_EQ(TextTo(kDecimal102(), " 1e3 "), "1000.00");
  EXPECT_EQ(TextTo(kDecimal102(), ".5"), "0.50");
  EXPECT_EQ(TextTo(kDecimal102(), "5."), "5.00");
  EXPECT_EQ(TextTo(kDecimal102(), "+5"), "5.00");
  EXPECT_EQ(TextTo(kDecimal102(), "-0.005"), "-0.01");
  EXPECT_EQ(TextTo(kDecimal102(), "1e-50"), "0.00");
  EXPECT_EQ(TextTo(kDecimal102(), "1e10"), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(TextTo(kDecimal102(), "99999999.999"), "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(TextTo(arrow::decimal128(38, 2), "1e50"), "NUMERIC_OUT_OF_SUPPORTED_RANGE");
  for (const char* bad : {"abc", "", "1.5f", "1e", "1e99999999999", "."}) {
    EXPECT_EQ(TextTo(kDecimal102(), bad), "CAST_INVALID_INPUT") << bad;
  }
}

TEST(Cast, TextToBoolean) {
  for (const char* yes : {"t", " TRUE ", "yes", "Y", "1"}) {
    EXPECT_EQ(TextTo(arrow::boolean(), yes), "true") << yes;
  }
  for (const char* no : {"F", "false", "no", "n", "0"}) {
    EXPECT_EQ(TextTo(arrow::boolean(), no), "false") << no;
  }
  for (const char* bad : {"tru", "on", "", "2"}) {
    EXPECT_EQ(TextTo(arrow::boolean(), bad), "CAST_INVALID_INPUT") << bad;
  }
}

TEST(Cast, TextToDatesAndTimes) {
  EXPECT_EQ(TextTo(arrow::date32(), "2020-1-1 xx"), "2020-01-01");
  EXPECT_EQ(TextTo(arrow::date32(), "2020-01-01x"), "CAST_INVALID_INPUT");
  EXPECT_EQ(TextTo(arrow::date32(), "20200101"), "CAST_INVALID_INPUT");
  const auto timestamp = plan::TimestampType();
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00+02:00"), "2020-01-01 08:00:00");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 +2"), "2020-01-01 08:00:00");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 GMT+8"), "2020-01-01 02:00:00");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 +08:3"), "2020-01-01 01:57:00");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00.1234567"),
            "2020-01-01 10:00:00.123456");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00Z"), "CAST_INVALID_INPUT");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01T"), "CAST_INVALID_INPUT");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 z"), "CAST_INVALID_INPUT");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 Europe/Paris"), "2020-01-01 09:00:00");
  EXPECT_EQ(TextTo(timestamp, "2020-07-01 10:00:00 PST"), "2020-07-01 17:00:00");
  EXPECT_EQ(TextTo(timestamp, "2020-01-01 10:00:00 Mars/Base"), "CAST_INVALID_INPUT");
  const auto local = plan::TimestampNtzType();
  EXPECT_EQ(TextTo(local, "2020-01-01 10:00:00+02:00"), "2020-01-01 10:00:00");
  EXPECT_EQ(TextTo(local, "10:00:00"), "CAST_INVALID_INPUT");
}

TEST(Cast, ValuesToText) {
  EXPECT_EQ(To(arrow::utf8(), Double(1e7)), "1.0E7");
  EXPECT_EQ(To(arrow::utf8(), Bool(true)), "true");
  EXPECT_EQ(To(arrow::utf8(), Tiny(-5)), "-5");
  EXPECT_EQ(To(arrow::utf8(), Dec("0.0000001", 10, 7)), "0.0000001");
  EXPECT_EQ(To(arrow::utf8(), Binary("abc")), "abc");
  EXPECT_EQ(To(arrow::binary(), Text("abc")), "abc");
  EXPECT_EQ(To(arrow::utf8(), Date("2020-01-01")), "2020-01-01");
  EXPECT_EQ(To(arrow::utf8(), Timestamp("2020-01-01 10:00:00.120")),
            "2020-01-01 10:00:00.12");
}

TEST(Cast, TimestampsAndNumbers) {
  const ExprPtr before_epoch = Timestamp("1969-12-31 23:59:59.5");
  EXPECT_EQ(To(arrow::int64(), before_epoch), "-1");
  EXPECT_EQ(To(arrow::float64(), before_epoch), "-0.5");
  EXPECT_EQ(To(arrow::decimal128(2, 1), before_epoch), "-0.5");
  EXPECT_EQ(To(arrow::decimal128(20, 6), Timestamp("9999-12-31 23:59:59.999999")),
            "253402300799.999999");
  EXPECT_EQ(To(arrow::date32(), Text(" Epoch ")), "1970-01-01");
  EXPECT_EQ(To(arrow::int8(), before_epoch), "-1");
  EXPECT_EQ(To(arrow::int8(), Timestamp("2020-12-31")), "CAST_OVERFLOW");
  EXPECT_EQ(To(arrow::date32(), Timestamp("2020-01-01 10:00:00")), "2020-01-01");
  const auto timestamp = plan::TimestampType();
  EXPECT_EQ(To(timestamp, Int(1)), "1970-01-01 00:00:01");
  EXPECT_EQ(To(timestamp, Dec("1.5")), "1970-01-01 00:00:01.5");
  EXPECT_EQ(To(timestamp, Double(-1.5)), "1969-12-31 23:59:58.5");
  EXPECT_EQ(To(timestamp, Double(NAN)), "CAST_INVALID_INPUT");
  EXPECT_EQ(To(timestamp, Double(1e20)), "CAST_OVERFLOW");
  EXPECT_EQ(To(timestamp, Long(std::numeric_limits<int64_t>::max())),
            "+294247-01-10 04:00:54.775807");
  EXPECT_EQ(To(timestamp, Date("2020-01-01")), "2020-01-01 00:00:00");
  EXPECT_EQ(To(timestamp, Date("+5000000-01-01")), "DATETIME_OVERFLOW");
}

TEST(Cast, TryCastGivesNull) {
  EXPECT_EQ(ValueOf(TryCast(Text("abc"), arrow::int32())), "NULL");
  EXPECT_EQ(ValueOf(TryCast(Int(300), arrow::int8())), "NULL");
  EXPECT_EQ(ValueOf(TryCast(Dec("999.995"), kDecimal52())), "NULL");
  EXPECT_EQ(ValueOf(TryCast(Text("12"), arrow::int32())), "12");
  // Only the cast itself is forgiven.
  EXPECT_EQ(
      ValueOf(TryCast(Call(plan::Function::kDivide, {Int(1), Int(0)}), arrow::int32())),
      "DIVIDE_BY_ZERO");
}

TEST(Cast, NullBecomesAnything) {
  for (const auto& type :
       {arrow::int32(), arrow::utf8(), arrow::decimal128(5, 2), arrow::date32()}) {
    EXPECT_EQ(ValueOf(Cast(Null(), type)), "NULL");
  }
}

}  // namespace
}  // namespace wheelpit::exec
