// SPDX-License-Identifier: Apache-2.0
// How rows are written to a file, as COPY's options say: plain values, checked here and
// trusted by who writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::plan {

enum class FileFormatKind : uint8_t {
  kParquet,
  kCsv,
  kJsonLines,  ///< one object a line
  kJson,       ///< one array of objects
  kArrow,      ///< IPC
  kMarkdown,
};

enum class FileCodec : uint8_t { kNone, kSnappy, kZstd, kGzip, kLz4 };

struct FileFormat {
  FileFormatKind kind = FileFormatKind::kParquet;

  // Parquet and Arrow (which knows kNone, kZstd and kLz4 alone).
  FileCodec codec = FileCodec::kSnappy;
  int codec_level = 0;  ///< of kZstd and kGzip; 0: what the codec itself takes

  // Parquet: a row group ends at either; earlier where memory is short.
  int64_t row_group_rows = int64_t{1} << 20;
  int64_t row_group_bytes = int64_t{64} << 20;  ///< as written, thus compressed

  // CSV
  bool header = true;
  char delimiter = ',';
  std::string null_text = {};  ///< what stands for null; text that is the same is quoted
};

/// One option of COPY: its name, its value as text, and where it is written.
struct FileOption {
  std::string name;
  std::string value;
  SourceRange range;
};

/// The format that option `format` names, else the one that the extension of `path` says
/// (.parquet .csv .tsv .ndjson .jsonl .json .arrow .feather .md), with the other options.
/// Names are taken in any case, also as DuckDB and Spark spell them (compression,
/// row_group_size, delim, sep, nullstr). kInvalidSql with the range of the option, or
/// `path_range` when there is no format: names and values that are not known, with what
/// may have been meant, options of another format, and options that are given twice.
arrow::Result<FileFormat> ParseFileFormat(std::string_view path, SourceRange path_range,
                                          const std::vector<FileOption>& options);

/// "parquet", "csv", "ndjson", "json", "arrow", "markdown".
std::string_view ToString(FileFormatKind kind);
/// "none", "snappy", "zstd", "gzip", "lz4".
std::string_view ToString(FileCodec codec);
/// "parquet (codec zstd 3)": what differs from the defaults of its kind, for EXPLAIN.
std::string ToString(const FileFormat& format);

}  // namespace wheelpit::plan
