// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/aggregate_rules.h"

#include "wheelpit/core/error.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

arrow::Status AggregateError(const plan::Aggregate& aggregate,
                             std::string_view error_class, const std::string& message) {
  return core::MakeStatus({.kind = core::ErrorKind::kData,
                           .error_class = std::string(error_class),
                           .sql_offset = aggregate.range.offset,
                           .sql_length = aggregate.range.length},
                          "[" + std::string(error_class) + "] " + message + " in " +
                              plan::ToString(aggregate));
}

arrow::Status UnsupportedAggregate(const plan::Aggregate& aggregate) {
  return core::Error(core::ErrorKind::kUnsupported, plan::ToString(aggregate), " over ",
                     plan::TypeName(*aggregate.argument->type), " is not supported yet");
}

int64_t CountValid(const Vector& vector, int64_t count) {
  if (vector.valid == nullptr) {
    return count;
  }
  if (vector.constant) {
    return vector.valid[0] != 0 ? count : 0;
  }
  int64_t valid = 0;
  for (int64_t i = 0; i < count; ++i) {
    valid += vector.valid[i];
  }
  return valid;
}

template <typename T>
bool IntegerSumResult<T>::operator()(const Accumulator& state, int64_t* out,
                                     arrow::Status* error) const {
  const int128 sum = ToInt128(state.sum);
  *out = static_cast<int64_t>(sum);
  if (*out == sum) {
    return state.count != 0;
  }
  std::string text;
  plan::AppendDecimal(sum, 0, &text);
  *error = AggregateError(aggregate_, "ARITHMETIC_OVERFLOW",
                          "the sum " + text + " exceeds bigint");
  return false;
}

template <typename Sum>
bool DecimalSumResult<Sum>::operator()(const Accumulator& state, DecimalWords* out,
                                       arrow::Status* error) const {
  *out = {0, 0};
  if (state.count == 0) {
    return false;
  }
  const std::optional<int128> sum = state.Sum();
  if (!sum || (!average_ && !FitsPrecision(*sum, shape_.precision))) {
    *error = AggregateError(aggregate_, "ARITHMETIC_OVERFLOW",
                            "the sum exceeds its decimal type; cast to double");
    return false;
  }
  int128 result = *sum;
  if (average_ && !DivideDecimals(*sum, {plan::kDecimalPrecisionMax, argument_.scale},
                                  state.count, {20, 0}, shape_, &result)) {
    *error =
        AggregateError(aggregate_, "NUMERIC_VALUE_OUT_OF_RANGE",
                       "the result does not fit " + plan::TypeName(*aggregate_.type) +
                           "; cast to a type with fewer digits");
    return false;
  }
  *out = ToWords(result);
  return true;
}

template class IntegerSumResult<int8_t>;
template class IntegerSumResult<int16_t>;
template class IntegerSumResult<int32_t>;
template class IntegerSumResult<int64_t>;
template class DecimalSumResult<NarrowDecimalSum>;
template class DecimalSumResult<WideDecimalSum>;

}  // namespace wheelpit::exec::expr
