// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/grouped_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/aggregate_rules.h"

namespace wheelpit::exec {

namespace {

using expr::TypeClass;
using expr::Vector;
using plan::Aggregate;
using plan::AggregateFunction;
using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array>>;
using StatePtr = std::unique_ptr<GroupedState>;

template <typename State>
State& At(uint8_t* row, int64_t offset) {
  return *reinterpret_cast<State*>(row + offset);
}
template <typename State>
const State& At(const uint8_t* row, int64_t offset) {
  return *reinterpret_cast<const State*>(row + offset);
}

constexpr int64_t PaddedWidth(size_t size) {
  return static_cast<int64_t>((size + 7) / 8 * 8);
}

// What all states have: the aggregate that they are of.
class StateBase : public GroupedState {
 public:
  explicit StateBase(const Aggregate& aggregate) : aggregate_(aggregate) {}

 protected:
  const Aggregate aggregate_;
};

template <typename Result>
class RuleState final : public StateBase {
 public:
  using Accumulator = typename Result::Accumulator;
  using Value = typename Accumulator::Value;
  static_assert(std::is_trivially_copyable_v<Accumulator> && alignof(Accumulator) <= 8);

  explicit RuleState(const Aggregate& aggregate)
      : StateBase(aggregate), result_(aggregate_) {}

  int64_t width() const override { return PaddedWidth(sizeof(Accumulator)); }
  const std::type_info& accumulator() const override { return typeid(Accumulator); }

  arrow::Result<int64_t> Update(uint8_t* const* rows, int64_t offset,
                                const Vector* values, int64_t count,
                                TextRoom*) const override {
    expr::ForEachValue<Value>(*values, count, [=](int64_t i, Value value) {
      At<Accumulator>(rows[i], offset).Add(value);
    });
    return count;
  }
  void UpdateGroup(uint8_t* row, int64_t offset, const Vector* values,
                   const int32_t* positions, int64_t count) const override {
    Accumulator state = At<Accumulator>(row, offset);  // in registers
    const Value* all = values->Values<Value>();
    if (values->constant) {
      for (int64_t i = 0; i < count && values->IsValid(0); ++i) {
        state.Add(all[0]);
      }
    } else if (values->valid == nullptr) {
      for (int64_t i = 0; i < count; ++i) {
        state.Add(all[positions[i]]);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        if (values->valid[positions[i]] != 0) {
          state.Add(all[positions[i]]);
        }
      }
    }
    At<Accumulator>(row, offset) = state;
  }
  arrow::Result<int64_t> Merge(uint8_t* const* to, const uint8_t* const* from,
                               int64_t offset, int64_t count, TextRoom*) const override {
    for (int64_t i = 0; i < count; ++i) {
      At<Accumulator>(to[i], offset).Merge(At<Accumulator>(from[i], offset));
    }
    return count;
  }
  ArrayResult Finish(const uint8_t* const* rows, int64_t offset, int64_t count,
                     arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(Vector out, expr::AllocateVector(aggregate_.type, count, pool));
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, expr::AllocateValidity(&out, 1, pool));
    auto* values = expr::MutableValues<typename Result::Value>(out);
    arrow::Status error;
    for (int64_t i = 0; i < count; ++i) {
      valid[i] = result_(At<Accumulator>(rows[i], offset), values + i, &error) ? 1 : 0;
      if (!error.ok()) {
        return error;
      }
    }
    return expr::ToArray(out, count, pool);
  }

 private:
  const Result result_;
};

struct Count {
  int64_t rows;
};

class CountState final : public StateBase {
 public:
  using StateBase::StateBase;

  int64_t width() const override { return sizeof(Count); }
  const std::type_info& accumulator() const override { return typeid(Count); }
  arrow::Result<int64_t> Update(uint8_t* const* rows, int64_t offset,
                                const Vector* values, int64_t count,
                                TextRoom*) const override {
    if (values == nullptr || values->valid == nullptr) {
      for (int64_t i = 0; i < count; ++i) {
        ++At<Count>(rows[i], offset).rows;
      }
      return count;
    }
    for (int64_t i = 0; i < count; ++i) {
      At<Count>(rows[i], offset).rows += values->valid[values->At(i)];
    }
    return count;
  }
  void UpdateGroup(uint8_t* row, int64_t offset, const Vector* values,
                   const int32_t* positions, int64_t count) const override {
    int64_t valid = count;
    if (values != nullptr && values->valid != nullptr) {
      valid = 0;
      for (int64_t i = 0; i < count; ++i) {
        valid += values->valid[values->At(positions[i])];
      }
    }
    At<Count>(row, offset).rows += valid;
  }
  arrow::Result<int64_t> Merge(uint8_t* const* to, const uint8_t* const* from,
                               int64_t offset, int64_t count, TextRoom*) const override {
    for (int64_t i = 0; i < count; ++i) {
      At<Count>(to[i], offset).rows += At<Count>(from[i], offset).rows;
    }
    return count;
  }
  ArrayResult Finish(const uint8_t* const* rows, int64_t offset, int64_t count,
                     arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(Vector out, expr::AllocateVector(aggregate_.type, count, pool));
    auto* values = expr::MutableValues<int64_t>(out);
    for (int64_t i = 0; i < count; ++i) {
      values[i] = At<Count>(rows[i], offset).rows;
    }
    return expr::ToArray(out, count, pool);
  }
};

template <typename Better>
class TextExtremeState final : public StateBase {
 public:
  using StateBase::StateBase;

