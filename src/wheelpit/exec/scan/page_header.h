// SPDX-License-Identifier: Apache-2.0
// The header in front of every Parquet page. Format: PageHeader of parquet.thrift.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <arrow/result.h>

namespace wheelpit::exec {

enum class PageKind : uint8_t { kData, kDataV2, kDictionary, kOther };

struct PageHeader {
  PageKind kind = PageKind::kOther;
  int32_t header_bytes = 0;
  int32_t compressed_bytes = 0;  ///< of the body; not negative
  int32_t uncompressed_bytes = 0;
  std::optional<uint32_t> crc;       ///< of the body as it is in the file
  int32_t value_count = 0;           ///< nulls included; not negative
  int32_t encoding = -1;             ///< parquet.thrift Encoding
  int32_t definition_encoding = -1;  ///< kData
  // kDataV2: levels lie uncompressed before the values.
  int32_t definition_bytes = 0;
  int32_t repetition_bytes = 0;
  bool is_compressed = true;
};

/// Decodes the header that `bytes` begin with. Nothing when they may be only its
/// beginning; kCorrupt when they are none, however they go on. A header is at most
/// kPageHeaderBytesMax long.
arrow::Result<std::optional<PageHeader>> DecodePageHeader(std::string_view bytes);

/// Statistics in headers hold whole values, which may be long.
constexpr int64_t kPageHeaderBytesMax = int64_t{16} << 20;

}  // namespace wheelpit::exec
