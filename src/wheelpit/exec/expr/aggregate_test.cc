// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/aggregate_state.h"
#include "wheelpit/exec/expr/grouped_state.h"
#include "wheelpit/exec/expr/test_support.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec {
namespace {

using plan::AggregateFunction;
using plan::ExprPtr;
using plan::Function;

std::string Outcome(const arrow::Result<std::shared_ptr<arrow::Scalar>>& result) {
  return result.ok() ? plan::ValueText(**result)
                     : core::InfoOf(result.status()).error_class;
}

// Rows of one state each, as a table of groups keeps them.
class StateRow final : public TextRoom {
 public:
  explicit StateRow(const GroupedState& state)
      : words_(static_cast<size_t>(state.width()) / 8 + kOffset / 8) {}
  static constexpr int64_t kOffset = 16;
  uint8_t* row() { return reinterpret_cast<uint8_t*>(words_.data()); }
  arrow::Result<char*> MakeRoom(const uint8_t*, int64_t size) override {
    return texts_.emplace_back(static_cast<size_t>(size), '?').data();
  }

 private:
  std::vector<uint64_t> words_;
  std::deque<std::string> texts_;
};

// The same as a state inside of a row, of sliced halves merged.
std::string OfGroup(const plan::Aggregate& aggregate,
                    const std::shared_ptr<arrow::Array>& array) {
  const auto pool = arrow::default_memory_pool();
  const auto state = *GroupedState::Make(aggregate);
  StateRow first(*state);
  StateRow second(*state);
  const int64_t half = array->length() / 2;
  const auto update = [&](StateRow* into, const std::shared_ptr<arrow::Array>& part) {
    const auto vector = *expr::VectorFromArray(part, nullptr, part->length(), pool);
    const std::vector<uint8_t*> rows(static_cast<size_t>(part->length()), into->row());
    EXPECT_TRUE(
        state->Update(rows.data(), StateRow::kOffset, &vector, part->length(), into)
            .ok());
  };
  update(&first, array->Slice(0, half));
  update(&second, array->Slice(half));
  uint8_t* const to = first.row();
  const uint8_t* const from = second.row();
  EXPECT_TRUE(state->Merge(&to, &from, StateRow::kOffset, 1, &first).ok());
  const auto result = state->Finish(&from, StateRow::kOffset, 0, pool);
  EXPECT_TRUE(result.ok() && (*result)->length() == 0);
  const uint8_t* const row = to;
  const auto one = state->Finish(&row, StateRow::kOffset, 1, pool);
  return one.ok() ? Outcome((*one)->GetScalar(0)) : Outcome(one.status());
}

// Moments that are merged are rounded otherwise.
void ExpectSame(AggregateFunction function, const std::string& a, const std::string& b) {
  if (plan::IsMomentFunction(function) && a != b) {
    EXPECT_NEAR(std::stod(a), std::stod(b), 1e-14 * std::stod(a));
  } else {
    EXPECT_EQ(a, b);
  }
}

// The aggregate of the values: at once, as two states of sliced halves merged, and as the
// state of a group.
std::string Of(AggregateFunction function, const std::shared_ptr<arrow::DataType>& type,
               const std::vector<std::string>& values) {
  const auto aggregate =
      *plan::MakeAggregate(function, plan::MakeColumn(0, "x", type, true), nullptr, {});
  const auto pool = arrow::default_memory_pool();
  const auto array = ArrayOf(type, values);
  const auto all = *AggregateState::Make(aggregate, pool);
  EXPECT_TRUE(all->Update(array, array->length(), nullptr).ok());
  const int64_t half = array->length() / 2;
  const auto first = *AggregateState::Make(aggregate, pool);
  const auto second = *AggregateState::Make(aggregate, pool);
  EXPECT_TRUE(first->Update(array->Slice(0, half), half, nullptr).ok());
  EXPECT_TRUE(second->Update(array->Slice(half), array->length() - half, nullptr).ok());
  EXPECT_TRUE(first->Merge(*second).ok());
  ExpectSame(function, Outcome(all->Finish()), Outcome(first->Finish()));
  ExpectSame(function, Outcome(all->Finish()), OfGroup(aggregate, array));
  const auto result = all->Finish();
  if (result.ok()) {
    EXPECT_TRUE((*result)->type->Equals(*aggregate.type));
  }
  return Outcome(result);
}

TEST(Aggregate, Counts) {
  EXPECT_EQ(Of(AggregateFunction::kCount, arrow::int32(), {"1", "NULL", "3"}), "2");
  EXPECT_EQ(Of(AggregateFunction::kCount, arrow::utf8(), {}), "0");
  EXPECT_EQ(Of(AggregateFunction::kCount, arrow::list(arrow::int32()), {"NULL"}), "0");
}

TEST(Aggregate, SumsOfIntegersAreExactAndChecked) {
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::int32(), {"2147483647", "NULL", "1"}),
            "2147483648");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::int8(), {"127", "127", "127"}), "381");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::int64(), {"9223372036854775807", "1"}),
            "ARITHMETIC_OVERFLOW");
  // Only the result has to fit.
  EXPECT_EQ(
      Of(AggregateFunction::kSum, arrow::int64(), {"9223372036854775807", "1", "-1"}),
      "9223372036854775807");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::int32(), {"NULL", "NULL"}), "NULL");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::int32(), {}), "NULL");
}

