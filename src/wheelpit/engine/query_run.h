// SPDX-License-Identifier: Apache-2.0
// Private to engine: one statement from its text to its last row.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/config.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/engine/engine_state.h"
#include "wheelpit/engine/session.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/index/table.h"
#include "wheelpit/memory/budget.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/scheduler/stage_run.h"
#include "wheelpit/sql/binder.h"

namespace wheelpit::engine {

/// Shared by the client's Query and by what runs for it on the engine's threads.
class QueryRun : public std::enable_shared_from_this<QueryRun> {
 public:
  QueryRun(Engine::Impl* engine, core::Config config, std::string name);
  ~QueryRun();

  /// Binds and starts the statement; on an I/O thread or a client's. Outcome: see planned().
  void PlanAndStart(const sql::ast::Statement& statement);
  /// The statement's rows are these already.
  void StartWith(std::shared_ptr<arrow::RecordBatch> rows);

  arrow::Result<std::shared_ptr<arrow::Schema>> AwaitSchema();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();
  void Cancel();
  /// Blocks until nothing of it runs any more.
  void AwaitEnd();
  QueryStats stats() const;

 private:
  class TableOpener;

  arrow::Status Plan(const sql::ast::Statement& statement);
  arrow::Status StartPlan(std::unique_ptr<plan::Node> plan, bool analyze);
  arrow::Status Launch();
  void Ended(const arrow::Status& status);
  void Fail(const arrow::Status& status);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextRow();
  std::string AnalyzeText() const;

  Engine::Impl* const engine_;
  const core::Config config_;
  const std::string name_;
  const int64_t start_nanos_;
  core::MetricSet metrics_;
  arrow::StopSource stop_;
  core::Signal stopped_;

  std::unique_ptr<memory::QueryBudget> budget_;
  // One for the whole query: batches of the result live in it.
  std::unique_ptr<memory::OperatorBudget> operator_budget_;
  std::unique_ptr<plan::Node> plan_;
  bool analyze_ = false;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<exec::GatherExchange> rows_;
  std::unique_ptr<scheduler::StageRun> run_;

  core::Signal planned_;  // schema_ or first_error_ is set, and rows_
  core::Signal ended_;    // no thread of the engine works for this query any more

  mutable std::mutex mutex_;  // guards what follows
  arrow::Status first_error_;
  int64_t planned_nanos_ = 0;
  int64_t ended_nanos_ = 0;
  int64_t files_total_ = 0;
  int64_t rows_total_ = 0;
};

}  // namespace wheelpit::engine
