// SPDX-License-Identifier: Apache-2.0
// Groups against a plain map, in every budget, with disks that fail and queries that are
// stopped.
#include "wheelpit/exec/grouped_aggregate.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/aggregate_state.h"
#include "wheelpit/exec/expr/test_support.h"
#include "wheelpit/exec/grouped_fixture.h"
#include "wheelpit/exec/keys/key_sample.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec {
namespace {

using plan::AggregateFunction;
using plan::ExprPtr;

constexpr int64_t kMiB = int64_t{1} << 20;

ExprPtr ColumnOf(const arrow::Schema& schema, int i) {
  return plan::MakeColumn(i, schema.field(i)->name(), schema.field(i)->type(), true);
}

plan::Aggregate Of(AggregateFunction function, const ExprPtr& argument,
                   const ExprPtr& filter = nullptr) {
  return plan::MakeAggregate(function, argument, filter, {}).ValueOrDie();
}

// A value as text, the same for equal keys.
std::string TextOf(const arrow::Array& array, int64_t i) {
  const auto scalar = array.GetScalar(i).ValueOrDie();
  const arrow::Scalar* value = scalar.get();
  std::shared_ptr<arrow::Scalar> decoded;
  if (scalar->type->id() == arrow::Type::DICTIONARY && scalar->is_valid) {
    decoded = static_cast<const arrow::DictionaryScalar&>(*scalar)
                  .GetEncodedValue()
                  .ValueOrDie();
    value = decoded.get();
  }
  if (!value->is_valid) {
    return "NULL";
  }
  if (value->type->id() == arrow::Type::DOUBLE) {
    const double number = static_cast<const arrow::DoubleScalar&>(*value).value;
    return number == 0 ? "0.0" : plan::ValueText(*value);
  }
  if (value->type->id() == arrow::Type::FLOAT) {
    const float number = static_cast<const arrow::FloatScalar&>(*value).value;
    return number == 0 ? "0.0" : plan::ValueText(*value);
  }
  return value->ToString();
}

std::string RowText(const arrow::RecordBatch& batch, int64_t row, int first, int end) {
  std::string text;
  for (int i = first; i < end; ++i) {
    const std::string value = TextOf(*batch.column(i), row);
    text += std::to_string(value.size()) + ":" + value + " ";
  }
  return text;
}

using Groups = std::map<std::string, std::string>;

// The rows of each group in a map, each aggregate as one without groups. Keys are the
// first columns.
Groups Expected(const GroupedRun& run) {
  const int key_count = static_cast<int>(run.keys.size());
  Groups groups;
  Batches all;
  for (const Batches& task : run.tasks) {
    all.insert(all.end(), task.begin(), task.end());
  }
  const EvaluatorOptions options{.pool = arrow::default_memory_pool()};
  std::map<std::string, std::unique_ptr<Aggregates>> states;
  for (const auto& batch : all) {
    std::map<std::string, Selection> rows;
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      rows[RowText(*batch, i, 0, key_count)].push_back(static_cast<int32_t>(i));
    }
    for (const auto& [key, selection] : rows) {
      auto& state = states[key];
      if (state == nullptr) {
        state = Aggregates::Make(run.aggregates, *run.input, options).ValueOrDie();
      }
      EXPECT_TRUE(state->Update(batch->columns(), batch->num_rows(), &selection).ok());
    }
  }
  for (const auto& [key, state] : states) {
    std::string text;
    for (const auto& scalar : state->Finish().ValueOrDie()) {
      text += scalar->ToString() + " ";
    }
    groups[key] = text;
  }
  return groups;
}

Groups Actual(const GroupedOutcome& outcome, int key_count) {
  Groups groups;
  for (const auto& batch : outcome.rows) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      std::string text;
      for (int c = key_count; c < batch->num_columns(); ++c) {
        text += batch->column(c)->GetScalar(i).ValueOrDie()->ToString() + " ";
      }
      const bool added =
          groups.emplace(RowText(*batch, i, 0, key_count), std::move(text)).second;
      EXPECT_TRUE(added) << "twice: " << RowText(*batch, i, 0, key_count);
    }
  }
  return groups;
}

class GroupedAggregateTest : public testing::Test {
 protected:
  // Runs it and compares with the map.
  void Check(const GroupedRun& run) {
    const GroupedOutcome outcome = machine_.Run(run);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(machine_.left, "");
    EXPECT_EQ(Actual(outcome, static_cast<int>(run.keys.size())), Expected(run));
  }

