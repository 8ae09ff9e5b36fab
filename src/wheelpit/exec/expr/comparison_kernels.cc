// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/comparison_kernels.h"

#include <arrow/type.h>

#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

template <typename T, typename Op>
arrow::Status CompareValues(const KernelCall&, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  BinaryLoop<T, T>(arguments[0], arguments[1], count, MutableValues<uint8_t>(*out),
                   [](T a, T b) -> uint8_t { return Op::Do(a, b) ? 1 : 0; });
  return arrow::Status::OK();
}

template <typename Read, typename Op>
arrow::Status CompareDecimals(const KernelCall&, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  BinaryLoop<DecimalWords, DecimalWords>(arguments[0], arguments[1], count,
                                         MutableValues<uint8_t>(*out),
                                         [](DecimalWords a, DecimalWords b) -> uint8_t {
                                           return Op::Do(Read()(a), Read()(b)) ? 1 : 0;
                                         });
  return arrow::Status::OK();
}

template <typename Op>
arrow::Status CompareText(const KernelCall&, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  auto* values = MutableValues<uint8_t>(*out);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = Op::Do(arguments[0].Text(i), arguments[1].Text(i)) ? 1 : 0;
  }
  return arrow::Status::OK();
}

template <typename Op>
Kernel CompareOf(const arrow::DataType& type) {
  switch (plan::ClassOf(type)) {
    case TypeClass::kBoolean:
      return &CompareValues<uint8_t, Op>;
    case TypeClass::kInt8:
      return &CompareValues<int8_t, Op>;
    case TypeClass::kInt16:
      return &CompareValues<int16_t, Op>;
    case TypeClass::kInt32:
    case TypeClass::kDate:
    case TypeClass::kYearMonthInterval:
      return &CompareValues<int32_t, Op>;
    case TypeClass::kInt64:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
    case TypeClass::kDayTimeInterval:
      return &CompareValues<int64_t, Op>;
    case TypeClass::kFloat:
      return &CompareValues<float, Op>;
    case TypeClass::kDouble:
      return &CompareValues<double, Op>;
    case TypeClass::kDecimal:
      return plan::DecimalShapeOf(type).precision <= kNarrowDecimalPrecisionMax
                 ? &CompareDecimals<NarrowDecimal, Op>
                 : &CompareDecimals<WideDecimal, Op>;
    case TypeClass::kString:
    case TypeClass::kBinary:
      return &CompareText<Op>;
    default:
      return nullptr;
  }
}

arrow::Status Negate(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                     Vector* out) {
  UnaryLoop<uint8_t>(arguments[0], count, MutableValues<uint8_t>(*out),
                     [](uint8_t a) -> uint8_t { return a ^ 1; });
  return arrow::Status::OK();
}

// Two untyped NULLs: never looked at, since the result is null.
arrow::Status NoValues(const KernelCall&, std::span<const Vector>, int64_t, Vector*) {
  return arrow::Status::OK();
}

}  // namespace

KernelChoice ComparisonKernel(const plan::Expr& call) {
  if (call.function == Function::kNot) {
    return {&Negate};
  }
  if (call.arguments.empty()) {
    return {};
  }
  const arrow::DataType& type = *call.arguments[0]->type;
  Kernel kernel = nullptr;
  switch (call.function) {
    case Function::kEqual:
    case Function::kNullSafeEqual:
      kernel = CompareOf<EqualTo>(type);
      break;
    case Function::kNotEqual:
      kernel = CompareOf<NotEqualTo>(type);
      break;
    case Function::kLess:
      kernel = CompareOf<LessThan>(type);
      break;
    case Function::kLessEqual:
      kernel = CompareOf<LessOrEqual>(type);
      break;
    case Function::kGreater:
      kernel = CompareOf<GreaterThan>(type);
      break;
    case Function::kGreaterEqual:
      kernel = CompareOf<GreaterOrEqual>(type);
      break;
    default:
      return {};
  }
  if (kernel == nullptr && type.id() == arrow::Type::NA) {
    return {&NoValues};
  }
  return {kernel};
}

}  // namespace wheelpit::exec::expr
