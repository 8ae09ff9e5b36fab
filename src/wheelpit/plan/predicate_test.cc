// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {
namespace {

class PredicateTest : public testing::Test {
 protected:
  const std::shared_ptr<arrow::Schema> schema_ = arrow::schema(
      {arrow::field("i", arrow::int32()), arrow::field("price", arrow::decimal128(15, 2)),
       arrow::field("d", arrow::float64()), arrow::field("s", arrow::utf8()),
       arrow::field("day", arrow::date32()), arrow::field("flag", arrow::boolean())});

  ExprPtr Column(const char* name) const {
    const int i = schema_->GetFieldIndex(name);
    return MakeColumn(i, name, schema_->field(i)->type(), true);
  }

  // The lowered terms as text: "i <= 4; price in 1.00 2.00".
  std::string Lowered(const ExprPtr& condition) const {
    constexpr const char* kOps[] = {"=", "<", "<=", ">", ">=", "in", "isnull", "notnull"};
    std::string text;
    for (const auto& term : LowerPredicate({condition}, *schema_)) {
      text += (text.empty() ? "" : "; ") + term.column + " " +
              kOps[static_cast<int>(term.op)];
      for (const auto& literal : term.literals) {
        EXPECT_TRUE(literal->type->Equals(*schema_->GetFieldByName(term.column)->type()));
        text += " " + ValueText(*literal);
      }
    }
    return text;
  }

  std::string Lowered(Function function, std::vector<ExprPtr> arguments) const {
    auto call = MakeCall(function, std::move(arguments));
    EXPECT_TRUE(call.ok()) << call.status();
    return Lowered(*call);
  }
};

ExprPtr Int(int32_t value) {
  return MakeLiteral(std::make_shared<arrow::Int32Scalar>(value));
}

ExprPtr Long(int64_t value) {
  return MakeLiteral(std::make_shared<arrow::Int64Scalar>(value));
}

ExprPtr Double(double value) {
  return MakeLiteral(std::make_shared<arrow::DoubleScalar>(value));
}

ExprPtr Text(const char* value) {
  return MakeLiteral(std::make_shared<arrow::StringScalar>(std::string(value)));
}

ExprPtr Decimal(int64_t unscaled, int precision, int scale) {
  return MakeLiteral(std::make_shared<arrow::Decimal128Scalar>(
      arrow::Decimal128(unscaled), arrow::decimal128(precision, scale)));
}

ExprPtr Null() {
  return MakeLiteral(arrow::MakeNullScalar(arrow::null()));
}

TEST_F(PredicateTest, ComparisonsOfColumnAndLiteralEitherSide) {
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Int(4)}), "i < 4");
  EXPECT_EQ(Lowered(Function::kLess, {Int(4), Column("i")}), "i > 4");
  EXPECT_EQ(Lowered(Function::kGreaterEqual, {Int(4), Column("i")}), "i <= 4");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("s"), Text("x")}), "s = x");
  EXPECT_EQ(Lowered(Function::kGreater, {Column("day"), Text("1994-01-01")}),
            "day > 1994-01-01");
  EXPECT_EQ(Lowered(Function::kNotEqual, {Column("i"), Int(4)}), "");
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Column("i")}), "");
}

TEST_F(PredicateTest, WideningCastsAreLookedThrough) {
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Long(4)}), "i < 4");
  EXPECT_EQ(Lowered(Function::kGreater, {Column("price"), Int(49)}), "price > 49.00");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("price"), Decimal(1234, 17, 2)}),
            "price = 12.34");
  // A cast that reads text changes the order.
  EXPECT_EQ(Lowered(Function::kLess, {Column("s"), Int(4)}), "");
  // A cast that narrows may fail or round.
  EXPECT_EQ(Lowered(Function::kLess,
                    {*MakeCast(Column("price"), arrow::decimal128(15, 1), false),
                     Decimal(5, 15, 1)}),
            "");
}

TEST_F(PredicateTest, FractionsRoundToTheSafeSide) {
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Decimal(15, 2, 1)}), "i <= 1");
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Decimal(-15, 2, 1)}), "i <= -2");
  EXPECT_EQ(Lowered(Function::kGreaterEqual, {Column("i"), Decimal(15, 2, 1)}), "i > 1");
  EXPECT_EQ(Lowered(Function::kGreater, {Column("i"), Decimal(-15, 2, 1)}), "i > -2");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("i"), Decimal(15, 2, 1)}), "");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("i"), Decimal(20, 2, 1)}), "i = 2");
  EXPECT_EQ(Lowered(Function::kLessEqual, {Column("price"), Decimal(12345, 6, 4)}),
            "price <= 1.23");
}

TEST_F(PredicateTest, LiteralsOutOfTheColumnsRangeAreLeftOut) {
  EXPECT_EQ(Lowered(Function::kLess, {Column("i"), Long(1LL << 40)}), "");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("i"), Long(1LL << 40)}), "");
  EXPECT_EQ(Lowered(Function::kIn, {Column("i"), Long(1), Long(1LL << 40)}), "");
}

TEST_F(PredicateTest, FloatingPointIsHandledWithCare) {
  EXPECT_EQ(Lowered(Function::kLess, {Column("d"), Double(1)}), "d < 1.0");
  EXPECT_EQ(Lowered(Function::kGreater, {Column("d"), Double(1)}), "");
  EXPECT_EQ(Lowered(Function::kGreater, {Double(1), Column("d")}), "d < 1.0");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("d"), Double(1)}), "d = 1.0");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("d"), Double(-0.0)}), "");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("d"), Double(NAN)}), "");
  EXPECT_EQ(Lowered(Function::kLess, {Column("d"), Double(NAN)}), "");
  EXPECT_EQ(Lowered(Function::kIn, {Column("d"), Double(1), Double(0)}), "");
}

TEST_F(PredicateTest, MembershipAndOr) {
  EXPECT_EQ(Lowered(Function::kIn, {Column("i"), Int(1), Null(), Int(2)}), "i in 1 2");
  EXPECT_EQ(Lowered(Function::kIn, {Column("i"), Null()}), "");
  EXPECT_EQ(Lowered(Function::kIn, {Column("i"), Int(1), Column("i")}), "");
  const auto equal = [&](const char* column, int value) {
    return *MakeCall(Function::kEqual, {Column(column), Int(value)});
  };
  EXPECT_EQ(Lowered(Function::kOr, {equal("i", 1), equal("i", 2)}), "i in 1 2");
  EXPECT_EQ(Lowered(Function::kOr, {equal("i", 1), equal("price", 2)}), "");
  EXPECT_EQ(Lowered(Function::kAnd, {equal("i", 1), equal("price", 2)}),
            "i = 1; price = 2.00");
}

TEST_F(PredicateTest, NullTestsAndBooleans) {
  const ExprPtr is_null = *MakeCall(Function::kIsNull, {Column("i")});
  EXPECT_EQ(Lowered(is_null), "i isnull");
  EXPECT_EQ(Lowered(Function::kNot, {is_null}), "i notnull");
  EXPECT_EQ(Lowered(Function::kNullSafeEqual, {Column("i"), Null()}), "i isnull");
  EXPECT_EQ(Lowered(Function::kNullSafeEqual, {Column("i"), Int(1)}), "i = 1");
  EXPECT_EQ(Lowered(Function::kEqual, {Column("i"), Null()}), "");
  EXPECT_EQ(Lowered(Column("flag")), "flag = true");
  EXPECT_EQ(Lowered(Function::kNot, {Column("flag")}), "flag = false");
}

}  // namespace
}  // namespace wheelpit::plan
