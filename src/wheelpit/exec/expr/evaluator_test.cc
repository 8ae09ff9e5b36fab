// SPDX-License-Identifier: Apache-2.0
// Values and error classes as Spark 4.3 gives them in ANSI mode.
#include "wheelpit/exec/expr/evaluator.h"

#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/test_support.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;
using plan::Function;

std::string ValueOf(Function function, std::vector<ExprPtr> arguments) {
  return exec::ValueOf(Call(function, std::move(arguments)));
}

constexpr int64_t kLongMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();

TEST(Evaluator, IntegerArithmeticIsChecked) {
  EXPECT_EQ(ValueOf(Function::kAdd, {Int(2147483646), Int(1)}), "2147483647");
  EXPECT_EQ(ValueOf(Function::kAdd, {Int(2147483647), Int(1)}), "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kSubtract, {Int(-2147483647), Int(2)}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kSubtract, {Long(kLongMin), Long(kLongMin)}), "0");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Long(kLongMax), Long(2)}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Long(-3), Long(7)}), "-21");
  EXPECT_EQ(ValueOf(Function::kAdd, {Tiny(127), Tiny(1)}), "BINARY_ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Small(32767), Small(2)}),
            "BINARY_ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kNegate, {Call(Function::kAdd, {Tiny(-128), Tiny(0)})}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kAbs, {Int(std::numeric_limits<int32_t>::min())}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kAbs, {Int(-7)}), "7");
  EXPECT_EQ(ValueOf(Function::kBitNot, {Int(5)}), "-6");
  EXPECT_EQ(ValueOf(Function::kBitXor, {Int(5), Int(3)}), "6");
}

TEST(Evaluator, DivisionAndRemainder) {
  EXPECT_EQ(ValueOf(Function::kDivide, {Int(1), Int(2)}), "0.5");
  EXPECT_EQ(ValueOf(Function::kDivide, {Int(1), Int(0)}), "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kDivide, {Double(1), Double(-0.0)}), "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kIntegralDivide, {Int(-7), Int(2)}), "-3");
  EXPECT_EQ(ValueOf(Function::kIntegralDivide, {Int(1), Int(0)}), "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kIntegralDivide, {Long(kLongMin), Int(-1)}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Int(-7), Int(3)}), "-1");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Long(kLongMin), Long(-1)}), "0");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Int(1), Int(0)}), "REMAINDER_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Double(5.5), Double(-2)}), "1.5");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Double(5.5), Double(0)}), "REMAINDER_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Double(1e308), Double(10)}), "Infinity");
}

TEST(Evaluator, DecimalArithmetic) {
  EXPECT_EQ(ValueOf(Function::kAdd, {Dec("1.1"), Dec("2.22")}), "3.32");
  EXPECT_EQ(ValueOf(Function::kSubtract, {Dec("1.1"), Dec("2.22")}), "-1.12");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Dec("1.1"), Dec("2.22")}), "2.442");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Dec("-123456789012345.67", 20, 2), Dec("3.5")}),
            "-432098761543209.845");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("1.0"), Dec("3")}), "0.333333");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("-1.5"), Dec("2")}), "-0.750000");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("1.5"), Dec("-7")}), "-0.214286");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("1.5"), Dec("0", 10, 1)}), "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Dec("-7.5", 10, 2), Dec("2", 10, 2)}),
            "-1.50");
  EXPECT_EQ(ValueOf(Function::kRemainder, {Dec("1.5"), Dec("0", 1, 0)}),
            "REMAINDER_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kIntegralDivide, {Dec("7.5"), Int(2)}), "3");
  EXPECT_EQ(ValueOf(Function::kIntegralDivide, {Dec("5.5"), Dec("0.0", 1, 1)}),
            "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kNegate, {Call(Function::kAdd, {Dec("1.5"), Dec("1.0")})}),
            "-2.5");
  EXPECT_EQ(ValueOf(Function::kAbs, {Dec("-1.5")}), "1.5");
}

