// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/scheduler/stage_builder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/aggregate.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/grouped_aggregate.h"
#include "wheelpit/exec/limit.h"
#include "wheelpit/exec/row_operators.h"
#include "wheelpit/exec/scan/scan_source.h"
#include "wheelpit/exec/sort/sort_merge.h"
#include "wheelpit/exec/write/file_write.h"
#include "wheelpit/scheduler/coded_columns.h"
#include "wheelpit/scheduler/scan_cut_off.h"
#include "wheelpit/scheduler/scan_filter.h"

namespace wheelpit::scheduler {

namespace {

using plan::Node;
using plan::NodeKind;

void AddColumns(const plan::ExprPtr& expression, std::vector<bool>* needed) {
  if (expression != nullptr) {
    for (const int column : plan::ColumnsOf(*expression)) {
      (*needed)[static_cast<size_t>(column)] = true;
    }
  }
}

// Of a node's columns those that are used, by position.
using Needed = std::vector<bool>;
// And those that may be dictionary columns.
using Coded = std::vector<bool>;

Coded None(const arrow::Schema& schema) {
  return Coded(static_cast<size_t>(schema.num_fields()), false);
}

Needed All(const arrow::Schema& schema) {
  return Needed(static_cast<size_t>(schema.num_fields()), true);
}

// Which columns of its input a node reads, when those of its own are used that
// `needed` says. Columns that only the scan's own filter reads need not leave the scan.
Needed NeededOfInput(const Node& node, const Needed& needed) {
  if (node.kind == NodeKind::kFilter) {
    Needed below = needed;
    AddColumns(node.condition, &below);
    return below;
  }
  if (node.kind == NodeKind::kLimit) {
    return needed;
  }
  if (node.kind != NodeKind::kProject && node.kind != NodeKind::kExpand &&
      node.kind != NodeKind::kAggregate) {
    return All(*node.inputs[0]->schema);
  }
  Needed below(static_cast<size_t>(node.inputs[0]->schema->num_fields()), false);
  const auto add = [&](const std::vector<plan::ExprPtr>& expressions) {
    for (const auto& expression : expressions) {
      AddColumns(expression, &below);
    }
  };
  add(node.expressions);
  add(node.keys);
  for (const auto& row : node.rows) {
    add(row);
  }
  for (const auto& aggregate : node.aggregates) {
    add({aggregate.argument, aggregate.filter});
  }
  return below;
}

class StageBuilder {
 public:
  StageBuilder(const BuildOptions& options) : options_(options) {}

  arrow::Result<BuiltStages> Build(const Node& root) {
    built_.task_context = std::make_unique<exec::TaskContext>(options_.task);
    ARROW_RETURN_NOT_OK(AddTree(root, All(*root.schema), None(*root.schema)));
    built_.rows = std::make_unique<exec::GatherExchange>(open_.task_count(),
                                                         options_.exchange_bytes);
    exec::GatherExchange* rows = built_.rows.get();
    // What came out of the last phase is with the client: nothing can be given back.
    for (const int stage : open_.beside) {
      built_.stages[static_cast<size_t>(stage)].closes.clear();
    }
    Close([rows](int64_t task, exec::OperatorMemory*) { return rows->MakeSink(task); },
          [rows] { return rows->closed(); });
    built_.stages.back().closes.clear();
    return std::move(built_);
  }

 private:
  // Of a task, with the memory of the slot that it runs in, if it has any.
  using SourceMaker = std::function<arrow::Result<std::unique_ptr<exec::Source>>(
      int64_t, exec::OperatorMemory*)>;
  using OperatorMaker = std::function<arrow::Result<std::unique_ptr<exec::Operator>>()>;
  using SinkMaker =
      std::function<std::unique_ptr<exec::Sink>(int64_t, exec::OperatorMemory*)>;

  // Tasks that are alike.
  struct Part {
    int64_t task_count = 1;
    SourceMaker make_source;
    std::vector<OperatorMaker> make_operators = {};
    StageMemory* memory = nullptr;  // of its sources
  };

