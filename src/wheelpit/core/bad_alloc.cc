// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/bad_alloc.h"

#include "wheelpit/core/error.h"

namespace wheelpit::core {

arrow::Status BadAllocError() {
  return Error(ErrorKind::kMemoryLimit,
               "the operating system gives the process no more memory: set a smaller "
               "memory.limit (--memory), or allow the process more (ulimit -v)");
}

}  // namespace wheelpit::core
