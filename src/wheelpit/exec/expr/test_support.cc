// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/test_support.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec {

using plan::ExprKind;
using plan::ExprPtr;
using plan::Function;

namespace {

template <typename ScalarType, typename Value>
ExprPtr LiteralOf(Value value) {
  return plan::MakeLiteral(std::make_shared<ScalarType>(value));
}

// Literals become columns, but where a literal is asked for.
ExprPtr WithColumns(const ExprPtr& expression,
                    std::vector<std::shared_ptr<arrow::Scalar>>* literals) {
  if (expression->kind == ExprKind::kLiteral) {
    literals->push_back(expression->literal);
    const auto column = static_cast<int>(literals->size()) - 1;
    return plan::MakeColumn(column, "c" + std::to_string(column), expression->type, true);
  }
  auto copy = std::make_shared<plan::Expr>(*expression);
  for (size_t i = 0; i < copy->arguments.size(); ++i) {
    const bool stays = copy->kind == ExprKind::kCall &&
                       ((copy->function == Function::kRound && i == 1) ||
                        (copy->function == Function::kLike && i == 2));
    if (!stays) {
      copy->arguments[i] = WithColumns(copy->arguments[i], literals);
    }
  }
  return copy;
}

std::string Outcome(const arrow::Status& status) {
  const core::ErrorInfo info = core::InfoOf(status);
  return info.error_class.empty() ? std::string(core::ToString(info.kind))
                                  : info.error_class;
}

std::string Evaluated(const ExprPtr& expression, const arrow::Schema& schema,
                      const arrow::ArrayVector& columns, int64_t length,
                      const std::string& time_zone) {
  const auto evaluator =
      Evaluator::Make({expression}, schema,
                      {.pool = arrow::default_memory_pool(), .time_zone = time_zone});
  if (!evaluator.ok()) {
    return Outcome(evaluator.status());
  }
  const auto arrays = (*evaluator)->Evaluate(columns, length);
  if (!arrays.ok()) {
    return Outcome(arrays.status());
  }
  const arrow::Array& array = *(*arrays)[0];
  EXPECT_TRUE(array.ValidateFull().ok()) << array.ValidateFull();
  EXPECT_EQ(array.length(), length);
  EXPECT_TRUE(array.type()->Equals(*expression->type));
  const auto texts = TextsOf(array);
  for (const std::string& text : texts) {
    EXPECT_EQ(text, texts[0]) << plan::ToString(*expression);
  }
  return texts[0];
}

}  // namespace

ExprPtr Int(int32_t value) {
  return LiteralOf<arrow::Int32Scalar>(value);
}
ExprPtr Tiny(int8_t value) {
  return LiteralOf<arrow::Int8Scalar>(value);
}
ExprPtr Small(int16_t value) {
  return LiteralOf<arrow::Int16Scalar>(value);
}
ExprPtr Long(int64_t value) {
  return LiteralOf<arrow::Int64Scalar>(value);
}
ExprPtr Float(float value) {
  return LiteralOf<arrow::FloatScalar>(value);
}
ExprPtr Double(double value) {
  return LiteralOf<arrow::DoubleScalar>(value);
}
ExprPtr Bool(bool value) {
  return LiteralOf<arrow::BooleanScalar>(value);
}
ExprPtr Text(std::string value) {
  return LiteralOf<arrow::StringScalar>(std::move(value));
}
ExprPtr Binary(std::string value) {
  return LiteralOf<arrow::BinaryScalar>(std::move(value));
}

ExprPtr Dec(const std::string& text) {
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  EXPECT_TRUE(arrow::Decimal128::FromString(text, &value, &precision, &scale).ok());
  return Dec(text, std::max(precision, scale), scale);
}

ExprPtr Dec(const std::string& text, int precision, int scale) {
  arrow::Decimal128 value;
  int32_t parsed_precision = 0;
  int32_t parsed_scale = 0;
  EXPECT_TRUE(
      arrow::Decimal128::FromString(text, &value, &parsed_precision, &parsed_scale).ok());
  return plan::MakeLiteral(std::make_shared<arrow::Decimal128Scalar>(
      *value.Rescale(parsed_scale, scale), arrow::decimal128(precision, scale)));
}

