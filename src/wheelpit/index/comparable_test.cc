// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/comparable.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::index {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using ScalarPointer = std::shared_ptr<arrow::Scalar>;

ScalarPointer Int(int32_t value) {
  return std::make_shared<arrow::Int32Scalar>(value);
}
ScalarPointer Long(int64_t value) {
  return std::make_shared<arrow::Int64Scalar>(value);
}
ScalarPointer Double(double value) {
  return std::make_shared<arrow::DoubleScalar>(value);
}
ScalarPointer Text(const std::string& value) {
  return std::make_shared<arrow::StringScalar>(value);
}
ScalarPointer Decimal(const std::string& text, int32_t precision, int32_t scale) {
  return std::make_shared<arrow::Decimal128Scalar>(
      arrow::Decimal128::FromString(text).ValueOrDie(),
      arrow::decimal128(precision, scale));
}
ScalarPointer Timestamp(int64_t value, arrow::TimeUnit::type unit,
                        const std::string& zone) {
  return std::make_shared<arrow::TimestampScalar>(value, arrow::timestamp(unit, zone));
}

Order CompareScalars(const ScalarPointer& a, const ScalarPointer& b) {
  return Compare(ToComparable(*a), ToComparable(*b));
}

TEST(Compare, NumbersOfDifferentTypesAreComparedByValue) {
  EXPECT_EQ(CompareScalars(Int(5), Long(5)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Int(5), Double(5.5)), Order::kLess);
  EXPECT_EQ(CompareScalars(Double(5.5), Int(5)), Order::kGreater);
  EXPECT_EQ(CompareScalars(Int(5), Decimal("501", 5, 2)), Order::kLess);
  EXPECT_EQ(CompareScalars(Int(5), Decimal("500", 5, 2)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Decimal("15", 3, 1), Decimal("1500", 5, 3)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Decimal("-15", 3, 1), Decimal("-1501", 5, 3)),
            Order::kGreater);
}

TEST(Compare, TheLargestDecimalsDoNotOverflow) {
  const ScalarPointer huge = Decimal(std::string(38, '9'), 38, 0);
  const ScalarPointer tiny = Decimal("1", 38, 38);
  EXPECT_EQ(CompareScalars(huge, tiny), Order::kGreater);
  EXPECT_EQ(CompareScalars(tiny, huge), Order::kLess);
  EXPECT_EQ(CompareScalars(Long(std::numeric_limits<int64_t>::min()), tiny),
            Order::kLess);
}

TEST(Compare, IntegersBeyondWhatADoubleHoldsAreNotComparedWithOne) {
  EXPECT_EQ(CompareScalars(Long((int64_t{1} << 53) + 1), Double(9007199254740992.0)),
            Order::kUnknown);
  EXPECT_EQ(CompareScalars(Long(int64_t{1} << 53), Double(9007199254740992.0)),
            Order::kEqual);
  EXPECT_EQ(CompareScalars(Decimal("1", 3, 1), Double(0.1)), Order::kUnknown);
}

TEST(Compare, NanIsTheLargestAndZerosAreEqual) {
  EXPECT_EQ(CompareScalars(Double(kNan), Double(kInfinity)), Order::kGreater);
  EXPECT_EQ(CompareScalars(Double(kNan), Double(kNan)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Double(-0.0), Double(0.0)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Int(0), Double(-0.0)), Order::kEqual);
  EXPECT_EQ(CompareScalars(Int(0), Double(kNan)), Order::kLess);
}

TEST(Compare, TextIsComparedByUnsignedBytes) {
  EXPECT_EQ(CompareScalars(Text("a"), Text("ab")), Order::kLess);
  EXPECT_EQ(CompareScalars(Text("\x7f"), Text("\xc3\xbc")), Order::kLess);
  EXPECT_EQ(CompareScalars(Text(""), Text(std::string(1, '\0'))), Order::kLess);
}

