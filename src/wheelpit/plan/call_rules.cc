// SPDX-License-Identifier: Apache-2.0
// MakeCall and MakeCast.
#include "wheelpit/plan/call_rules.h"

#include <algorithm>
#include <limits>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/literal_cast.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

ExprPtr CastNode(ExprPtr argument, std::shared_ptr<arrow::DataType> type, bool try_cast,
                 SourceRange range) {
  auto cast = std::make_shared<Expr>();
  cast->kind = ExprKind::kCast;
  cast->type = std::move(type);
  // NaN and the infinities are null as decimals.
  cast->nullable = argument->nullable || try_cast ||
                   (IsFloating(ClassOf(*argument->type)) &&
                    ClassOf(*cast->type) == TypeClass::kDecimal);
  cast->try_cast = try_cast;
  cast->range = range;
  cast->arguments.push_back(std::move(argument));
  return cast;
}

struct Arity {
  size_t min;
  size_t max;
};

Arity ArityOf(Function function) {
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  switch (function) {
    case Function::kNegate:
    case Function::kBitNot:
    case Function::kNot:
    case Function::kIsNull:
    case Function::kIsNotNull:
    case Function::kIsNaN:
    case Function::kUpper:
    case Function::kLower:
    case Function::kLength:
    case Function::kAbs:
    case Function::kSqrt:
    case Function::kYear:
    case Function::kMonth:
    case Function::kDay:
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
    case Function::kSecondFraction:
      return {1, 1};
    case Function::kFloor:
    case Function::kCeil:
    case Function::kRound:
    case Function::kTrim:
    case Function::kLeftTrim:
    case Function::kRightTrim:
      return {1, 2};
    case Function::kSubstring:
    case Function::kLike:
      return {2, 3};
    case Function::kIn:
    case Function::kCase:
      return {2, kAny};
    case Function::kCoalesce:
      return {1, kAny};
    case Function::kConcat:
      return {0, kAny};
    default:
      return {2, 2};
  }
}

arrow::Status CheckArity(const CallRule& call) {
  const Arity arity = ArityOf(call.function);
  const size_t count = call.arguments.size();
  if (count >= arity.min && count <= arity.max) {
    return arrow::Status::OK();
  }
  const std::string wanted =
      arity.min == arity.max ? std::to_string(arity.min)
      : arity.max - arity.min < 4
          ? std::to_string(arity.min) + " or " + std::to_string(arity.max)
          : "at least " + std::to_string(arity.min);
  return SqlError("WRONG_NUM_ARGS", call.range,
                  std::string(FunctionName(call.function)) + " takes " + wanted +
                      (wanted == "1" ? " argument, " : " arguments, ") +
                      std::to_string(count) + " given");
}

// The argument as `type` by the rules for a function's parameters; refused when no
// implicit cast leads there.
arrow::Status CoerceParameter(CallRule* call, size_t index,
                              const std::shared_ptr<arrow::DataType>& type) {
  ExprPtr& argument = call->arguments[index];
  const TypeClass from = ClassOf(*argument->type);
  const TypeClass to = ClassOf(*type);
  bool allowed = from == to || from == TypeClass::kNull || from == TypeClass::kString;
  if (to == TypeClass::kString) {
    allowed = from != TypeClass::kOther;
  } else if (IsNumeric(to)) {
    allowed |= IsNumeric(from);
  } else if (IsTemporal(to)) {
    allowed |= IsTemporal(from);
  }
  if (!allowed) {
    return call->Mismatch();
  }
  argument = Coerce(argument, type);
  return arrow::Status::OK();
}

arrow::Status CoerceParameters(CallRule* call,
                               const std::shared_ptr<arrow::DataType>& type) {
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    ARROW_RETURN_NOT_OK(CoerceParameter(call, i, type));
  }
  return arrow::Status::OK();
}