TEST(Aggregate, SumsOfOtherNumbers) {
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::float64(), {"1.5", "NULL", "2"}), "3.5");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::float32(), {"1.5", "nan"}), "NaN");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::decimal128(15, 2), {"1.10", "-2.25"}),
            "-1.15");
  const std::string nines(38, '9');
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::decimal128(38, 0), {nines, nines}),
            "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(Of(AggregateFunction::kSum, arrow::decimal128(38, 0),
               {nines, nines, "-" + nines, nines, "-" + nines}),
            nines);
}

TEST(Aggregate, Averages) {
  EXPECT_EQ(Of(AggregateFunction::kAvg, arrow::int32(), {"1", "2", "NULL", "4"}),
            "2.3333333333333335");
  EXPECT_EQ(Of(AggregateFunction::kAvg, arrow::int64(),
               {"9223372036854775807", "9223372036854775807"}),
            "9.223372036854776E18");
  EXPECT_EQ(
      Of(AggregateFunction::kAvg, arrow::decimal128(3, 2), {"1.10", "2.25", "4.05"}),
      "2.466667");
  EXPECT_EQ(Of(AggregateFunction::kAvg, arrow::decimal128(3, 2), {"-1.00", "-1.01"}),
            "-1.005000");
  EXPECT_EQ(Of(AggregateFunction::kAvg, arrow::float64(), {"NULL"}), "NULL");
  const std::string nines(38, '9');
  EXPECT_EQ(Of(AggregateFunction::kAvg, arrow::decimal128(38, 0), {nines, nines}),
            "ARITHMETIC_OVERFLOW");
}

TEST(Aggregate, Extremes) {
  const auto min = AggregateFunction::kMin;
  const auto max = AggregateFunction::kMax;
  EXPECT_EQ(Of(min, arrow::float64(), {"NULL", "1.5", "nan"}), "1.5");
  EXPECT_EQ(Of(max, arrow::float64(), {"1.5", "nan", "inf"}), "NaN");
  EXPECT_EQ(Of(max, arrow::utf8(), {"a", "é", "NULL", "b"}), "é");
  EXPECT_EQ(Of(min, arrow::utf8(), {"b", "a", "ab"}), "a");
  EXPECT_EQ(Of(min, arrow::utf8(), {"NULL"}), "NULL");
  EXPECT_EQ(Of(min, arrow::boolean(), {"true", "false"}), "false");
  EXPECT_EQ(Of(max, arrow::int8(), {"-5", "NULL", "-7"}), "-5");
  EXPECT_EQ(Of(max, arrow::date32(), {"2020-01-01", "2021-01-01"}), "2021-01-01");
  EXPECT_EQ(Of(min, arrow::decimal128(38, 2), {"1.00", "-2.00"}), "-2.00");
  EXPECT_EQ(Of(min, plan::TimestampNtzType(), {"2020-01-01", "NULL"}),
            "2020-01-01 00:00:00");
  EXPECT_EQ(Of(max, arrow::int64(), {}), "NULL");
  EXPECT_EQ(Of(max, arrow::null(), {"NULL"}), "NULL");
}

