// SPDX-License-Identifier: Apache-2.0
// Casts between dates, time stamps and numbers.
#include <cmath>
#include <limits>

#include <arrow/type.h>

#include "wheelpit/exec/expr/cast_loop.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/number_range.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

using plan::kMicrosPerDay;
using plan::kMicrosPerSecond;

arrow::Status DateToTimestamp(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  const index::TimeZone& zone =
      out->type_class == TypeClass::kTimestamp ? call.zone : index::TimeZone::Utc();
  return CastLoop<int32_t, int64_t>(
      call, arguments[0], count, out,
      [&zone](int32_t days, int64_t* micros) -> std::string_view {
        const auto start = zone.StartOfDay(days);
        *micros = start.value_or(0);
        return start ? std::string_view() : kDatetimeOverflow;
      });
}

arrow::Status TimestampToDate(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  UnaryLoop<int64_t>(arguments[0], count, MutableValues<int32_t>(*out),
                     [clock = ClockOf(call, arguments[0])](int64_t micros) mutable {
                       return static_cast<int32_t>(
                           plan::FloorDivide(clock.ToLocal(micros), kMicrosPerDay));
                     });
  return arrow::Status::OK();
}

arrow::Status ToTimestampNtz(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  return CastLoop<int64_t, int64_t>(
      call, arguments[0], count, out,
      [clock = index::LocalClock(call.zone)](int64_t micros,
                                             int64_t* local) mutable -> std::string_view {
        return __builtin_add_overflow(micros, clock.OffsetAt(micros), local)
                   ? kDatetimeOverflow
                   : std::string_view();
      });
}

arrow::Status FromTimestampNtz(const KernelCall& call, std::span<const Vector> arguments,
                               int64_t count, Vector* out) {
  return CastLoop<int64_t, int64_t>(
      call, arguments[0], count, out,
      [&zone = call.zone](int64_t local, int64_t* micros) -> std::string_view {
        const auto instant = zone.ToInstant(local);
        *micros = instant.value_or(0);
        return instant ? std::string_view() : kDatetimeOverflow;
      });
}

template <typename R>
arrow::Status TimestampToInteger(const KernelCall& call,
                                 std::span<const Vector> arguments, int64_t count,
                                 Vector* out) {
  return CastLoop<int64_t, R>(
      call, arguments[0], count, out, [](int64_t micros, R* result) -> std::string_view {
        const int64_t seconds = plan::FloorDivide(micros, kMicrosPerSecond);
        *result = static_cast<R>(seconds);
        return *result == seconds ? std::string_view() : kCastOverflow;
      });
}

double SecondsOf(int64_t micros) {
  return static_cast<double>(micros) / static_cast<double>(kMicrosPerSecond);
}

template <typename R>
arrow::Status TimestampToFloating(const KernelCall&, std::span<const Vector> arguments,
                                  int64_t count, Vector* out) {
  UnaryLoop<int64_t>(arguments[0], count, MutableValues<R>(*out),
                     [](int64_t micros) { return static_cast<R>(SecondsOf(micros)); });
  return arrow::Status::OK();
}

arrow::Status TimestampToDecimal(const KernelCall& call,
                                 std::span<const Vector> arguments, int64_t count,
                                 Vector* out) {
  const DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return CastLoop<int64_t, DecimalWords>(
      call, arguments[0], count, out,
      [to](int64_t micros, DecimalWords* result) -> std::string_view {
        int128 value = 0;
        const bool fits = Rescale(micros, /*from_scale=*/6, to, &value);
        *result = ToWords(value);
        return fits ? std::string_view() : kOutOfRange;
      });
}

template <typename A>
arrow::Status IntegerToTimestamp(const KernelCall&, std::span<const Vector> arguments,
                                 int64_t count, Vector* out) {
  UnaryLoop<A>(arguments[0], count, MutableValues<int64_t>(*out), [](A seconds) {
    int64_t micros = 0;
    if (__builtin_mul_overflow(int64_t{seconds}, kMicrosPerSecond, &micros)) {
      return seconds < 0 ? std::numeric_limits<int64_t>::min()
                         : std::numeric_limits<int64_t>::max();
    }
    return micros;
  });
  return arrow::Status::OK();
}