TEST(Evaluator, WideDecimalsRoundAndOverflowAsInSpark) {
  const std::string nines(38, '9');
  EXPECT_EQ(ValueOf(Function::kAdd, {Dec(nines, 38, 0), Int(1)}),
            "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(ValueOf(Function::kSubtract, {Dec(nines, 38, 0), Int(1)}),
            std::string(37, '9') + "8");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Dec(nines, 38, 0), Int(10)}),
            "NUMERIC_VALUE_OUT_OF_RANGE");
  EXPECT_EQ(ValueOf(Function::kMultiply,
                    {Dec("9999999999999999999", 38, 18), Dec("99.5", 38, 18)}),
            "994999999999999999900.500000");
  EXPECT_EQ(ValueOf(Function::kMultiply, {Dec("0.1234567890123456789", 38, 19),
                                          Dec("0.9876543210987654321", 38, 19)}),
            "0.121933");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("1", 38, 0), Dec("3", 38, 0)}), "0.333333");
  EXPECT_EQ(ValueOf(Function::kDivide, {Dec("12345678901234567890.123456789", 38, 9),
                                        Dec("0.000000001", 10, 9)}),
            "12345678901234567890123456789.000000");
  EXPECT_EQ(ValueOf(Function::kRemainder,
                    {Dec("12345678901234567890.123456789", 38, 9), Dec("7.5", 10, 9)}),
            "0.123456789");
  // Spark keeps the low 64 bits of a whole quotient that does not fit.
  EXPECT_EQ(ValueOf(Function::kIntegralDivide,
                    {Dec("12345678901234567890.5", 38, 1), Dec("0.1", 2, 1)}),
            "-5670419503621182407");
}

TEST(Evaluator, FloatingPointComparesWithNaNLargest) {
  const ExprPtr nan = Double(NAN);
  EXPECT_EQ(ValueOf(Function::kEqual, {nan, nan}), "true");
  EXPECT_EQ(ValueOf(Function::kGreater, {nan, Double(INFINITY)}), "true");
  EXPECT_EQ(ValueOf(Function::kLess, {nan, Double(INFINITY)}), "false");
  EXPECT_EQ(ValueOf(Function::kLessEqual, {nan, nan}), "true");
  EXPECT_EQ(ValueOf(Function::kGreaterEqual, {Double(1), nan}), "false");
  EXPECT_EQ(ValueOf(Function::kNotEqual, {nan, Double(1)}), "true");
  EXPECT_EQ(ValueOf(Function::kEqual, {Double(0.0), Double(-0.0)}), "true");
  EXPECT_EQ(ValueOf(Function::kLess, {Double(-0.0), Double(0.0)}), "false");
  EXPECT_EQ(ValueOf(Function::kNullSafeEqual, {Double(0.0), Double(-0.0)}), "true");
  EXPECT_EQ(ValueOf(Function::kIn, {nan, Double(1), Double(NAN)}), "true");
  EXPECT_EQ(ValueOf(Function::kIn, {Double(-0.0), Double(0.0)}), "true");
  EXPECT_EQ(ValueOf(Function::kIsNaN, {nan}), "true");
  EXPECT_EQ(ValueOf(Function::kIsNaN, {Null()}), "false");
}

TEST(Evaluator, ComparisonsBringTypesTogether) {
  EXPECT_EQ(ValueOf(Function::kEqual, {Text("1"), Int(1)}), "true");
  EXPECT_EQ(ValueOf(Function::kEqual, {Text("abc"), Int(1)}), "CAST_INVALID_INPUT");
  EXPECT_EQ(ValueOf(Function::kEqual, {Text("1.5"), Int(1)}), "CAST_INVALID_INPUT");
  EXPECT_EQ(ValueOf(Function::kEqual, {Text("1.5"), Dec("1.5")}), "true");
  EXPECT_EQ(ValueOf(Function::kLess, {Text("a"), Text("B")}), "false");
  EXPECT_EQ(ValueOf(Function::kGreater, {Text("é"), Text("z")}), "true");
  EXPECT_EQ(ValueOf(Function::kLess, {Binary(std::string("\0\xff", 2)), Binary("\1")}),
            "true");
  EXPECT_EQ(ValueOf(Function::kLess, {Date("2020-01-01"), Text("2020-01-02")}), "true");
  EXPECT_EQ(ValueOf(Function::kEqual, {Date("2020-01-01"), Timestamp("2020-01-01")}),
            "true");
  EXPECT_EQ(ValueOf(Function::kGreater, {Dec("15.01", 15, 2), Int(15)}), "true");
  EXPECT_EQ(ValueOf(Function::kLess, {Int(1), Dec("1.5")}), "true");
}

