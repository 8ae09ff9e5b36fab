// SPDX-License-Identifier: Apache-2.0
// Casts between numbers and booleans.
#include <limits>
#include <type_traits>

#include <arrow/type.h>

#include "wheelpit/exec/expr/cast_loop.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/number_range.h"
#include "wheelpit/exec/expr/number_text.h"

namespace wheelpit::exec::expr {

namespace {

// Every value has a counterpart: wider integers, floating-point, booleans.
template <typename A, typename R>
arrow::Status Convert(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                      Vector* out) {
  UnaryLoop<A>(arguments[0], count, MutableValues<R>(*out),
               [](A value) { return static_cast<R>(value); });
  return arrow::Status::OK();
}

template <typename A>
arrow::Status ToBoolean(const KernelCall&, std::span<const Vector> arguments,
                        int64_t count, Vector* out) {
  UnaryLoop<A>(arguments[0], count, MutableValues<uint8_t>(*out),
               [](A value) -> uint8_t { return value != 0 ? 1 : 0; });
  return arrow::Status::OK();
}

template <typename A, typename R>
arrow::Status NarrowInteger(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  return CastLoop<A, R>(call, arguments[0], count, out,
                        [](A value, R* result) -> std::string_view {
                          *result = static_cast<R>(value);
                          return *result == value ? std::string_view() : kCastOverflow;
                        });
}

template <typename A, typename R>
arrow::Status FloatingToInteger(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  return CastLoop<A, R>(
      call, arguments[0], count, out, [](A value, R* result) -> std::string_view {
        *result = SaturatedInteger<R>(value);
        return FitsInteger<R>(value) ? std::string_view() : kCastOverflow;
      });
}

template <typename R>
arrow::Status DecimalToInteger(const KernelCall& call, std::span<const Vector> arguments,
                               int64_t count, Vector* out) {
  const int128 unit = PowerOfTen(plan::DecimalShapeOf(*arguments[0].type).scale);
  return CastLoop<DecimalWords, R>(
      call, arguments[0], count, out,
      [unit](DecimalWords words, R* result) -> std::string_view {
        const int128 whole = ToInt128(words) / unit;
        *result = static_cast<R>(whole);
        return *result == whole ? std::string_view() : kCastOverflow;
      });
}

arrow::Status DecimalToDouble(const KernelCall&, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  const int scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  UnaryLoop<DecimalWords>(
      arguments[0], count, MutableValues<double>(*out),
      [scale](DecimalWords words) { return DoubleFromDecimal(ToInt128(words), scale); });
  return arrow::Status::OK();
}

arrow::Status DecimalToFloat(const KernelCall&, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  const int scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  UnaryLoop<DecimalWords>(
      arguments[0], count, MutableValues<float>(*out),
      [scale](DecimalWords words) { return FloatFromDecimal(ToInt128(words), scale); });
  return arrow::Status::OK();
}

arrow::Status DecimalToBoolean(const KernelCall&, std::span<const Vector> arguments,
                               int64_t count, Vector* out) {
  UnaryLoop<DecimalWords>(
      arguments[0], count, MutableValues<uint8_t>(*out),
      [](DecimalWords words) -> uint8_t {
        return (words.low | static_cast<uint64_t>(words.high)) != 0 ? 1 : 0;
      });
  return arrow::Status::OK();
}

arrow::Status DecimalToDecimal(const KernelCall& call, std::span<const Vector> arguments,
                               int64_t count, Vector* out) {
  const int from_scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  const DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return CastLoop<DecimalWords, DecimalWords>(
      call, arguments[0], count, out,
      [from_scale, to](DecimalWords words, DecimalWords* result) -> std::string_view {
        int128 value = 0;
        const bool fits = Rescale(ToInt128(words), from_scale, to, &value);
        *result = ToWords(value);
        return fits ? std::string_view() : kOutOfRange;
      });
}

template <typename A>
arrow::Status IntegerToDecimal(const KernelCall& call, std::span<const Vector> arguments,
                               int64_t count, Vector* out) {
  const DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return CastLoop<A, DecimalWords>(
      call, arguments[0], count, out,
      [to](A integer, DecimalWords* result) -> std::string_view {
        int128 value = 0;
        const bool fits = Rescale(integer, 0, to, &value);
        *result = ToWords(value);
        return fits ? std::string_view() : kOutOfRange;
      });
}

template <typename A>
arrow::Status FloatingToDecimal(const KernelCall& call, std::span<const Vector> arguments,
                                int64_t count, Vector* out) {
  const DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return CastLoop<A, DecimalWords>(
      call, arguments[0], count, out,
      [to](A number, DecimalWords* result) -> std::string_view {
        int128 value = 0;
        const std::string_view refused = DecimalFromDouble(number, to, &value);
        *result = ToWords(value);
        return refused;
      });
}

template <typename A, typename R>
KernelChoice IntegerPair() {
  if constexpr (sizeof(A) <= sizeof(R)) {
    return {&Convert<A, R>};
  } else {
    return {&NarrowInteger<A, R>, true};
  }
}

template <typename A>
KernelChoice FromInteger(TypeClass to) {
  switch (to) {
    case TypeClass::kBoolean:
      return {&ToBoolean<A>};
    case TypeClass::kInt8:
      return IntegerPair<A, int8_t>();
    case TypeClass::kInt16:
      return IntegerPair<A, int16_t>();
    case TypeClass::kInt32:
      return IntegerPair<A, int32_t>();
    case TypeClass::kInt64:
      return IntegerPair<A, int64_t>();
    case TypeClass::kFloat:
      return {&Convert<A, float>};
    case TypeClass::kDouble:
      return {&Convert<A, double>};
    case TypeClass::kDecimal:
      return {&IntegerToDecimal<A>, true};
    default:
      return {};
  }
}

// The values of booleans are bytes of 0 and 1.
KernelChoice FromBoolean(TypeClass to) {
  switch (to) {
    case TypeClass::kInt8:
      return {&Convert<uint8_t, int8_t>};
    case TypeClass::kInt16:
      return {&Convert<uint8_t, int16_t>};
    case TypeClass::kInt32:
      return {&Convert<uint8_t, int32_t>};
    case TypeClass::kInt64:
      return {&Convert<uint8_t, int64_t>};
    case TypeClass::kFloat:
      return {&Convert<uint8_t, float>};
    case TypeClass::kDouble:
      return {&Convert<uint8_t, double>};
    case TypeClass::kDecimal:
      return {&IntegerToDecimal<uint8_t>, true};
    default:
      return {};
  }
}

template <typename A>
KernelChoice FromFloating(TypeClass to) {
  switch (to) {
    case TypeClass::kBoolean:
      return {&ToBoolean<A>};
    case TypeClass::kInt8:
      return {&FloatingToInteger<A, int8_t>, true};
    case TypeClass::kInt16:
      return {&FloatingToInteger<A, int16_t>, true};
    case TypeClass::kInt32:
      return {&FloatingToInteger<A, int32_t>, true};
    case TypeClass::kInt64:
      return {&FloatingToInteger<A, int64_t>, true};
    case TypeClass::kFloat:
      return {&Convert<A, float>};
    case TypeClass::kDouble:
      return {&Convert<A, double>};
    case TypeClass::kDecimal:
      return {&FloatingToDecimal<A>, true};
    default:
      return {};
  }
}

KernelChoice FromDecimal(TypeClass to) {
  switch (to) {
    case TypeClass::kBoolean:
      return {&DecimalToBoolean};
    case TypeClass::kInt8:
      return {&DecimalToInteger<int8_t>, true};
    case TypeClass::kInt16:
      return {&DecimalToInteger<int16_t>, true};
    case TypeClass::kInt32:
      return {&DecimalToInteger<int32_t>, true};
    case TypeClass::kInt64:
      return {&DecimalToInteger<int64_t>, true};
    case TypeClass::kFloat:
      return {&DecimalToFloat};
    case TypeClass::kDouble:
      return {&DecimalToDouble};
    case TypeClass::kDecimal:
      return {&DecimalToDecimal, true};
    default:
      return {};
  }
}

}  // namespace

KernelChoice NumberCastKernel(const plan::Expr& cast) {
  const TypeClass to = plan::ClassOf(*cast.type);
  switch (plan::ClassOf(*cast.arguments[0]->type)) {
    case TypeClass::kBoolean:
      return FromBoolean(to);
    case TypeClass::kInt8:
      return FromInteger<int8_t>(to);
    case TypeClass::kInt16:
      return FromInteger<int16_t>(to);
    case TypeClass::kInt32:
      return FromInteger<int32_t>(to);
    case TypeClass::kInt64:
      return FromInteger<int64_t>(to);
    case TypeClass::kFloat:
      return FromFloating<float>(to);
    case TypeClass::kDouble:
      return FromFloating<double>(to);
    case TypeClass::kDecimal:
      return FromDecimal(to);
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
