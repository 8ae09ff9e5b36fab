// SPDX-License-Identifier: Apache-2.0
// Arithmetic on intervals, and of times with them.
#include <cmath>
#include <limits>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;
using plan::kMicrosPerDay;

constexpr std::string_view kIntervalOverflow = "INTERVAL_ARITHMETIC_OVERFLOW";
constexpr std::string_view kOverflow = "ARITHMETIC_OVERFLOW";
constexpr std::string_view kIntervalByZero = "INTERVAL_DIVIDED_BY_ZERO";
constexpr std::string_view kByZero = "DIVIDE_BY_ZERO";

arrow::Status Failure(const KernelCall& call, std::string_view error_class) {
  const bool by_zero = error_class == kIntervalByZero || error_class == kByZero;
  return DataError(call.expression, error_class,
                   by_zero
                       ? "division by zero"
                       : "the result exceeds " + plan::TypeName(*call.expression.type));
}

// For each valid row: `compute(a, b, result)` gives an error class, empty when done.
template <typename A, typename B, typename R, typename Compute>
arrow::Status Rows2(const KernelCall& call, std::span<const Vector> arguments,
                    int64_t count, Vector* out, Compute compute) {
  R* values = MutableValues<R>(*out);
  const A* left = arguments[0].Values<A>();
  const B* right = arguments[1].Values<B>();
  for (int64_t i = 0; i < count; ++i) {
    values[i] = R{};
    if (!out->IsValid(i)) {
      continue;
    }
    const std::string_view failed =
        compute(left[arguments[0].At(i)], right[arguments[1].At(i)], &values[i]);
    if (!failed.empty()) [[unlikely]] {
      return Failure(call, failed);
    }
  }
  return arrow::Status::OK();
}

template <typename T, bool kAdd>
arrow::Status AddIntervals(const KernelCall& call, std::span<const Vector> arguments,
                           int64_t count, Vector* out) {
  return Rows2<T, T, T>(
      call, arguments, count, out, [](T a, T b, T* sum) -> std::string_view {
        const bool overflow =
            kAdd ? __builtin_add_overflow(a, b, sum) : __builtin_sub_overflow(a, b, sum);
        return overflow ? kIntervalOverflow : std::string_view();
      });
}

template <typename T>
arrow::Status DivideIntervals(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  return Rows2<T, T, int64_t>(
      call, arguments, count, out,
      [](int64_t a, int64_t b, int64_t* quotient) -> std::string_view {
        if (b == 0) {
          return kByZero;
        }
        if (a == std::numeric_limits<int64_t>::min() && b == -1) {
          return kOverflow;
        }
        *quotient = a / b;
        return {};
      });
}

// - and abs: the least value has no positive counterpart.
template <typename T, bool kAbs>
arrow::Status NegateInterval(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  T* values = MutableValues<T>(*out);
  const T* from = arguments[0].Values<T>();
  for (int64_t i = 0; i < count; ++i) {
    const bool keep = kAbs && from[i] >= 0;
    if (!keep && from[i] == std::numeric_limits<T>::min()) {
      if (out->IsValid(i)) {
        return Failure(call, kAbs ? kOverflow : kIntervalOverflow);
      }
      values[i] = 0;
      continue;
    }
    values[i] = keep ? from[i] : static_cast<T>(-from[i]);
  }
  return arrow::Status::OK();
}

// An interval times or over a number, rounded half away from zero.
struct Scaling {
  bool multiply;
  int128 scale_unit;  // of a decimal: 10^scale

  bool Exact(int128 interval, int128 number, int128* result) const {
    int128 dividend = 0;
    const bool overflow =
        __builtin_mul_overflow(interval, multiply ? number : scale_unit, &dividend);
    const int128 divisor = multiply ? scale_unit : number;
    *result = overflow ? 0 : divisor == 1 ? dividend : DivideHalfUp(dividend, divisor);
    return !overflow;
  }
  bool Apply(int128 interval, int64_t number, int128* result) const {
    return Exact(interval, number, result);
  }
  bool Apply(int128 interval, DecimalWords number, int128* result) const {
    return Exact(interval, ToInt128(number), result);
  }
  bool Apply(int128 interval, double number, int128* result) const {
    const double value = std::round(multiply ? static_cast<double>(interval) * number
                                             : static_cast<double>(interval) / number);
    constexpr double kBound = 9223372036854775808.0;
    const bool fits = value >= -kBound && value < kBound;  // not NaN
    *result = fits ? static_cast<int64_t>(value) : 0;
    return fits;
  }
};

bool IsZero(int64_t number) {
  return number == 0;
}
bool IsZero(double number) {
  return number == 0;
}
bool IsZero(DecimalWords number) {
  return number.low == 0 && number.high == 0;
}

template <typename T, typename N>
arrow::Status ScaleInterval(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const Scaling scaling{
      .multiply = call.expression.function == Function::kMultiply,
      .scale_unit = PowerOfTen(arguments[1].type_class == TypeClass::kDecimal
                                   ? plan::DecimalShapeOf(*arguments[1].type).scale
                                   : 0)};
  return Rows2<T, N, T>(call, arguments, count, out,
                        [&scaling](T interval, N number, T* value) -> std::string_view {
                          if (!scaling.multiply && IsZero(number)) {
                            return kIntervalByZero;
                          }
                          int128 result = 0;
                          const bool good = scaling.Apply(interval, number, &result);
                          *value = static_cast<T>(result);
                          return good && *value == result ? std::string_view()
                                                          : kIntervalOverflow;
                        });
}

