// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/plan/spark_types_test_data.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {
namespace {

// The types of the tables, in their order.
std::vector<std::shared_ptr<arrow::DataType>> Types() {
  return {arrow::boolean(),
          arrow::int8(),
          arrow::int16(),
          arrow::int32(),
          arrow::int64(),
          arrow::float32(),
          arrow::float64(),
          arrow::decimal128(3, 1),
          arrow::decimal128(10, 0),
          arrow::decimal128(15, 2),
          arrow::decimal128(38, 10),
          arrow::decimal128(38, 38),
          arrow::utf8(),
          arrow::binary(),
          arrow::date32(),
          TimestampType(),
          TimestampNtzType(),
          arrow::null()};
}

std::string ShortName(const arrow::DataType& type) {
  constexpr const char* kNames[] = {"vo", "bo", "i1", "i2", "i4", "i8", "f4",
                                    "f8", "",   "st", "bi", "da", "ts", "tn"};
  if (ClassOf(type) == TypeClass::kDecimal) {
    const DecimalShape shape = DecimalShapeOf(type);
    return std::to_string(shape.precision) + "." + std::to_string(shape.scale);
  }
  if (const auto fields = IntervalFieldsOf(type)) {
    return fields->last == IntervalField::kDay ? "id" : "is";
  }
  return kNames[static_cast<int>(ClassOf(type))];
}

std::string Outcome(const arrow::Result<ExprPtr>& call) {
  if (call.ok()) {
    return ShortName(*(*call)->type);
  }
  const core::ErrorInfo info = core::InfoOf(call.status());
  EXPECT_EQ(info.kind, core::ErrorKind::kInvalidSql);
  EXPECT_EQ(info.error_class, "DATATYPE_MISMATCH");
  EXPECT_EQ(info.sql_offset, 7);
  return "-";
}

ExprPtr Column(const std::shared_ptr<arrow::DataType>& type) {
  return MakeColumn(0, "c", type, true);
}

constexpr SourceRange kRange{.offset = 7, .length = 3};

TEST(TypeRules, EveryPairOfTypesGivesSparksResultType) {
  const auto types = Types();
  for (const TypeTable& table : kBinaryTypes) {
    std::istringstream cells(table.text);
    for (const auto& left : types) {
      for (const auto& right : types) {
        std::string expected;
        cells >> expected;
        const auto call = MakeCall(table.function, {Column(left), Column(right)}, kRange);
        EXPECT_EQ(Outcome(call), expected)
            << FunctionName(table.function) << " of " << TypeName(*left) << " and "
            << TypeName(*right);
      }
    }
  }
}

TEST(TypeRules, EveryTypeGivesSparksResultTypeOfUnaryFunctions) {
  for (const TypeTable& table : kUnaryTypes) {
    std::istringstream cells(table.text);
    for (const auto& type : Types()) {
      std::string expected;
      cells >> expected;
      EXPECT_EQ(Outcome(MakeCall(table.function, {Column(type)}, kRange)), expected)
          << FunctionName(table.function) << " of " << TypeName(*type);
    }
  }
}

TEST(TypeRules, AggregatesGiveSparksResultTypes) {
  for (const AggregateTable& table : kAggregateTypes) {
    std::istringstream cells(table.text);
    for (const auto& type : Types()) {
      std::string expected;
      cells >> expected;
      const auto aggregate = MakeAggregate(table.function, Column(type), nullptr, kRange);
      if (aggregate.ok()) {
        EXPECT_EQ(ShortName(*aggregate->type), expected) << TypeName(*type);
      } else {
        EXPECT_EQ(expected, "-") << TypeName(*type);
        EXPECT_EQ(core::InfoOf(aggregate.status()).error_class, "DATATYPE_MISMATCH");
      }
    }
  }
}

TEST(TypeRules, CastsAreAllowedWhereAnsiAllowsThem) {
  auto types = Types();
  std::istringstream cells(kCastAllowed);
  for (const auto& from : types) {
    for (size_t to = 0; to + 1 < types.size(); ++to) {
      std::string expected;
      cells >> expected;
      const auto cast = MakeCast(Column(from), types[to], false, kRange);
      EXPECT_EQ(cast.ok() ? "+" : "-", expected)
          << TypeName(*from) << " to " << TypeName(*types[to]);
    }
  }
}

TEST(TypeRules, IntegralLiteralBesideDecimalTakesOnlyItsDigits) {
  const ExprPtr price = Column(arrow::decimal128(15, 2));
  const ExprPtr one = MakeLiteral(std::make_shared<arrow::Int32Scalar>(1));
  const auto product = MakeCall(Function::kMultiply, {price, one});
  ASSERT_TRUE(product.ok());
  EXPECT_EQ(TypeName(*(*product)->type), "decimal(17,2)");
  const auto difference = MakeCall(Function::kSubtract, {one, price});
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(TypeName(*(*difference)->type), "decimal(16,2)");
  const auto comparison = MakeCall(Function::kGreater, {price, one});
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(ToString(**comparison), "(c > 1.00)");
}

TEST(TypeRules, RoundOfDecimalDependsOnItsDigits) {
  const auto rounded = [](int digits) {
    return MakeCall(Function::kRound,
                    {Column(arrow::decimal128(15, 2)),
                     MakeLiteral(std::make_shared<arrow::Int32Scalar>(digits))});
  };
  EXPECT_EQ(TypeName(*(*rounded(1))->type), "decimal(15,1)");
  EXPECT_EQ(TypeName(*(*rounded(5))->type), "decimal(16,2)");
  EXPECT_EQ(TypeName(*(*rounded(-1))->type), "decimal(14,0)");
  EXPECT_EQ(TypeName(*(*rounded(-20))->type), "decimal(21,0)");
  EXPECT_EQ(TypeName(*(*rounded(-2'000'000'000))->type), "decimal(38,0)");
  const auto column = MakeCall(
      Function::kRound, {Column(arrow::float64()), Column(arrow::int32())}, kRange);
  EXPECT_EQ(Outcome(column), "-");
}

TEST(TypeRules, WrongNumberOfArgumentsIsNamed) {
  const auto call = MakeCall(Function::kUpper, {}, kRange);
  EXPECT_EQ(core::InfoOf(call.status()).error_class, "WRONG_NUM_ARGS");
  EXPECT_EQ(call.status().message(), "upper takes 1 argument, 0 given");
}

TEST(TypeRules, EscapeOfLikeIsOneCharacter) {
  const ExprPtr text = Column(arrow::utf8());
  const auto like = [&](const char* escape) {
    return MakeCall(
        Function::kLike,
        {text, text,
         MakeLiteral(std::make_shared<arrow::StringScalar>(std::string(escape)))});
  };
  EXPECT_TRUE(like("/").ok());
  EXPECT_TRUE(like("é").ok());
  EXPECT_EQ(core::InfoOf(like("//").status()).error_class, "INVALID_ESCAPE_CHAR");
  EXPECT_EQ(core::InfoOf(like("").status()).error_class, "INVALID_ESCAPE_CHAR");
}

}  // namespace
}  // namespace wheelpit::plan
