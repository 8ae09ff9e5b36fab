// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/row_operators.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace wheelpit::exec {

namespace {

class FilterOperator final : public Operator {
 public:
  FilterOperator(const Filter* filter, arrow::MemoryPool* pool)
      : filter_(filter), pool_(pool) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    ARROW_RETURN_NOT_OK(filter_->Select(*batch, &selection_));
    if (selection_.empty()) {
      return nullptr;
    }
    return TakeRows(batch, selection_, pool_);
  }

 private:
  const Filter* const filter_;
  arrow::MemoryPool* const pool_;
  Selection selection_;
};

class ProjectOperator final : public Operator {
 public:
  ProjectOperator(const Evaluator* evaluator, std::shared_ptr<arrow::Schema> schema)
      : evaluator_(evaluator), schema_(std::move(schema)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    ARROW_ASSIGN_OR_RAISE(auto columns, evaluator_->Evaluate(*batch));
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  const Evaluator* const evaluator_;
  const std::shared_ptr<arrow::Schema> schema_;
};

class ExpandOperator final : public Operator {
 public:
  ExpandOperator(std::vector<std::shared_ptr<const Evaluator>> evaluators,
                 std::shared_ptr<arrow::Schema> schema, arrow::MemoryPool* pool)
      : evaluators_(std::move(evaluators)), schema_(std::move(schema)), pool_(pool) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    std::vector<arrow::ArrayVector> columns(static_cast<size_t>(schema_->num_fields()));
    for (const auto& evaluator : evaluators_) {
      ARROW_ASSIGN_OR_RAISE(auto values, evaluator->Evaluate(*batch));
      for (size_t i = 0; i < columns.size(); ++i) {
        columns[i].push_back(std::move(values[i]));
      }
    }
    arrow::ArrayVector arrays;
    for (const auto& parts : columns) {
      ARROW_ASSIGN_OR_RAISE(auto array, arrow::Concatenate(parts, pool_));
      arrays.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(
        schema_, batch->num_rows() * static_cast<int64_t>(evaluators_.size()),
        std::move(arrays));
  }

 private:
  const std::vector<std::shared_ptr<const Evaluator>> evaluators_;
  const std::shared_ptr<arrow::Schema> schema_;
  arrow::MemoryPool* const pool_;
};

class RenameOperator final : public Operator {
 public:
  explicit RenameOperator(std::shared_ptr<arrow::Schema> schema)
      : schema_(std::move(schema)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->columns());
  }

 private:
  const std::shared_ptr<arrow::Schema> schema_;
};

class ValuesSource final : public Source {
 public:
  ValuesSource(std::vector<std::vector<plan::ExprPtr>> rows,
               std::shared_ptr<arrow::Schema> schema, EvaluatorOptions options)
      : rows_(std::move(rows)),
        schema_(std::move(schema)),
        options_(std::move(options)) {}

  arrow::Result<Step> Next() override {
    if (given_ == rows_.size()) {
      return Step::End();
    }
    // In pieces, so that a long VALUES gives its thread back now and then.
    constexpr size_t kRowsAtOnce = 256;
    std::vector<arrow::ArrayVector> columns(static_cast<size_t>(schema_->num_fields()));
    const arrow::Schema no_columns({});
    int64_t count = 0;
    for (; given_ < rows_.size() && count < static_cast<int64_t>(kRowsAtOnce);
         ++given_, ++count) {
      ARROW_ASSIGN_OR_RAISE(auto evaluator,
                            Evaluator::Make(rows_[given_], no_columns, options_));
      ARROW_ASSIGN_OR_RAISE(auto values, evaluator->Evaluate(arrow::ArrayVector(), 1));
      for (size_t i = 0; i < columns.size(); ++i) {
        columns[i].push_back(std::move(values[i]));
      }
    }
    arrow::ArrayVector arrays;
    for (const auto& parts : columns) {
      ARROW_ASSIGN_OR_RAISE(auto array, arrow::Concatenate(parts, options_.pool));
      arrays.push_back(std::move(array));
    }
    return Step::Batch(arrow::RecordBatch::Make(schema_, count, std::move(arrays)));
  }

 private:
  const std::vector<std::vector<plan::ExprPtr>> rows_;
  const std::shared_ptr<arrow::Schema> schema_;
  const EvaluatorOptions options_;
  size_t given_ = 0;
};

}  // namespace

std::unique_ptr<Operator> MakeFilterOperator(const Filter* filter,
                                             arrow::MemoryPool* pool) {
  return std::make_unique<FilterOperator>(filter, pool);
}

std::unique_ptr<Operator> MakeProjectOperator(const Evaluator* evaluator,
                                              std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<ProjectOperator>(evaluator, std::move(schema));
}

std::unique_ptr<Operator> MakeExpandOperator(
    std::vector<std::shared_ptr<const Evaluator>> evaluators,
    std::shared_ptr<arrow::Schema> schema, arrow::MemoryPool* pool) {
  return std::make_unique<ExpandOperator>(std::move(evaluators), std::move(schema), pool);
}

std::unique_ptr<Operator> MakeRenameOperator(std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<RenameOperator>(std::move(schema));
}

std::unique_ptr<Source> MakeValuesSource(std::vector<std::vector<plan::ExprPtr>> rows,
                                         std::shared_ptr<arrow::Schema> schema,
                                         EvaluatorOptions options) {
  return std::make_unique<ValuesSource>(std::move(rows), std::move(schema),
                                        std::move(options));
}

}  // namespace wheelpit::exec
