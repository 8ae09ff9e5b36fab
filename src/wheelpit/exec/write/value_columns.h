// SPDX-License-Identifier: Apache-2.0
// Numbers and text as ParquetColumn writes them. What ParquetColumn::Make chooses from.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "wheelpit/exec/write/parquet_column.h"

namespace wheelpit::exec {

/// Null when the type is none of its own.
std::unique_ptr<ParquetColumn> MakeNumberColumn(
    const arrow::DataType& type, const parquet::ColumnDescriptor* descriptor,
    const ParquetColumn::Options& options);
std::unique_ptr<ParquetColumn> MakeTextColumn(const arrow::DataType& type,
                                              const parquet::ColumnDescriptor* descriptor,
                                              const ParquetColumn::Options& options);

/// Slots of a hash table for `entries` codes: half of them are empty at least.
inline int64_t SlotsFor(int64_t entries) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(entries))) * 2;
}

/// Codes have 16 bits, and 0 is an empty slot.
inline constexpr int64_t kEntriesMax = 32 << 10;

}  // namespace wheelpit::exec