arrow::Status AddMonthsToDate(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  return Rows2<int32_t, int32_t, int32_t>(
      call, arguments, count, out,
      [](int32_t days, int32_t months, int32_t* moved) -> std::string_view {
        const auto result = plan::AddMonths(days, months);
        *moved = static_cast<int32_t>(result.value_or(0));
        return result ? std::string_view() : kOverflow;
      });
}

const index::TimeZone& ZoneOf(const KernelCall& call, const Vector& time) {
  return time.type_class == TypeClass::kTimestamp ? call.zone : index::TimeZone::Utc();
}

// What clocks show is moved; where it is there twice, the offset is kept.
arrow::Status AddMonthsToTime(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  const index::TimeZone& zone = ZoneOf(call, arguments[0]);
  return Rows2<int64_t, int32_t, int64_t>(
      call, arguments, count, out,
      [&zone, clock = index::LocalClock(zone)](
          int64_t micros, int32_t months, int64_t* moved) mutable -> std::string_view {
        const int64_t local = clock.ToLocal(micros);
        const int64_t days = plan::FloorDivide(local, kMicrosPerDay);
        const auto new_days = plan::AddMonths(days, months);
        int64_t new_local = 0;
        if (!new_days || __builtin_mul_overflow(*new_days, kMicrosPerDay, &new_local) ||
            __builtin_add_overflow(new_local, local - days * kMicrosPerDay, &new_local)) {
          return kOverflow;
        }
        const auto instant = zone.ToInstant(new_local, clock.OffsetAt(micros));
        *moved = instant.value_or(0);
        return instant ? std::string_view() : kOverflow;
      });
}

// Whole days by the calendar, the rest by the clock.
arrow::Status AddTime(const KernelCall& call, std::span<const Vector> arguments,
                      int64_t count, Vector* out) {
  const index::TimeZone& zone = ZoneOf(call, arguments[0]);
  return Rows2<int64_t, int64_t, int64_t>(
      call, arguments, count, out,
      [&zone, clock = index::LocalClock(zone)](
          int64_t micros, int64_t interval, int64_t* moved) mutable -> std::string_view {
        const int64_t rest = interval % kMicrosPerDay;
        int64_t instant = micros;
        if (interval != rest) {
          int64_t local = 0;
          if (__builtin_add_overflow(clock.ToLocal(micros), interval - rest, &local)) {
            return kOverflow;
          }
          const auto start = zone.ToInstant(local, clock.OffsetAt(micros));
          if (!start) {
            return kOverflow;
          }
          instant = *start;
        }
        return __builtin_add_overflow(instant, rest, moved) ? kOverflow
                                                            : std::string_view();
      });
}

arrow::Status DaysBetween(const KernelCall& call, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  return Rows2<int32_t, int32_t, int64_t>(
      call, arguments, count, out,
      [](int64_t end, int64_t start, int64_t* interval) -> std::string_view {
        return __builtin_mul_overflow(end - start, kMicrosPerDay, interval)
                   ? kOverflow
                   : std::string_view();
      });
}

arrow::Status TimeBetween(const KernelCall& call, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  return Rows2<int64_t, int64_t, int64_t>(
      call, arguments, count, out,
      [end_clock = ClockOf(call, arguments[0]),
       start_clock = ClockOf(call, arguments[1])](
          int64_t end, int64_t start, int64_t* interval) mutable -> std::string_view {
        return __builtin_sub_overflow(end_clock.ToLocal(end), start_clock.ToLocal(start),
                                      interval)
                   ? kOverflow
                   : std::string_view();
      });
}

template <typename T>
KernelChoice OfNumber(TypeClass number) {
  switch (number) {
    case TypeClass::kInt64:
      return {&ScaleInterval<T, int64_t>, true};
    case TypeClass::kDecimal:
      return {&ScaleInterval<T, DecimalWords>, true};
    case TypeClass::kDouble:
      return {&ScaleInterval<T, double>, true};
    default:
      return {};
  }
}

template <typename T>
KernelChoice OfInterval(const plan::Expr& call) {
  switch (call.function) {
    case Function::kAdd:
      return {&AddIntervals<T, true>, true};
    case Function::kSubtract:
      return {&AddIntervals<T, false>, true};
    case Function::kIntegralDivide:
      return {&DivideIntervals<T>, true};
    case Function::kNegate:
      return {&NegateInterval<T, false>, true};
    case Function::kAbs:
      return {&NegateInterval<T, true>, true};
    case Function::kMultiply:
    case Function::kDivide:
      return OfNumber<T>(plan::ClassOf(*call.arguments[1]->type));
    default:
      return {};
  }
}

}  // namespace

KernelChoice IntervalKernel(const plan::Expr& call) {
  if (call.arguments.empty()) {
    return {};
  }
  const TypeClass first = plan::ClassOf(*call.arguments[0]->type);
  switch (call.function) {
    case Function::kAddMonths:
      return {first == TypeClass::kDate ? &AddMonthsToDate : &AddMonthsToTime, true};
    case Function::kAddTime:
      return {&AddTime, true};
    case Function::kDaysBetween:
      return {&DaysBetween, true};
    case Function::kTimeBetween:
      return {&TimeBetween, true};
    default:
      break;
  }
  return first == TypeClass::kYearMonthInterval ? OfInterval<int32_t>(call)
         : first == TypeClass::kDayTimeInterval ? OfInterval<int64_t>(call)
                                                : KernelChoice{};
}

}  // namespace wheelpit::exec::expr