// A parameter of any numeric type: text and NULL become double.
arrow::Status CoerceNumber(CallRule* call, size_t index) {
  if (IsNumeric(ClassOf(*call->arguments[index]->type))) {
    return arrow::Status::OK();
  }
  return CoerceParameter(call, index, arrow::float64());
}

ExprPtr NegatedLiteral(const Expr& literal, SourceRange range) {
  const arrow::Scalar& value = *literal.literal;
  if (!value.is_valid) {
    return nullptr;
  }
  std::shared_ptr<arrow::Scalar> negated;
  int64_t integral = 0;
  if (IntegralValue(value, &integral)) {
    // The least value has no positive counterpart; that overflow is for run time.
    if (integral != std::numeric_limits<int64_t>::min()) {
      negated = CastLiteral(arrow::Int64Scalar(-integral), value.type);
    }
  } else if (ClassOf(*value.type) == TypeClass::kDouble) {
    negated = std::make_shared<arrow::DoubleScalar>(
        -static_cast<const arrow::DoubleScalar&>(value).value);
  } else if (ClassOf(*value.type) == TypeClass::kFloat) {
    negated = std::make_shared<arrow::FloatScalar>(
        -static_cast<const arrow::FloatScalar&>(value).value);
  } else if (IsInterval(ClassOf(*value.type))) {
    const int64_t count = IntervalValueOf(value);
    const bool months = ClassOf(*value.type) == TypeClass::kYearMonthInterval;
    if (count != (months ? std::numeric_limits<int32_t>::min()
                         : std::numeric_limits<int64_t>::min())) {
      negated = MakeIntervalScalar(-count, value.type);
    }
  } else if (ClassOf(*value.type) == TypeClass::kDecimal) {
    negated = std::make_shared<arrow::Decimal128Scalar>(
        -static_cast<const arrow::Decimal128Scalar&>(value).value, value.type);
  }
  return negated == nullptr ? nullptr : MakeLiteral(std::move(negated), range);
}

// All arguments are brought to the type that they have in common.
arrow::Status ApplyCommon(CallRule* call) {
  std::shared_ptr<arrow::DataType> common = arrow::null();
  for (const ExprPtr& argument : call->arguments) {
    common = CommonType(common, argument->type);
    if (common == nullptr) {
      return call->Mismatch();
    }
  }
  for (ExprPtr& argument : call->arguments) {
    argument = Coerce(argument, common);
  }
  call->type = std::move(common);
  return arrow::Status::OK();
}

arrow::Status ApplyIn(CallRule* call) {
  ARROW_RETURN_NOT_OK(ApplyCommon(call));
  if (ClassOf(*call->type) == TypeClass::kOther) {
    return call->Mismatch();
  }
  call->type = arrow::boolean();
  return arrow::Status::OK();
}

arrow::Status ApplyCase(CallRule* call) {
  std::vector<ExprPtr>& arguments = call->arguments;
  const size_t pairs = arguments.size() / 2;
  std::vector<ExprPtr> values;
  for (size_t i = 0; i < pairs; ++i) {
    if (ClassOf(*arguments[2 * i]->type) != TypeClass::kBoolean) {
      return SqlError("DATATYPE_MISMATCH", arguments[2 * i]->range,
                      "a condition of CASE must be boolean, not " +
                          TypeName(*arguments[2 * i]->type));
    }
    values.push_back(arguments[2 * i + 1]);
  }
  const bool has_else = arguments.size() % 2 == 1;
  if (has_else) {
    values.push_back(arguments.back());
  }
  CallRule joined{.function = call->function,
                  .arguments = std::move(values),
                  .range = call->range,
                  .type = nullptr};
  ARROW_RETURN_NOT_OK(ApplyCommon(&joined));
  for (size_t i = 0; i < pairs; ++i) {
    arguments[2 * i + 1] = joined.arguments[i];
  }
  if (has_else) {
    arguments.back() = joined.arguments.back();
  }
  call->type = joined.type;
  call->nullable = !has_else;
  return arrow::Status::OK();
}