  // The stage that nodes are being added to.
  struct OpenStage {
    std::string name;
    std::vector<Part> parts;  // of a union one after the other
    bool parallel = false;    // more than one task, or may have
    StageMemory* sink_memory = nullptr;
    bool closes_parts = true;                  // and their memory, when it has ended
    std::vector<StageMemory*> collected = {};  // by earlier phases, for this stage
    std::vector<int> after = {};               // stages that end before it starts
    std::vector<int> beside = {};              // that give it rows while it runs
    std::vector<int> inputs = {};              // that give it rows themselves

    int64_t task_count() const {
      int64_t count = 0;
      for (const Part& part : parts) {
        count += part.task_count;
      }
      return count;
    }
  };

  exec::EvaluatorOptions EvaluatorOptions() const {
    return {.pool = options_.task.context.pool, .time_zone = options_.time_zone};
  }

  // Adds the node and all below it.
  arrow::Status AddTree(const Node& node, const Needed& needed, const Coded& coded) {
    if (node.kind == NodeKind::kScan) {
      return OpenScan(node, needed, coded);
    }
    if (node.kind == NodeKind::kValues) {
      OpenValues(node);
      return arrow::Status::OK();
    }
    if (node.kind == NodeKind::kUnion) {
      return AddUnion(node, coded);
    }
    ARROW_RETURN_NOT_OK(
        AddTree(*node.inputs[0], NeededOfInput(node, needed), CodedOfInput(node, coded)));
    return Add(node);
  }

  StageMemory* MakeMemory(exec::OperatorMemoryOptions each, bool parallel) {
    built_.memories.push_back(std::make_unique<StageMemory>(
        options_.budget, std::move(each), parallel ? options_.tasks_at_once : 1,
        options_.task.metrics));
    return built_.memories.back().get();
  }

  // One for each text column that may come as codes, for all tasks of the scan.
  std::vector<std::shared_ptr<exec::GrowingDictionary>> MakeDictionaries(
      const Node& scan, const Coded& coded) const {
    std::vector<std::shared_ptr<exec::GrowingDictionary>> dictionaries(coded.size());
    for (size_t i = 0; i < coded.size(); ++i) {
      const auto& type = scan.schema->field(static_cast<int>(i))->type();
      const bool text =
          type->id() == arrow::Type::STRING || type->id() == arrow::Type::BINARY;
      if (coded[i] && text) {
        dictionaries[i] =
            std::make_shared<exec::GrowingDictionary>(type, options_.task.context.pool);
      }
    }
    return dictionaries;
  }

  // Makes the needed ones of the columns the input of what comes; their numbers.
  std::vector<int> TakeColumns(const arrow::Schema& schema, const Needed& needed) {
    std::vector<int> output;
    arrow::FieldVector fields;
    mapping_.assign(static_cast<size_t>(schema.num_fields()), -1);
    for (size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) {
        mapping_[i] = static_cast<int>(output.size());
        output.push_back(static_cast<int>(i));
        fields.push_back(schema.field(static_cast<int>(i)));
      }
    }
    input_ = arrow::schema(std::move(fields));
    return output;
  }

