// SPDX-License-Identifier: Apache-2.0
// An extent as bytes: a header of 64 bytes and the payload
// (docs/formats/spill-extent.md), and what stands at the begin of a file of extents. The
// header says whose extent it is, so that bytes which
// are whole but in the wrong place, or of an earlier extent in the same place, are found
// out like bytes that have changed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <arrow/status.h>

namespace wheelpit::spill {

/// No two extents of a process are the same in all three.
struct ExtentIdentity {
  uint64_t query = 0;
  uint64_t operator_id = 0;
  uint64_t number = 0;  ///< of the extent, within its query

  friend bool operator==(const ExtentIdentity&, const ExtentIdentity&) = default;
};

constexpr int64_t kExtentHeaderBytes = 64;
using ExtentHeader = std::array<uint8_t, kExtentHeaderBytes>;

ExtentHeader MakeExtentHeader(const ExtentIdentity& identity,
                              std::span<const uint8_t> payload);

/// kCorrupt unless `bytes` (header and payload) is exactly the extent that `identity`
/// names, unchanged since its header was made. Looks at nothing beyond `bytes`.
arrow::Status CheckExtent(const ExtentIdentity& identity, std::span<const uint8_t> bytes);

constexpr int64_t kFileHeaderBytes = 64;
using FileHeader = std::array<uint8_t, kFileHeaderBytes>;

/// For those who look at a process from outside: the file has no name to tell whose it
/// is. The first bytes of the query's name are kept.
FileHeader MakeFileHeader(std::string_view query);

/// The name of the query; empty when `bytes` do not begin as a spill file does. Whatever
/// the bytes are, the name is printable.
std::optional<std::string> QueryOfFile(std::span<const uint8_t> bytes);

}  // namespace wheelpit::spill