arrow::Status ApplyLogic(CallRule* call) {
  bool any_boolean = false;
  bool any_text = false;
  for (const ExprPtr& argument : call->arguments) {
    const TypeClass c = ClassOf(*argument->type);
    any_boolean |= c == TypeClass::kBoolean;
    any_text |= c == TypeClass::kString;
    if (c != TypeClass::kBoolean && c != TypeClass::kString && c != TypeClass::kNull) {
      return call->Mismatch();
    }
  }
  // Text becomes boolean beside a boolean, or as the one argument of NOT.
  if (any_text && !any_boolean && call->arguments.size() > 1) {
    return call->Mismatch();
  }
  for (ExprPtr& argument : call->arguments) {
    argument = Coerce(argument, arrow::boolean());
  }
  call->type = arrow::boolean();
  return arrow::Status::OK();
}

// - ~ abs: the result is of the argument's type.
arrow::Status ApplySameType(CallRule* call) {
  ExprPtr& argument = call->arguments[0];
  if (call->function != Function::kBitNot && IsInterval(ClassOf(*argument->type))) {
    call->type = argument->type;
    return arrow::Status::OK();
  }
  if (call->function != Function::kBitNot) {
    ARROW_RETURN_NOT_OK(CoerceNumber(call, 0));
  } else if (ClassOf(*argument->type) == TypeClass::kNull) {
    argument = Coerce(argument, arrow::int32());
  }
  call->type = argument->type;
  if (call->function == Function::kBitNot && !IsIntegral(ClassOf(*call->type))) {
    return call->Mismatch();
  }
  return arrow::Status::OK();
}

// The decimal that holds any number of the shape, rounded to so many digits.
std::shared_ptr<arrow::DataType> RoundedType(DecimalShape shape, int32_t digits) {
  const int integral_digits = shape.precision - shape.scale + 1;
  if (digits < 0) {
    const int needed = digits < -kDecimalPrecisionMax ? kDecimalPrecisionMax : 1 - digits;
    return DecimalType(
        {std::min(std::max(integral_digits, needed), kDecimalPrecisionMax), 0});
  }
  const int scale = std::min(digits, shape.scale);
  return DecimalType({std::min(integral_digits + scale, kDecimalPrecisionMax), scale});
}

arrow::Status ApplyRound(CallRule* call) {
  ARROW_RETURN_NOT_OK(CoerceNumber(call, 0));
  const ExprPtr value = call->arguments[0];
  if (call->arguments.size() == 1) {
    call->arguments.push_back(MakeLiteral(std::make_shared<arrow::Int32Scalar>(0)));
  }
  ARROW_RETURN_NOT_OK(CoerceParameter(call, 1, arrow::int32()));
  const Expr& digits = *call->arguments[1];
  if (digits.kind != ExprKind::kLiteral) {
    return SqlError("DATATYPE_MISMATCH", call->range,
                    "the number of digits of round must be a constant");
  }
  call->type = value->type;
  if (ClassOf(*value->type) != TypeClass::kDecimal) {
    return arrow::Status::OK();
  }
  const int32_t wanted =
      digits.literal->is_valid
          ? static_cast<const arrow::Int32Scalar&>(*digits.literal).value
          : 0;
  call->type = RoundedType(DecimalShapeOf(*value->type), wanted);
  return arrow::Status::OK();
}

