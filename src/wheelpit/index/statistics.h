// SPDX-License-Identifier: Apache-2.0
// What a row group's metadata says of a column's values.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/index/comparable.h"
#include "wheelpit/index/page_index.h"
#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::index {

/// How the min and max of a top-level column are read; made once per schema and column.
struct BoundsReader {
  /// The leaf, or -1 when the column is nested and so has no statistics of its own.
  int leaf = -1;
  ParquetBounds bounds = ParquetBounds::kNone;
  /// What the bytes come to.
  Comparable::Kind kind = Comparable::Kind::kNone;
  int32_t scale = 0;
  /// Units of the file to a microsecond: 1000 for nanoseconds; or microseconds to a unit
  /// of the file, negative: -1000 for milliseconds.
  int32_t units_of_micro = 1;
  bool floating = false;

  static BoundsReader Make(const ParquetSchema& schema, int field);

  /// The range of the values of a row group. Bytes point into the footer.
  ColumnRange Read(const ParquetRowGroup& row_group) const;
  /// The range of a page of `row_count` rows. Bytes point where the page's do.
  ColumnRange ReadPage(const PageValues& page, int64_t row_count) const;
};

}  // namespace wheelpit::index