  arrow::Status OpenScan(const Node& scan, const Needed& needed, const Coded& coded) {
    auto splits = std::make_shared<std::vector<index::Split>>(
        index::PlanSplits(*scan.table, scan.columns, scan.predicate,
                          {.task_slots = options_.task_slots}, options_.task.metrics));
    auto filters = std::make_shared<std::vector<std::shared_ptr<const ScanFilter>>>();
    const auto cut_off = std::make_shared<ScanCutOff>();
    for (const auto& conjunct : scan.filter) {
      ARROW_ASSIGN_OR_RAISE(auto filter,
                            ScanFilter::Make(conjunct, *scan.schema, EvaluatorOptions()));
      filters->push_back(std::move(filter));
    }
    std::stable_partition(filters->begin(), filters->end(),
                          [](const auto& filter) { return !filter->may_fail(); });
    // What fails must fail for rows that nobody wants too.
    if (filters->empty() || !filters->back()->may_fail()) {
      cut_offs_[&scan] = cut_off;
    }
    const std::vector<int> output = TakeColumns(*scan.schema, needed);
    built_.file_count += static_cast<int64_t>(scan.table->files.size());
    for (const auto& split : *splits) {
      for (const auto& unit : split) {
        built_.row_count += unit.row_count;
      }
    }
    Part part{.task_count = static_cast<int64_t>(splits->size()),
              .make_source =
                  [options = options_, table = scan.table, columns = scan.columns,
                   predicate = options_.page_index ? scan.predicate : index::Predicate{},
                   output, splits, filters, cut_off,
                   dictionaries = MakeDictionaries(scan, coded)](
                      int64_t task, exec::OperatorMemory* memory)
                  -> arrow::Result<std::unique_ptr<exec::Source>> {
                exec::ScanOptions scan_options;
                scan_options.table = table;
                scan_options.columns = columns;
                scan_options.output = output;
                scan_options.split = std::move((*splits)[static_cast<size_t>(task)]);
                for (const auto& filter : *filters) {
                  scan_options.filters.push_back(ScanFilter::MakeRowFilter(filter));
                }
                scan_options.predicate = predicate;
                if (cut_off->connected()) {
                  scan_options.filters.push_back(
                      ScanCutOff::MakeRowFilter(cut_off, &memory->budget()));
                  scan_options.moving = cut_off;
                  scan_options.moving_pages = options.page_index;
                }
                scan_options.batch_rows = options.batch_rows;
                scan_options.prefetch_bytes = options.prefetch_bytes;
                scan_options.io_tasks = options.task.io_tasks;
                scan_options.metrics = memory->task_metrics();
                core::Context context = options.task.context;
                context.pool = &memory->budget();
                scan_options.budget = &memory->budget();
                return exec::MakeScanSource(std::move(scan_options), context);
              },
              .memory = MakeMemory(
                  {.name = "scan", .minimum_bytes = options_.scan_minimum_bytes}, true)};
    Open("scan", std::move(part), true);
    return arrow::Status::OK();
  }

  void OpenValues(const Node& values) {
    input_ = values.schema;
    mapping_.clear();
    Open("values",
         {.make_source = [rows = values.rows, schema = values.schema,
                          evaluator = EvaluatorOptions()](int64_t, exec::OperatorMemory*)
              -> arrow::Result<std::unique_ptr<exec::Source>> {
           return exec::MakeValuesSource(rows, schema, evaluator);
         }},
         false);
  }

  // The tasks of all inputs in one stage, in order.
  arrow::Status AddUnion(const Node& node, const Coded& coded) {
    OpenStage all{.name = "union", .parts = {}, .parallel = true};
    for (const auto& input : node.inputs) {
      ARROW_RETURN_NOT_OK(AddTree(*input, All(*input->schema), coded));
      for (Part& part : open_.parts) {
        part.make_operators.push_back(
            [schema = node.schema]() -> arrow::Result<std::unique_ptr<exec::Operator>> {
              return exec::MakeRenameOperator(schema);
            });
        all.parts.push_back(std::move(part));
      }
      for (auto [from, to] :
           {std::pair(&open_.after, &all.after), std::pair(&open_.beside, &all.beside),
            std::pair(&open_.inputs, &all.inputs)}) {
        to->insert(to->end(), from->begin(), from->end());
      }
      all.collected.insert(all.collected.end(), open_.collected.begin(),
                           open_.collected.end());
    }
    ShareMemory(&all.parts);
    open_ = std::move(all);
    SetInput(node.schema);
    return arrow::Status::OK();
  }