// What Spark 4.3 gives.
TEST(Aggregate, VariancesAndDeviations) {
  struct Case {
    AggregateFunction function;
    std::vector<std::string> expected;
  };
  const std::vector<Case> cases = {
      {AggregateFunction::kStddevSamp, {"NULL", "NULL", "2.9297326385411573", "0.0"}},
      {AggregateFunction::kStddevPop, {"NULL", "0.0", "2.3921166824012206", "0.0"}},
      {AggregateFunction::kVarSamp, {"NULL", "NULL", "8.583333333333332", "0.0"}},
      {AggregateFunction::kVarPop, {"NULL", "0.0", "5.722222222222221", "0.0"}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Of(c.function, arrow::float64(), {"NULL"}), c.expected[0]);
    EXPECT_EQ(Of(c.function, arrow::float64(), {}), c.expected[0]);
    EXPECT_EQ(Of(c.function, arrow::float64(), {"1.5"}), c.expected[1]);
    EXPECT_EQ(Of(c.function, arrow::float64(), {"1.5", "2.5", "NULL", "7.0"}),
              c.expected[2]);
    EXPECT_EQ(Of(c.function, arrow::float64(), {"3.25", "3.25"}), c.expected[3]);
    for (const char* other : {"nan", "inf", "-inf"}) {
      EXPECT_EQ(Of(c.function, arrow::float64(), {other, "1.0"}), "NaN");
    }
    const ExprPtr day = plan::MakeColumn(0, "x", arrow::date32(), true);
    EXPECT_EQ(core::InfoOf(plan::MakeAggregate(c.function, day, nullptr, {}).status())
                  .error_class,
              "DATATYPE_MISMATCH");
    const ExprPtr number = plan::MakeColumn(0, "x", arrow::decimal128(5, 2), true);
    const auto aggregate = *plan::MakeAggregate(c.function, number, nullptr, {});
    EXPECT_TRUE(aggregate.type->Equals(*arrow::float64()));
    EXPECT_TRUE(aggregate.argument->type->Equals(*arrow::float64()));
  }
}

TEST(Aggregate, FiltersAndArgumentsAreEvaluatedForTheSelectedRows) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int32())});
  const ExprPtr a = plan::MakeColumn(0, "a", arrow::int32(), true);
  const ExprPtr above_one = Call(Function::kGreater, {a, Int(1)});
  const ExprPtr inverse = Call(Function::kDivide, {Int(12), a});
  const std::vector<plan::Aggregate> list = {
      *plan::MakeAggregate(AggregateFunction::kCountAll, nullptr, nullptr, {}),
      *plan::MakeAggregate(AggregateFunction::kSum, inverse, above_one, {}),
      *plan::MakeAggregate(AggregateFunction::kMax, a, nullptr, {}),
      *plan::MakeAggregate(AggregateFunction::kCountAll, nullptr, above_one, {})};
  const EvaluatorOptions options{.pool = arrow::default_memory_pool()};
  const auto aggregates = *Aggregates::Make(list, *schema, options);
  const arrow::ArrayVector columns = {
      ArrayOf(arrow::int32(), {"0", "2", "NULL", "3", "100"})};
  // Rows with 0 would fail were they not filtered out first.
  const Selection selection = {0, 1, 2, 3};
  ASSERT_TRUE(aggregates->Update(columns, 5, &selection).ok());
  const auto others = *Aggregates::Make(list, *schema, options);
  ASSERT_TRUE(others->Update({ArrayOf(arrow::int32(), {"4", "1"})}, 2).ok());
  ASSERT_TRUE(aggregates->Merge(*others).ok());
  const auto result = aggregates->Finish();
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<std::string> texts;
  for (const auto& scalar : *result) {
    texts.push_back(plan::ValueText(*scalar));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"6", "13.0", "4", "3"}));
}

TEST(Aggregate, ErrorsNameTheAggregate) {
  const auto aggregate = *plan::MakeAggregate(
      AggregateFunction::kSum, plan::MakeColumn(0, "l_tax", arrow::int64(), true),
      nullptr, {.offset = 7, .length = 10});
  const auto state = *AggregateState::Make(aggregate, arrow::default_memory_pool());
  const auto array = ArrayOf(arrow::int64(), {"9223372036854775807", "1"});
  ASSERT_TRUE(state->Update(array, 2, nullptr).ok());
  const arrow::Status status = state->Finish().status();
  EXPECT_EQ(status.message(),
            "[ARITHMETIC_OVERFLOW] the sum 9223372036854775808 exceeds bigint in "
            "sum(l_tax)");
  EXPECT_EQ(core::InfoOf(status).sql_offset, 7);
}

}  // namespace
}  // namespace wheelpit::exec
