// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/aggregate_state.h"

#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/aggregate_rules.h"
#include "wheelpit/exec/expr/vector.h"

namespace wheelpit::exec {

namespace {

using expr::TypeClass;
using expr::Vector;
using plan::Aggregate;
using plan::AggregateFunction;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using StatePtr = std::unique_ptr<AggregateState>;

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
  void Take(const Vector& vector, int64_t count) {
    count_ += expr::CountValid(vector, count);
  }
  void TakeState(const CountState& other) { count_ += other.count_; }
  arrow::Result<ScalarPtr> Finish() const override {
    return std::make_shared<arrow::Int64Scalar>(count_);
  }

 private:
  int64_t count_ = 0;
};

// Any aggregate with a rule of its own.
template <typename Result>
class RuleState : public ValueState<RuleState<Result>> {
 public:
  using Accumulator = typename Result::Accumulator;
  using Value = typename Accumulator::Value;

  RuleState(const Aggregate& aggregate, arrow::MemoryPool* pool)
      : ValueState<RuleState>(aggregate, pool), result_(this->aggregate_) {}

  void Take(const Vector& vector, int64_t count) {
    Accumulator state = state_;  // in registers
    expr::ForEachValue<Value>(vector, count,
                              [&state](int64_t, Value value) { state.Add(value); });
    state_ = state;
  }
  void TakeState(const RuleState& other) { state_.Merge(other.state_); }
  arrow::Result<ScalarPtr> Finish() const override {
    ARROW_ASSIGN_OR_RAISE(Vector one,
                          expr::AllocateVector(this->aggregate_.type, 1, this->pool_));
    arrow::Status error;
    auto* value = expr::MutableValues<typename Result::Value>(one);
    if (!result_(state_, value, &error)) {
      ARROW_RETURN_NOT_OK(error);
      return arrow::MakeNullScalar(this->aggregate_.type);
    }
    return expr::ToScalar(one, 0, this->pool_);
  }

 private:
  const Result result_;
  Accumulator state_{};
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

StatePtr MakeTextExtreme(const Aggregate& aggregate, arrow::MemoryPool* pool) {
  if (aggregate.function == AggregateFunction::kMin) {
    return std::make_unique<TextExtremeState<expr::LessThan>>(aggregate, pool);
  }
  return std::make_unique<TextExtremeState<expr::GreaterThan>>(aggregate, pool);
}

}  // namespace

arrow::Result<StatePtr> AggregateState::Make(const Aggregate& aggregate,
                                             arrow::MemoryPool* pool) {
  const AggregateFunction function = aggregate.function;
  StatePtr state = expr::VisitResult(aggregate, [&]<typename Result>() -> StatePtr {
    return std::make_unique<RuleState<Result>>(aggregate, pool);
  });
  if (state != nullptr) {
    return state;
  }
  if (function == AggregateFunction::kCountAll || function == AggregateFunction::kCount) {
    return std::make_unique<CountState>(aggregate, pool);
  }
  const TypeClass c = plan::ClassOf(*aggregate.argument->type);
  if (function == AggregateFunction::kMin || function == AggregateFunction::kMax) {
    if (c == TypeClass::kString || c == TypeClass::kBinary) {
      return MakeTextExtreme(aggregate, pool);
    }
    if (c == TypeClass::kNull) {
      return std::make_unique<NullState>(aggregate, pool);
    }
  }
  return expr::UnsupportedAggregate(aggregate);
}

}  // namespace wheelpit::exec
