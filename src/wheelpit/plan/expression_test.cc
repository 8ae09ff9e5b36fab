// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/expression.h"

#include <cmath>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {
namespace {

ExprPtr Int(int32_t value) {
  return MakeLiteral(std::make_shared<arrow::Int32Scalar>(value));
}

ExprPtr Text(const char* value) {
  return MakeLiteral(std::make_shared<arrow::StringScalar>(std::string(value)));
}

ExprPtr IntColumn(int column, const char* name, bool nullable = true) {
  return MakeColumn(column, name, arrow::int32(), nullable);
}

ExprPtr Call(Function function, std::vector<ExprPtr> arguments) {
  auto call = MakeCall(function, std::move(arguments));
  EXPECT_TRUE(call.ok()) << call.status();
  return *call;
}

TEST(Expression, TextReadsLikeSql) {
  const ExprPtr a = IntColumn(0, "a");
  const ExprPtr s = MakeColumn(1, "s", arrow::utf8(), true);
  EXPECT_EQ(ToString(*Call(Function::kAdd, {a, Int(1)})), "(a + 1)");
  EXPECT_EQ(ToString(*Call(Function::kNegate, {a})), "(-a)");
  EXPECT_EQ(ToString(*Call(Function::kNot, {Call(Function::kIsNull, {a})})),
            "(NOT (a IS NULL))");
  EXPECT_EQ(ToString(*Call(Function::kIn, {a, Int(1), Int(2)})), "(a IN (1, 2))");
  EXPECT_EQ(ToString(*Call(Function::kLike, {s, Text("it's%"), Text("\\")})),
            "(s LIKE 'it\\'s%' ESCAPE '\\\\')");
  EXPECT_EQ(ToString(*Call(Function::kCase, {Call(Function::kLess, {a, Int(0)}),
                                             Text("neg"), Text("pos")})),
            "CASE WHEN (a < 0) THEN 'neg' ELSE 'pos' END");
  EXPECT_EQ(ToString(*Call(Function::kSubstring, {s, Int(2), Int(3)})),
            "substring(s, 2, 3)");
  EXPECT_EQ(ToString(**MakeCast(s, arrow::decimal128(10, 2), true)),
            "TRY_CAST(s AS decimal(10,2))");
}

TEST(Expression, LiteralsShowTheirType) {
  const auto text = [](std::shared_ptr<arrow::Scalar> value) {
    return ToString(*MakeLiteral(std::move(value)));
  };
  EXPECT_EQ(text(std::make_shared<arrow::Int64Scalar>(5)), "5L");
  EXPECT_EQ(text(std::make_shared<arrow::DoubleScalar>(0.05)), "0.05D");
  EXPECT_EQ(text(std::make_shared<arrow::Date32Scalar>(8766)), "DATE '1994-01-01'");
  EXPECT_EQ(text(std::make_shared<arrow::TimestampScalar>(1, TimestampType())),
            "TIMESTAMP '1970-01-01 00:00:00.000001Z'");
  EXPECT_EQ(text(arrow::MakeNullScalar(arrow::int32())), "NULL");
  EXPECT_EQ(text(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(4900),
                                                           arrow::decimal128(15, 2))),
            "49.00");
}

TEST(Expression, NullabilityFollowsTheFunction) {
  const ExprPtr maybe = IntColumn(0, "m", true);
  const ExprPtr sure = IntColumn(1, "s", false);
  EXPECT_TRUE(Call(Function::kAdd, {maybe, sure})->nullable);
  EXPECT_FALSE(Call(Function::kAdd, {sure, sure})->nullable);
  EXPECT_FALSE(Call(Function::kIsNull, {maybe})->nullable);
  EXPECT_FALSE(Call(Function::kNullSafeEqual, {maybe, sure})->nullable);
  EXPECT_FALSE(Call(Function::kCoalesce, {maybe, sure})->nullable);
  EXPECT_TRUE(Call(Function::kCoalesce, {maybe, maybe})->nullable);
  const ExprPtr condition = Call(Function::kLess, {maybe, Int(1)});
  EXPECT_TRUE(Call(Function::kCase, {condition, sure})->nullable);
  EXPECT_FALSE(Call(Function::kCase, {condition, sure, sure})->nullable);
  EXPECT_TRUE(Call(Function::kNullIf, {sure, sure})->nullable);
  EXPECT_TRUE((*MakeCast(sure, arrow::int64(), true))->nullable);
  EXPECT_FALSE((*MakeCast(sure, arrow::int64(), false))->nullable);
}

