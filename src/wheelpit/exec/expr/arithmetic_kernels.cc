// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers and floating-point numbers. Loops compute every row and fold
// what went wrong into one flag, so that they stay branch-free; only when it is set is
// the row looked for, and values under nulls are then forgiven.
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

// Each operation gives the result and sets `failed` when there is none.
struct CheckedAdd {
  template <typename T>
  static T Do(T a, T b, uint8_t& failed) {
    using Unsigned = std::make_unsigned_t<T>;
    const T sum = static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    // Overflow: both operands have the sign that the sum has not.
    failed |= static_cast<uint8_t>(((a ^ sum) & (b ^ sum)) < 0);
    return sum;
  }
};

struct CheckedSubtract {
  template <typename T>
  static T Do(T a, T b, uint8_t& failed) {
    using Unsigned = std::make_unsigned_t<T>;
    const T difference =
        static_cast<T>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
    failed |= static_cast<uint8_t>(((a ^ b) & (a ^ difference)) < 0);
    return difference;
  }
};

struct CheckedMultiply {
  template <typename T>
  static T Do(T a, T b, uint8_t& failed) {
    T product = 0;
    failed |= static_cast<uint8_t>(__builtin_mul_overflow(a, b, &product));
    return product;
  }
};

struct CheckedDivide {
  static int64_t Do(int64_t a, int64_t b, uint8_t& failed) {
    const bool overflow = a == std::numeric_limits<int64_t>::min() && b == -1;
    failed |= static_cast<uint8_t>(b == 0 || overflow);
    return b == 0 || overflow ? 0 : a / b;
  }
  static double Do(double a, double b, uint8_t& failed) {
    failed |= static_cast<uint8_t>(b == 0);
    return a / b;
  }
};

struct CheckedRemainder {
  template <typename T>
  static T Do(T a, T b, uint8_t& failed) {
    failed |= static_cast<uint8_t>(b == 0);
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      return b == 0 || b == -1 ? T{0} : static_cast<T>(a % b);
    }
  }
};

struct PlainAdd {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return a + b;
  }
};

struct PlainSubtract {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return a - b;
  }
};

struct PlainMultiply {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return a * b;
  }
};

struct BitwiseAnd {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOr {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXor {
  template <typename T>
  static T Do(T a, T b, uint8_t&) {
    return static_cast<T>(a ^ b);
  }
};

// The least integer has no positive counterpart.
struct CheckedNegate {
  template <typename T>
  static T Do(T a, uint8_t& failed) {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      failed |= static_cast<uint8_t>(a == std::numeric_limits<T>::min());
      return static_cast<T>(std::make_unsigned_t<T>(0) -
                            static_cast<std::make_unsigned_t<T>>(a));
    }
  }
};

struct CheckedAbs {
  template <typename T>
  static T Do(T a, uint8_t& failed) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else {
      return a < 0 ? CheckedNegate::Do(a, failed) : a;
    }
  }
};

struct BitwiseNot {
  template <typename T>
  static T Do(T a, uint8_t&) {
    return static_cast<T>(~a);
  }
};

std::string OverflowAdvice(Function function) {
  switch (function) {
    case Function::kAdd:
    case Function::kSubtract:
    case Function::kMultiply:
      return "overflow; cast an operand to a wider type";
    default:
      return "overflow";
  }
}

// The error of row i of a binary call.
arrow::Status BinaryError(const KernelCall& call, std::span<const Vector> arguments,
                          int64_t i) {
  const Function function = call.expression.function;
  ARROW_ASSIGN_OR_RAISE(const auto left, ToScalar(arguments[0], i, call.pool));
  ARROW_ASSIGN_OR_RAISE(const auto right, ToScalar(arguments[1], i, call.pool));
  const std::string values = plan::ValueText(*left) + " " +
                             std::string(plan::FunctionName(function)) + " " +
                             plan::ValueText(*right);
  if (function == Function::kRemainder) {
    return DataError(call.expression, "REMAINDER_BY_ZERO", "remainder by zero");
  }
  if (function == Function::kDivide || function == Function::kIntegralDivide) {
    const std::string divisor = plan::ValueText(*right);
    if (divisor == "0" || divisor == "0.0" || divisor == "-0.0") {
      return DataError(call.expression, "DIVIDE_BY_ZERO", "division by zero");
    }
  }
  const TypeClass c = plan::ClassOf(*call.expression.type);
  const bool small = c == TypeClass::kInt8 || c == TypeClass::kInt16;
  return DataError(call.expression,
                   small ? "BINARY_ARITHMETIC_OVERFLOW" : "ARITHMETIC_OVERFLOW",
                   plan::TypeName(*call.expression.type) + " " +
                       OverflowAdvice(function) + ": " + values);
}

