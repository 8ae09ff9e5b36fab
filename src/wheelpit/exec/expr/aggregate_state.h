// SPDX-License-Identifier: Apache-2.0
// States of aggregates without groups: count, sum, avg, min, max over any number of
// batches, joined with the states of other drivers at the end. A state belongs to one
// thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

/// What one aggregate has seen so far, over arrays of its argument's values.
class AggregateState {
 public:
  /// `aggregate` as plan::MakeAggregate gives it; copied. `pool` outlives the state.
  static arrow::Result<std::unique_ptr<AggregateState>> Make(
      const plan::Aggregate& aggregate, arrow::MemoryPool* pool);
  virtual ~AggregateState() = default;

  /// Takes in the values of rows `selection`, or of all `length` rows when it is null.
  /// `values` is what the aggregate's argument is for these `length` rows; null for
  /// count(*). May be dictionary-encoded.
  virtual arrow::Status Update(const std::shared_ptr<arrow::Array>& values,
                               int64_t length, const Selection* selection) = 0;

  /// Takes in another state of the same aggregate.
  virtual arrow::Status Merge(const AggregateState& other) = 0;

  /// The result so far: kData when a sum does not fit its type.
  virtual arrow::Result<std::shared_ptr<arrow::Scalar>> Finish() const = 0;
};

/// All aggregates of a plan node: evaluates filters and arguments, each distinct one
/// once, and updates the states. Belongs to one thread at a time.
class Aggregates {
 public:
  static arrow::Result<std::unique_ptr<Aggregates>> Make(
      const std::vector<plan::Aggregate>& aggregates, const arrow::Schema& input,
      const EvaluatorOptions& options);
  ~Aggregates();

  /// Rows of columns: all, or those in `selection`.
  arrow::Status Update(const arrow::ArrayVector& columns, int64_t length,
                       const Selection* selection = nullptr);
  arrow::Status Merge(const Aggregates& other);
  /// One value per aggregate.
  arrow::Result<arrow::ScalarVector> Finish() const;

 private:
  struct Entry;
  struct Group;
  explicit Aggregates(std::vector<Group> groups);
  std::vector<Group> groups_;  ///< aggregates with the same filter
};

}  // namespace wheelpit::exec
