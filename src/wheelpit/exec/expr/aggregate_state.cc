// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/aggregate_state.h"

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/comparison_kernels.h"
#include "wheelpit/exec/expr/decimal_math.h"
#include "wheelpit/exec/expr/vector.h"

namespace wheelpit::exec {

namespace {

using expr::DecimalWords;
using expr::int128;
using expr::TypeClass;
using expr::Vector;
using plan::Aggregate;
using plan::AggregateFunction;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using StatePtr = std::unique_ptr<AggregateState>;

arrow::Status AggregateError(const Aggregate& aggregate, std::string_view error_class,
                             const std::string& message) {
  return core::MakeStatus({.kind = core::ErrorKind::kData,
                           .error_class = std::string(error_class),
                           .sql_offset = aggregate.range.offset,
                           .sql_length = aggregate.range.length},
                          "[" + std::string(error_class) + "] " + message + " in " +
                              plan::ToString(aggregate));
}

// Calls `take(value)` for each value that is not null.
template <typename T, typename Take>
void ForEachValue(const Vector& vector, int64_t count, Take take) {
  const T* values = vector.Values<T>();
  if (vector.constant) {
    for (int64_t i = 0; i < count && vector.IsValid(0); ++i) {
      take(values[0]);
    }
  } else if (vector.valid == nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      take(values[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      if (vector.valid[i] != 0) {
        take(values[i]);
      }
    }
  }
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

// A state of values: Self takes vectors and merges its own kind.
template <typename Self>
class ValueState : public AggregateState {
 public:
  ValueState(const Aggregate& aggregate, arrow::MemoryPool* pool)
      : aggregate_(aggregate), pool_(pool) {}

  arrow::Status Update(const std::shared_ptr<arrow::Array>& values, int64_t length,
                       const Selection* selection) override {
    const int64_t count =
        selection == nullptr ? length : static_cast<int64_t>(selection->size());
    if (count == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(
        const Vector vector,
        expr::VectorFromArray(values, selection == nullptr ? nullptr : selection->data(),
                              count, pool_));
    static_cast<Self*>(this)->Take(vector, count);
    return arrow::Status::OK();
  }

  arrow::Status Merge(const AggregateState& other) override {
    const auto* same = dynamic_cast<const Self*>(&other);
    if (same == nullptr) {
      return core::Error(core::ErrorKind::kInternal, "states of different aggregates");
    }
    static_cast<Self*>(this)->TakeState(*same);
    return arrow::Status::OK();
  }

 protected:
  const Aggregate aggregate_;
  arrow::MemoryPool* pool_;
};

class CountState : public ValueState<CountState> {
 public:
  using ValueState::ValueState;

  arrow::Status Update(const std::shared_ptr<arrow::Array>& values, int64_t length,
                       const Selection* selection) override {
    if (aggregate_.function == AggregateFunction::kCountAll) {
      count_ += selection == nullptr ? length : static_cast<int64_t>(selection->size());
      return arrow::Status::OK();
    }
    if (selection == nullptr && values->type_id() != arrow::Type::DICTIONARY) {
      count_ += length - values->null_count();
      return arrow::Status::OK();
    }
    return ValueState::Update(values, length, selection);
  }
  void Take(const Vector& vector, int64_t count) { count_ += CountValid(vector, count); }
  void TakeState(const CountState& other) { count_ += other.count_; }
  arrow::Result<ScalarPtr> Finish() const override {
    return std::make_shared<arrow::Int64Scalar>(count_);
  }

 private:
  int64_t count_ = 0;
};

// Sum and average of integers: the sum is exact, so their order does not matter.
template <typename T>
class IntegerSumState : public ValueState<IntegerSumState<T>> {
 public:
  using ValueState<IntegerSumState<T>>::ValueState;

  void Take(const Vector& vector, int64_t count) {
    ForEachValue<T>(vector, count, [this](T value) { sum_ += value; });
    count_ += CountValid(vector, count);
  }
  void TakeState(const IntegerSumState& other) {
    sum_ += other.sum_;
    count_ += other.count_;
  }
  arrow::Result<ScalarPtr> Finish() const override {
    if (count_ == 0) {
      return arrow::MakeNullScalar(this->aggregate_.type);
    }
    if (this->aggregate_.function == AggregateFunction::kAvg) {
      return std::make_shared<arrow::DoubleScalar>(static_cast<double>(sum_) /
                                                   static_cast<double>(count_));
    }
    const auto narrow = static_cast<int64_t>(sum_);
    if (narrow != sum_) {
      std::string text;
      plan::AppendDecimal(sum_, 0, &text);
      return AggregateError(this->aggregate_, "ARITHMETIC_OVERFLOW",
                            "the sum " + text + " exceeds bigint");
    }
    return std::make_shared<arrow::Int64Scalar>(narrow);
  }

 private:
  int128 sum_ = 0;
  int64_t count_ = 0;
};

template <typename T>
class FloatingSumState : public ValueState<FloatingSumState<T>> {
 public:
  using ValueState<FloatingSumState<T>>::ValueState;

  void Take(const Vector& vector, int64_t count) {
    ForEachValue<T>(vector, count, [this](T value) { sum_ += value; });
    count_ += CountValid(vector, count);
  }
  void TakeState(const FloatingSumState& other) {
    sum_ += other.sum_;
    count_ += other.count_;
  }
  arrow::Result<ScalarPtr> Finish() const override {
    if (count_ == 0) {
      return arrow::MakeNullScalar(this->aggregate_.type);
    }
    const bool average = this->aggregate_.function == AggregateFunction::kAvg;
    return std::make_shared<arrow::DoubleScalar>(
        average ? sum_ / static_cast<double>(count_) : sum_);
  }

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

// The words of decimals summed apart: exact for any number of rows, and as quick as an
// addition with carry.
class DecimalSumState : public ValueState<DecimalSumState> {
 public:
  using ValueState::ValueState;

  void Take(const Vector& vector, int64_t count) {
    unsigned __int128 low = 0;
    int128 high = 0;
    ForEachValue<DecimalWords>(vector, count, [&](DecimalWords words) {
      low += words.low;
      high += words.high;
    });
    low_ += low;
    high_ += high;
    count_ += CountValid(vector, count);
  }
  void TakeState(const DecimalSumState& other) {
    low_ += other.low_;
    high_ += other.high_;
    count_ += other.count_;
  }
  arrow::Result<ScalarPtr> Finish() const override {
    if (count_ == 0) {
      return arrow::MakeNullScalar(aggregate_.type);
    }
    const auto shape = plan::DecimalShapeOf(*aggregate_.type);
    const auto argument = plan::DecimalShapeOf(*aggregate_.argument->type);
    const bool average = aggregate_.function == AggregateFunction::kAvg;
    const auto sum = Sum();
    if (!sum || (!average && !expr::FitsPrecision(*sum, shape.precision))) {
      return AggregateError(aggregate_, "ARITHMETIC_OVERFLOW",
                            "the sum exceeds its decimal type; cast to double");
    }
    int128 result = *sum;
    if (average &&
        !expr::DivideDecimals(*sum, {plan::kDecimalPrecisionMax, argument.scale}, count_,
                              {20, 0}, shape, &result)) {
      return AggregateError(aggregate_, "NUMERIC_VALUE_OUT_OF_RANGE",
                            "the result does not fit " +
                                plan::TypeName(*aggregate_.type) +
                                "; cast to a type with fewer digits");
    }
    const DecimalWords words = expr::ToWords(result);
    return std::make_shared<arrow::Decimal128Scalar>(
        arrow::Decimal128(words.high, words.low), aggregate_.type);
  }

 private:
  // Nothing when it needs more than 38 digits.
  std::optional<int128> Sum() const {
    const int128 carry = static_cast<int128>(low_ >> 64);
    const int128 high = high_ + carry;
    if (high != static_cast<int64_t>(high)) {
      return std::nullopt;
    }
    const int128 sum =
        expr::ToInt128({static_cast<uint64_t>(low_), static_cast<int64_t>(high)});
    if (!expr::FitsPrecision(sum, plan::kDecimalPrecisionMax)) {
      return std::nullopt;
    }
    return sum;
  }

  unsigned __int128 low_ = 0;
  int128 high_ = 0;
  int64_t count_ = 0;
};

// Minimum and maximum. `Read` makes of a stored value what compares and is kept.
template <typename T, typename Read, typename Better>
class ExtremeState : public ValueState<ExtremeState<T, Read, Better>> {
 public:
  using ValueState<ExtremeState>::ValueState;
  using Value = decltype(Read()(T{}));

  void Take(const Vector& vector, int64_t count) {
    if (!best_) {
      ForFirst(vector, count);
    }
    if (!best_) {
      return;
    }
    Value best = *best_;
    ForEachValue<T>(vector, count, [&best](T stored) {
      const Value value = Read()(stored);
      best = Better::Do(value, best) ? value : best;
    });
    best_ = best;
  }
  void TakeState(const ExtremeState& other) {
    if (other.best_ && (!best_ || Better::Do(*other.best_, *best_))) {
      best_ = other.best_;
    }
  }
  arrow::Result<ScalarPtr> Finish() const override {
    if (!best_) {
      return arrow::MakeNullScalar(this->aggregate_.type);
    }
    ARROW_ASSIGN_OR_RAISE(Vector one,
                          expr::AllocateVector(this->aggregate_.type, 1, this->pool_));
    if constexpr (std::is_same_v<T, DecimalWords>) {
      expr::MutableValues<DecimalWords>(one)[0] = expr::ToWords(*best_);
    } else {
      expr::MutableValues<T>(one)[0] = *best_;
    }
    return expr::ToScalar(one, 0, this->pool_);
  }

 private:
  void ForFirst(const Vector& vector, int64_t count) {
    for (int64_t i = 0; i < count && !best_; ++i) {
      if (vector.IsValid(i)) {
        best_ = Read()(vector.Values<T>()[vector.At(i)]);
      }
    }
  }

  std::optional<Value> best_;
};

template <typename Better>
class TextExtremeState : public ValueState<TextExtremeState<Better>> {
 public:
  using ValueState<TextExtremeState<Better>>::ValueState;

  void Take(const Vector& vector, int64_t count) {
    bool found = best_.has_value();
    std::string_view best = found ? std::string_view(*best_) : std::string_view();
    for (int64_t i = 0; i < count; ++i) {
      if (vector.IsValid(i)) {
        const std::string_view text = vector.Text(i);
        if (!found || Better::Do(text, best)) {
          found = true;
          best = text;
        }
      }
    }
    // Copied once per batch; `best` may view the text that is kept already.
    if (found && (!best_ || best.data() != best_->data())) {
      best_ = std::string(best);
    }
  }
  void TakeState(const TextExtremeState& other) {
    if (other.best_ && (!best_ || Better::Do(std::string_view(*other.best_),
                                             std::string_view(*best_)))) {
      best_ = other.best_;
    }
  }
  arrow::Result<ScalarPtr> Finish() const override {
    if (!best_) {
      return arrow::MakeNullScalar(this->aggregate_.type);
    }
    if (this->aggregate_.type->id() == arrow::Type::BINARY) {
      return std::make_shared<arrow::BinaryScalar>(*best_);
    }
    return std::make_shared<arrow::StringScalar>(*best_);
  }

 private:
  std::optional<std::string> best_;
};

// Of NULL without a type there is never a value.
class NullState : public ValueState<NullState> {
 public:
  using ValueState::ValueState;
  void Take(const Vector&, int64_t) {}
  void TakeState(const NullState&) {}
  arrow::Result<ScalarPtr> Finish() const override {
    return arrow::MakeNullScalar(aggregate_.type);
  }
};

template <typename T>
struct Same {
  T operator()(T value) const { return value; }
};

template <typename T, typename Read = Same<T>>
StatePtr MakeExtremeOf(const Aggregate& aggregate, arrow::MemoryPool* pool) {
  if (aggregate.function == AggregateFunction::kMin) {
    return std::make_unique<ExtremeState<T, Read, expr::LessThan>>(aggregate, pool);
  }
  return std::make_unique<ExtremeState<T, Read, expr::GreaterThan>>(aggregate, pool);
}

StatePtr MakeExtreme(const Aggregate& aggregate, arrow::MemoryPool* pool) {
  switch (plan::ClassOf(*aggregate.argument->type)) {
    case TypeClass::kBoolean:
      return MakeExtremeOf<uint8_t>(aggregate, pool);
    case TypeClass::kInt8:
      return MakeExtremeOf<int8_t>(aggregate, pool);
    case TypeClass::kInt16:
      return MakeExtremeOf<int16_t>(aggregate, pool);
    case TypeClass::kInt32:
    case TypeClass::kDate:
    case TypeClass::kYearMonthInterval:
      return MakeExtremeOf<int32_t>(aggregate, pool);
    case TypeClass::kInt64:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
    case TypeClass::kDayTimeInterval:
      return MakeExtremeOf<int64_t>(aggregate, pool);
    case TypeClass::kFloat:
      return MakeExtremeOf<float>(aggregate, pool);
    case TypeClass::kDouble:
      return MakeExtremeOf<double>(aggregate, pool);
    case TypeClass::kDecimal:
      return MakeExtremeOf<DecimalWords, expr::WideDecimal>(aggregate, pool);
    case TypeClass::kString:
    case TypeClass::kBinary:
      if (aggregate.function == AggregateFunction::kMin) {
        return std::make_unique<TextExtremeState<expr::LessThan>>(aggregate, pool);
      }
      return std::make_unique<TextExtremeState<expr::GreaterThan>>(aggregate, pool);
    case TypeClass::kNull:
      return std::make_unique<NullState>(aggregate, pool);
    case TypeClass::kOther:
      break;
  }
  return nullptr;
}

StatePtr MakeSum(const Aggregate& aggregate, arrow::MemoryPool* pool) {
  switch (plan::ClassOf(*aggregate.argument->type)) {
    case TypeClass::kInt8:
      return std::make_unique<IntegerSumState<int8_t>>(aggregate, pool);
    case TypeClass::kInt16:
      return std::make_unique<IntegerSumState<int16_t>>(aggregate, pool);
    case TypeClass::kInt32:
      return std::make_unique<IntegerSumState<int32_t>>(aggregate, pool);
    case TypeClass::kInt64:
      return std::make_unique<IntegerSumState<int64_t>>(aggregate, pool);
    case TypeClass::kFloat:
      return std::make_unique<FloatingSumState<float>>(aggregate, pool);
    case TypeClass::kDouble:
      return std::make_unique<FloatingSumState<double>>(aggregate, pool);
    case TypeClass::kDecimal:
      return std::make_unique<DecimalSumState>(aggregate, pool);
    default:
      return nullptr;
  }
}

}  // namespace

arrow::Result<StatePtr> AggregateState::Make(const Aggregate& aggregate,
                                             arrow::MemoryPool* pool) {
  StatePtr state;
  switch (aggregate.function) {
    case AggregateFunction::kCountAll:
    case AggregateFunction::kCount:
      state = std::make_unique<CountState>(aggregate, pool);
      break;
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      state = MakeSum(aggregate, pool);
      break;
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      state = MakeExtreme(aggregate, pool);
      break;
  }
  if (state == nullptr) {
    return core::Error(core::ErrorKind::kUnsupported, plan::ToString(aggregate), " over ",
                       plan::TypeName(*aggregate.argument->type),
                       " is not supported yet");
  }
  return state;
}

}  // namespace wheelpit::exec
