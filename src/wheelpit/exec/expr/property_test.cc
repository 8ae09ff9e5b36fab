// SPDX-License-Identifier: Apache-2.0
// Random typed expressions give the same however they are evaluated: a thousand rows at
// once, row by row, sliced, dictionary-encoded, as a filter.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/expr/test_support.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;
using plan::Function;
using Random = std::mt19937_64;

std::vector<std::shared_ptr<arrow::DataType>> ColumnTypes() {
  return {arrow::boolean(),         arrow::int8(),    arrow::int32(),
          arrow::int64(),           arrow::float64(), arrow::decimal128(7, 2),
          arrow::decimal128(38, 6), arrow::utf8(),    arrow::date32(),
          plan::TimestampType()};
}

int64_t Pick(Random& random, int64_t min, int64_t max) {
  return std::uniform_int_distribution<int64_t>(min, max)(random);
}

std::shared_ptr<arrow::Scalar> RandomScalar(
    Random& random, const std::shared_ptr<arrow::DataType>& type) {
  const int64_t small = Pick(random, -3, 3);
  switch (type->id()) {
    case arrow::Type::BOOL:
      return std::make_shared<arrow::BooleanScalar>(small > 0);
    case arrow::Type::INT8:
      return std::make_shared<arrow::Int8Scalar>(
          static_cast<int8_t>(Pick(random, -128, 127)));
    case arrow::Type::INT32:
      return std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(
          Pick(random, 0, 3) == 0 ? Pick(random, INT32_MIN, INT32_MAX) : small));
    case arrow::Type::INT64:
      return std::make_shared<arrow::Int64Scalar>(
          Pick(random, 0, 3) == 0 ? Pick(random, INT64_MIN, INT64_MAX) : small);
    case arrow::Type::DOUBLE: {
      const double specials[] = {NAN, INFINITY, -0.0, 0.0, 1e300, 1.5, -2.25};
      return std::make_shared<arrow::DoubleScalar>(specials[Pick(random, 0, 6)]);
    }
    case arrow::Type::DECIMAL128: {
      const auto shape = plan::DecimalShapeOf(*type);
      arrow::Decimal128 value(Pick(random, -9'999'999, 9'999'999));
      if (shape.precision > 18 && small > 0) {
        value *= arrow::Decimal128(INT64_MAX);
      }
      return std::make_shared<arrow::Decimal128Scalar>(value, type);
    }
    case arrow::Type::STRING: {
      const char* texts[] = {"",    "a",   "ab",         "héé", "12",
                             " 7 ", "1.5", "2020-01-01", "%_"};
      return std::make_shared<arrow::StringScalar>(
          std::string(texts[Pick(random, 0, 8)]));
    }
    case arrow::Type::DATE32:
      return std::make_shared<arrow::Date32Scalar>(
          static_cast<int32_t>(Pick(random, -40'000, 40'000)));
    default:
      return std::make_shared<arrow::TimestampScalar>(
          Pick(random, -1'000'000'000'000, 4'000'000'000'000'000), type);
  }
}

constexpr Function kFunctions[] = {
    Function::kAdd,           Function::kSubtract,  Function::kMultiply,
    Function::kDivide,        Function::kRemainder, Function::kIntegralDivide,
    Function::kNegate,        Function::kBitAnd,    Function::kBitNot,
    Function::kEqual,         Function::kNotEqual,  Function::kLess,
    Function::kLessEqual,     Function::kGreater,   Function::kGreaterEqual,
    Function::kNullSafeEqual, Function::kAnd,       Function::kOr,
    Function::kNot,           Function::kIsNull,    Function::kIsNotNull,
    Function::kIsNaN,         Function::kIn,        Function::kCase,
    Function::kCoalesce,      Function::kNullIf,    Function::kLike,
    Function::kConcat,        Function::kUpper,     Function::kLength,
    Function::kSubstring,     Function::kTrim,      Function::kContains,
    Function::kAbs,           Function::kFloor,     Function::kRound,
    Function::kYear,          Function::kHour,      Function::kDateAdd,
    Function::kDateDiff};

size_t ArgumentCount(Function function) {
  switch (function) {
    case Function::kNegate:
    case Function::kBitNot:
    case Function::kNot:
    case Function::kIsNull:
    case Function::kIsNotNull:
    case Function::kIsNaN:
    case Function::kUpper:
    case Function::kLength:
    case Function::kTrim:
    case Function::kAbs:
    case Function::kFloor:
    case Function::kRound:
    case Function::kYear:
    case Function::kHour:
      return 1;
    case Function::kIn:
    case Function::kCase:
    case Function::kCoalesce:
    case Function::kSubstring:
      return 3;
    default:
      return 2;
  }
}

class Generator {
 public:
  explicit Generator(Random* random) : random_(random), types_(ColumnTypes()) {}

  ExprPtr Expression(int depth) {
    if (depth == 0 || Pick(*random_, 0, 5) == 0) {
      return Leaf();
    }
    // Most random calls don't fit their types; a few tries usually find one.
    for (int i = 0; i < 30; ++i) {
      const Function function =
          kFunctions[static_cast<size_t>(Pick(*random_, 0, std::size(kFunctions) - 1))];
      std::vector<ExprPtr> arguments;
      for (size_t k = 0; k < ArgumentCount(function); ++k) {
        arguments.push_back(Expression(depth - 1));
      }
      auto call = plan::MakeCall(function, std::move(arguments));
      if (call.ok()) {
        return *call;
      }
    }
    const auto type = types_[static_cast<size_t>(Pick(*random_, 0, types_.size() - 1))];
    auto cast =
        plan::MakeCast(Expression(depth - 1), type, Pick(*random_, 0, 1) == 0, {});
    return cast.ok() ? *cast : Leaf();
  }

 private:
  ExprPtr Leaf() {
    const auto i = Pick(*random_, 0, types_.size() - 1);
    const auto& type = types_[static_cast<size_t>(i)];
    if (Pick(*random_, 0, 2) == 0) {
      return plan::MakeLiteral(Pick(*random_, 0, 6) == 0 ? arrow::MakeNullScalar(type)
                                                         : RandomScalar(*random_, type));
    }
    return plan::MakeColumn(static_cast<int>(i), "c" + std::to_string(i), type, true);
  }

  Random* random_;
  std::vector<std::shared_ptr<arrow::DataType>> types_;
};

// Columns of `length` rows behind `offset` others.
arrow::ArrayVector RandomColumns(Random& random, int64_t offset, int64_t length,
                                 bool nulls) {
  arrow::ArrayVector columns;
  for (const auto& type : ColumnTypes()) {
    const auto builder = *arrow::MakeBuilder(type);
    for (int64_t i = 0; i < offset + length; ++i) {
      if (nulls && Pick(random, 0, 4) == 0) {
        EXPECT_TRUE(builder->AppendNull().ok());
      } else {
        EXPECT_TRUE(builder->AppendScalar(*RandomScalar(random, type)).ok());
      }
    }
    columns.push_back((*builder->Finish())->Slice(offset));
  }
  return columns;
}

std::shared_ptr<arrow::Array> DictionaryEncoded(const arrow::Array& array) {
  const auto builder = *arrow::MakeBuilder(array.type());
  arrow::Int32Builder codes;
  std::map<std::string, int32_t> known;
  for (int64_t i = 0; i < array.length(); ++i) {
    const auto scalar = *array.GetScalar(i);
    if (!scalar->is_valid) {
      EXPECT_TRUE(codes.AppendNull().ok());
      continue;
    }
    const auto [entry, added] =
        known.emplace(scalar->ToString(), static_cast<int32_t>(known.size()));
    if (added) {
      EXPECT_TRUE(builder->AppendScalar(*scalar).ok());
    }
    EXPECT_TRUE(codes.Append(entry->second).ok());
  }
  return *arrow::DictionaryArray::FromArrays(
      arrow::dictionary(arrow::int32(), array.type()), *codes.Finish(),
      *builder->Finish());
}

arrow::ArrayVector Sliced(const arrow::ArrayVector& columns, int64_t offset,
                          int64_t length) {
  arrow::ArrayVector sliced;
  for (const auto& column : columns) {
    sliced.push_back(column->Slice(offset, length));
  }
  return sliced;
}

class PropertyTest : public testing::Test {
 protected:
  PropertyTest() {
    arrow::FieldVector fields;
    for (const auto& type : ColumnTypes()) {
      fields.push_back(arrow::field("c" + std::to_string(fields.size()), type));
    }
    schema_ = arrow::schema(fields);
  }

  // The values as text, or the class of the error alone.
  struct Result {
    std::vector<std::string> values;
    std::string error;
  };

  Result Evaluate(const Evaluator& evaluator, const arrow::ArrayVector& columns,
                  int64_t length) const {
    const auto arrays = evaluator.Evaluate(columns, length);
    if (!arrays.ok()) {
      const core::ErrorInfo info = core::InfoOf(arrays.status());
      EXPECT_NE(info.kind, core::ErrorKind::kInternal) << arrays.status();
      return {{}, info.error_class.empty() ? "unsupported" : info.error_class};
    }
    EXPECT_TRUE((*arrays)[0]->ValidateFull().ok()) << (*arrays)[0]->ValidateFull();
    return {PlainTextsOf(*(*arrays)[0]), ""};
  }

  // A bare column may come out as it went in.
  static std::vector<std::string> PlainTextsOf(const arrow::Array& array) {
    if (array.type_id() != arrow::Type::DICTIONARY) {
      return TextsOf(array);
    }
    const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
    const std::vector<std::string> values = TextsOf(*coded.dictionary());
    std::vector<std::string> texts;
    for (int64_t i = 0; i < array.length(); ++i) {
      texts.push_back(
          array.IsNull(i) ? "NULL" : values[static_cast<size_t>(coded.GetValueIndex(i))]);
    }
    return texts;
  }

  void Check(const ExprPtr& expression, const arrow::ArrayVector& columns,
             int64_t length) const {
    SCOPED_TRACE(plan::ToString(*expression));
    const auto evaluator =
        Evaluator::Make({expression}, *schema_, {.pool = arrow::default_memory_pool()});
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    const Result whole = Evaluate(**evaluator, columns, length);
    std::vector<std::string> row_values;
    std::set<std::string> row_errors;
    for (int64_t i = 0; i < length; ++i) {
      Result row = Evaluate(**evaluator, Sliced(columns, i, 1), 1);
      if (!row.error.empty()) {
        row_errors.insert(row.error);
      } else {
        row_values.push_back(row.values[0]);
      }
    }
    if (row_errors.empty()) {
      ASSERT_EQ(whole.error, "");
      ASSERT_EQ(whole.values, row_values);
    } else {
      ASSERT_TRUE(row_errors.contains(whole.error)) << whole.error;
    }
    arrow::ArrayVector encoded;
    for (const auto& column : columns) {
      encoded.push_back(DictionaryEncoded(*column));
    }
    const Result decoded = Evaluate(**evaluator, encoded, length);
    ASSERT_EQ(decoded.error, whole.error);
    ASSERT_EQ(decoded.values, whole.values);
    if (expression->type->id() == arrow::Type::BOOL && whole.error.empty()) {
      CheckFilter(expression, whole.values, columns, encoded);
    }
  }

  void CheckFilter(const ExprPtr& expression, const std::vector<std::string>& values,
                   const arrow::ArrayVector& columns,
                   const arrow::ArrayVector& encoded) const {
    Selection expected;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] == "true") {
        expected.push_back(static_cast<int32_t>(i));
      }
    }
    const auto filter =
        Filter::Make({expression}, *schema_, {.pool = arrow::default_memory_pool()});
    ASSERT_TRUE(filter.ok()) << filter.status();
    Selection selection;
    const auto length = static_cast<int64_t>(values.size());
    ASSERT_TRUE((*filter)->Select(columns, length, &selection).ok());
    ASSERT_EQ(selection, expected);
    ASSERT_TRUE((*filter)->Select(encoded, length, &selection).ok());
    ASSERT_EQ(selection, expected);
  }

  void CheckMany(uint64_t seed, int expressions, int64_t length, bool nulls) const {
    Random random(seed);
    Generator generator(&random);
    const arrow::ArrayVector columns = RandomColumns(random, 5, length, nulls);
    for (int i = 0; i < expressions; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", expression " + std::to_string(i));
      Check(generator.Expression(static_cast<int>(Pick(random, 1, 4))), columns, length);
      if (HasFatalFailure()) {
        return;
      }
    }
  }

  std::shared_ptr<arrow::Schema> schema_;
};

TEST_F(PropertyTest, ManyRowsAndOneRowAgreeWithNulls) {
  CheckMany(/*seed=*/1, /*expressions=*/300, /*length=*/40, /*nulls=*/true);
}

TEST_F(PropertyTest, ManyRowsAndOneRowAgreeWithoutNulls) {
  CheckMany(/*seed=*/2, /*expressions=*/300, /*length=*/40, /*nulls=*/false);
}

TEST_F(PropertyTest, AThousandRowsAndOneRowAgree) {
  CheckMany(/*seed=*/3, /*expressions=*/12, /*length=*/1000, /*nulls=*/true);
}

TEST_F(PropertyTest, ErrorsAreRareEnoughForRowsToMatter) {
  // One and two rows: most expressions have values there.
  CheckMany(/*seed=*/4, /*expressions=*/1500, /*length=*/2, /*nulls=*/true);
}

}  // namespace
}  // namespace wheelpit::exec