TEST(Evaluator, LogicIsThreeValued) {
  const ExprPtr t = Bool(true);
  const ExprPtr f = Bool(false);
  const ExprPtr n = Null(arrow::boolean());
  EXPECT_EQ(ValueOf(Function::kAnd, {n, f}), "false");
  EXPECT_EQ(ValueOf(Function::kAnd, {f, n}), "false");
  EXPECT_EQ(ValueOf(Function::kAnd, {n, t}), "NULL");
  EXPECT_EQ(ValueOf(Function::kAnd, {n, n}), "NULL");
  EXPECT_EQ(ValueOf(Function::kAnd, {t, t}), "true");
  EXPECT_EQ(ValueOf(Function::kOr, {n, t}), "true");
  EXPECT_EQ(ValueOf(Function::kOr, {t, n}), "true");
  EXPECT_EQ(ValueOf(Function::kOr, {n, f}), "NULL");
  EXPECT_EQ(ValueOf(Function::kOr, {f, f}), "false");
  EXPECT_EQ(ValueOf(Function::kNot, {n}), "NULL");
  EXPECT_EQ(ValueOf(Function::kNot, {f}), "true");
}

ExprPtr Failing() {
  return Call(Function::kGreater, {Call(Function::kDivide, {Int(1), Int(0)}), Int(0)});
}

TEST(Evaluator, WhatIsNotNeededRaisesNoError) {
  EXPECT_EQ(ValueOf(Function::kAnd, {Bool(false), Failing()}), "false");
  EXPECT_EQ(ValueOf(Function::kOr, {Bool(true), Failing()}), "true");
  EXPECT_EQ(ValueOf(Function::kAnd, {Failing(), Bool(false)}), "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kAnd, {Null(arrow::boolean()), Failing()}),
            "DIVIDE_BY_ZERO");
  EXPECT_EQ(ValueOf(Function::kCoalesce,
                    {Double(1), Call(Function::kDivide, {Int(1), Int(0)})}),
            "1.0");
  EXPECT_EQ(ValueOf(Function::kCase, {Bool(true), Int(1), Failing()->arguments[0]}),
            "1.0");
  EXPECT_EQ(ValueOf(Function::kAdd,
                    {Null(arrow::float64()), Call(Function::kDivide, {Int(1), Int(0)})}),
            "NULL");
  EXPECT_EQ(ValueOf(Function::kDivide,
                    {Call(Function::kDivide, {Int(1), Int(0)}), Null(arrow::float64())}),
            "NULL");
}

TEST(Evaluator, ConditionalsChoosePerRow) {
  const auto schema = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())});
  const ExprPtr a = plan::MakeColumn(0, "a", arrow::int32(), true);
  const ExprPtr b = plan::MakeColumn(1, "b", arrow::int32(), true);
  // Rows with b = 0 would fail if the division saw them.
  const ExprPtr guarded =
      Call(Function::kCase,
           {Call(Function::kNotEqual, {b, Int(0)}), Call(Function::kDivide, {a, b}),
            Call(Function::kIsNull, {b}), Double(-1), Double(-2)});
  const ExprPtr text =
      Call(Function::kCase, {Call(Function::kGreater, {a, Int(5)}), Text("big"),
                             Call(Function::kGreater, {a, Int(1)}), Text("middling")});
  const ExprPtr first = Call(Function::kCoalesce, {b, a, Int(7)});
  const auto evaluator = *Evaluator::Make({guarded, text, first}, *schema,
                                          {.pool = arrow::default_memory_pool()});
  const auto batch =
      arrow::RecordBatch::Make(schema, 4,
                               {ArrayOf(arrow::int32(), {"6", "1", "2", "NULL"}),
                                ArrayOf(arrow::int32(), {"3", "0", "NULL", "NULL"})});
  const auto arrays = evaluator->Evaluate(*batch);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(TextsOf(*(*arrays)[0]),
            (std::vector<std::string>{"2.0", "-2.0", "-1.0", "-1.0"}));
  EXPECT_EQ(TextsOf(*(*arrays)[1]),
            (std::vector<std::string>{"big", "NULL", "middling", "NULL"}));
  EXPECT_EQ(TextsOf(*(*arrays)[2]), (std::vector<std::string>{"3", "0", "2", "7"}));
}