template <typename A>
arrow::Status FloatingToTimestamp(const KernelCall& call,
                                  std::span<const Vector> arguments, int64_t count,
                                  Vector* out) {
  return CastLoop<A, int64_t>(
      call, arguments[0], count, out, [](A seconds, int64_t* result) -> std::string_view {
        if (!std::isfinite(seconds)) {
          return kCastInvalid;
        }
        const double micros =
            static_cast<double>(seconds) * static_cast<double>(kMicrosPerSecond);
        *result = SaturatedInteger<int64_t>(micros);
        return FitsInteger<int64_t>(micros) ? std::string_view() : kCastOverflow;
      });
}

// Truncated, and modulo 2^64 as in Spark.
arrow::Status DecimalToTimestamp(const KernelCall&, std::span<const Vector> arguments,
                                 int64_t count, Vector* out) {
  const int scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  UnaryLoop<DecimalWords>(arguments[0], count, MutableValues<int64_t>(*out),
                          [scale](DecimalWords words) {
                            const int128 value = ToInt128(words);
                            if (scale >= 6) {
                              return static_cast<int64_t>(value / PowerOfTen(scale - 6));
                            }
                            return static_cast<int64_t>(
                                static_cast<unsigned __int128>(value) *
                                static_cast<unsigned __int128>(PowerOfTen(6 - scale)));
                          });
  return arrow::Status::OK();
}

KernelChoice FromTimestamp(TypeClass to) {
  switch (to) {
    case TypeClass::kInt8:
      return {&TimestampToInteger<int8_t>, true};
    case TypeClass::kInt16:
      return {&TimestampToInteger<int16_t>, true};
    case TypeClass::kInt32:
      return {&TimestampToInteger<int32_t>, true};
    case TypeClass::kInt64:
      return {&TimestampToInteger<int64_t>};
    case TypeClass::kFloat:
      return {&TimestampToFloating<float>};
    case TypeClass::kDouble:
      return {&TimestampToFloating<double>};
    case TypeClass::kDecimal:
      return {&TimestampToDecimal, true};
    case TypeClass::kDate:
      return {&TimestampToDate};
    case TypeClass::kTimestampNtz:
      return {&ToTimestampNtz, true};
    default:
      return {};
  }
}

KernelChoice ToTimestamp(TypeClass from) {
  switch (from) {
    case TypeClass::kInt8:
      return {&IntegerToTimestamp<int8_t>};
    case TypeClass::kInt16:
      return {&IntegerToTimestamp<int16_t>};
    case TypeClass::kInt32:
      return {&IntegerToTimestamp<int32_t>};
    case TypeClass::kInt64:
      return {&IntegerToTimestamp<int64_t>};
    case TypeClass::kFloat:
      return {&FloatingToTimestamp<float>, true};
    case TypeClass::kDouble:
      return {&FloatingToTimestamp<double>, true};
    case TypeClass::kDecimal:
      return {&DecimalToTimestamp};
    case TypeClass::kDate:
      return {&DateToTimestamp, true};
    case TypeClass::kTimestampNtz:
      return {&FromTimestampNtz, true};
    default:
      return {};
  }
}

}  // namespace

KernelChoice TemporalCastKernel(const plan::Expr& cast) {
  const TypeClass from = plan::ClassOf(*cast.arguments[0]->type);
  const TypeClass to = plan::ClassOf(*cast.type);
  if (to == TypeClass::kTimestamp) {
    return ToTimestamp(from);
  }
  if (from == TypeClass::kTimestamp) {
    return FromTimestamp(to);
  }
  if (from == TypeClass::kDate && to == TypeClass::kTimestampNtz) {
    return {&DateToTimestamp, true};
  }
  if (from == TypeClass::kTimestampNtz && to == TypeClass::kDate) {
    return {&TimestampToDate};
  }
  return {};
}

}  // namespace wheelpit::exec::expr
