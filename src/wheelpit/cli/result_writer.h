// SPDX-License-Identifier: Apache-2.0
// How rows become text: an aligned table for people, CSV (RFC 4180) and newline-delimited
// JSON for programs. Writers get every value as text already (see BatchText);
// single-threaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/cli/output.h"

namespace wheelpit::cli {

enum class Format : uint8_t { kTable, kCsv, kNdjson };

/// kConfiguration with the list of formats when the name is none of them.
arrow::Result<Format> ParseFormat(std::string_view name);

class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  virtual arrow::Status Begin(const arrow::Schema& schema) = 0;
  /// One string array per column; nulls are nulls.
  virtual arrow::Status Write(const arrow::ArrayVector& columns, int64_t row_count) = 0;
  virtual arrow::Status End() = 0;
};

struct WriterOptions {
  int width = 0;             ///< of the terminal; 0: not a terminal, lines are never cut
  int64_t rows_max = 10000;  ///< that the table format prints; 0 is all
};

std::unique_ptr<ResultWriter> MakeResultWriter(Format format,
                                               const WriterOptions& options,
                                               Output* output);

/// Columns that a terminal needs for UTF-8 text: one per code point, two for wide East
/// Asian ones and emoji, none for combining marks and controls.
int DisplayWidth(std::string_view text);

/// The text as it may be shown in a cell or message: control characters and bytes that
/// are not UTF-8 as escapes (\n, \x1b), so that data cannot steer a terminal.
std::string Printable(std::string_view text);

/// A JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

/// How a value is written in JSON when its text is known.
enum class JsonForm : uint8_t {
  kString,
  kScalar,  ///< bare; NaN and infinities, which JSON has not, as strings
  kNested,  ///< the text is JSON already
};
JsonForm JsonFormOf(const arrow::DataType& type);
void AppendJson(std::string_view text, JsonForm form, std::string* out);

}  // namespace wheelpit::cli