TEST(Evaluator, NullsInMembershipAndEquality) {
  EXPECT_EQ(ValueOf(Function::kIn, {Int(1), Int(2), Null(arrow::int32())}), "NULL");
  EXPECT_EQ(ValueOf(Function::kIn, {Int(1), Int(1), Null(arrow::int32())}), "true");
  EXPECT_EQ(ValueOf(Function::kIn, {Null(arrow::int32()), Int(1)}), "NULL");
  EXPECT_EQ(ValueOf(Function::kIn, {Int(3), Int(1), Int(2)}), "false");
  EXPECT_EQ(ValueOf(Function::kIn, {Text("b"), Text("a"), Text("b")}), "true");
  EXPECT_EQ(ValueOf(Function::kIn, {Dec("1.50"), Dec("1.5"), Int(2)}), "true");
  EXPECT_EQ(ValueOf(Function::kEqual, {Null(), Null()}), "NULL");
  EXPECT_EQ(ValueOf(Function::kNullSafeEqual, {Null(), Null()}), "true");
  EXPECT_EQ(ValueOf(Function::kNullSafeEqual, {Null(), Int(1)}), "false");
  EXPECT_EQ(ValueOf(Function::kNullSafeEqual, {Text("a"), Text("a")}), "true");
  EXPECT_EQ(ValueOf(Function::kIsNull, {Null()}), "true");
  EXPECT_EQ(ValueOf(Function::kIsNotNull, {Int(1)}), "true");
  EXPECT_EQ(ValueOf(Function::kNullIf, {Int(1), Int(1)}), "NULL");
  EXPECT_EQ(ValueOf(Function::kNullIf, {Int(1), Int(2)}), "1");
}