  int64_t width() const override { return sizeof(TextState); }
  bool is_text() const override { return true; }
  const std::type_info& accumulator() const override { return typeid(TextExtremeState); }
  arrow::Result<int64_t> Update(uint8_t* const* rows, int64_t offset,
                                const Vector* values, int64_t count,
                                TextRoom* room) const override {
    for (int64_t i = 0; i < count; ++i) {
      if (values->IsValid(i)) {
        ARROW_ASSIGN_OR_RAISE(const bool taken,
                              Take(rows[i], offset, values->Text(i), room));
        if (!taken) {
          return i;
        }
      }
    }
    return count;
  }
  void UpdateGroup(uint8_t*, int64_t, const Vector*, const int32_t*,
                   int64_t) const override {}
  arrow::Result<int64_t> Merge(uint8_t* const* to, const uint8_t* const* from,
                               int64_t offset, int64_t count,
                               TextRoom* room) const override {
    for (int64_t i = 0; i < count; ++i) {
      const auto& other = At<TextState>(from[i], offset);
      if (other.seen() && room == nullptr) {
        auto& state = At<TextState>(to[i], offset);
        state = !state.seen() || Better::Do(other.text(), state.text()) ? other : state;
      } else if (other.seen()) {
        ARROW_ASSIGN_OR_RAISE(const bool taken, Take(to[i], offset, other.text(), room));
        if (!taken) {
          return i;
        }
      }
    }
    return count;
  }
  ArrayResult Finish(const uint8_t* const* rows, int64_t offset, int64_t count,
                     arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(auto builder,
                          expr::TextBuilder::Make(aggregate_.type, count, pool));
    for (int64_t i = 0; i < count; ++i) {
      const auto& state = At<TextState>(rows[i], offset);
      ARROW_RETURN_NOT_OK(
          builder.Append(state.seen() ? state.text() : std::string_view()));
    }
    ARROW_ASSIGN_OR_RAISE(Vector out, builder.Finish());
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, expr::AllocateValidity(&out, 1, pool));
    for (int64_t i = 0; i < count; ++i) {
      valid[i] = At<TextState>(rows[i], offset).seen() ? 1 : 0;
    }
    return expr::ToArray(out, count, pool);
  }

 private:
  static arrow::Result<bool> Take(uint8_t* row, int64_t offset, std::string_view text,
                                  TextRoom* room) {
    auto& state = At<TextState>(row, offset);
    if (state.seen() && !Better::Do(text, state.text())) {
      return true;
    }
    const auto size = static_cast<uint32_t>(text.size());
    if (size > state.capacity) {
      // Twice what is there, so that text which grows and grows wastes half at most.
      const int64_t capacity =
          std::max<int64_t>(size, std::min<int64_t>(2 * int64_t{state.capacity}, 4096));
      ARROW_ASSIGN_OR_RAISE(char* bytes, room->MakeRoom(row, capacity));
      if (bytes == nullptr) {
        return false;
      }
      state.bytes = bytes;
      state.capacity = static_cast<uint32_t>(capacity);
    }
    if (size != 0) {
      std::memcpy(const_cast<char*>(state.bytes), text.data(), size);
    }
    state.size_and_one = size + 1;
    return true;
  }
};

// Of NULL without a type there is never a value.
class NullState final : public StateBase {
 public:
  using StateBase::StateBase;

  int64_t width() const override { return 0; }
  const std::type_info& accumulator() const override { return typeid(NullState); }
  arrow::Result<int64_t> Update(uint8_t* const*, int64_t, const Vector*, int64_t count,
                                TextRoom*) const override {
    return count;
  }
  void UpdateGroup(uint8_t*, int64_t, const Vector*, const int32_t*,
                   int64_t) const override {}
  arrow::Result<int64_t> Merge(uint8_t* const*, const uint8_t* const*, int64_t,
                               int64_t count, TextRoom*) const override {
    return count;
  }
  ArrayResult Finish(const uint8_t* const*, int64_t, int64_t count,
                     arrow::MemoryPool* pool) const override {
    return arrow::MakeArrayOfNull(aggregate_.type, count, pool);
  }
};

}  // namespace

arrow::Result<StatePtr> GroupedState::Make(const Aggregate& aggregate) {
  StatePtr state = expr::VisitResult(aggregate, [&]<typename Result>() -> StatePtr {
    return std::make_unique<RuleState<Result>>(aggregate);
  });
  if (state != nullptr) {
    return state;
  }
  if (aggregate.function == AggregateFunction::kCountAll ||
      aggregate.function == AggregateFunction::kCount) {
    return std::make_unique<CountState>(aggregate);
  }
  const TypeClass c = plan::ClassOf(*aggregate.argument->type);
  const bool text = c == TypeClass::kString || c == TypeClass::kBinary;
  if (aggregate.function == AggregateFunction::kMin && text) {
    return std::make_unique<TextExtremeState<expr::LessThan>>(aggregate);
  }
  if (aggregate.function == AggregateFunction::kMax && text) {
    return std::make_unique<TextExtremeState<expr::GreaterThan>>(aggregate);
  }
  if (c == TypeClass::kNull && (aggregate.function == AggregateFunction::kMin ||
                                aggregate.function == AggregateFunction::kMax)) {
    return std::make_unique<NullState>(aggregate);
  }
  return expr::UnsupportedAggregate(aggregate);
}

}  // namespace wheelpit::exec
