// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the first byte chooses a schema, the rest is a block of it.
// tests/fuzz/block holds the seeds (golden_test.cc writes them).
// Covers: src/wheelpit/block/ipc_message.cc src/wheelpit/block/ipc_decode.cc
#include <cstdint>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/sample_batches.h"
#include "wheelpit/core/error.h"

namespace {

using wheelpit::block::IpcDecoder;

std::vector<std::unique_ptr<IpcDecoder>> MakeDecoders() {
  std::vector<std::unique_ptr<IpcDecoder>> decoders;
  for (const auto& sample : wheelpit::block::SampleBatches().ValueOrDie()) {
    decoders.push_back(
        IpcDecoder::Make(sample.batch->schema(), {.decompressed_bytes_max = 1 << 20})
            .ValueOrDie());
  }
  return decoders;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto decoders = MakeDecoders();
  if (size == 0) {
    return 0;
  }
  arrow::MemoryPool* pool = arrow::system_memory_pool();
  std::shared_ptr<arrow::Buffer> block =
      arrow::AllocateBuffer(static_cast<int64_t>(size - 1), pool).ValueOrDie();
  std::copy(data + 1, data + size, block->mutable_data());
  const auto decoded = decoders[data[0] % decoders.size()]->Decode(block, pool);
  if (decoded.ok()) {
    WHEELPIT_CHECK((*decoded)->ValidateFull().ok());
  } else {
    WHEELPIT_CHECK(wheelpit::core::KindOf(decoded.status()) ==
                   wheelpit::core::ErrorKind::kCorrupt);
  }
  return 0;
}
