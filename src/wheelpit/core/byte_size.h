// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them. 1 MB is 10^6 bytes and 1 MiB is 2^20, in every option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/result.h>

namespace wheelpit::core {

/// Reads "512MB", "64 MiB", "1.5GiB", "100g" (SI), "4096" (bytes). Negative, empty,
/// unknown units and anything beyond int64 are kConfiguration errors that quote the text.
arrow::Result<int64_t> ParseByteSize(std::string_view text);

/// The shortest of the binary or decimal forms that is exact ("64 MiB", "512 MB"), else
/// with one decimal ("1.4 GB").
std::string FormatByteSize(int64_t size_bytes);

/// "1 file", "3 files": a count in a message, with the plural's s where it is due.
std::string Counted(int64_t count, std::string_view one);

}  // namespace wheelpit::core
