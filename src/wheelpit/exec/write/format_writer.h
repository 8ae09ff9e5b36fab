// SPDX-License-Identifier: Apache-2.0
// FormatWriter: rows as the bytes of a file format, for COPY and for the results of the
// program. What it writes:
//   parquet   libparquet's, with statistics and page index; times in microseconds,
//             decimals of up to 18 digits as integers, lists and maps by the standard
//             names, no key-value metadata (ARROW:schema would bring types back that
//             only Arrow knows), so that Spark and everybody else reads the same
//   csv       RFC 4180 with \n; null is an empty field (or null_text), an empty string
//             is quoted; values as CAST writes them, binary as hexadecimal digits
//   ndjson    an object a line; NaN and infinities as strings, dates and times as
//             strings, bytes that are not UTF-8 as U+FFFD
//   json      one array of such objects, one a line
//   arrow     IPC; a stream or a file
//   markdown  a pipe table
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/file_format.h"

namespace wheelpit::exec {

/// Takes bytes, in order, on the writer's thread; keeps no reference to them.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual arrow::Status Write(std::string_view bytes) = 0;
};

struct FormatWriterOptions {
  plan::FileFormat format;
  bool arrow_stream = false;          ///< kArrow: the stream format, not the file's
  std::string time_zone = "UTC";      ///< in which text shows time stamps
  arrow::MemoryPool* pool = nullptr;  ///< never null; outlives the writer
  /// What Parquet may hold of a row group: it ends early when this is reached. More than
  /// it is taken for rows that are long, and for a moment when a row group ends.
  int64_t memory_bytes = int64_t{64} << 20;
};

/// Single-threaded; never blocks by itself (its sink may).
class FormatWriter {
 public:
  virtual ~FormatWriter() = default;
  /// What comes before the rows. Once, first.
  virtual arrow::Status Begin() = 0;
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// What comes after the rows. Once, last.
  virtual arrow::Status Finish() = 0;
};

/// `sink` outlives the writer. kInvalidSql when the format cannot have such columns (two
/// of one name, none), kUnsupported for types that it has no form for; both name them.
arrow::Result<std::unique_ptr<FormatWriter>> MakeFormatWriter(
    const std::shared_ptr<arrow::Schema>& schema, const FormatWriterOptions& options,
    ByteSink* sink);

/// What one row of the batch takes, on the average; of a slice, of its own rows.
int64_t RowBytesOf(const arrow::RecordBatch& batch);
/// How many rows of the batch are about `bytes`, one at least.
int64_t RowsOf(const arrow::RecordBatch& batch, int64_t bytes);

}  // namespace wheelpit::exec