  // A slot runs a task of one part at a time: what the most needy takes will do for all.
  void ShareMemory(std::vector<Part>* parts) {
    exec::OperatorMemoryOptions most;
    for (const Part& part : *parts) {
      if (part.memory != nullptr) {
        const exec::OperatorMemoryOptions& each = part.memory->each();
        most.name = most.name.empty() ? each.name : "union";
        most.minimum_bytes = std::max(most.minimum_bytes, each.minimum_bytes);
        most.workspace_bytes = std::max(most.workspace_bytes, each.workspace_bytes);
        most.can_spill |= each.can_spill;
      }
    }
    if (most.name.empty()) {
      return;
    }
    StageMemory* shared = MakeMemory(std::move(most), true);
    for (Part& part : *parts) {
      part.memory = part.memory == nullptr ? nullptr : shared;
    }
  }

  arrow::Status Add(const Node& node) {
    switch (node.kind) {
      case NodeKind::kFilter:
        return AddFilter(node);
      case NodeKind::kProject:
        return AddProject(node);
      case NodeKind::kExpand:
        return AddExpand(node);
      case NodeKind::kAggregate:
        return node.keys.empty() ? AddAggregate(node) : AddGroups(node);
      case NodeKind::kSort:
        return AddSort(node);
      case NodeKind::kLimit:
        AddLimit(node);
        return arrow::Status::OK();
      case NodeKind::kWrite:
        return AddWrite(node);
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

  std::vector<plan::ExprPtr> RemapAll(const std::vector<plan::ExprPtr>& all) const {
    std::vector<plan::ExprPtr> remapped;
    for (const auto& expression : all) {
      remapped.push_back(Remap(expression));
    }
    return remapped;
  }

  std::vector<plan::Aggregate> RemapAll(std::vector<plan::Aggregate> aggregates) const {
    for (auto& aggregate : aggregates) {
      aggregate.argument = Remap(aggregate.argument);
      aggregate.filter = Remap(aggregate.filter);
    }
    return aggregates;
  }

  // Of every task of the open stage.
  void AddOperator(const OperatorMaker& make) {
    for (Part& part : open_.parts) {
      part.make_operators.push_back(make);
    }
  }

  arrow::Status AddFilter(const Node& node) {
    ARROW_ASSIGN_OR_RAISE(auto made,
                          exec::Filter::Make(plan::SplitConjuncts(Remap(node.condition)),
                                             *input_, EvaluatorOptions()));
    // Shared by the tasks of the stage.
    std::shared_ptr<const exec::Filter> filter = std::move(made);
    AddOperator([filter, pool = options_.task.context.pool]()
                    -> arrow::Result<std::unique_ptr<exec::Operator>> {
      return exec::MakeFilterOperator(filter.get(), pool);
    });
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<const exec::Evaluator>> MakeEvaluator(
      const std::vector<plan::ExprPtr>& expressions) const {
    return exec::Evaluator::Make(RemapAll(expressions), *input_, EvaluatorOptions());
  }

  arrow::Status AddProject(const Node& node) {
    ARROW_ASSIGN_OR_RAISE(auto evaluator, MakeEvaluator(node.expressions));
    AddOperator(
        [evaluator,
         schema = node.schema]() -> arrow::Result<std::unique_ptr<exec::Operator>> {
          return exec::MakeProjectOperator(evaluator.get(), schema);
        });
    SetInput(node.schema);
    return arrow::Status::OK();
  }

  arrow::Status AddExpand(const Node& node) {
    std::vector<std::shared_ptr<const exec::Evaluator>> evaluators;
    for (const auto& row : node.rows) {
      ARROW_ASSIGN_OR_RAISE(auto evaluator, MakeEvaluator(row));
      evaluators.push_back(std::move(evaluator));
    }
    AddOperator([evaluators, schema = node.schema, pool = options_.task.context.pool]()
                    -> arrow::Result<std::unique_ptr<exec::Operator>> {
      return exec::MakeExpandOperator(evaluators, schema, pool);
    });
    SetInput(node.schema);
    return arrow::Status::OK();
  }

  arrow::Status AddAggregate(const Node& node) {
    exec::AggregateOptions options{.aggregates = RemapAll(node.aggregates),
                                   .input = input_,
                                   .output = node.schema,
                                   .time_zone = options_.time_zone,
                                   .pool = options_.task.context.pool};
    SetInput(node.schema);
    if (!open_.parallel) {
      AddOperator([options] { return exec::MakeAggregateOperator(options); });
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(
        auto made, exec::AggregateMerge::Make(std::move(options), open_.task_count()));
    std::shared_ptr<exec::AggregateMerge> merge = std::move(made);
    // There is no row before all have been seen; the next phase has the memory by then.
    EndPhase(
        [merge](int64_t task, exec::OperatorMemory*) { return merge->MakeSink(task); });
    OpenAfterPhase("aggregate",
                   {.make_source = [merge](int64_t, exec::OperatorMemory*)
                        -> arrow::Result<std::unique_ptr<exec::Source>> {
                     return merge->MakeSource();
                   }},
                   false);
    return arrow::Status::OK();
  }

  arrow::Status AddGroups(const Node& node) {
    ARROW_ASSIGN_OR_RAISE(
        auto made, exec::GroupedAggregate::Make({.keys = RemapAll(node.keys),
                                                 .aggregates = RemapAll(node.aggregates),
                                                 .input = input_,
                                                 .output = node.schema,
                                                 .time_zone = options_.time_zone,
                                                 .operator_id = next_operator_++,
                                                 .task = *built_.task_context},
                                                open_.task_count()));
    std::shared_ptr<exec::GroupedAggregate> groups = std::move(made);
    SetInput(node.schema);
    Collect(exec::GroupedAggregate::SinkMemory(0),
            [groups](int64_t task, exec::OperatorMemory* memory) {
              return groups->MakeSink(task, memory);
            },
            {.name = "merge groups",
             .task_count = groups->partition_count(),
             .memory = exec::GroupedAggregate::SourceMemory(0),
             .make_source = [groups](int64_t task, exec::OperatorMemory* memory) {
               return groups->MakeSource(task, memory);
             }});
    return arrow::Status::OK();
  }

  arrow::Status AddSort(const Node& node) {
    exec::SortOptions options{.keys = {},
                              .schema = input_,
                              .limit = node.limit,
                              .stable = options_.stable_sort,
                              .range_count = options_.tasks_at_once,
                              .operator_id = next_operator_++};
    for (const plan::SortKey& key : node.sort_keys) {
      options.keys.push_back({.column = key.column,
                              .descending = key.descending,
                              .nulls_first = key.nulls_first});
    }
    ARROW_ASSIGN_OR_RAISE(auto made,
                          exec::SortMerge::Make(std::move(options), open_.task_count()));
    std::shared_ptr<exec::SortMerge> sort = std::move(made);
    ConnectCutOff(node, *sort);
    SetInput(node.schema);
    const exec::TaskContext* context = built_.task_context.get();
    Collect(exec::SortMerge::SinkMemory(0),
            [sort, context](int64_t task, exec::OperatorMemory* memory) {
              return sort->MakeSink(task, memory, context);
            },
            {.name = "merge sorted",
             .task_count = sort->range_count(),
             .memory = exec::SortMerge::SourceMemory(0),
             .make_source = [sort, context](int64_t range, exec::OperatorMemory* memory) {
               return sort->MakeSource(range, memory, context);
             }});
    return arrow::Status::OK();
  }

  void ConnectCutOff(const Node& node, const exec::SortMerge& sort) {
    const ScanBelow below = ScanBelowTopK(node);
    const auto cut_off = cut_offs_.find(below.scan);
    if (sort.cut_off() == nullptr || cut_off == cut_offs_.end()) {
      return;
    }
    const int column = below.scan->columns[static_cast<size_t>(below.position)];
    cut_off->second->Connect(sort.cut_off(), below.position,
                             below.scan->table->schema->field(column)->name(),
                             node.sort_keys[0]);
  }

  void AddLimit(const Node& node) {
    const auto limit_to = [this](int64_t limit, int64_t offset) {
      AddOperator([limit, offset]() -> arrow::Result<std::unique_ptr<exec::Operator>> {
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
      GatherRows("limit");
    }
    limit_to(node.limit, node.offset);
  }

  arrow::Status AddWrite(const Node& node) {
    if (open_.parallel) {
      GatherRows("write");
    }
    ARROW_ASSIGN_OR_RAISE(auto made,
                          exec::FileWrite::Make({.path = node.path,
                                                 .path_range = node.path_range,
                                                 .format = node.format,
                                                 .schema = node.inputs[0]->schema,
                                                 .time_zone = options_.time_zone,
                                                 .more_bytes = options_.serial_more_bytes,
                                                 .syscalls = options_.syscalls}));
    std::shared_ptr<exec::FileWrite> write = std::move(made);
    const exec::TaskContext* context = built_.task_context.get();
    exec::OperatorMemoryOptions sink_memory = exec::FileWrite::SinkMemory(0);
    sink_memory.minimum_bytes += options_.serial_more_bytes;
    open_.sink_memory = MakeMemory(std::move(sink_memory), false);
    Gather(
        "written",
        [write, context](int64_t, exec::OperatorMemory* memory) {
          return write->MakeSink(memory, context);
        },
        {},
        [write, context](int64_t, exec::OperatorMemory*)
            -> arrow::Result<std::unique_ptr<exec::Source>> {
          return write->MakeSource(context->context.pool);
        });
    SetInput(node.schema);
    return arrow::Status::OK();
  }

  void SetInput(const std::shared_ptr<arrow::Schema>& schema) {
    input_ = schema;
    mapping_.clear();
  }

  void Open(std::string name, Part part, bool parallel) {
    open_ = {.name = std::move(name), .parts = {}, .parallel = parallel};
    open_.parts.push_back(std::move(part));
  }

  // Ends the stage by a sink whose receiver is one task, which runs beside it.
  void Gather(std::string name, SinkMaker make_sink, std::function<bool()> receiver_done,
              SourceMaker make_source) {
    std::vector<int> beside = open_.beside;
    std::vector<int> after = open_.after;
    beside.push_back(static_cast<int>(built_.stages.size()));
    Close(std::move(make_sink), std::move(receiver_done));
    Open(std::move(name), {.make_source = std::move(make_source)}, false);
    open_.after = std::move(after);
    open_.beside = std::move(beside);
    open_.inputs = {open_.beside.back()};
  }

  void GatherRows(std::string name) {
    auto exchange = std::make_shared<exec::GatherExchange>(open_.task_count(),
                                                           options_.exchange_bytes);
    Gather(
        std::move(name),
        [exchange](int64_t task, exec::OperatorMemory*) {
          return exchange->MakeSink(task);
        },
        [exchange] { return exchange->closed(); },
        [exchange](int64_t, exec::OperatorMemory*)
            -> arrow::Result<std::unique_ptr<exec::Source>> {
          return exchange->MakeSource();
        });
  }

  // What reads that which sinks have collected, once all of it is there.
  struct Reader {
    std::string name;
    int64_t task_count = 1;
    exec::OperatorMemoryOptions memory;
    SourceMaker make_source;
  };

  // Ends the stage and its phase: the next one starts when this one has ended.
  void EndPhase(SinkMaker make_sink) {
    phase_ = open_.beside;
    last_collector_ = static_cast<int>(built_.stages.size());
    phase_.push_back(last_collector_);
    Close(std::move(make_sink), {}, true);
  }

  void OpenAfterPhase(std::string name, Part part, bool parallel) {
    Open(std::move(name), std::move(part), parallel);
    open_.after = std::move(phase_);
    open_.inputs = {last_collector_};
  }

  // Ends the phase with what its sinks hold in memory of their own.
  void Collect(exec::OperatorMemoryOptions sink_memory, SinkMaker make_sink,
               Reader reader) {
    StageMemory* collected = MakeMemory(std::move(sink_memory), open_.parallel);
    open_.sink_memory = collected;
    EndPhase(std::move(make_sink));
    const bool parallel = reader.task_count > 1;
    OpenAfterPhase(std::move(reader.name),
                   {.task_count = reader.task_count,
                    .make_source = std::move(reader.make_source),
                    .memory = MakeMemory(std::move(reader.memory), parallel)},
                   parallel);
    open_.collected.push_back(collected);
  }

  void Close(SinkMaker make_sink, std::function<bool()> receiver_done,
             bool collects = false) {
    OpenStage ended = std::move(open_);
    // One phase at a time, also where a union would have several.
    const int collector_before = collects ? collector_before_ : last_collector_;
    if (ended.after.empty() && collector_before >= 0) {
      ended.after.push_back(collector_before);
    }
    if (collects) {
      collector_before_ = last_collector_;
    }
    for (const int stage : ended.beside) {
      built_.stages[static_cast<size_t>(stage)].after = ended.after;
    }
    std::vector<StageMemory*> opens;
    for (const Part& part : ended.parts) {
      if (part.memory != nullptr &&
          std::find(opens.begin(), opens.end(), part.memory) == opens.end()) {
        opens.push_back(part.memory);
      }
    }
    std::vector<StageMemory*> closes = ended.collected;
    closes.insert(closes.end(), opens.begin(), opens.end());
    if (ended.sink_memory != nullptr) {
      opens.push_back(ended.sink_memory);
    }
    for (StageMemory* memory : opens) {
      memory->SetDriver(next_driver_);
    }
    next_driver_ += options_.tasks_at_once;
    const int64_t task_count = ended.task_count();
    built_.stages.push_back(
        {.name = std::move(ended.name),
         .task_count = task_count,
         .make_task =
             [parts = std::move(ended.parts), sink_memory = ended.sink_memory,
              make_sink = std::move(make_sink)](int64_t task, TaskSlot slot) {
               return MakePipeline(parts, sink_memory, make_sink, task, slot);
             },
         .receiver_done = std::move(receiver_done),
         .tasks_at_once = ended.parallel ? options_.tasks_at_once : 1,
         .after = std::move(ended.after),
         .inputs = std::move(ended.inputs),
         .opens = std::move(opens),
         .closes = std::move(closes)});
  }

  static arrow::Result<exec::Pipeline> MakePipeline(const std::vector<Part>& parts,
                                                    const StageMemory* sink_memory,
                                                    const SinkMaker& make_sink,
                                                    int64_t task, TaskSlot slot) {
    size_t at = 0;
    int64_t task_of_part = task;
    for (; task_of_part >= parts[at].task_count; ++at) {
      task_of_part -= parts[at].task_count;
    }
    const Part& part = parts[at];
    exec::Pipeline pipeline;
    const auto memory_of = [&](const StageMemory* memory) {
      exec::OperatorMemory* of_slot =
          memory == nullptr ? nullptr : memory->at(slot.number);
      if (of_slot != nullptr) {
        of_slot->SetTaskMetrics(slot.metrics);
        pipeline.memories.push_back(of_slot);
      }
      return of_slot;
    };
    ARROW_ASSIGN_OR_RAISE(pipeline.source,
                          part.make_source(task_of_part, memory_of(part.memory)));
    for (const auto& make_operator : part.make_operators) {
      ARROW_ASSIGN_OR_RAISE(auto made, make_operator());
      pipeline.operators.push_back(std::move(made));
    }
    pipeline.sink = make_sink(task, memory_of(sink_memory));
    return pipeline;
  }

  const BuildOptions& options_;
  BuiltStages built_;
  OpenStage open_;
  std::shared_ptr<arrow::Schema> input_;  // of the next node
  // Of scans that a top-k may cut off.
  std::map<const Node*, std::shared_ptr<ScanCutOff>> cut_offs_;
  std::vector<int> mapping_;  // empty: columns are where the plan thinks
  uint64_t next_operator_ = 0;
  int next_driver_ = 0;
  std::vector<int> phase_;     // the stages of the one that has just ended
  int last_collector_ = -1;    // the stage that ended the last phase
  int collector_before_ = -1;  // and the one before it
};

}  // namespace

arrow::Result<BuiltStages> BuildStages(const plan::Node& plan,
                                       const BuildOptions& options) {
  return StageBuilder(options).Build(plan);
}

}  // namespace wheelpit::scheduler
