// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a footer, alone and with a known schema. Seeds in
// parquet_footer_corpus/.
// Covers: src/wheelpit/index/parquet_footer.cc src/wheelpit/index/parquet_schema.cc
// src/wheelpit/index/thrift_compact.cc
#include <cstdlib>
#include <string>
#include <utility>

#include "wheelpit/index/parquet_footer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using wheelpit::index::DecodeParquetFooter;
  constexpr int64_t kFileBytes = 1 << 20;
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