template <typename T, typename Op>
arrow::Status Binary(const KernelCall& call, std::span<const Vector> arguments,
                     int64_t count, Vector* out) {
  uint8_t failed = 0;
  BinaryLoop<T, T>(arguments[0], arguments[1], count, MutableValues<T>(*out),
                   [&failed](T a, T b) { return Op::Do(a, b, failed); });
  if (failed == 0) [[likely]] {
    return arrow::Status::OK();
  }
  const int64_t row = FindFailure(*out, count, [&](int64_t i) {
    uint8_t row_failed = 0;
    Op::Do(arguments[0].Values<T>()[arguments[0].At(i)],
           arguments[1].Values<T>()[arguments[1].At(i)], row_failed);
    return row_failed != 0;
  });
  return row < 0 ? arrow::Status::OK() : BinaryError(call, arguments, row);
}

template <typename T, typename Op>
arrow::Status Unary(const KernelCall& call, std::span<const Vector> arguments,
                    int64_t count, Vector* out) {
  uint8_t failed = 0;
  UnaryLoop<T>(arguments[0], count, MutableValues<T>(*out),
               [&failed](T a) { return Op::Do(a, failed); });
  if (failed == 0) [[likely]] {
    return arrow::Status::OK();
  }
  const int64_t row = FindFailure(*out, count, [&](int64_t i) {
    uint8_t row_failed = 0;
    Op::Do(arguments[0].Values<T>()[arguments[0].At(i)], row_failed);
    return row_failed != 0;
  });
  if (row < 0) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto value, ToScalar(arguments[0], row, call.pool));
  return DataError(
      call.expression, "ARITHMETIC_OVERFLOW",
      plan::TypeName(*call.expression.type) + " overflow of " + plan::ValueText(*value));
}

template <typename Op>
Kernel BinaryOfInteger(TypeClass c) {
  switch (c) {
    case TypeClass::kInt8:
      return &Binary<int8_t, Op>;
    case TypeClass::kInt16:
      return &Binary<int16_t, Op>;
    case TypeClass::kInt32:
      return &Binary<int32_t, Op>;
    case TypeClass::kInt64:
      return &Binary<int64_t, Op>;
    default:
      return nullptr;
  }
}

template <typename IntegerOp, typename FloatOp>
KernelChoice BinaryOf(TypeClass c, bool float_can_fail = false) {
  if (c == TypeClass::kFloat) {
    return {&Binary<float, FloatOp>, float_can_fail};
  }
  if (c == TypeClass::kDouble) {
    return {&Binary<double, FloatOp>, float_can_fail};
  }
  return {BinaryOfInteger<IntegerOp>(c), true};
}

template <typename Op>
KernelChoice UnaryOf(TypeClass c) {
  switch (c) {
    case TypeClass::kInt8:
      return {&Unary<int8_t, Op>, true};
    case TypeClass::kInt16:
      return {&Unary<int16_t, Op>, true};
    case TypeClass::kInt32:
      return {&Unary<int32_t, Op>, true};
    case TypeClass::kInt64:
      return {&Unary<int64_t, Op>, true};
    case TypeClass::kFloat:
      return {&Unary<float, Op>, false};
    case TypeClass::kDouble:
      return {&Unary<double, Op>, false};
    default:
      return {};
  }
}

KernelChoice NotOf(TypeClass c) {
  switch (c) {
    case TypeClass::kInt8:
      return {&Unary<int8_t, BitwiseNot>};
    case TypeClass::kInt16:
      return {&Unary<int16_t, BitwiseNot>};
    case TypeClass::kInt32:
      return {&Unary<int32_t, BitwiseNot>};
    case TypeClass::kInt64:
      return {&Unary<int64_t, BitwiseNot>};
    default:
      return {};
  }
}

}  // namespace

KernelChoice ArithmeticKernel(const plan::Expr& call) {
  if (call.arguments.empty()) {
    return {};
  }
  const TypeClass c = plan::ClassOf(*call.arguments[0]->type);
  switch (call.function) {
    case Function::kAdd:
      return BinaryOf<CheckedAdd, PlainAdd>(c);
    case Function::kSubtract:
      return BinaryOf<CheckedSubtract, PlainSubtract>(c);
    case Function::kMultiply:
      return BinaryOf<CheckedMultiply, PlainMultiply>(c);
    case Function::kDivide:
      return c == TypeClass::kDouble ? KernelChoice{&Binary<double, CheckedDivide>, true}
                                     : KernelChoice{};
    case Function::kIntegralDivide:
      return c == TypeClass::kInt64 ? KernelChoice{&Binary<int64_t, CheckedDivide>, true}
                                    : KernelChoice{};
    case Function::kRemainder:
      return BinaryOf<CheckedRemainder, CheckedRemainder>(c, /*float_can_fail=*/true);
    case Function::kBitAnd:
      return {BinaryOfInteger<BitwiseAnd>(c)};
    case Function::kBitOr:
      return {BinaryOfInteger<BitwiseOr>(c)};
    case Function::kBitXor:
      return {BinaryOfInteger<BitwiseXor>(c)};
    case Function::kBitNot:
      return NotOf(c);
    case Function::kNegate:
      return UnaryOf<CheckedNegate>(c);
    case Function::kAbs:
      return UnaryOf<CheckedAbs>(c);
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
