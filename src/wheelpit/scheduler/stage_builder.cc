// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_builder.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/aggregate.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/limit.h"
#include "wheelpit/exec/row_operators.h"
#include "wheelpit/exec/scan/scan_source.h"
#include "wheelpit/scheduler/scan_filter.h"

namespace wheelpit::scheduler {

namespace {

using plan::Node;
using plan::NodeKind;

// The nodes from the leaf up.
std::vector<const Node*> ChainOf(const Node& root) {
  std::vector<const Node*> chain;
  for (const Node* node = &root; node != nullptr;
       node = node->inputs.empty() ? nullptr : node->inputs[0].get()) {
    chain.push_back(node);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void AddColumns(const plan::ExprPtr& expression, std::vector<bool>* needed) {
  if (expression != nullptr) {
    for (const int column : plan::ColumnsOf(*expression)) {
      (*needed)[static_cast<size_t>(column)] = true;
    }
  }
}

// Which of the scan's columns anything above it reads. Columns that only the pushed
// filter reads need not leave the scan.
std::vector<bool> NeededColumns(const std::vector<const Node*>& chain) {
  std::vector<bool> needed(static_cast<size_t>(chain[0]->schema->num_fields()), false);
  for (size_t i = 1; i < chain.size(); ++i) {
    const Node& node = *chain[i];
    AddColumns(node.condition, &needed);
    if (node.kind == NodeKind::kProject || node.kind == NodeKind::kAggregate) {
      for (const auto& expression : node.expressions) {
        AddColumns(expression, &needed);
      }
      for (const auto& aggregate : node.aggregates) {
        AddColumns(aggregate.argument, &needed);
        AddColumns(aggregate.filter, &needed);
      }
      return needed;
    }
  }
  needed.assign(needed.size(), true);
  return needed;
}

class StageBuilder {
 public:
  StageBuilder(const BuildOptions& options) : options_(options) {}

  arrow::Result<BuiltStages> Build(const Node& root) {
    const std::vector<const Node*> chain = ChainOf(root);
    if (chain[0]->kind == NodeKind::kScan) {
      ARROW_RETURN_NOT_OK(OpenScan(chain));
    } else {
      OpenValues(*chain[0]);
    }
    for (size_t i = 1; i < chain.size(); ++i) {
      ARROW_RETURN_NOT_OK(Add(*chain[i]));
    }
    built_.rows =
        std::make_unique<exec::GatherExchange>(open_.task_count, options_.exchange_bytes);
    exec::GatherExchange* rows = built_.rows.get();
    Close([rows](int64_t task) { return rows->MakeSink(task); },
          [rows] { return rows->closed(); });
    return std::move(built_);
  }

 private:
  using SourceMaker =
      std::function<arrow::Result<std::unique_ptr<exec::Source>>(int64_t, int)>;
  // Of one operator, by slot.
  using SlotMemories = std::vector<exec::OperatorMemory*>;
  using OperatorMaker = std::function<arrow::Result<std::unique_ptr<exec::Operator>>()>;
  using SinkMaker = std::function<std::unique_ptr<exec::Sink>(int64_t)>;

  // The stage that nodes are being added to.
  struct OpenStage {
    std::string name;
    int64_t task_count = 1;
    bool parallel = false;  // more than one task, or may have: below the first exchange
    SourceMaker make_source;
    std::vector<OperatorMaker> make_operators;
    std::vector<SlotMemories> memories = {};
  };

  exec::EvaluatorOptions EvaluatorOptions() const {
    return {.pool = options_.task.context.pool, .time_zone = options_.time_zone};
  }

  arrow::Result<SlotMemories> MakeMemories(const exec::OperatorMemoryOptions& each) {
    SlotMemories memories;
    for (int slot = 0; slot < options_.tasks_at_once; ++slot) {
      exec::OperatorMemoryOptions options = each;
      options.driver = slot;
      ARROW_ASSIGN_OR_RAISE(
          auto memory, exec::OperatorMemory::Make(options_.budget, std::move(options),
                                                  options_.task.metrics));
      memories.push_back(memory.get());
      built_.memories.push_back(std::move(memory));
    }
    return memories;
  }

  arrow::Status OpenScan(const std::vector<const Node*>& chain) {
    const Node& scan = *chain[0];
    auto splits = std::make_shared<std::vector<index::Split>>(
        index::PlanSplits(*scan.table, scan.columns, scan.predicate,
                          {.task_slots = options_.task_slots}, options_.task.metrics));
    auto filters = std::make_shared<std::vector<std::shared_ptr<const ScanFilter>>>();
    for (const auto& conjunct : scan.filter) {
      ARROW_ASSIGN_OR_RAISE(auto filter,
                            ScanFilter::Make(conjunct, *scan.schema, EvaluatorOptions()));
      filters->push_back(std::move(filter));
    }
    std::stable_partition(filters->begin(), filters->end(),
                          [](const auto& filter) { return !filter->may_fail(); });
    std::vector<int> output;
    arrow::FieldVector fields;
    mapping_.assign(static_cast<size_t>(scan.schema->num_fields()), -1);
    const std::vector<bool> needed = NeededColumns(chain);
    for (size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) {
        mapping_[i] = static_cast<int>(output.size());
        output.push_back(static_cast<int>(i));
        fields.push_back(scan.schema->field(static_cast<int>(i)));
      }
    }
    input_ = arrow::schema(std::move(fields));
    built_.file_count = static_cast<int64_t>(scan.table->files.size());
    for (const auto& split : *splits) {
      for (const auto& unit : split) {
        built_.row_count += unit.row_count;
      }
    }
    ARROW_ASSIGN_OR_RAISE(
        const SlotMemories memories,
        MakeMemories({.name = "scan", .minimum_bytes = options_.scan_minimum_bytes}));
    open_ = {
        .name = "scan",
        .task_count = static_cast<int64_t>(splits->size()),
        .parallel = true,
        .make_source =
            [options = options_, table = scan.table, columns = scan.columns,
             predicate = options_.page_index ? scan.predicate : index::Predicate{},
             output, splits, filters, memories](
                int64_t task, int slot) -> arrow::Result<std::unique_ptr<exec::Source>> {
          exec::ScanOptions scan_options;
          scan_options.table = table;
          scan_options.columns = columns;
          scan_options.output = output;
          scan_options.split = std::move((*splits)[static_cast<size_t>(task)]);
          for (const auto& filter : *filters) {
            scan_options.filters.push_back(ScanFilter::MakeRowFilter(filter));
          }
          scan_options.predicate = predicate;
          scan_options.batch_rows = options.batch_rows;
          scan_options.prefetch_bytes = options.prefetch_bytes;
          scan_options.io_tasks = options.task.io_tasks;
          scan_options.metrics = options.task.metrics;
          core::Context context = options.task.context;
          context.pool = &memories[static_cast<size_t>(slot)]->budget();
          return exec::MakeScanSource(std::move(scan_options), context);
        },
        .make_operators = {},
        .memories = {memories}};
    return arrow::Status::OK();
  }

  void OpenValues(const Node& values) {
    input_ = values.schema;
    open_ = {
        .name = "values",
        .task_count = 1,
        .parallel = false,
        .make_source = [rows = values.rows, schema = values.schema,
                        evaluator = EvaluatorOptions()](
                           int64_t, int) -> arrow::Result<std::unique_ptr<exec::Source>> {
          return exec::MakeValuesSource(rows, schema, evaluator);
        },
        .make_operators = {}};
  }

  arrow::Status Add(const Node& node) {
    switch (node.kind) {
      case NodeKind::kFilter:
        return AddFilter(node);
      case NodeKind::kProject:
        return AddProject(node);
      case NodeKind::kAggregate:
        return AddAggregate(node);
      case NodeKind::kLimit:
        AddLimit(node);
        return arrow::Status::OK();
      default:
        return core::Error(core::ErrorKind::kInternal, "a leaf inside a plan");
    }
  }

  // Columns that did not leave the scan have moved the others.
  plan::ExprPtr Remap(const plan::ExprPtr& expression) const {
    return expression == nullptr || mapping_.empty()
               ? expression
               : plan::RemapColumns(expression, mapping_);
  }

  arrow::Status AddFilter(const Node& node) {
    ARROW_ASSIGN_OR_RAISE(auto made,
                          exec::Filter::Make(plan::SplitConjuncts(Remap(node.condition)),
                                             *input_, EvaluatorOptions()));
    // Shared by the tasks of the stage.
    std::shared_ptr<const exec::Filter> filter = std::move(made);
    open_.make_operators.push_back([filter, pool = options_.task.context.pool]()
                                       -> arrow::Result<std::unique_ptr<exec::Operator>> {
      return exec::MakeFilterOperator(filter.get(), pool);
    });
    return arrow::Status::OK();
  }

  arrow::Status AddProject(const Node& node) {
    std::vector<plan::ExprPtr> expressions;
    for (const auto& expression : node.expressions) {
      expressions.push_back(Remap(expression));
    }
    ARROW_ASSIGN_OR_RAISE(
        auto made, exec::Evaluator::Make(expressions, *input_, EvaluatorOptions()));
    std::shared_ptr<const exec::Evaluator> evaluator = std::move(made);
    open_.make_operators.push_back(
        [evaluator,
         schema = node.schema]() -> arrow::Result<std::unique_ptr<exec::Operator>> {
          return exec::MakeProjectOperator(evaluator.get(), schema);
        });
    SetInput(node.schema);
    return arrow::Status::OK();
  }

  arrow::Status AddAggregate(const Node& node) {
    exec::AggregateOptions options{.aggregates = node.aggregates,
                                   .input = input_,
                                   .output = node.schema,
                                   .time_zone = options_.time_zone,
                                   .pool = options_.task.context.pool};
    for (auto& aggregate : options.aggregates) {
      aggregate.argument = Remap(aggregate.argument);
      aggregate.filter = Remap(aggregate.filter);
    }
    SetInput(node.schema);
    if (!open_.parallel) {
      open_.make_operators.push_back(
          [options] { return exec::MakeAggregateOperator(options); });
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(
        auto made, exec::AggregateMerge::Make(std::move(options), open_.task_count));
    std::shared_ptr<exec::AggregateMerge> merge = std::move(made);
    Close([merge](int64_t task) { return merge->MakeSink(task); }, {});
    Open("aggregate",
         [merge](int64_t, int) -> arrow::Result<std::unique_ptr<exec::Source>> {
           return merge->MakeSource();
         });
    return arrow::Status::OK();
  }

  void AddLimit(const Node& node) {
    const auto limit_to = [this](int64_t limit, int64_t offset) {
      open_.make_operators.push_back(
          [limit, offset]() -> arrow::Result<std::unique_ptr<exec::Operator>> {
            return std::make_unique<exec::LimitOperator>(limit, offset);
          });
    };
    if (open_.parallel) {
      // No task needs to give more than all of them together.
      if (node.limit >= 0) {
        int64_t rows = 0;
        if (!__builtin_add_overflow(node.limit, node.offset, &rows)) {
          limit_to(rows, 0);
        }
      }
      auto exchange = std::make_shared<exec::GatherExchange>(open_.task_count,
                                                             options_.exchange_bytes);
      Close([exchange](int64_t task) { return exchange->MakeSink(task); },
            [exchange] { return exchange->closed(); });
      Open("limit",
           [exchange](int64_t, int) -> arrow::Result<std::unique_ptr<exec::Source>> {
             return exchange->MakeSource();
           });
    }
    limit_to(node.limit, node.offset);
  }

  void SetInput(const std::shared_ptr<arrow::Schema>& schema) {
    input_ = schema;
    mapping_.clear();
  }

  void Open(std::string name, SourceMaker make_source) {
    open_ = {.name = std::move(name),
             .task_count = 1,
             .parallel = false,
             .make_source = std::move(make_source),
             .make_operators = {}};
  }

  void Close(SinkMaker make_sink, std::function<bool()> receiver_done) {
    built_.stages.push_back(
        {.name = open_.name,
         .task_count = open_.task_count,
         .make_task = [make_source = std::move(open_.make_source),
                       make_operators = std::move(open_.make_operators),
                       memories = std::move(open_.memories),
                       make_sink = std::move(make_sink)](
                          int64_t task, int slot) -> arrow::Result<exec::Pipeline> {
           exec::Pipeline pipeline;
           ARROW_ASSIGN_OR_RAISE(pipeline.source, make_source(task, slot));
           for (const auto& by_slot : memories) {
             pipeline.memories.push_back(by_slot[static_cast<size_t>(slot)]);
           }
           for (const auto& make_operator : make_operators) {
             ARROW_ASSIGN_OR_RAISE(auto made, make_operator());
             pipeline.operators.push_back(std::move(made));
           }
           pipeline.sink = make_sink(task);
           return pipeline;
         },
         .receiver_done = std::move(receiver_done)});
  }

  const BuildOptions& options_;
  BuiltStages built_;
  OpenStage open_;
  std::shared_ptr<arrow::Schema> input_;  // of the next node
  std::vector<int> mapping_;              // empty: columns are where the plan thinks
};

}  // namespace

arrow::Result<BuiltStages> BuildStages(const plan::Node& plan,
                                       const BuildOptions& options) {
  return StageBuilder(options).Build(plan);
}

}  // namespace wheelpit::scheduler