TEST(Expression, EqualityIgnoresRangesAndSeesTypes) {
  const ExprPtr a = Call(Function::kAdd, {IntColumn(0, "a"), Int(1)});
  const auto same = MakeCall(Function::kAdd, {IntColumn(0, "other"), Int(1)},
                             {.offset = 9, .length = 1});
  EXPECT_TRUE(Equals(*a, **same));
  EXPECT_FALSE(Equals(*a, *Call(Function::kAdd, {IntColumn(1, "a"), Int(1)})));
  EXPECT_FALSE(Equals(*Int(1), *MakeLiteral(std::make_shared<arrow::Int64Scalar>(1))));
  const auto number = [](double value) {
    return MakeLiteral(std::make_shared<arrow::DoubleScalar>(value));
  };
  EXPECT_TRUE(Equals(*number(NAN), *number(NAN)));
  EXPECT_FALSE(Equals(*number(0.0), *number(-0.0)));
  EXPECT_FALSE(Equals(**MakeCast(IntColumn(0, "a"), arrow::int8(), true),
                      **MakeCast(IntColumn(0, "a"), arrow::int8(), false)));
}

TEST(Expression, ColumnsAreDistinctAndAscending) {
  const ExprPtr sum = Call(Function::kAdd, {IntColumn(5, "f"), IntColumn(2, "c")});
  EXPECT_EQ(ColumnsOf(*Call(Function::kMultiply, {sum, IntColumn(5, "f")})),
            (std::vector<int>{2, 5}));
  EXPECT_TRUE(ColumnsOf(*Int(1)).empty());
}

TEST(Expression, RemapSharesWhatDoesNotChange) {
  const ExprPtr sum = Call(Function::kAdd, {IntColumn(0, "a"), IntColumn(1, "b")});
  EXPECT_EQ(RemapColumns(sum, {0, 1}), sum);
  const ExprPtr swapped = RemapColumns(sum, {1, 0});
  EXPECT_EQ(ColumnsOf(*swapped), (std::vector<int>{0, 1}));
  EXPECT_EQ(swapped->arguments[0]->column, 1);
  EXPECT_EQ(sum->arguments[0]->column, 0);
}

TEST(Expression, ConjunctsSplitAndJoin) {
  const ExprPtr a = Call(Function::kLess, {IntColumn(0, "a"), Int(1)});
  const ExprPtr b = Call(Function::kLess, {IntColumn(1, "b"), Int(2)});
  const ExprPtr c = Call(Function::kOr, {a, b});
  const ExprPtr all = Call(Function::kAnd, {Call(Function::kAnd, {a, b}), c});
  const auto conjuncts = SplitConjuncts(all);
  ASSERT_EQ(conjuncts.size(), 3U);
  EXPECT_EQ(conjuncts[2], c);
  EXPECT_TRUE(Equals(*JoinConjuncts(conjuncts), *all));
  EXPECT_EQ(ToString(*JoinConjuncts({})), "true");
  EXPECT_EQ(JoinConjuncts({a}), a);
}

TEST(Expression, NegatedLiteralIsALiteral) {
  EXPECT_EQ(ToString(*Call(Function::kNegate, {Int(5)})), "-5");
  // The least value overflows when it is evaluated, so it stays a call.
  EXPECT_EQ(Call(Function::kNegate, {Int(INT32_MIN)})->kind, ExprKind::kCall);
}

TEST(Expression, LiteralsAreCastAtOnceOnlyWhenThatCannotFail) {
  const auto cast = [](const ExprPtr& literal, std::shared_ptr<arrow::DataType> type) {
    return ToString(**MakeCast(literal, std::move(type), false));
  };
  EXPECT_EQ(cast(Int(7), arrow::int64()), "7L");
  EXPECT_EQ(cast(Int(300), arrow::int8()), "CAST(300 AS tinyint)");
  EXPECT_EQ(cast(Text(" 1994-1-1 "), arrow::date32()), "DATE '1994-01-01'");
  EXPECT_EQ(cast(Text("1994-02-30"), arrow::date32()), "CAST('1994-02-30' AS date)");
  EXPECT_EQ(cast(Int(1), arrow::decimal128(3, 2)), "1.00");
  EXPECT_EQ(cast(Int(10), arrow::decimal128(3, 2)), "CAST(10 AS decimal(3,2))");
}

TEST(Expression, RefusedCastNamesBothTypesAndTheRange) {
  const auto cast = MakeCast(Int(1), arrow::date32(), false, {.offset = 3, .length = 4});
  EXPECT_EQ(cast.status().message(), "cannot cast int to date");
  EXPECT_EQ(core::InfoOf(cast.status()).sql_offset, 3);
}

}  // namespace
}  // namespace wheelpit::plan