// floor and ceil to a number of digits give decimals, whatever the number is.
arrow::Status ApplyScaledFloor(CallRule* call) {
  const Expr& digits = *call->arguments[1];
  if (digits.kind != ExprKind::kLiteral || !digits.literal->is_valid ||
      ClassOf(*digits.type) != TypeClass::kInt32) {
    return SqlError("NON_FOLDABLE_ARGUMENT", digits.range,
                    "the number of digits of " +
                        std::string(FunctionName(call->function)) +
                        " must be a constant of type int");
  }
  ExprPtr& value = call->arguments[0];
  const TypeClass c = ClassOf(*value->type);
  if (!IsNumeric(c) && c != TypeClass::kString && c != TypeClass::kNull) {
    return call->Mismatch();
  }
  // The shapes that Spark gives to numbers which are not decimals.
  const DecimalShape shape = c == TypeClass::kFloat    ? DecimalShape{14, 7}
                             : c == TypeClass::kDouble ? DecimalShape{30, 15}
                             : IsNumeric(c)            ? DecimalShapeOf(*value->type)
                                                       : DecimalShape{38, 18};
  value = Coerce(value, DecimalType(shape));
  call->type =
      RoundedType(shape, static_cast<const arrow::Int32Scalar&>(*digits.literal).value);
  return arrow::Status::OK();
}

arrow::Status ApplyFloor(CallRule* call) {
  if (call->arguments.size() == 2) {
    return ApplyScaledFloor(call);
  }
  ARROW_RETURN_NOT_OK(CoerceNumber(call, 0));
  ExprPtr& value = call->arguments[0];
  const TypeClass c = ClassOf(*value->type);
  call->type = arrow::int64();
  if (c == TypeClass::kDecimal) {
    const DecimalShape shape = DecimalShapeOf(*value->type);
    const int digits = shape.precision - shape.scale + (shape.scale == 0 ? 0 : 1);
    call->type = DecimalType({std::min(digits, kDecimalPrecisionMax), 0});
  } else {
    value = Coerce(value, IsIntegral(c) ? arrow::int64() : arrow::float64());
  }
  return arrow::Status::OK();
}

arrow::Status ApplyText(CallRule* call) {
  std::vector<ExprPtr>& arguments = call->arguments;
  const auto is_binary = [](const ExprPtr& argument) {
    return ClassOf(*argument->type) == TypeClass::kBinary;
  };
  switch (call->function) {
    case Function::kLength:
      call->type = arrow::int32();
      return is_binary(arguments[0]) ? arrow::Status::OK()
                                     : CoerceParameter(call, 0, arrow::utf8());
    case Function::kSubstring:
      if (!is_binary(arguments[0])) {
        ARROW_RETURN_NOT_OK(CoerceParameter(call, 0, arrow::utf8()));
      }
      if (arguments.size() == 2) {
        arguments.push_back(MakeLiteral(
            std::make_shared<arrow::Int32Scalar>(std::numeric_limits<int32_t>::max())));
      }
      ARROW_RETURN_NOT_OK(CoerceParameter(call, 1, arrow::int32()));
      ARROW_RETURN_NOT_OK(CoerceParameter(call, 2, arrow::int32()));
      call->type = arguments[0]->type;
      return arrow::Status::OK();
    case Function::kConcat:
    case Function::kStartsWith:
    case Function::kEndsWith:
    case Function::kContains:
      if (arguments.empty() ||
          !std::all_of(arguments.begin(), arguments.end(), is_binary)) {
        ARROW_RETURN_NOT_OK(CoerceParameters(call, arrow::utf8()));
      }
      call->type = call->function != Function::kConcat ? arrow::boolean()
                   : arguments.empty()                 ? arrow::utf8()
                                                       : arguments[0]->type;
      return arrow::Status::OK();
    default:
      ARROW_RETURN_NOT_OK(CoerceParameters(call, arrow::utf8()));
      call->type = call->function == Function::kLike || call->function == Function::kRLike
                       ? arrow::boolean()
                       : arrow::utf8();
      return arrow::Status::OK();
  }
}

