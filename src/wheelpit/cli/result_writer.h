// SPDX-License-Identifier: Apache-2.0
// How the rows of a result are printed: as an aligned table for people, or in one of the
// formats of exec/write for programs. Single-threaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/cli/output.h"
#include "wheelpit/exec/write/format_writer.h"

namespace wheelpit::cli {

enum class Format : uint8_t {
  kTable,
  kCsv,
  kJson,
  kNdjson,
  kArrow,
  kParquet,
  kMarkdown,
};

/// kConfiguration with the list of formats when the name is none of them.
arrow::Result<Format> ParseFormat(std::string_view name);

/// kConfiguration for a binary format when standard output is a terminal.
arrow::Status CheckMayPrint(Format format, bool terminal);

struct WriterOptions {
  int width = 0;             ///< of the terminal; 0: not a terminal, lines are never cut
  int64_t rows_max = 10000;  ///< that the table format prints; 0 is all
  std::string time_zone = "UTC";      ///< in which text shows time stamps
  arrow::MemoryPool* pool = nullptr;  ///< never null; outlives the writer
};

/// `output` outlives the writer. The errors are those of exec::MakeFormatWriter.
arrow::Result<std::unique_ptr<exec::FormatWriter>> MakeResultWriter(
    Format format, const std::shared_ptr<arrow::Schema>& schema,
    const WriterOptions& options, Output* output);

/// Columns that a terminal needs for UTF-8 text: one per code point, two for wide East
/// Asian ones and emoji, none for combining marks and controls.
int DisplayWidth(std::string_view text);

/// The text as it may be shown in a cell or message: control characters and bytes that
/// are not UTF-8 as escapes (\n, \x1b), so that data cannot steer a terminal.
std::string Printable(std::string_view text);

}  // namespace wheelpit::cli