TEST(Evaluator, Rounding) {
  EXPECT_EQ(ValueOf(Function::kFloor, {Dec("-1.5")}), "-2");
  EXPECT_EQ(ValueOf(Function::kCeil, {Dec("-1.5")}), "-1");
  EXPECT_EQ(ValueOf(Function::kFloor, {Double(1.5)}), "1");
  EXPECT_EQ(ValueOf(Function::kCeil, {Double(-0.5)}), "0");
  EXPECT_EQ(ValueOf(Function::kFloor, {Double(1e20)}), "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kFloor, {Double(NAN)}), "0");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(2.5)}), "3.0");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(-2.5)}), "-3.0");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(1.005), Int(2)}), "1.01");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(9.99), Int(1)}), "10.0");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(1e300), Int(2)}), "1.0E300");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(-0.0)}), "0.0");
  EXPECT_EQ(ValueOf(Function::kRound, {Double(-1.5), Int(-1)}), "0.0");
  EXPECT_EQ(ValueOf(Function::kRound, {Dec("1.555"), Text("2")}), "1.56");
  EXPECT_EQ(ValueOf(Function::kRound, {Float(123.456F), Int(1)}), "123.5");
  EXPECT_EQ(ValueOf(Function::kRound, {Int(15), Int(-1)}), "20");
  EXPECT_EQ(ValueOf(Function::kRound, {Int(-25), Int(-1)}), "-30");
  EXPECT_EQ(ValueOf(Function::kRound, {Int(5), Int(-30)}), "0");
  EXPECT_EQ(ValueOf(Function::kRound, {Int(2147483647), Int(-1)}), "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kRound, {Long(kLongMax), Int(-1)}), "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(ValueOf(Function::kRound, {Dec("15.567"), Int(1)}), "15.6");
  EXPECT_EQ(ValueOf(Function::kRound, {Dec("-15.55"), Int(1)}), "-15.6");
  EXPECT_EQ(ValueOf(Function::kRound, {Dec("155.5"), Int(-2)}), "200");
  EXPECT_EQ(ValueOf(Function::kSqrt, {Int(-1)}), "NaN");
}

TEST(Evaluator, DatesAndTimes) {
  EXPECT_EQ(ValueOf(Function::kYear, {Timestamp("2020-02-29 23:00:00")}), "2020");
  EXPECT_EQ(ValueOf(Function::kMonth, {Text("2020-02-29")}), "2");
  EXPECT_EQ(ValueOf(Function::kDay, {Date("2020-02-29")}), "29");
  EXPECT_EQ(ValueOf(Function::kHour, {Timestamp("1969-12-31 23:59:59.5")}), "23");
  EXPECT_EQ(ValueOf(Function::kMinute, {Text("2020-01-01 10:20:30")}), "20");
  EXPECT_EQ(ValueOf(Function::kSecond, {Timestamp("1969-12-31 23:59:59.5")}), "59");
  EXPECT_EQ(ValueOf(Function::kDateAdd, {Date("2020-01-31"), Int(1)}), "2020-02-01");
  EXPECT_EQ(ValueOf(Function::kDateAdd, {Date("2020-01-31"), Int(2147483647)}),
            "-5877591-07-21");
  EXPECT_EQ(ValueOf(Function::kDateDiff, {Date("2020-03-01"), Date("2020-02-01")}), "29");
  EXPECT_EQ(ValueOf(Function::kSubtract, {Date("2020-01-01"), Int(1)}), "2019-12-31");
}

TEST(Evaluator, SessionTimeZoneIsUsed) {
  const ExprPtr instant = Timestamp("2020-01-01 23:30:00");
  EXPECT_EQ(exec::ValueOf(Call(Function::kHour, {instant}), "+02:00"), "1");
  EXPECT_EQ(exec::ValueOf(Call(Function::kDay, {instant}), "+02:00"), "2");
  EXPECT_EQ(exec::ValueOf(Cast(instant, arrow::utf8()), "-05:30"), "2020-01-01 18:00:00");
  EXPECT_EQ(
      exec::ValueOf(Cast(Text("2020-01-01 00:00:00"), plan::TimestampType()), "+01:00"),
      "2019-12-31 23:00:00");
  EXPECT_EQ(exec::ValueOf(Cast(instant, plan::TimestampNtzType()), "+02:00"),
            "2020-01-02 01:30:00");
  EXPECT_EQ(exec::ValueOf(Call(Function::kHour, {TimestampNtz("2020-01-01 23:30:00")}),
                          "+02:00"),
            "23");
  EXPECT_EQ(exec::ValueOf(Cast(instant, arrow::utf8()), "Europe/Paris"),
            "2020-01-02 00:30:00");
  EXPECT_EQ(exec::ValueOf(instant, "Mars/Base"), "configuration");
}

TEST(Evaluator, ErrorsNameTheExpressionAndItsPlace) {
  const ExprPtr sum = *plan::MakeCall(
      Function::kAdd, {plan::MakeColumn(0, "l_tax", arrow::int64(), true), Long(1)},
      {.offset = 7, .length = 9});
  const auto schema = arrow::schema({arrow::field("l_tax", arrow::int64())});
  const auto evaluator =
      *Evaluator::Make({sum}, *schema, {.pool = arrow::default_memory_pool()});
  const auto result =
      evaluator->Evaluate({ArrayOf(arrow::int64(), {"1", "9223372036854775807"})}, 2);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(),
            "[ARITHMETIC_OVERFLOW] bigint overflow; cast an operand to a wider type: "
            "9223372036854775807 + 1 in (l_tax + 1L)");
  const core::ErrorInfo info = core::InfoOf(result.status());
  EXPECT_EQ(info.kind, core::ErrorKind::kData);
  EXPECT_EQ(info.sql_offset, 7);
  EXPECT_EQ(info.sql_length, 9);
}

TEST(Evaluator, ValuesUnderNullsRaiseNoErrors) {
  // The null's slot holds a value that would overflow.
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues({1, kLongMax, 3}, {true, false, true}).ok());
  const auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  const ExprPtr x = plan::MakeColumn(0, "x", arrow::int64(), true);
  const auto evaluator = *Evaluator::Make({Call(Function::kAdd, {x, Long(1)})}, *schema,
                                          {.pool = arrow::default_memory_pool()});
  const auto arrays = evaluator->Evaluate({*builder.Finish()}, 3);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(TextsOf(*(*arrays)[0]), (std::vector<std::string>{"2", "NULL", "4"}));
}

TEST(Evaluator, NoRowsNoErrors) {
  const auto evaluator = *Evaluator::Make({Failing()}, *arrow::schema({}),
                                          {.pool = arrow::default_memory_pool()});
  const auto arrays = evaluator->Evaluate({}, 0);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ((*arrays)[0]->length(), 0);
}

TEST(Evaluator, DeepNestingIsRefused) {
  ExprPtr deep = plan::MakeColumn(0, "x", arrow::boolean(), true);
  const auto schema = arrow::schema({arrow::field("x", arrow::boolean())});
  for (int i = 0; i < 5000; ++i) {
    deep = Call(Function::kNot, {deep});
  }
  const auto evaluator =
      Evaluator::Make({deep}, *schema, {.pool = arrow::default_memory_pool()});
  EXPECT_EQ(core::KindOf(evaluator.status()), core::ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace wheelpit::exec
