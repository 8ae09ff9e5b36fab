// SPDX-License-Identifier: Apache-2.0
// Allocations outside every budget (strings, vectors) that the operating system refuses.
// The language throws then; where a task of ours begins, that becomes an error.
#pragma once

#include <new>
#include <type_traits>

#include <arrow/status.h>

namespace wheelpit::core {

/// kMemoryLimit: the process may have no more memory, whatever the budgets say.
arrow::Status BadAllocError();

/// What `work` returns, a Status or a Result; BadAllocError() when it ran out of memory.
template <typename Work>
std::invoke_result_t<Work&> CatchBadAlloc(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return BadAllocError();
  }
}

}  // namespace wheelpit::core
