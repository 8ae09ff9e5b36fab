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

// Rows (i, i % 7, text) in some order, n of them; `groups` values of the key.
GroupedRun Scattered(int64_t rows, int64_t groups, int tasks) {
  GroupedRun run;
  run.input = arrow::schema(
      {arrow::field("k", arrow::int64()), arrow::field("n", arrow::int64())});
  std::mt19937_64 random(7);
  for (int task = 0; task < tasks; ++task) {
    Batches batches;
    for (int64_t left = rows / tasks; left > 0; left -= 8192) {
      const int64_t count = std::min<int64_t>(left, 8192);
      arrow::Int64Builder keys;
      arrow::Int64Builder numbers;
      EXPECT_TRUE(keys.Reserve(count).ok() && numbers.Reserve(count).ok());
      for (int64_t i = 0; i < count; ++i) {
        const auto key = static_cast<int64_t>(random() % static_cast<uint64_t>(groups));
        keys.UnsafeAppend(key);
        numbers.UnsafeAppend(key * 3);
      }
      batches.push_back(arrow::RecordBatch::Make(
          run.input, count,
          arrow::ArrayVector{keys.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()}));
    }
    run.tasks.push_back(std::move(batches));
  }
  run.keys = {ColumnOf(*run.input, 0)};
  run.aggregates = {Of(AggregateFunction::kCountAll, nullptr),
                    Of(AggregateFunction::kMax, ColumnOf(*run.input, 1)),
                    Of(AggregateFunction::kSum, ColumnOf(*run.input, 1))};
  run.slots = 2;
  return run;
}

// Every group once, with its own numbers in it; returns how many rows they are of.
int64_t CheckScattered(const GroupedOutcome& outcome) {
  std::set<int64_t> seen;
  int64_t rows = 0;
  for (const auto& batch : outcome.rows) {
    const auto& keys = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& counts = static_cast<const arrow::Int64Array&>(*batch->column(1));
    const auto& maxima = static_cast<const arrow::Int64Array&>(*batch->column(2));
    const auto& sums = static_cast<const arrow::Int64Array&>(*batch->column(3));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      EXPECT_TRUE(seen.insert(keys.Value(i)).second) << keys.Value(i);
      EXPECT_EQ(maxima.Value(i), 3 * keys.Value(i));
      EXPECT_EQ(sums.Value(i), 3 * keys.Value(i) * counts.Value(i));
      rows += counts.Value(i);
    }
  }
  return rows;
}

TEST_F(GroupedAggregateTest, AMillionGroupsInEveryBudget) {
  constexpr int64_t kRows = 1'000'000;
  GroupedRun run = Scattered(kRows, 8'000'000, 4);
  int64_t groups = 0;
  for (const int64_t memory : {int64_t{0}, 40 * kMiB, 64 * kMiB, 1024 * kMiB}) {
    run.memory_bytes = memory;
    const GroupedOutcome outcome = machine_.Run(run);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status << " in " << memory;
    EXPECT_EQ(machine_.left, "");
    EXPECT_EQ(CheckScattered(outcome), kRows);
    groups = groups == 0 ? outcome.row_count : groups;
    EXPECT_EQ(outcome.row_count, groups);
    EXPECT_EQ(outcome.spilled_bytes > 0, memory < 1024 * kMiB);
    if (memory != 0) {
      EXPECT_LE(outcome.peak_bytes, memory);
    }
    printf("%lld: spilled %lld, peak %lld, groups %lld\n", (long long)memory,
           (long long)outcome.spilled_bytes, (long long)outcome.peak_bytes,
           (long long)outcome.row_count);
  }
}

}  // namespace
}  // namespace wheelpit::exec
