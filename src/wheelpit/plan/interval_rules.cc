// SPDX-License-Identifier: Apache-2.0
// Types of + - * / div where an operand is an interval, or where the difference of two
// times is one. Spark decides by the pair of types, before any other coercion.
#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/plan/call_rules.h"
#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

constexpr IntervalFields kDays{IntervalField::kDay, IntervalField::kDay};
constexpr IntervalFields kDayToSecond{IntervalField::kDay, IntervalField::kSecond};
constexpr IntervalFields kYearToMonth{IntervalField::kYear, IntervalField::kMonth};

struct Operands {
  TypeClass left;
  TypeClass right;
};

Operands ClassesOf(const CallRule& call) {
  return {ClassOf(*call.arguments[0]->type), ClassOf(*call.arguments[1]->type)};
}

// interval + interval, interval - interval: with the fields of both. NULL takes the type
// of the other one.
arrow::Status AddIntervals(CallRule* call) {
  const auto common = CommonType(call->arguments[0]->type, call->arguments[1]->type);
  if (common == nullptr) {
    return call->Mismatch();
  }
  for (ExprPtr& argument : call->arguments) {
    argument = Coerce(argument, common);
  }
  call->type = common;
  return arrow::Status::OK();
}

arrow::Result<ExprPtr> Negated(const ExprPtr& interval, SourceRange range) {
  return MakeCall(Function::kNegate, {interval}, range);
}

// A date or time moved by an interval; the interval stands second.
arrow::Status MoveByInterval(CallRule* call) {
  ExprPtr& moved = call->arguments[0];
  ExprPtr& interval = call->arguments[1];
  const IntervalFields fields = *IntervalFieldsOf(*interval->type);
  const TypeClass c = ClassOf(*moved->type);
  if (fields == kDays && c == TypeClass::kDate) {
    // Whole days: int has room for all of an interval's.
    interval = Coerce(interval, arrow::int32());
    call->function =
        call->function == Function::kAdd ? Function::kDateAdd : Function::kDateSub;
    call->type = arrow::date32();
    return arrow::Status::OK();
  }
  if (call->function == Function::kSubtract) {
    ARROW_ASSIGN_OR_RAISE(interval, Negated(interval, interval->range));
  }
  if (fields.year_month()) {
    call->function = Function::kAddMonths;
    call->type = moved->type;
    return arrow::Status::OK();
  }
  call->function = Function::kAddTime;
  if (c == TypeClass::kDate) {
    moved = Coerce(moved, TimestampType());
  }
  call->type = moved->type;
  return arrow::Status::OK();
}

// Text moved by an interval of days is read as a time stamp and written again.
arrow::Status MoveText(CallRule* call) {
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr moved,
      MakeCall(call->function,
               {Coerce(call->arguments[0], TimestampType()), call->arguments[1]},
               call->range));
  call->replacement = Coerce(moved, arrow::utf8());
  return arrow::Status::OK();
}

arrow::Status ApplySum(CallRule* call, bool* done) {
  const auto [left, right] = ClassesOf(*call);
  *done = true;
  if (IsInterval(left) && IsInterval(right)) {
    return AddIntervals(call);
  }
  if (IsInterval(left) || IsInterval(right)) {
    if (left == TypeClass::kNull || right == TypeClass::kNull) {
      return AddIntervals(call);
    }
    if (IsInterval(left)) {
      if (call->function == Function::kSubtract) {
        return call->Mismatch();
      }
      std::swap(call->arguments[0], call->arguments[1]);
    }
    const TypeClass moved = ClassOf(*call->arguments[0]->type);
    if (moved == TypeClass::kString &&
        ClassOf(*call->arguments[1]->type) == TypeClass::kDayTimeInterval) {
      return MoveText(call);
    }
    return IsTemporal(moved) ? MoveByInterval(call) : call->Mismatch();
  }
  // A time and NULL: an interval that is not known.
  const bool known = IsTemporal(left);
  *done = call->function == Function::kAdd &&
          (known ? right : left) == TypeClass::kNull && IsTemporal(known ? left : right);
  if (*done) {
    const auto& type = call->arguments[known ? 0 : 1]->type;
    call->replacement =
        Coerce(call->arguments[known ? 1 : 0],
               ClassOf(*type) == TypeClass::kDate ? TimestampType() : type);
  }
  return arrow::Status::OK();
}

// The difference of two times, one of which may be text or NULL.
arrow::Status ApplyDifference(CallRule* call, bool* done) {
  const auto [left, right] = ClassesOf(*call);
  const auto may_be_time = [](TypeClass c) {
    return IsTemporal(c) || c == TypeClass::kString || c == TypeClass::kNull;
  };
  *done = (IsTemporal(left) && may_be_time(right)) ||
          (IsTemporal(right) && may_be_time(left));
  if (!*done) {
    return arrow::Status::OK();
  }
  const TypeClass times[] = {left, right};
  const bool dates = std::none_of(std::begin(times), std::end(times), [](TypeClass c) {
    return c == TypeClass::kTimestamp || c == TypeClass::kTimestampNtz;
  });
  const bool local = std::all_of(std::begin(times), std::end(times), [](TypeClass c) {
    return c != TypeClass::kTimestamp && c != TypeClass::kDate;
  });
  const auto type = dates   ? arrow::date32()
                    : local ? TimestampNtzType()
                            : TimestampType();
  for (ExprPtr& argument : call->arguments) {
    argument = Coerce(argument, type);
  }
  call->function = dates ? Function::kDaysBetween : Function::kTimeBetween;
  call->type = IntervalType(dates ? kDays : kDayToSecond);
  return arrow::Status::OK();
}

// interval * number, number * interval, interval / number.
arrow::Status ApplyScaling(CallRule* call) {
  if (call->function == Function::kMultiply &&
      !IsInterval(ClassOf(*call->arguments[0]->type))) {
    std::swap(call->arguments[0], call->arguments[1]);
  }
  const TypeClass interval = ClassOf(*call->arguments[0]->type);
  ExprPtr& number = call->arguments[1];
  const TypeClass c = ClassOf(*number->type);
  if (!IsInterval(interval) ||
      (!IsNumeric(c) && c != TypeClass::kString && c != TypeClass::kNull)) {
    return call->Mismatch();
  }
  if (c != TypeClass::kDecimal) {
    number = Coerce(number, IsIntegral(c) ? arrow::int64() : arrow::float64());
  }
  call->type = IntervalType(interval == TypeClass::kYearMonthInterval ? kYearToMonth
                                                                      : kDayToSecond);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ApplyIntervalArithmetic(CallRule* call, bool* done) {
  const auto [left, right] = ClassesOf(*call);
  const bool any = IsInterval(left) || IsInterval(right);
  *done = any;
  switch (call->function) {
    case Function::kAdd:
      return ApplySum(call, done);
    case Function::kSubtract:
      return any ? ApplySum(call, done) : ApplyDifference(call, done);
    case Function::kMultiply:
    case Function::kDivide:
      return any ? ApplyScaling(call) : arrow::Status::OK();
    case Function::kIntegralDivide:
      if (any) {
        ARROW_RETURN_NOT_OK(AddIntervals(call));
        call->type = arrow::int64();
      }
      return arrow::Status::OK();
    default:
      return any ? call->Mismatch() : arrow::Status::OK();
  }
}

}  // namespace wheelpit::plan
