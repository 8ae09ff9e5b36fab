// SPDX-License-Identifier: Apache-2.0
// Drivers: a task is a driver, and a driver is one source, some operators and one sink.
// It runs on compute threads, one at a time; when its source or sink must wait it is
// parked and holds no thread; after its time slice it goes to the back of the queue.
// Whatever it waits for, it wakes to give memory back when one of its operators is asked.
// Sources, operators and sinks are single-threaded state machines that hold no locks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/executor.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/wait.h"

namespace wheelpit::exec {

class OperatorMemory;

/// What sources, operators and sinks have in common.
class PipelinePart {
 public:
  virtual ~PipelinePart() = default;
  /// Called between two batches, and while the driver is parked when memory is asked of
  /// one of its operators: the place to free memory, to reserve it for the next batch and
  /// to go on with what was begun (a spill). A wait: this part takes and gives no batch
  /// before it is ready; then it is called again. `input_ended`: nothing comes from the
  /// parts before it any more, and Finish is next.
  virtual arrow::Result<std::optional<core::Wait>> AtBoundary(bool input_ended);
};

/// What a source has come to.
struct Step {
  enum class Kind : uint8_t { kBatch, kWait, kYield, kEnd };
  Kind kind = Kind::kEnd;
  std::shared_ptr<arrow::RecordBatch> batch;  ///< kBatch; never null, may have 0 rows
  core::Wait wait;                            ///< kWait: call again when it is ready

  static Step Batch(std::shared_ptr<arrow::RecordBatch> batch);
  static Step Waiting(core::Wait wait) { return {Kind::kWait, nullptr, std::move(wait)}; }
  /// Work was done, there is nothing to show for it yet: a chance for the driver to
  /// yield.
  static Step Yield() { return {Kind::kYield, nullptr, {}}; }
  static Step End() { return {Kind::kEnd, nullptr, {}}; }
};

class Source : public PipelinePart {
 public:
  /// Never blocks; at most about a millisecond of work.
  virtual arrow::Result<Step> Next() = 0;
};

class Operator : public PipelinePart {
 public:
  /// Takes a batch and gives one back; null when there is nothing to pass on yet.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Process(
      std::shared_ptr<arrow::RecordBatch> batch) = 0;
  /// After the last batch: what is left, one batch per call, null at the end.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();
  /// True when no further input can change the output (a limit that is reached).
  virtual bool done() const { return false; }
};

class Sink : public PipelinePart {
 public:
  /// Takes the batch, always. A wait means: taken, and no more until it is ready.
  virtual arrow::Result<std::optional<core::Wait>> Push(
      std::shared_ptr<arrow::RecordBatch> batch) = 0;
  /// After the last batch.
  virtual arrow::Status Finish() { return arrow::Status::OK(); }
  /// True when the receiver wants no more rows: the driver then ends, successfully.
  virtual bool done() const { return false; }
};

struct Pipeline {
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Operator>> operators;
  std::unique_ptr<Sink> sink;
  /// Of its parts, as far as they can spill: the driver is woken when one is asked. They
  /// outlive the driver.
  std::vector<OperatorMemory*> memories = {};
};

struct DriverOptions {
  /// CPU time after which a driver gives its thread back.
  int64_t slice_nanos = 1'000'000;
  /// Polled between steps.
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  /// Fired after `stop` was requested: wakes a driver that is parked. Over already: no
  /// such signal.
  core::Wait stopped = {};
  core::MetricSet* metrics = nullptr;
};

/// Runs a pipeline to its end on `executor`, then calls `done` once, on a thread of
/// `executor`, after the pipeline's parts were destroyed. Cancelled by the stop token at
/// batch boundaries and while parked (see WakeOnStop). Owns itself meanwhile; `executor`
/// must outlive it.
void StartDriver(Pipeline pipeline, DriverOptions options, core::Executor* executor,
                 std::function<void(arrow::Status)> done);

}  // namespace wheelpit::exec
