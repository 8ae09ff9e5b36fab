// SPDX-License-Identifier: Apache-2.0
// How the values of a flat Parquet column become those of an Arrow array. Pages are first
// laid out as dense raw values of a fixed width (ByteView for what has none), rows are
// gathered from them, and only what was gathered is converted.
#pragma once

#include <cstdint>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/parquet_footer.h"

namespace parquet {
class ColumnDescriptor;
}  // namespace parquet

namespace wheelpit::exec {

/// A value of variable length, somewhere else.
struct ByteView {
  const uint8_t* data = nullptr;
  int64_t size_bytes = 0;
};

enum class Storage : uint8_t {
  kBool,   ///< raw: one byte, 0 or 1; Arrow: a bit
  kFixed,  ///< Arrow: target_width bytes
  kBytes,  ///< raw: ByteView; Arrow: offsets and data
};

struct ConversionArguments {
  int64_t factor = 1;  ///< decimals: 10^(digits of scale to add), at most 18 at a time
  int32_t factor_steps = 0;  ///< how often 10^18 is applied on top
};

/// Converts `count` dense raw values into dense values of the target; false when one of
/// them does not fit. Raw zero (for ByteView: empty) always does: it stands for nulls.
using Conversion = bool (*)(const uint8_t* raw, int64_t count,
                            const ConversionArguments& arguments, uint8_t* out);

struct ValueLayout {
  Storage storage = Storage::kFixed;
  int32_t raw_width = 0;            ///< bytes
  int32_t target_width = 0;         ///< bytes, kFixed only
  Conversion conversion = nullptr;  ///< null: the raw bytes are the target's
  ConversionArguments arguments;
};

/// The layout for reading `leaf`, a top-level column, as `target`: its own type in
/// Spark's system or a wider one. kUnsupported for other pairs; the message names both
/// types.
arrow::Result<ValueLayout> ResolveLayout(const parquet::ColumnDescriptor& leaf,
                                         const arrow::DataType& target);

}  // namespace wheelpit::exec
