// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a file, and as a footer, alone and with a known schema.
// Seeds in parquet_footer_corpus/: the writer's, and what make_seeds.py makes there.
// Covers: src/wheelpit/index/parquet_footer.cc src/wheelpit/index/parquet_schema.cc
// src/wheelpit/index/thrift_compact.cc
#include <cstdlib>
#include <string>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "wheelpit/index/parquet_footer.h"

namespace {

void ReadAsFile(const uint8_t* data, size_t size) {
  const auto bytes = static_cast<int64_t>(size);
  arrow::io::BufferReader file(std::make_shared<arrow::Buffer>(data, bytes));
  int64_t bytes_read = 0;
  const auto footer =
      wheelpit::index::ReadParquetFooter(file, "f.parquet", bytes, nullptr, &bytes_read);
  if (bytes_read > bytes) std::abort();
  if (footer.ok() ? (*footer)->memory_bytes() <= 0
                  : footer.status().message().rfind("f.parquet", 0) != 0) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using wheelpit::index::DecodeParquetFooter;
  constexpr int64_t kFileBytes = 1 << 20;
  ReadAsFile(data, size);
  const std::string raw(reinterpret_cast<const char*>(data), size);
  const auto footer = DecodeParquetFooter(raw, kFileBytes, nullptr);
  if (!footer.ok()) return 0;
  for (const auto& group : (*footer)->row_groups) {
    for (const auto& chunk : group.chunks) {
      if (chunk.offset() < 0 || chunk.offset() + chunk.compressed_bytes > kFileBytes) {
        std::abort();
      }
    }
  }
  const auto again = DecodeParquetFooter(raw, kFileBytes, (*footer)->schema);
  if (!again.ok() || (*again)->schema != (*footer)->schema) std::abort();
  return 0;
}