TEST(Compare, TimeStampsAreComparedAsInstantsOfTheirKind) {
  const auto seconds = Timestamp(1, arrow::TimeUnit::SECOND, "UTC");
  const auto nanos = Timestamp(1'000'000'000, arrow::TimeUnit::NANO, "UTC");
  EXPECT_EQ(CompareScalars(seconds, nanos), Order::kEqual);
  EXPECT_EQ(CompareScalars(seconds, Timestamp(1, arrow::TimeUnit::SECOND, "")),
            Order::kUnknown);
  EXPECT_EQ(CompareScalars(seconds, Timestamp(1, arrow::TimeUnit::NANO, "UTC")),
            Order::kUnknown);
  EXPECT_EQ(CompareScalars(seconds, Timestamp(std::numeric_limits<int64_t>::max(),
                                              arrow::TimeUnit::SECOND, "UTC")),
            Order::kUnknown);
}

TEST(Compare, UnlikeTypesAreNotCompared) {
  EXPECT_EQ(CompareScalars(Int(1), Text("1")), Order::kUnknown);
  EXPECT_EQ(CompareScalars(Int(1), std::make_shared<arrow::BooleanScalar>(true)),
            Order::kUnknown);
  EXPECT_EQ(CompareScalars(Int(1), std::make_shared<arrow::Date32Scalar>(1)),
            Order::kUnknown);
  EXPECT_EQ(CompareScalars(Int(1), arrow::MakeNullScalar(arrow::int32())),
            Order::kUnknown);
}

bool Matches(PredicateOp op, std::vector<ScalarPointer> literals,
             const ColumnRange& range) {
  const PredicateTerm term{.column = "c", .op = op, .literals = std::move(literals)};
  return MayMatch(ComparableTerm(term), range);
}

ColumnRange Range(const ScalarPointer& min, const ScalarPointer& max) {
  ColumnRange range;
  range.may_have_null = false;
  range.min = ToComparable(*min);
  range.max = ToComparable(*max);
  return range;
}

TEST(MayMatch, ComparisonsUseTheRightEnd) {
  const ScalarPointer low = Int(10);
  const ScalarPointer high = Int(20);
  const ColumnRange range = Range(low, high);
  struct Case {
    PredicateOp op;
    int literal;
    bool expected;
  };
  const std::vector<Case> cases = {
      {PredicateOp::kEqual, 9, false},         {PredicateOp::kEqual, 10, true},
      {PredicateOp::kEqual, 20, true},         {PredicateOp::kEqual, 21, false},
      {PredicateOp::kLess, 10, false},         {PredicateOp::kLess, 11, true},
      {PredicateOp::kLessEqual, 9, false},     {PredicateOp::kLessEqual, 10, true},
      {PredicateOp::kGreater, 20, false},      {PredicateOp::kGreater, 19, true},
      {PredicateOp::kGreaterEqual, 21, false}, {PredicateOp::kGreaterEqual, 20, true},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Matches(one.op, {Int(one.literal)}, range), one.expected)
        << static_cast<int>(one.op) << " " << one.literal;
  }
}

TEST(MayMatch, ListsNeedOneThatFits) {
  const ScalarPointer low = Int(10);
  const ScalarPointer high = Int(20);
  const ColumnRange range = Range(low, high);
  EXPECT_FALSE(Matches(PredicateOp::kIn, {Int(1), Int(30)}, range));
  EXPECT_TRUE(Matches(PredicateOp::kIn, {Int(1), Int(15)}, range));
  EXPECT_FALSE(Matches(PredicateOp::kIn, {}, range));
  EXPECT_TRUE(Matches(PredicateOp::kIn, {Int(1), Text("x")}, range));
}

TEST(MayMatch, NullsAreCountedApart) {
  const ScalarPointer one = Int(1);
  ColumnRange range = Range(one, one);
  EXPECT_FALSE(Matches(PredicateOp::kIsNull, {}, range));
  EXPECT_TRUE(Matches(PredicateOp::kIsNotNull, {}, range));
  const ColumnRange nulls = ColumnRange::OnlyNulls();
  EXPECT_TRUE(Matches(PredicateOp::kIsNull, {}, nulls));
  EXPECT_FALSE(Matches(PredicateOp::kIsNotNull, {}, nulls));
  EXPECT_FALSE(Matches(PredicateOp::kEqual, {Int(1)}, nulls));
  EXPECT_FALSE(Matches(PredicateOp::kIn, {Int(1)}, nulls));
}

TEST(MayMatch, UnknownRangesKeepEverything) {
  const ColumnRange unknown;
  for (const PredicateOp op :
       {PredicateOp::kEqual, PredicateOp::kLess, PredicateOp::kLessEqual,
        PredicateOp::kGreater, PredicateOp::kGreaterEqual, PredicateOp::kIn}) {
    EXPECT_TRUE(Matches(op, {Int(1)}, unknown)) << static_cast<int>(op);
  }
  EXPECT_TRUE(Matches(PredicateOp::kIsNull, {}, unknown));
  EXPECT_TRUE(Matches(PredicateOp::kIsNotNull, {}, unknown));
}

// Statistics leave NaN out, and NaN is larger than everything.
TEST(MayMatch, NanHidesAboveTheMaximum) {
  const ScalarPointer low = Double(1);
  const ScalarPointer high = Double(2);
  ColumnRange range = Range(low, high);
  range.may_have_nan = true;
  EXPECT_TRUE(Matches(PredicateOp::kGreater, {Double(5)}, range));
  EXPECT_TRUE(Matches(PredicateOp::kGreaterEqual, {Double(5)}, range));
  EXPECT_TRUE(Matches(PredicateOp::kEqual, {Double(kNan)}, range));
  EXPECT_TRUE(Matches(PredicateOp::kGreaterEqual, {Double(kNan)}, range));
  EXPECT_FALSE(Matches(PredicateOp::kGreater, {Double(kNan)}, range));
  EXPECT_TRUE(Matches(PredicateOp::kLess, {Double(kNan)}, range));
  EXPECT_FALSE(Matches(PredicateOp::kEqual, {Double(5)}, range));
  EXPECT_FALSE(Matches(PredicateOp::kLess, {Double(1)}, range));
  range.may_have_nan = false;
  EXPECT_FALSE(Matches(PredicateOp::kGreater, {Double(5)}, range));
  EXPECT_FALSE(Matches(PredicateOp::kEqual, {Double(kNan)}, range));
}

}  // namespace
}  // namespace wheelpit::index
