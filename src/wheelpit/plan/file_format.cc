// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/file_format.h"

namespace wheelpit::plan {

std::string ToString(const FileFormat& format) {
  return std::string(ToString(format.kind));
}

std::string_view ToString(FileFormatKind kind) {
  switch (kind) {
    case FileFormatKind::kParquet:
      return "parquet";
    case FileFormatKind::kCsv:
      return "csv";
    case FileFormatKind::kJsonLines:
      return "ndjson";
    case FileFormatKind::kJson:
      return "json";
    case FileFormatKind::kArrow:
      return "arrow";
    case FileFormatKind::kMarkdown:
      return "markdown";
  }
  return "";
}

}  // namespace wheelpit::plan
