// SPDX-License-Identifier: Apache-2.0
// Kernels: the loops behind calls and casts, found once when an expression is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/node.h"
#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/index/time_zone.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec::expr {

/// What a kernel has worked out of arguments that are constant, once per plan: a pattern.
/// Shared by threads, const.
struct KernelState {
  virtual ~KernelState() = default;
};

/// What a kernel is given beside its arguments.
struct KernelCall {
  const plan::Expr& expression;
  arrow::MemoryPool* pool;
  const index::TimeZone& zone;         ///< of the session
  const KernelState* state = nullptr;  ///< what its StateMaker made
};

/// Computes `count` values. `out` is allocated with the call's type (strings: not, the
/// kernel makes the vector) and carries the validity that follows from the arguments;
/// a kernel that makes nulls of its own sets its validity anew. Values under a null are
/// arbitrary and must not raise errors. Arguments are constants or have `count` values.
using Kernel = arrow::Status (*)(const KernelCall& call,
                                 std::span<const Vector> arguments, int64_t count,
                                 Vector* out);

/// The state of a kernel, from its arguments; those that are not constant are null. Null
/// when there is none to be made.
using StateMaker =
    std::unique_ptr<const KernelState> (*)(std::span<const Vector* const> constants);

struct KernelChoice {
  Kernel kernel = nullptr;  ///< null: there is none for these types
  bool can_fail = false;
  StateMaker make_state = nullptr;
};

// Each answers for its own functions and gives no kernel for others.
KernelChoice ArithmeticKernel(const plan::Expr& call);
KernelChoice DecimalKernel(const plan::Expr& call);
KernelChoice RoundingKernel(const plan::Expr& call);
KernelChoice ComparisonKernel(const plan::Expr& call);
KernelChoice TextKernel(const plan::Expr& call);
KernelChoice RegexKernel(const plan::Expr& call);
KernelChoice IntervalKernel(const plan::Expr& call);
KernelChoice TemporalKernel(const plan::Expr& call);
KernelChoice NumberCastKernel(const plan::Expr& cast);
KernelChoice TextCastKernel(const plan::Expr& cast);
KernelChoice TemporalCastKernel(const plan::Expr& cast);
KernelChoice IntervalCastKernel(const plan::Expr& cast);

/// kData with Spark's class and the range of the expression:
/// "[CLASS] message in <expression>".
arrow::Status DataError(const plan::Expr& expression, std::string_view error_class,
                        const std::string& message);

/// The error of a cast whose value at position i is refused: CAST_INVALID_INPUT or
/// CAST_OVERFLOW.
arrow::Status CastError(const KernelCall& call, const Vector& argument, int64_t i,
                        std::string_view error_class);

/// A decimal that does not fit the type of the expression: NUMERIC_VALUE_OUT_OF_RANGE.
arrow::Status DecimalRangeError(const plan::Expr& expression, const std::string& value);

/// The first row that is valid and for which `failed(i)` holds; -1 when there is none.
template <typename Failed>
int64_t FindFailure(const Vector& out, int64_t count, Failed failed) {
  for (int64_t i = 0; i < count; ++i) {
    if (out.IsValid(i) && failed(i)) {
      return i;
    }
  }
  return -1;
}

/// The session's clock for a TIMESTAMP, that of UTC for a TIMESTAMP_NTZ, which is local
/// already.
inline index::LocalClock ClockOf(const KernelCall& call, const Vector& argument) {
  return index::LocalClock(
      argument.type_class == TypeClass::kTimestamp ? call.zone : index::TimeZone::Utc());
}

/// out[i] = f(a[i]).
template <typename A, typename R, typename F>
inline void UnaryLoop(const Vector& a, int64_t count, R* out, F f) {
  const A* x = a.Values<A>();
  for (int64_t i = 0; i < count; ++i) {
    out[i] = f(x[i]);
  }
}

/// out[i] = f(a[i], b[i]); constants are read once.
template <typename A, typename B, typename R, typename F>
inline void BinaryLoop(const Vector& a, const Vector& b, int64_t count, R* out, F f) {
  const A* x = a.Values<A>();
  const B* y = b.Values<B>();
  if (a.constant) {
    const A left = x[0];
    if (b.constant) {
      const R value = f(left, y[0]);
      for (int64_t i = 0; i < count; ++i) {
        out[i] = value;
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      out[i] = f(left, y[i]);
    }
  } else if (b.constant) {
    const B right = y[0];
    for (int64_t i = 0; i < count; ++i) {
      out[i] = f(x[i], right);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = f(x[i], y[i]);
    }
  }
}

}  // namespace wheelpit::exec::expr
