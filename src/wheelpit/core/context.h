// SPDX-License-Identifier: Apache-2.0
// What every `Make(…, Options, Context)` takes from its embedder: nothing in the
// libraries reaches for a global instead. All pointers are borrowed and outlive whatever
// was made with them.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/log.h"

namespace wheelpit::core {

struct Context {
  arrow::MemoryPool* pool = nullptr;  ///< never null in use; counts against a budget
  Executor* compute = nullptr;        ///< threads that never block
  Executor* io = nullptr;             ///< threads that may
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  const Clock* clock = nullptr;
  Logger* logger = nullptr;
};

}  // namespace wheelpit::core