arrow::Status CheckLike(const CallRule& call) {
  if (call.arguments.size() < 3) {
    return arrow::Status::OK();
  }
  const Expr& escape = *call.arguments[2];
  if (escape.kind == ExprKind::kLiteral && escape.literal->is_valid) {
    const std::string text = ValueText(*escape.literal);
    const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    if (characters == 1) {
      return arrow::Status::OK();
    }
  }
  return SqlError("INVALID_ESCAPE_CHAR", escape.range,
                  "the escape of LIKE must be one character in quotes");
}

arrow::Status ApplyTemporal(CallRule* call) {
  call->type = arrow::int32();
  switch (call->function) {
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
    case Function::kSecondFraction: {
      if (call->function == Function::kSecondFraction) {
        call->type = DecimalType({8, 6});
      }
      const TypeClass c = ClassOf(*call->arguments[0]->type);
      return c == TypeClass::kTimestampNtz ? arrow::Status::OK()
                                           : CoerceParameter(call, 0, TimestampType());
    }
    case Function::kDateAdd:
    case Function::kDateSub: {
      call->type = arrow::date32();
      const TypeClass days = ClassOf(*call->arguments[1]->type);
      if (IsNumeric(days) && (!IsIntegral(days) || days == TypeClass::kInt64)) {
        return call->Mismatch();
      }
      ARROW_RETURN_NOT_OK(CoerceParameter(call, 0, arrow::date32()));
      return CoerceParameter(call, 1, arrow::int32());
    }
    default:
      return CoerceParameters(call, arrow::date32());
  }
}

arrow::Status ApplyRule(CallRule* call) {
  if (call->function >= Function::kAddMonths) {
    return call->Mismatch();  // made of + and - only
  }
  switch (call->function) {
    case Function::kAdd:
    case Function::kSubtract:
    case Function::kMultiply:
    case Function::kDivide:
    case Function::kIntegralDivide:
    case Function::kRemainder:
    case Function::kBitAnd:
    case Function::kBitOr:
    case Function::kBitXor:
      return ApplyArithmetic(call);
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
    case Function::kNullSafeEqual:
      return ApplyComparison(call);
    case Function::kAnd:
    case Function::kOr:
    case Function::kNot:
      return ApplyLogic(call);
    case Function::kIsNull:
    case Function::kIsNotNull:
      call->type = arrow::boolean();
      return arrow::Status::OK();
    case Function::kIsNaN:
      call->type = arrow::boolean();
      return ClassOf(*call->arguments[0]->type) == TypeClass::kFloat
                 ? arrow::Status::OK()
                 : CoerceParameter(call, 0, arrow::float64());
    case Function::kIn:
      return ApplyIn(call);
    case Function::kCase:
      return ApplyCase(call);
    case Function::kCoalesce:
      return ApplyCommon(call);
    case Function::kNegate:
    case Function::kAbs:
    case Function::kBitNot:
      return ApplySameType(call);
    case Function::kFloor:
    case Function::kCeil:
      return ApplyFloor(call);
    case Function::kRound:
      return ApplyRound(call);
    case Function::kSqrt:
      call->type = arrow::float64();
      return CoerceParameter(call, 0, arrow::float64());
    case Function::kYear:
    case Function::kMonth:
    case Function::kDay:
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
    case Function::kSecondFraction:
    case Function::kDateAdd:
    case Function::kDateSub:
    case Function::kDateDiff:
      return ApplyTemporal(call);
    default:
      ARROW_RETURN_NOT_OK(ApplyText(call));
      return call->function == Function::kLike ? CheckLike(*call) : arrow::Status::OK();
  }
}

bool IsNullable(const CallRule& call) {
  const auto nullable = [](const ExprPtr& argument) { return argument->nullable; };
  switch (call.function) {
    case Function::kIsNull:
    case Function::kIsNotNull:
    case Function::kIsNaN:
    case Function::kNullSafeEqual:
      return false;
    case Function::kCoalesce:
      return std::all_of(call.arguments.begin(), call.arguments.end(), nullable);
    case Function::kCase:
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        const bool is_value = i % 2 == 1 || i + 1 == call.arguments.size();
        if (is_value && call.arguments[i]->nullable) {
          return true;
        }
      }
      return call.nullable;
    default:
      return call.nullable ||
             std::any_of(call.arguments.begin(), call.arguments.end(), nullable);
  }
}

