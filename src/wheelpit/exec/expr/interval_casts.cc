// SPDX-License-Identifier: Apache-2.0
// Casts from and to intervals, but for their text.
#include <limits>

#include <arrow/type.h>

#include "wheelpit/exec/expr/cast_loop.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/plan/interval.h"

namespace wheelpit::exec::expr {

namespace {

using plan::IntervalField;

IntervalField LastField(const arrow::DataType& interval) {
  return plan::IntervalFieldsOf(interval)->last;
}

// Between fields of the same kind: what is smaller than the new last one is dropped.
template <typename T>
arrow::Status IntervalToInterval(const KernelCall& call,
                                 std::span<const Vector> arguments, int64_t count,
                                 Vector* out) {
  UnaryLoop<T>(arguments[0], count, MutableValues<T>(*out),
               [last = LastField(*call.expression.type)](T value) {
                 return static_cast<T>(plan::TruncateInterval(value, last));
               });
  return arrow::Status::OK();
}

// How many of its last field an interval is.
template <typename T, typename R>
arrow::Status IntervalToInteger(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  return CastLoop<T, R>(call, arguments[0], count, out,
                        [unit = plan::IntervalUnit(LastField(*arguments[0].type))](
                            T value, R* result) -> std::string_view {
                          const int64_t whole = value / unit;
                          *result = static_cast<R>(whole);
                          return *result == whole ? std::string_view() : kCastOverflow;
                        });
}

template <typename T>
arrow::Status IntervalToDecimal(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  const IntervalField last = LastField(*arguments[0].type);
  const bool seconds = last == IntervalField::kSecond;
  const int64_t unit = seconds ? 1 : plan::IntervalUnit(last);
  const plan::DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return CastLoop<T, DecimalWords>(
      call, arguments[0], count, out,
      [=](T value, DecimalWords* result) -> std::string_view {
        int128 rescaled = 0;
        const bool fits = Rescale(value / unit, seconds ? 6 : 0, to, &rescaled);
        *result = ToWords(rescaled);
        return fits ? std::string_view() : kOutOfRange;
      });
}

// So many of the last field; R is what holds the interval.
template <typename A, typename R>
arrow::Status IntegerToInterval(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  return CastLoop<A, R>(call, arguments[0], count, out,
                        [unit = plan::IntervalUnit(LastField(*call.expression.type))](
                            A value, R* result) -> std::string_view {
                          return __builtin_mul_overflow(value, unit, result)
                                     ? kCastOverflow
                                     : std::string_view();
                        });
}

template <typename R>
arrow::Status DecimalToInterval(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  const int64_t unit = plan::IntervalUnit(LastField(*call.expression.type));
  const int128 divisor = PowerOfTen(plan::DecimalShapeOf(*arguments[0].type).scale);
  return CastLoop<DecimalWords, R>(
      call, arguments[0], count, out,
      [unit, divisor](DecimalWords words, R* result) -> std::string_view {
        int128 product = 0;
        if (__builtin_mul_overflow(ToInt128(words), int128{unit}, &product)) {
          return kCastOverflow;
        }
        const int128 value = DivideHalfUp(product, divisor);
        *result = static_cast<R>(value);
        return *result == value ? std::string_view() : kCastOverflow;
      });
}

template <typename T>
KernelChoice FromInterval(TypeClass to) {
  switch (to) {
    case TypeClass::kInt8:
      return {&IntervalToInteger<T, int8_t>, true};
    case TypeClass::kInt16:
      return {&IntervalToInteger<T, int16_t>, true};
    case TypeClass::kInt32:
      return {&IntervalToInteger<T, int32_t>, true};
    case TypeClass::kInt64:
      return {&IntervalToInteger<T, int64_t>};
    case TypeClass::kDecimal:
      return {&IntervalToDecimal<T>, true};
    case TypeClass::kYearMonthInterval:
    case TypeClass::kDayTimeInterval:
      return {&IntervalToInterval<T>};
    default:
      return {};
  }
}

template <typename R>
KernelChoice ToInterval(TypeClass from) {
  switch (from) {
    case TypeClass::kInt8:
      return {&IntegerToInterval<int8_t, R>, true};
    case TypeClass::kInt16:
      return {&IntegerToInterval<int16_t, R>, true};
    case TypeClass::kInt32:
      return {&IntegerToInterval<int32_t, R>, true};
    case TypeClass::kInt64:
      return {&IntegerToInterval<int64_t, R>, true};
    case TypeClass::kDecimal:
      return {&DecimalToInterval<R>, true};
    default:
      return {};
  }
}

}  // namespace

KernelChoice IntervalCastKernel(const plan::Expr& cast) {
  const TypeClass from = plan::ClassOf(*cast.arguments[0]->type);
  const TypeClass to = plan::ClassOf(*cast.type);
  if (from == TypeClass::kYearMonthInterval) {
    return FromInterval<int32_t>(to);
  }
  if (from == TypeClass::kDayTimeInterval) {
    return FromInterval<int64_t>(to);
  }
  return to == TypeClass::kYearMonthInterval ? ToInterval<int32_t>(from)
         : to == TypeClass::kDayTimeInterval ? ToInterval<int64_t>(from)
                                             : KernelChoice{};
}

}  // namespace wheelpit::exec::expr
