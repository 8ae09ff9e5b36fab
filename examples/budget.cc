// SPDX-License-Identifier: Apache-2.0
// A memory budget as an arrow::MemoryPool: whatever Arrow allocates through it counts,
// and what the budget does not allow is an error that says who holds what.
// Run: budget
#include "wheelpit/memory/budget.h"

#include <iostream>
#include <memory>

#include <arrow/array/builder_primitive.h>
#include <arrow/memory_pool.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"

using namespace wheelpit;  // NOLINT(google-build-using-namespace): an example

constexpr int64_t kMiB = 1 << 20;

arrow::Status Run() {
  ARROW_ASSIGN_OR_RAISE(
      auto process, memory::ProcessBudget::Make(8 * kMiB, arrow::system_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(auto query, process->MakeQuery("example", 0, kMiB));
  query->admitted().Block();
  ARROW_ASSIGN_OR_RAISE(auto budget, query->MakeOperator("sort", kMiB, nullptr));

  arrow::Int64Builder builder(budget.get());
  arrow::Status status;
  while (status.ok()) {
    status = builder.Append(builder.length());
  }
  std::cout << "stopped at " << builder.length() << " numbers, "
            << core::FormatByteSize(budget->bytes_allocated()) << " of "
            << core::FormatByteSize(process->limit_bytes()) << ":\n"
            << status.message() << "\n";
  const bool as_meant = core::KindOf(status) == core::ErrorKind::kMemoryLimit;
  return as_meant ? arrow::Status::OK() : status;
}

int main() {
  const arrow::Status status = Run();
  if (!status.ok()) {
    std::cerr << "budget: " << status.message() << "\n";
    return core::ExitCodeOf(core::KindOf(status));
  }
  return 0;
}
