// SPDX-License-Identifier: Apache-2.0
// What each aggregate keeps of the values it has seen, and what it makes of that: the
// rules of Spark, once, for aggregates without groups and for states inside of groups.
//
// An accumulator is a plain struct that may be moved as bytes; all bytes zero is that
// nothing was seen yet. Add takes a value in, Merge another accumulator of the same kind.
// A result says what an accumulator comes to: its operator() returns false for null, and
// for an error, which it sets.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <arrow/result.h>

#include "wheelpit/exec/expr/comparison_kernels.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec::expr {

/// kData of Spark's class, naming the aggregate and its place in the text.
arrow::Status AggregateError(const plan::Aggregate& aggregate,
                             std::string_view error_class, const std::string& message);

/// kUnsupported: an aggregate over a type that nobody has a rule for.
arrow::Status UnsupportedAggregate(const plan::Aggregate& aggregate);

/// How many of the first `count` values are not null.
int64_t CountValid(const Vector& vector, int64_t count);

/// Calls `take(i, value)` for each value that is not null.
template <typename T, typename Take>
void ForEachValue(const Vector& vector, int64_t count, Take take) {
  const T* values = vector.Values<T>();
  if (vector.constant) {
    for (int64_t i = 0; i < count && vector.IsValid(0); ++i) {
      take(i, values[0]);
    }
  } else if (vector.valid == nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      take(i, values[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      if (vector.valid[i] != 0) {
        take(i, values[i]);
      }
    }
  }
}

/// Of integers. Exact, so the order of values does not matter: only the result has to
/// fit.
template <typename T>
struct IntegerSum {
  using Value = T;
  DecimalWords sum;
  int64_t count;

  void Add(T value) {
    sum = ToWords(ToInt128(sum) + value);
    ++count;
  }
  void Merge(const IntegerSum& other) {
    sum = ToWords(ToInt128(sum) + ToInt128(other.sum));
    count += other.count;
  }
};

template <typename T>
struct FloatingSum {
  using Value = T;
  double sum;
  int64_t count;

  void Add(T value) {
    sum += value;
    ++count;
  }
  void Merge(const FloatingSum& other) {
    sum += other.sum;
    count += other.count;
  }
};

/// Of decimals whose low word holds them: 2^64 of them fit into the sum.
struct NarrowDecimalSum {
  using Value = DecimalWords;
  DecimalWords sum;
  int64_t count;

  void Add(DecimalWords value) {
    sum = ToWords(ToInt128(sum) + static_cast<int64_t>(value.low));
    ++count;
  }
  void Merge(const NarrowDecimalSum& other) {
    sum = ToWords(ToInt128(sum) + ToInt128(other.sum));
    count += other.count;
  }
  std::optional<int128> Sum() const { return ToInt128(sum); }
};

/// Of decimals of any precision, in three words: exact for any number of rows.
struct WideDecimalSum {
  using Value = DecimalWords;
  DecimalWords sum;  ///< the low two words, without a sign
  int64_t top;
  int64_t count;

  void Add(DecimalWords value) {
    AddWords(value, value.high >> 63);
    ++count;
  }
  void Merge(const WideDecimalSum& other) {
    AddWords(other.sum, other.top);
    count += other.count;
  }
  /// Nothing when it needs more than 38 digits.
  std::optional<int128> Sum() const {
    if (top != sum.high >> 63 || !FitsPrecision(ToInt128(sum), 38)) {
      return std::nullopt;
    }
    return ToInt128(sum);
  }

 private:
  void AddWords(DecimalWords words, int64_t words_top) {
    const auto addend = static_cast<unsigned __int128>(ToInt128(words));
    const auto low = static_cast<unsigned __int128>(ToInt128(sum)) + addend;
    sum = ToWords(static_cast<int128>(low));
    top += words_top + (low < addend ? 1 : 0);
  }
};

/// Of values of T; `Better` says which of two is kept.
template <typename T, typename Better>
struct Extreme {
  using Value = T;
  T best;
  bool seen;

  void Add(T value) {
    if (!seen || Better::Do(Read(value), Read(best))) {
      best = value;
      seen = true;
    }
  }
  void Merge(const Extreme& other) {
    if (other.seen) {
      Add(other.best);
    }
  }

 private:
  static auto Read(T value) {
    if constexpr (std::is_same_v<T, DecimalWords>) {
      return ToInt128(value);
    } else {
      return value;
    }
  }
};

/// Count, mean and sum of squared differences from it, joined as Spark's
/// CentralMomentAgg joins them.
struct Moments {
  using Value = double;
  double count;
  double mean;
  double squares;

  void Add(double value) {
    const double new_count = count + 1;
    const double delta = value - mean;
    const double step = delta / new_count;
    mean += step;
    squares += delta * (delta - step);
    count = new_count;
  }
  void Merge(const Moments& other) {
    if (other.count == 0) {
      return;
    }
    const double new_count = count + other.count;
    const double delta = other.mean - mean;
    const double step = delta / new_count;
    mean += step * other.count;
    squares += other.squares + delta * step * count * other.count;
    count = new_count;
  }
};

template <typename T>
class IntegerSumResult {
 public:
  using Accumulator = IntegerSum<T>;
  using Value = int64_t;
  explicit IntegerSumResult(const plan::Aggregate& aggregate) : aggregate_(aggregate) {}
  bool operator()(const Accumulator& state, int64_t* out, arrow::Status* error) const;

 private:
  const plan::Aggregate& aggregate_;
};

template <typename T>
class IntegerAverageResult {
 public:
  using Accumulator = IntegerSum<T>;
  using Value = double;
  explicit IntegerAverageResult(const plan::Aggregate&) {}
  bool operator()(const Accumulator& state, double* out, arrow::Status*) const {
    *out = static_cast<double>(ToInt128(state.sum)) / static_cast<double>(state.count);
    return state.count != 0;
  }
};

template <typename T, bool kAverage>
class FloatingSumResult {
 public:
  using Accumulator = FloatingSum<T>;
  using Value = double;
  explicit FloatingSumResult(const plan::Aggregate&) {}
  bool operator()(const Accumulator& state, double* out, arrow::Status*) const {
    *out = kAverage ? state.sum / static_cast<double>(state.count) : state.sum;
    return state.count != 0;
  }
};

/// Sum or average, as the aggregate says.
template <typename Sum>
class DecimalSumResult {
 public:
  using Accumulator = Sum;
  using Value = DecimalWords;
  explicit DecimalSumResult(const plan::Aggregate& aggregate)
      : aggregate_(aggregate),
        average_(aggregate.function == plan::AggregateFunction::kAvg),
        shape_(plan::DecimalShapeOf(*aggregate.type)),
        argument_(plan::DecimalShapeOf(*aggregate.argument->type)) {}
  bool operator()(const Accumulator& state, DecimalWords* out,
                  arrow::Status* error) const;

 private:
  const plan::Aggregate& aggregate_;
  const bool average_;
  const DecimalShape shape_;
  const DecimalShape argument_;
};

template <typename T, typename Better>
class ExtremeResult {
 public:
  using Accumulator = Extreme<T, Better>;
  using Value = T;
  explicit ExtremeResult(const plan::Aggregate&) {}
  bool operator()(const Accumulator& state, T* out, arrow::Status*) const {
    *out = state.best;
    return state.seen;
  }
};

class MomentsResult {
 public:
  using Accumulator = Moments;
  using Value = double;
  explicit MomentsResult(const plan::Aggregate& aggregate)
      : sample_(aggregate.function == plan::AggregateFunction::kStddevSamp ||
                aggregate.function == plan::AggregateFunction::kVarSamp),
        root_(aggregate.function == plan::AggregateFunction::kStddevSamp ||
              aggregate.function == plan::AggregateFunction::kStddevPop) {}
  /// Of one value a sample says nothing.
  bool operator()(const Moments& state, double* out, arrow::Status*) const {
    const double count = sample_ ? state.count - 1 : state.count;
    const double variance = state.squares / count;
    *out = root_ ? std::sqrt(variance) : variance;
    return count > 0;
  }

 private:
  const bool sample_;
  const bool root_;
};

/// Calls `visit.template operator()<Result>()` with the result type of an aggregate whose
/// accumulator is one of the above; a default-made value when it is none: counts,
/// extremes of text and of NULL, and what is not supported.
template <typename Visitor>
auto VisitSum(plan::AggregateFunction function, TypeClass c, int precision,
              Visitor&& visit) -> decltype(visit.template operator()<MomentsResult>()) {
  const bool average = function == plan::AggregateFunction::kAvg;
  switch (c) {
#define WHEELPIT_INTEGER_SUM(type_class, T)                               \
  case TypeClass::type_class:                                             \
    return average ? visit.template operator()<IntegerAverageResult<T>>() \
                   : visit.template operator()<IntegerSumResult<T>>()
    WHEELPIT_INTEGER_SUM(kInt8, int8_t);
    WHEELPIT_INTEGER_SUM(kInt16, int16_t);
    WHEELPIT_INTEGER_SUM(kInt32, int32_t);
    WHEELPIT_INTEGER_SUM(kInt64, int64_t);
#undef WHEELPIT_INTEGER_SUM
    case TypeClass::kFloat:
      return average ? visit.template operator()<FloatingSumResult<float, true>>()
                     : visit.template operator()<FloatingSumResult<float, false>>();
    case TypeClass::kDouble:
      return average ? visit.template operator()<FloatingSumResult<double, true>>()
                     : visit.template operator()<FloatingSumResult<double, false>>();
    case TypeClass::kDecimal:
      return precision <= kNarrowDecimalPrecisionMax
                 ? visit.template operator()<DecimalSumResult<NarrowDecimalSum>>()
                 : visit.template operator()<DecimalSumResult<WideDecimalSum>>();
    default:
      return {};
  }
}

template <typename Better, typename Visitor>
auto VisitExtreme(TypeClass c, Visitor&& visit)
    -> decltype(visit.template operator()<MomentsResult>()) {
  switch (c) {
    case TypeClass::kBoolean:
      return visit.template operator()<ExtremeResult<uint8_t, Better>>();
    case TypeClass::kInt8:
      return visit.template operator()<ExtremeResult<int8_t, Better>>();
    case TypeClass::kInt16:
      return visit.template operator()<ExtremeResult<int16_t, Better>>();
    case TypeClass::kInt32:
    case TypeClass::kDate:
    case TypeClass::kYearMonthInterval:
      return visit.template operator()<ExtremeResult<int32_t, Better>>();
    case TypeClass::kInt64:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
    case TypeClass::kDayTimeInterval:
      return visit.template operator()<ExtremeResult<int64_t, Better>>();
    case TypeClass::kFloat:
      return visit.template operator()<ExtremeResult<float, Better>>();
    case TypeClass::kDouble:
      return visit.template operator()<ExtremeResult<double, Better>>();
    case TypeClass::kDecimal:
      return visit.template operator()<ExtremeResult<DecimalWords, Better>>();
    default:
      return {};
  }
}

template <typename Visitor>
auto VisitResult(const plan::Aggregate& aggregate, Visitor&& visit)
    -> decltype(visit.template operator()<MomentsResult>()) {
  if (aggregate.argument == nullptr) {
    return {};
  }
  const TypeClass c = plan::ClassOf(*aggregate.argument->type);
  switch (aggregate.function) {
    case plan::AggregateFunction::kCountAll:
    case plan::AggregateFunction::kCount:
      return {};
    case plan::AggregateFunction::kSum:
    case plan::AggregateFunction::kAvg: {
      const int precision =
          plan::IsNumeric(c) ? plan::DecimalShapeOf(*aggregate.argument->type).precision
                             : 0;
      return VisitSum(aggregate.function, c, precision, visit);
    }
    case plan::AggregateFunction::kMin:
      return VisitExtreme<LessThan>(c, visit);
    case plan::AggregateFunction::kMax:
      return VisitExtreme<GreaterThan>(c, visit);
    case plan::AggregateFunction::kStddevSamp:
    case plan::AggregateFunction::kStddevPop:
    case plan::AggregateFunction::kVarSamp:
    case plan::AggregateFunction::kVarPop:
      if (c != TypeClass::kDouble) {
        return {};
      }
      return visit.template operator()<MomentsResult>();
  }
  return {};
}

}  // namespace wheelpit::exec::expr