  GroupedMachine machine_;
};

// Numbers of which sums of doubles are exact.
std::shared_ptr<arrow::Array> Numbers(int64_t length, uint64_t seed, int64_t distinct) {
  std::mt19937_64 random(seed);
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < length; ++i) {
    const auto value = static_cast<int64_t>(random() % static_cast<uint64_t>(distinct));
    EXPECT_TRUE((random() % 20 == 0 ? builder.AppendNull() : builder.Append(value)).ok());
  }
  return builder.Finish().ValueOrDie();
}

// Tasks of batches of `key columns, n (bigint), t (text), d (decimal)`.
GroupedRun MakeRun(const std::vector<std::shared_ptr<arrow::DataType>>& key_types,
                   int64_t tasks, int64_t batch_rows, uint64_t seed, int distinct) {
  GroupedRun run;
  arrow::FieldVector fields;
  for (const auto& type : key_types) {
    fields.push_back(arrow::field("k" + std::to_string(fields.size()), type));
  }
  const int first = static_cast<int>(fields.size());
  fields.push_back(arrow::field("n", arrow::int64()));
  fields.push_back(arrow::field("t", arrow::utf8()));
  fields.push_back(arrow::field("d", arrow::decimal128(30, 2)));
  run.input = arrow::schema(fields);
  for (int64_t task = 0; task < tasks; ++task) {
    Batches batches;
    for (int64_t b = 0; b < 2; ++b) {
      arrow::ArrayVector columns;
      SampleOptions sample{.seed = seed, .distinct = distinct};
      for (const auto& type : key_types) {
        // The same values in every batch: the rows differ.
        columns.push_back(SampleColumn(type, batch_rows, sample));
        sample.seed += static_cast<uint64_t>(17 * task + b);
      }
      seed += 1000;
      columns.push_back(Numbers(batch_rows, seed, 1000));
      columns.push_back(
          SampleColumn(arrow::utf8(), batch_rows,
                       {.seed = seed, .distinct = 100, .text_bytes_max = 60}));
      columns.push_back(
          SampleColumn(arrow::decimal128(30, 2), batch_rows, {.seed = seed + 1}));
      batches.push_back(arrow::RecordBatch::Make(run.input, batch_rows, columns));
    }
    run.tasks.push_back(std::move(batches));
  }
  for (int i = 0; i < first; ++i) {
    run.keys.push_back(ColumnOf(*run.input, i));
  }
  const ExprPtr n = ColumnOf(*run.input, first);
  const ExprPtr t = ColumnOf(*run.input, first + 1);
  const ExprPtr d = ColumnOf(*run.input, first + 2);
  const ExprPtr above = Call(plan::Function::kGreater, {n, Long(500)});
  run.aggregates = {
      Of(AggregateFunction::kCountAll, nullptr),
      Of(AggregateFunction::kCount, n),
      Of(AggregateFunction::kSum, n),
      Of(AggregateFunction::kAvg, n, above),
      Of(AggregateFunction::kMin, t),
      Of(AggregateFunction::kMax, t, above),
      Of(AggregateFunction::kCountAll, nullptr, above),
      Of(AggregateFunction::kMax, d),
  };
  run.slots = 2;
  return run;
}

TEST_F(GroupedAggregateTest, EveryTypeOfKeyGroupsAsAMapDoes) {
  uint64_t seed = 1;
  for (const auto& type : SampleKeyTypes()) {
    SCOPED_TRACE(type->ToString());
    Check(MakeRun({type}, 3, 500, seed++, 40));
  }
}

TEST_F(GroupedAggregateTest, SeveralKeysInTheMinimumOfMemory) {
  const auto types = SampleKeyTypes();
  std::mt19937_64 random(3);
  for (int round = 0; round < (kSanitized ? 2 : 6); ++round) {
    std::vector<std::shared_ptr<arrow::DataType>> keys;
    for (int i = 0; i < 3; ++i) {
      keys.push_back(types[random() % types.size()]);
    }
    GroupedRun run = MakeRun(keys, 3, 1000, random(), 30);
    run.memory_bytes = 0;
    run.slots = 1 + round % 3;
    Check(run);
  }
}

