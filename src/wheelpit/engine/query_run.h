// SPDX-License-Identifier: Apache-2.0
// Private to engine: one statement from its syntax tree to its last row.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/config.h"
#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/engine/engine_state.h"
#include "wheelpit/engine/memory_plan.h"
#include "wheelpit/engine/run_log.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/engine/view_catalog.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/task_context.h"
#include "wheelpit/fs/local/local_output_file.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/stage_memory.h"
#include "wheelpit/scheduler/stage_run.h"
#include "wheelpit/spill/spill_space.h"
#include "wheelpit/sql/binder.h"

namespace wheelpit::engine {

/// Shared by the client's Query and by what runs for it on the engine's threads.
class QueryRun : public std::enable_shared_from_this<QueryRun> {
 public:
  QueryRun(EngineState* engine, std::shared_ptr<ViewCatalog> views, core::Config config,
           std::string name, std::string sql);
  ~QueryRun();

  /// Binds the statement and starts it as soon as there is memory for it, once; on a
  /// thread that may block, which is not held while it waits. What came of it is seen by
  /// AwaitSchema and Next.
  void PlanAndStart(const std::shared_ptr<const sql::ast::Statement>& statement);

  arrow::Result<std::shared_ptr<arrow::Schema>> AwaitSchema();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();
  void Cancel();
  /// Blocks until nothing of it runs any more.
  void AwaitEnd();
  /// After AwaitEnd: keeps the run, and so its budget, until the client's last batch has
  /// gone.
  void KeepForBatches();
  QueryStats stats() const;

 private:
  class TableOpener;

  core::Context MakeContext(arrow::MemoryPool* pool);
  arrow::Status MakeBudget();
  arrow::Status Plan(const std::shared_ptr<const sql::ast::Statement>& statement);
  arrow::Status CheckTarget(const plan::Node& write);
  arrow::Status CheckInputs(const plan::Node& node, const plan::Node& write,
                            const fs::FileIdentity& target);
  arrow::Status AskForMemory(std::unique_ptr<plan::Node> plan);
  void StartAdmitted();
  arrow::Status StartPlan();
  arrow::Status StartWith(arrow::Result<std::shared_ptr<arrow::RecordBatch>> rows);
  void Publish(std::unique_ptr<exec::GatherExchange> rows);
  void MarkPlanned(const arrow::Status& status);
  void Fail(const arrow::Status& status);
  void Ended(const arrow::Status& status);
  void LogEnd(const arrow::Status& status) const;
  arrow::Status FirstError() const;
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch();

  EngineState* const engine_;
  const std::shared_ptr<ViewCatalog> views_;
  const core::Config config_;
  const std::string name_;
  const int64_t start_nanos_;
  core::MetricSet metrics_;
  const std::unique_ptr<RunLog> log_;  // null: none is wanted
  arrow::StopSource stop_;
  core::Signal stopped_;

  // Set while planning, read after planned_ has fired. The order is that of their
  // dependence: batches live in the budgets, which go last.
  std::unique_ptr<memory::QueryBudget> budget_;
  std::unique_ptr<memory::OperatorBudget> planning_budget_;  // reads of footers
  std::unique_ptr<memory::OperatorBudget> table_budget_;     // counts what plan_ holds
  std::unique_ptr<memory::OperatorBudget> query_budget_;     // what belongs to no task
  std::vector<std::unique_ptr<scheduler::StageMemory>> memories_;
  std::unique_ptr<spill::SpillSpace> spill_;
  std::unique_ptr<core::TaskGroup> io_tasks_;
  std::unique_ptr<const exec::TaskContext> task_context_;
  MemoryPlan memory_plan_;
  bool asked_for_memory_ = false;  // of the planning thread only
  int64_t table_bytes_ = 0;
  int64_t table_counted_ = 0;
  std::unique_ptr<plan::Node> plan_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<exec::GatherExchange> rows_;
  std::unique_ptr<scheduler::StageRun> run_;
  bool analyze_ = false;
  bool analyzed_ = false;

  core::Signal planned_;  // planning has ended, well or not
  core::Signal ended_;    // no thread of the engine works for this query any more

  mutable std::mutex mutex_;  // guards what follows
  arrow::Status first_error_;
  exec::GatherExchange* published_rows_ = nullptr;
  int64_t planned_nanos_ = 0;
  int64_t ended_nanos_ = 0;
  int64_t files_total_ = 0;
  int64_t rows_total_ = 0;
};

}  // namespace wheelpit::engine