// nullif(a, b) is CASE WHEN a = b THEN NULL ELSE a END, with the types of that.
arrow::Result<ExprPtr> MakeNullIf(std::vector<ExprPtr> arguments, SourceRange range) {
  const ExprPtr value = arguments[0];
  ARROW_ASSIGN_OR_RAISE(ExprPtr equal,
                        MakeCall(Function::kEqual, std::move(arguments), range));
  return MakeCall(
      Function::kCase,
      {std::move(equal), MakeLiteral(arrow::MakeNullScalar(value->type)), value}, range);
}

}  // namespace

arrow::Status SqlError(std::string_view error_class, SourceRange range,
                       std::string message) {
  return core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                           .error_class = std::string(error_class),
                           .sql_offset = range.offset,
                           .sql_length = range.length},
                          std::move(message));
}

arrow::Status CallRule::Mismatch() const {
  constexpr size_t kShownMax = 8;
  std::string types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i == kShownMax) {
      types += ", …";
      break;
    }
    types += i == 0 ? "" : i + 1 == arguments.size() ? " and " : ", ";
    types += TypeName(*arguments[i]->type);
  }
  return SqlError("DATATYPE_MISMATCH", range,
                  std::string(FunctionName(function)) + " does not take " + types +
                      "; cast to types that fit");
}

ExprPtr Coerce(const ExprPtr& argument, const std::shared_ptr<arrow::DataType>& type) {
  if (argument->type->Equals(*type)) {
    return argument;
  }
  if (argument->kind == ExprKind::kLiteral) {
    if (auto value = CastLiteral(*argument->literal, type)) {
      return MakeLiteral(std::move(value), argument->range);
    }
  }
  return CastNode(argument, type, /*try_cast=*/false, argument->range);
}

arrow::Result<ExprPtr> MakeCall(Function function, std::vector<ExprPtr> arguments,
                                SourceRange range) {
  CallRule rule{.function = function,
                .arguments = std::move(arguments),
                .range = range,
                .type = nullptr};
  ARROW_RETURN_NOT_OK(CheckArity(rule));
  if (function == Function::kNullIf) {
    return MakeNullIf(std::move(rule.arguments), range);
  }
  if (function == Function::kNegate && rule.arguments[0]->kind == ExprKind::kLiteral) {
    if (ExprPtr negated = NegatedLiteral(*rule.arguments[0], range)) {
      return negated;
    }
  }
  ARROW_RETURN_NOT_OK(ApplyRule(&rule));
  if (rule.replacement != nullptr) {
    return rule.replacement;
  }
  auto call = std::make_shared<Expr>();
  call->kind = ExprKind::kCall;
  call->nullable = IsNullable(rule);
  call->function = rule.function;
  call->type = std::move(rule.type);
  call->arguments = std::move(rule.arguments);
  call->range = range;
  return call;
}

arrow::Result<ExprPtr> MakeCast(ExprPtr argument, std::shared_ptr<arrow::DataType> type,
                                bool try_cast, SourceRange range) {
  if (argument->type->Equals(*type)) {
    return argument;
  }
  if (!CastAllowed(ClassOf(*argument->type), ClassOf(*type))) {
    return SqlError(
        "DATATYPE_MISMATCH", range,
        "cannot cast " + TypeName(*argument->type) + " to " + TypeName(*type));
  }
  if (argument->kind == ExprKind::kLiteral) {
    if (auto value = CastLiteral(*argument->literal, type)) {
      return MakeLiteral(std::move(value), range);
    }
  }
  return CastNode(std::move(argument), std::move(type), try_cast, range);
}

}  // namespace wheelpit::plan