std::shared_ptr<arrow::Array> DictionaryOf(const std::vector<std::string>& values,
                                           const std::vector<std::string>& codes) {
  return arrow::DictionaryArray::FromArrays(
             arrow::dictionary(arrow::int8(), arrow::utf8()),
             ArrayOf(arrow::int8(), codes), ArrayOf(arrow::utf8(), values))
      .ValueOrDie();
}

// A null code, a null value and values that are there twice; sliced, and with another
// dictionary in the next batch.
TEST_F(GroupedAggregateTest, DictionariesGroupByTheirValues) {
  GroupedRun run;
  run.input = arrow::schema(
      {arrow::field("k", arrow::dictionary(arrow::int8(), arrow::utf8())),
       arrow::field("j", arrow::dictionary(arrow::int8(), arrow::utf8())),
       arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())});
  std::mt19937_64 random(5);
  const std::vector<std::vector<std::string>> dictionaries = {
      {"a", "b", "a", "NULL"}, {"b", "c"}, {"c", "a", "b", "d", "e"}, {"NULL"}};
  Batches batches;
  for (const auto& dictionary : dictionaries) {
    std::vector<std::string> codes;
    std::vector<std::string> others;
    std::vector<std::string> numbers;
    std::vector<std::string> texts;
    for (int i = 0; i < 300; ++i) {
      const auto code = random() % (dictionary.size() + 1);
      codes.push_back(code == dictionary.size() ? "NULL" : std::to_string(code));
      others.push_back(std::to_string(random() % 2));
      numbers.push_back(random() % 9 == 0 ? "NULL" : std::to_string(random() % 100));
      texts.push_back("text " + std::to_string(random() % 100));
    }
    const auto batch = arrow::RecordBatch::Make(
        run.input, 300,
        arrow::ArrayVector{
            DictionaryOf(dictionary, codes), DictionaryOf({"x", "y"}, others),
            ArrayOf(arrow::int64(), numbers), ArrayOf(arrow::utf8(), texts)});
    batches.push_back(batch->Slice(3, 290));
  }
  run.tasks = {batches, batches};
  run.keys = {ColumnOf(*run.input, 0), ColumnOf(*run.input, 1)};
  const ExprPtr n = ColumnOf(*run.input, 2);
  const ExprPtr t = ColumnOf(*run.input, 3);
  const ExprPtr above = Call(plan::Function::kGreater, {n, Long(50)});
  run.aggregates = {Of(AggregateFunction::kCountAll, nullptr),
                    Of(AggregateFunction::kCount, n),
                    Of(AggregateFunction::kSum, n),
                    Of(AggregateFunction::kSum, n, above),
                    Of(AggregateFunction::kMin, t, above),
                    Of(AggregateFunction::kMax, t)};
  Check(run);
  run.aggregates = {Of(AggregateFunction::kAvg, n), Of(AggregateFunction::kMin, n)};
  Check(run);
}

TEST_F(GroupedAggregateTest, NaNAndZeroAndNullAreOneGroupEach) {
  GroupedRun run;
  run.input = arrow::schema({arrow::field("x", arrow::float64())});
  run.tasks = {{arrow::RecordBatch::Make(
      run.input, 9,
      arrow::ArrayVector{ArrayOf(arrow::float64(), {"nan", "0.0", "-0.0", "NULL", "nan",
                                                    "-nan", "NULL", "1.0", "-0.0"})})}};
  run.keys = {ColumnOf(*run.input, 0)};
  run.aggregates = {Of(AggregateFunction::kCountAll, nullptr)};
  const GroupedOutcome outcome = machine_.Run(run);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(
      Actual(outcome, 1),
      (Groups{{"3:NaN ", "3 "}, {"3:0.0 ", "3 "}, {"4:NULL ", "2 "}, {"3:1.0 ", "1 "}}));
}

TEST_F(GroupedAggregateTest, WithoutAggregatesItIsDistinct) {
  GroupedRun run = ScatteredRun(100'000, 5'000, 4);
  run.aggregates.clear();
  const GroupedOutcome outcome = machine_.Run(run);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.row_count, 5'000);
  EXPECT_EQ(Actual(outcome, 1).size(), 5'000U);
}

TEST_F(GroupedAggregateTest, NoRowsAndNoTasksGiveNoGroups) {
  GroupedRun run = ScatteredRun(100, 10, 1);
  run.tasks[0] = {run.tasks[0][0]->Slice(0, 0)};
  EXPECT_EQ(machine_.Run(run).row_count, 0);
  run.tasks = {{}, {}};
  EXPECT_EQ(machine_.Run(run).row_count, 0);
  run.tasks.clear();
  const GroupedOutcome outcome = machine_.Run(run);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.row_count, 0);
  EXPECT_EQ(machine_.left, "");
}

