// SPDX-License-Identifier: Apache-2.0
// GatherExchange: many producing tasks, one consumer, in the order of the tasks. Task 0's
// batches come first, then task 1's, so that a result without ORDER BY has the order of
// the files whatever the threads do. Each task may run ahead by a bounded number of
// bytes, then its driver parks.
//
// Tasks must be started in order: the one that the consumer waits for is then always
// running, and nothing can deadlock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/wait.h"
#include "wheelpit/exec/driver.h"

namespace wheelpit::exec {

class GatherExchange {
 public:
  /// Each task may have `ahead_bytes` queued (a larger batch passes alone).
  GatherExchange(int64_t task_count, int64_t ahead_bytes);
  ~GatherExchange();

  /// The sink of a task; keeps the exchange's state alive. What is pushed into a closed
  /// or failed exchange is dropped, and the sink says that it is done.
  std::unique_ptr<Sink> MakeSink(int64_t task);
  /// The one consumer, as a driver's source.
  std::unique_ptr<Source> MakeSource();
  /// The one consumer, for a client thread: a batch, a wait, or the end.
  arrow::Result<Step> Pop();

  /// The consumer wants no more: sinks are done from now on.
  void Close();
  bool closed() const;
  /// The consumer gets this error at its next call; the first one stays.
  void Fail(const arrow::Status& status);

 private:
  struct State;
  // Shared with sinks and the source, which live in drivers that end on their own.
  std::shared_ptr<State> state_;
};

/// Bytes of the buffers that a batch keeps alive; of a slice, those of the whole.
int64_t BatchBytes(const arrow::RecordBatch& batch);

}  // namespace wheelpit::exec
