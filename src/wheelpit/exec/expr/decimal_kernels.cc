// SPDX-License-Identifier: Apache-2.0
// Arithmetic on decimals. Up to 18 digits an operand is an int64; results that their type
// cannot overflow are not checked.
#include <algorithm>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/comparison_kernels.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

struct Shapes {
  explicit Shapes(const plan::Expr& call)
      : left(plan::DecimalShapeOf(*call.arguments[0]->type)),
        right(plan::DecimalShapeOf(*call.arguments.back()->type)),
        result(plan::DecimalShapeOf(*call.type)) {}

  bool operands_narrow() const {
    return left.precision <= kNarrowDecimalPrecisionMax &&
           right.precision <= kNarrowDecimalPrecisionMax;
  }
  int scale_max() const { return std::max(left.scale, right.scale); }
  /// Whether every sum of two such operands has digits enough in the result.
  bool sum_is_exact() const {
    const int integral =
        std::max(left.precision - left.scale, right.precision - right.scale);
    return integral + scale_max() + 1 <= plan::kDecimalPrecisionMax;
  }
  bool product_is_exact() const {
    return left.precision + right.precision + 1 <= plan::kDecimalPrecisionMax;
  }

  DecimalShape left;
  DecimalShape right;
  DecimalShape result;
};

DecimalWords NarrowToWords(int64_t value) {
  return {static_cast<uint64_t>(value), value >> 63};
}

// a + b or a - b where result, operands and their rescaling all fit 18 digits.
template <int kSign>
arrow::Status AddNarrow(const KernelCall& call, std::span<const Vector> arguments,
                        int64_t count, Vector* out) {
  const Shapes shapes(call.expression);
  const auto left_up =
      static_cast<int64_t>(PowerOfTen(shapes.scale_max() - shapes.left.scale));
  const auto right_up =
      kSign * static_cast<int64_t>(PowerOfTen(shapes.scale_max() - shapes.right.scale));
  BinaryLoop<DecimalWords, DecimalWords>(
      arguments[0], arguments[1], count, MutableValues<DecimalWords>(*out),
      [left_up, right_up](DecimalWords a, DecimalWords b) {
        // Unsigned: what lies under a null may be anything.
        return NarrowToWords(
            static_cast<int64_t>(a.low * static_cast<uint64_t>(left_up) +
                                 b.low * static_cast<uint64_t>(right_up)));
      });
  return arrow::Status::OK();
}

// a + b or a - b where the result fits 38 digits.
template <int kSign>
arrow::Status AddExact(const KernelCall& call, std::span<const Vector> arguments,
                       int64_t count, Vector* out) {
  using Unsigned = unsigned __int128;
  const Shapes shapes(call.expression);
  const auto left_up =
      static_cast<Unsigned>(PowerOfTen(shapes.scale_max() - shapes.left.scale));
  const auto right_up =
      static_cast<Unsigned>(kSign * PowerOfTen(shapes.scale_max() - shapes.right.scale));
  BinaryLoop<DecimalWords, DecimalWords>(
      arguments[0], arguments[1], count, MutableValues<DecimalWords>(*out),
      [left_up, right_up](DecimalWords a, DecimalWords b) {
        return ToWords(
            static_cast<int128>(static_cast<Unsigned>(ToInt128(a)) * left_up +
                                static_cast<Unsigned>(ToInt128(b)) * right_up));
      });
  return arrow::Status::OK();
}

arrow::Status MultiplyNarrow(const KernelCall&, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  BinaryLoop<DecimalWords, DecimalWords>(
      arguments[0], arguments[1], count, MutableValues<DecimalWords>(*out),
      [](DecimalWords a, DecimalWords b) {
        return ToWords(static_cast<int128>(static_cast<int64_t>(a.low)) *
                       static_cast<int64_t>(b.low));
      });
  return arrow::Status::OK();
}

arrow::Status MultiplyExact(const KernelCall&, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  using Unsigned = unsigned __int128;
  BinaryLoop<DecimalWords, DecimalWords>(
      arguments[0], arguments[1], count, MutableValues<DecimalWords>(*out),
      [](DecimalWords a, DecimalWords b) {
        return ToWords(static_cast<int128>(static_cast<Unsigned>(ToInt128(a)) *
                                           static_cast<Unsigned>(ToInt128(b))));
      });
  return arrow::Status::OK();
}

// The operations that are checked: false when the result does not fit.
struct Add {
  static constexpr bool kDivides = false;
  static bool Do(int128 a, int128 b, const Shapes& s, int128* out) {
    return AddDecimals(a, s.left, b, s.right, s.result, out);
  }
};

struct Subtract {
  static constexpr bool kDivides = false;
  static bool Do(int128 a, int128 b, const Shapes& s, int128* out) {
    return AddDecimals(a, s.left, -b, s.right, s.result, out);
  }
};

struct Multiply {
  static constexpr bool kDivides = false;
  static bool Do(int128 a, int128 b, const Shapes& s, int128* out) {
    return MultiplyDecimals(a, s.left, b, s.right, s.result, out);
  }
};