// Nine rows in ten have the same key; batches are larger than a slice.
TEST_F(GroupedAggregateTest, SkewedKeysInOneLargeBatch) {
  GroupedRun run = MakeRun({arrow::int64()}, 1, 20'000, 9, 15'000);
  const auto& batch = run.tasks[0][0];
  arrow::Int64Builder keys;
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    EXPECT_TRUE(keys.Append(i % 10 == 0 ? i : 42).ok());
  }
  run.tasks[0][0] =
      batch->SetColumn(0, run.input->field(0), keys.Finish().ValueOrDie()).ValueOrDie();
  run.memory_bytes = 0;
  Check(run);
}

TEST_F(GroupedAggregateTest, KeysAndArgumentsAreExpressions) {
  GroupedRun run = ScatteredRun(10'000, 1'000, 2);
  const ExprPtr k = run.keys[0];
  run.keys = {Call(plan::Function::kRemainder, {k, Long(10)})};
  run.aggregates = {Of(AggregateFunction::kSum, Call(plan::Function::kAdd, {k, Long(1)})),
                    Of(AggregateFunction::kStddevPop, k)};
  const GroupedOutcome outcome = machine_.Run(run);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.row_count, 10);
}

TEST_F(GroupedAggregateTest, ErrorsOfValuesAreThoseOfTheQuery) {
  GroupedRun run = ScatteredRun(1'000, 100, 2);
  const ExprPtr k = run.keys[0];
  const auto sum = run.aggregates;
  run.aggregates = {
      Of(AggregateFunction::kSum, Call(plan::Function::kDivide, {Long(1), k}))};
  EXPECT_EQ(core::InfoOf(machine_.Run(run).status).error_class, "DIVIDE_BY_ZERO");
  EXPECT_EQ(machine_.left, "");
  // One group of which the sum does not fit.
  run.aggregates = {Of(AggregateFunction::kSum,
                       Call(plan::Function::kAdd, {k, Long(int64_t{1} << 60)}))};
  EXPECT_EQ(core::InfoOf(machine_.Run(run).status).error_class, "ARITHMETIC_OVERFLOW");
  EXPECT_EQ(machine_.left, "");
  run.aggregates = sum;
  EXPECT_EQ(WrongOfScattered(machine_.Run(run), 1'000), "");
  run.keys = {plan::MakeColumn(0, "l", arrow::list(arrow::int32()), true)};
  EXPECT_EQ(core::KindOf(machine_.Run(run).status), core::ErrorKind::kUnsupported);
}

// All that exec/expr's aggregates take, against those.
TEST_F(GroupedAggregateTest, EveryTypeOfArgument) {
  const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::boolean(),         arrow::int8(),
      arrow::int16(),           arrow::int32(),
      arrow::int64(),           arrow::float32(),
      arrow::float64(),         arrow::decimal128(12, 3),
      arrow::decimal128(38, 2), arrow::utf8(),
      arrow::binary(),          arrow::date32(),
      plan::TimestampType(),    plan::TimestampNtzType()};
  uint64_t seed = 77;
  for (const auto& type : types) {
    SCOPED_TRACE(type->ToString());
    GroupedRun run = MakeRun({arrow::int32(), type}, 2, 400, seed++, 12);
    run.keys.pop_back();
    const ExprPtr x = ColumnOf(*run.input, 1);
    run.aggregates = {Of(AggregateFunction::kMin, x), Of(AggregateFunction::kMax, x),
                      Of(AggregateFunction::kCount, x)};
    // Of one task, so that sums are of the same order.
    run.slots = 1;
    const plan::TypeClass c = plan::ClassOf(*type);
    if (plan::IsIntegral(c) || (c == plan::TypeClass::kDecimal && seed % 2 == 0)) {
      run.aggregates.push_back(Of(AggregateFunction::kSum, x));
      run.aggregates.push_back(Of(AggregateFunction::kAvg, x));
    }
    const GroupedOutcome outcome = machine_.Run(run);
    if (!outcome.status.ok()) {
      // Sums and averages of extreme values.
      EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kData);
      run.aggregates.resize(3);
    }
    Check(run);
  }
}

}  // namespace
}  // namespace wheelpit::exec
