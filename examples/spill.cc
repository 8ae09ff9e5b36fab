// SPDX-License-Identifier: Apache-2.0
// Spills batches of rows to disk and reads them back: wheelpit::spill on its own, with no
// query engine around it.
// Run: spill /var/tmp
#include <iostream>

#include <arrow/api.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/core/error.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/spill/spill_space.h"

using namespace wheelpit;  // NOLINT(google-build-using-namespace): an example

arrow::Status Run(const std::string& directory) {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  // Once per process: where to, and how much.
  io::KernelSyscalls syscalls;
  ARROW_ASSIGN_OR_RAISE(const auto directories,
                        spill::SpillDirectories::Make({directory}, &syscalls));
  spill::SpillQuota quota({"the example", "its limit", 1 << 30}, nullptr);
  // Once per query; costs nothing until something is written. (Without wheelpit's compute
  // threads, no executor is needed.)
  const auto space = spill::SpillSpace::Make({.query = "example", .limit_bytes = 1 << 26},
                                             {directories.get(), &quota, nullptr});

  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  std::vector<spill::SpillExtent> extents;
  for (int64_t first = 0; first < 1'000'000; first += 10'000) {
    arrow::Int64Builder builder(pool);
    for (int64_t n = first; n < first + 10'000; ++n) {
      ARROW_RETURN_NOT_OK(builder.Append(n));
    }
    ARROW_ASSIGN_OR_RAISE(const auto numbers, builder.Finish());
    const auto batch = arrow::RecordBatch::Make(schema, numbers->length(), {numbers});
    ARROW_ASSIGN_OR_RAISE(const auto bytes, block::EncodeIpc(*batch, {}, pool));
    ARROW_ASSIGN_OR_RAISE(auto extent, space->Write(1, bytes->span_as<uint8_t>()));
    extents.push_back(std::move(extent));
  }
  std::cout << "spilled " << space->used_bytes() << " bytes, nameless, in " << directory
            << "\n";

  ARROW_ASSIGN_OR_RAISE(const auto decoder, block::IpcDecoder::Make(schema, {}));
  int64_t rows = 0;
  for (; !extents.empty(); extents.pop_back()) {  // dropping an extent frees it
    ARROW_ASSIGN_OR_RAISE(auto bytes, extents.back().Read(pool));
    ARROW_ASSIGN_OR_RAISE(const auto batch, decoder->Decode(std::move(bytes), pool));
    rows += batch->num_rows();
  }
  std::cout << "read " << rows << " rows, " << space->used_bytes() << " bytes left\n";
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc > 1 ? argv[1] : "/var/tmp");
  std::cerr << (status.ok() ? "" : "spill: " + status.message() + "\n");
  return status.ok() ? 0 : core::ExitCodeOf(core::KindOf(status));
}