struct Divide {
  static constexpr bool kDivides = true;
  static bool Do(int128 a, int128 b, const Shapes& s, int128* out) {
    return DivideDecimals(a, s.left, b, s.right, s.result, out);
  }
};

struct Remainder {
  static constexpr bool kDivides = true;
  static bool Do(int128 a, int128 b, const Shapes& s, int128* out) {
    return RemainderOfDecimals(a, s.left, b, s.right, s.result, out);
  }
};

arrow::Status ZeroDivisor(const KernelCall& call) {
  return call.expression.function == Function::kRemainder
             ? DataError(call.expression, "REMAINDER_BY_ZERO", "remainder by zero")
             : DataError(call.expression, "DIVIDE_BY_ZERO", "division by zero");
}

arrow::Status CheckedError(const KernelCall& call, std::span<const Vector> arguments,
                           int64_t i) {
  ARROW_ASSIGN_OR_RAISE(const auto left, ToScalar(arguments[0], i, call.pool));
  ARROW_ASSIGN_OR_RAISE(const auto right, ToScalar(arguments[1], i, call.pool));
  return DecimalRangeError(call.expression,
                           plan::ValueText(*left) + " " +
                               std::string(plan::FunctionName(call.expression.function)) +
                               " " + plan::ValueText(*right));
}

template <typename Op>
arrow::Status Checked(const KernelCall& call, std::span<const Vector> arguments,
                      int64_t count, Vector* out) {
  const Shapes shapes(call.expression);
  auto* values = MutableValues<DecimalWords>(*out);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = {};
    if (!out->IsValid(i)) {
      continue;  // what lies under a null may exceed its shape
    }
    const int128 a = ToInt128(arguments[0].Values<DecimalWords>()[arguments[0].At(i)]);
    const int128 b = ToInt128(arguments[1].Values<DecimalWords>()[arguments[1].At(i)]);
    if (Op::kDivides && b == 0) {
      return ZeroDivisor(call);
    }
    int128 value = 0;
    if (!Op::Do(a, b, shapes, &value)) {
      return CheckedError(call, arguments, i);
    }
    values[i] = ToWords(value);
  }
  return arrow::Status::OK();
}

arrow::Status DivideToInteger(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  const Shapes shapes(call.expression);
  auto* values = MutableValues<int64_t>(*out);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = 0;
    if (!out->IsValid(i)) {
      continue;
    }
    const int128 b = ToInt128(arguments[1].Values<DecimalWords>()[arguments[1].At(i)]);
    if (b == 0) {
      return ZeroDivisor(call);
    }
    const int128 a = ToInt128(arguments[0].Values<DecimalWords>()[arguments[0].At(i)]);
    if (!IntegralQuotient(a, shapes.left, b, shapes.right, &values[i])) {
      return CheckedError(call, arguments, i);
    }
  }
  return arrow::Status::OK();
}

arrow::Status Negate(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                     Vector* out) {
  UnaryLoop<DecimalWords>(
      arguments[0], count, MutableValues<DecimalWords>(*out), [](DecimalWords a) {
        return ToWords(
            static_cast<int128>(0 - static_cast<unsigned __int128>(ToInt128(a))));
      });
  return arrow::Status::OK();
}

arrow::Status Abs(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                  Vector* out) {
  UnaryLoop<DecimalWords>(
      arguments[0], count, MutableValues<DecimalWords>(*out), [](DecimalWords a) {
        return a.high >= 0 ? a
                           : ToWords(static_cast<int128>(
                                 0 - static_cast<unsigned __int128>(ToInt128(a))));
      });
  return arrow::Status::OK();
}

template <int kSign, typename CheckedOp>
KernelChoice AddOf(const Shapes& shapes) {
  if (shapes.sum_is_exact()) {
    return {shapes.result.precision <= kNarrowDecimalPrecisionMax ? &AddNarrow<kSign>
                                                                  : &AddExact<kSign>};
  }
  return {&Checked<CheckedOp>, true};
}

}  // namespace

KernelChoice DecimalKernel(const plan::Expr& call) {
  if (call.arguments.empty() ||
      plan::ClassOf(*call.arguments[0]->type) != TypeClass::kDecimal) {
    return {};
  }
  const Shapes shapes(call);
  switch (call.function) {
    case Function::kAdd:
      return AddOf<1, Add>(shapes);
    case Function::kSubtract:
      return AddOf<-1, Subtract>(shapes);
    case Function::kMultiply:
      if (!shapes.product_is_exact()) {
        return {&Checked<Multiply>, true};
      }
      return {shapes.operands_narrow() ? &MultiplyNarrow : &MultiplyExact};
    case Function::kDivide:
      return {&Checked<Divide>, true};
    case Function::kRemainder:
      return {&Checked<Remainder>, true};
    case Function::kIntegralDivide:
      return {&DivideToInteger, true};
    case Function::kNegate:
      return {&Negate};
    case Function::kAbs:
      return {&Abs};
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
