// SPDX-License-Identifier: Apache-2.0
// Codes as Parquet packs them: runs of equal ones, and groups of eight side by side in as
// few bits as the largest needs ("RLE/Bit-Packing Hybrid" in Encodings.md of Parquet).
#pragma once

#include <cstdint>
#include <span>

namespace wheelpit::exec {

/// What EncodeRuns writes at most.
int64_t RunsBytesMax(int64_t count, int width);

/// Writes the codes, each below 2^width (width <= 16), to `out`; returns the bytes.
int64_t EncodeRuns(std::span<const uint16_t> codes, int width, uint8_t* out);

/// One run of `count` codes of one bit that are all set; returns the bytes, at most 6.
int64_t EncodeSetRun(int64_t count, uint8_t* out);

/// `count` codes of one bit as they stand in a bitmap; returns the bytes, at most
/// count / 8 + 7.
int64_t EncodeBitRun(const uint8_t* bitmap, int64_t offset, int64_t count, uint8_t* out);

}  // namespace wheelpit::exec