ExprPtr Date(const std::string& text) {
  return LiteralOf<arrow::Date32Scalar>(*plan::ParseDate(text));
}

ExprPtr Timestamp(const std::string& utc) {
  return plan::MakeLiteral(std::make_shared<arrow::TimestampScalar>(
      plan::ParseTimestamp(utc)->local_micros, plan::TimestampType()));
}

ExprPtr TimestampNtz(const std::string& text) {
  return plan::MakeLiteral(std::make_shared<arrow::TimestampScalar>(
      plan::ParseTimestamp(text)->local_micros, plan::TimestampNtzType()));
}

ExprPtr Null(std::shared_ptr<arrow::DataType> type) {
  return plan::MakeLiteral(
      arrow::MakeNullScalar(type == nullptr ? arrow::null() : std::move(type)));
}

ExprPtr Call(Function function, std::vector<ExprPtr> arguments) {
  auto call = plan::MakeCall(function, std::move(arguments), {.offset = 3, .length = 5});
  EXPECT_TRUE(call.ok()) << call.status();
  return *call;
}

ExprPtr Cast(ExprPtr argument, std::shared_ptr<arrow::DataType> type) {
  auto cast = plan::MakeCast(std::move(argument), std::move(type), false, {});
  EXPECT_TRUE(cast.ok()) << cast.status();
  return *cast;
}

ExprPtr TryCast(ExprPtr argument, std::shared_ptr<arrow::DataType> type) {
  auto cast = plan::MakeCast(std::move(argument), std::move(type), true, {});
  EXPECT_TRUE(cast.ok()) << cast.status();
  return *cast;
}

std::string ValueOf(const ExprPtr& expression, const std::string& time_zone) {
  const std::string constant =
      Evaluated(expression, *arrow::schema({}), {}, 2, time_zone);
  std::vector<std::shared_ptr<arrow::Scalar>> literals;
  const ExprPtr over_columns = WithColumns(expression, &literals);
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const auto& literal : literals) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), literal->type));
    const auto builder = *arrow::MakeBuilder(literal->type);
    EXPECT_TRUE(builder->AppendNull().ok());
    EXPECT_TRUE(builder->AppendEmptyValue().ok());
    EXPECT_TRUE(
        (literal->is_valid ? builder->AppendScalar(*literal, 3) : builder->AppendNulls(3))
            .ok());
    EXPECT_TRUE(builder->AppendNull().ok());
    columns.push_back((*builder->Finish())->Slice(2, 3));
  }
  const std::string vectors =
      Evaluated(over_columns, *arrow::schema(fields), columns, 3, time_zone);
  EXPECT_EQ(constant, vectors) << plan::ToString(*expression);
  return vectors;
}

std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<std::string>& values) {
  const auto builder = *arrow::MakeBuilder(type);
  for (const std::string& value : values) {
    if (value == "NULL") {
      EXPECT_TRUE(builder->AppendNull().ok());
      continue;
    }
    if (type->id() == arrow::Type::DECIMAL128) {
      const auto shape = plan::DecimalShapeOf(*type);
      const ExprPtr literal = Dec(value, shape.precision, shape.scale);
      EXPECT_TRUE(builder->AppendScalar(*literal->literal).ok());
      continue;
    }
    const auto scalar = arrow::Scalar::Parse(type, value);
    EXPECT_TRUE(scalar.ok()) << scalar.status();
    EXPECT_TRUE(builder->AppendScalar(**scalar).ok());
  }
  return *builder->Finish();
}

std::vector<std::string> TextsOf(const arrow::Array& array) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < array.length(); ++i) {
    texts.push_back(plan::ValueText(**array.GetScalar(i)));
  }
  return texts;
}

}  // namespace wheelpit::exec
