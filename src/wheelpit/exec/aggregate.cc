// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/aggregate.h"

#include <optional>
#include <utility>

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/exec/expr/aggregate_state.h"

namespace wheelpit::exec {

namespace {

using BatchResult = arrow::Result<std::shared_ptr<arrow::RecordBatch>>;

arrow::Result<std::unique_ptr<Aggregates>> MakeStates(const AggregateOptions& options) {
  return Aggregates::Make(options.aggregates, *options.input,
                          {.pool = options.pool, .time_zone = options.time_zone});
}

BatchResult RowOf(const Aggregates& states, const AggregateOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto scalars, states.Finish());
  arrow::ArrayVector columns;
  for (const auto& scalar : scalars) {
    ARROW_ASSIGN_OR_RAISE(auto array,
                          arrow::MakeArrayFromScalar(*scalar, 1, options.pool));
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(options.output, 1, std::move(columns));
}

class AggregateOperator final : public Operator {
 public:
  AggregateOperator(AggregateOptions options, std::unique_ptr<Aggregates> states)
      : options_(std::move(options)), states_(std::move(states)) {}

  BatchResult Process(std::shared_ptr<arrow::RecordBatch> batch) override {
    ARROW_RETURN_NOT_OK(states_->Update(batch->columns(), batch->num_rows()));
    return nullptr;
  }

  BatchResult Finish() override {
    if (std::exchange(given_, true)) {
      return nullptr;
    }
    return RowOf(*states_, options_);
  }

 private:
  const AggregateOptions options_;
  std::unique_ptr<Aggregates> states_;
  bool given_ = false;
};

}  // namespace

struct AggregateMerge::State {
  struct Inner {
    // In the order of the tasks; merged from the front as they come in, null once merged.
    std::vector<std::unique_ptr<Aggregates>> parts;
    std::vector<bool> ended;
    size_t merged = 0;
    std::unique_ptr<Aggregates> total;
    arrow::Status error;
    core::Signal complete;
  };

  AggregateOptions options;
  core::Guarded<Inner> inner;

  // Merging a few numbers per task under the lock is cheaper than any way around it.
  void End(size_t task, std::unique_ptr<Aggregates> part) {
    core::Signal complete;
    {
      auto locked = inner.Lock();
      locked->parts[task] = std::move(part);
      locked->ended[task] = true;
      while (locked->merged < locked->parts.size() && locked->ended[locked->merged]) {
        const auto next = std::move(locked->parts[locked->merged++]);
        const arrow::Status status = locked->total->Merge(*next);
        if (!status.ok() && locked->error.ok()) {
          locked->error = status;
        }
      }
      if (locked->merged < locked->parts.size()) {
        return;
      }
      complete = locked->complete;
    }
    complete.Fire();
  }
};

arrow::Result<std::unique_ptr<AggregateMerge>> AggregateMerge::Make(
    AggregateOptions options, int64_t task_count) {
  auto state = std::make_shared<State>();
  {
    auto locked = state->inner.Lock();
    locked->parts.resize(static_cast<size_t>(task_count));
    locked->ended.resize(static_cast<size_t>(task_count), false);
    ARROW_ASSIGN_OR_RAISE(locked->total, MakeStates(options));
    if (task_count == 0) {
      locked->complete.Fire();
    }
  }
  state->options = std::move(options);
  return std::unique_ptr<AggregateMerge>(new AggregateMerge(std::move(state)));
}

AggregateMerge::AggregateMerge(std::shared_ptr<State> state) : state_(std::move(state)) {}
AggregateMerge::~AggregateMerge() = default;

std::unique_ptr<Sink> AggregateMerge::MakeSink(int64_t task) {
  class PartialSink final : public Sink {
   public:
    PartialSink(std::shared_ptr<State> state, size_t task)
        : state_(std::move(state)), task_(task) {}

    arrow::Result<std::optional<core::Wait>> Push(
        std::shared_ptr<arrow::RecordBatch> batch) override {
      ARROW_RETURN_NOT_OK(Prepare());
      ARROW_RETURN_NOT_OK(states_->Update(batch->columns(), batch->num_rows()));
      return std::nullopt;
    }

    arrow::Status Finish() override {
      ARROW_RETURN_NOT_OK(Prepare());
      state_->End(task_, std::move(states_));
      return arrow::Status::OK();
    }

   private:
    arrow::Status Prepare() {
      if (states_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(states_, MakeStates(state_->options));
      }
      return arrow::Status::OK();
    }

    std::shared_ptr<State> state_;
    const size_t task_;
    std::unique_ptr<Aggregates> states_;
  };
  return std::make_unique<PartialSink>(state_, static_cast<size_t>(task));
}

std::unique_ptr<Source> AggregateMerge::MakeSource() {
  class MergedSource final : public Source {
   public:
    explicit MergedSource(std::shared_ptr<State> state) : state_(std::move(state)) {}

    arrow::Result<Step> Next() override {
      auto locked = state_->inner.Lock();
      if (!locked->complete.fired()) {
        return Step::Waiting(locked->complete.wait());
      }
      if (std::exchange(given_, true)) {
        return Step::End();
      }
      ARROW_RETURN_NOT_OK(locked->error);
      ARROW_ASSIGN_OR_RAISE(auto row, RowOf(*locked->total, state_->options));
      return Step::Batch(std::move(row));
    }

   private:
    std::shared_ptr<State> state_;
    bool given_ = false;
  };
  return std::make_unique<MergedSource>(state_);
}

arrow::Result<std::unique_ptr<Operator>> MakeAggregateOperator(AggregateOptions options) {
  ARROW_ASSIGN_OR_RAISE(auto states, MakeStates(options));
  return std::make_unique<AggregateOperator>(std::move(options), std::move(states));
}

}  // namespace wheelpit::exec
