// SPDX-License-Identifier: Apache-2.0
// Casts of single literals that the planner may do at once: those that need neither a
// time zone nor can fail at run time.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace wheelpit::plan {

/// `value` as `type` when that is the same value for certain (or Spark's rounding of it,
/// as from bigint to double); null when it isn't known, is inexact beyond that or would
/// be an error.
std::shared_ptr<arrow::Scalar> CastLiteral(const arrow::Scalar& value,
                                           const std::shared_ptr<arrow::DataType>& type);

/// An exact whole-number value as int64: integral scalars only. False for others.
bool IntegralValue(const arrow::Scalar& value, int64_t* out);

}  // namespace wheelpit::plan
