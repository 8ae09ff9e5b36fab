// SPDX-License-Identifier: Apache-2.0
// What a written file is to look like: COPY's options and its file's extension, as plain
// values. exec/write makes a writer of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::plan {

enum class FileKind : uint8_t {
  kParquet,
  kCsv,
  kJson,       ///< one array of objects
  kJsonLines,  ///< an object a line
  kArrowFile,  ///< Arrow IPC with a footer, to be opened anywhere in it
  kArrowStream,
  kMarkdown,
};

enum class FileCodec : uint8_t { kNone, kSnappy, kZstd, kGzip, kLz4 };

/// The name that options use: "parquet", "zstd".
std::string_view ToString(FileKind kind);
std::string_view ToString(FileCodec codec);

struct FileFormat {
  /// The codec's own choice.
  static constexpr int kDefaultLevel = INT32_MIN;

  FileKind kind = FileKind::kParquet;
  /// Parquet: any. Arrow: none, lz4, zstd. Text has none.
  FileCodec codec = FileCodec::kSnappy;
  int codec_level = kDefaultLevel;  ///< zstd: 1 to 22; gzip: 1 to 9
  /// Parquet: a row group ends at the first of them, or earlier where memory is short.
  int64_t row_group_rows = 1 << 20;
  int64_t row_group_bytes = int64_t{128} << 20;  ///< as encoded
  // CSV:
  bool header = true;
  char delimiter = ',';
  std::string null_text;  ///< written bare; the same text as a value is quoted
};

/// An option as it was written: name and value as text, each with its place.
struct FileOption {
  std::string name;
  std::string value;
  SourceRange name_range = {};
  SourceRange value_range = {};
};

/// The format that `options` (in any case and order) and, without a FORMAT, the extension
/// of `path` ask for: .parquet, .csv, .tsv, .json, .ndjson, .jsonl, .arrow, .feather,
/// .arrows, .md. kInvalidSql with the place: an extension that says nothing, a name that
/// is not one or comes twice, a value out of range, an option that the format has not.
///
/// FORMAT parquet|csv|json|ndjson|arrow|markdown
/// COMPRESSION (or CODEC) none|snappy|zstd|gzip|lz4, COMPRESSION_LEVEL n
/// ROW_GROUP_SIZE rows, ROW_GROUP_SIZE_BYTES size ("64MiB")
/// HEADER true|false, DELIMITER (or SEP) c, NULL (or NULLSTR) text
arrow::Result<FileFormat> ParseFileFormat(std::string_view path,
                                          const std::vector<FileOption>& options,
                                          SourceRange path_range = {});

}  // namespace wheelpit::plan
