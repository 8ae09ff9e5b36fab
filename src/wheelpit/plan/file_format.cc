// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/file_format.h"

#include <algorithm>
#include <array>
#include <span>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/error.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

using arrow::Result;
using arrow::Status;

template <typename T>
struct Named {
  std::string_view name;
  T value;
};

constexpr std::array<Named<FileFormatKind>, 9> kKinds = {{
    {"parquet", FileFormatKind::kParquet},
    {"csv", FileFormatKind::kCsv},
    {"ndjson", FileFormatKind::kJsonLines},
    {"json", FileFormatKind::kJson},
    {"arrow", FileFormatKind::kArrow},
    {"markdown", FileFormatKind::kMarkdown},
    // Other names of the same.
    {"jsonl", FileFormatKind::kJsonLines},
    {"feather", FileFormatKind::kArrow},
    {"md", FileFormatKind::kMarkdown},
}};
constexpr size_t kKindCount = 6;

constexpr std::array<Named<FileCodec>, 7> kCodecs = {{
    {"none", FileCodec::kNone},
    {"snappy", FileCodec::kSnappy},
    {"zstd", FileCodec::kZstd},
    {"gzip", FileCodec::kGzip},
    {"lz4", FileCodec::kLz4},
    {"uncompressed", FileCodec::kNone},
    {"lz4_raw", FileCodec::kLz4},
}};
constexpr size_t kCodecCount = 5;

enum class Option : uint8_t {
  kFormat,
  kCodec,
  kCodecLevel,
  kRowGroupRows,
  kRowGroupBytes,
  kHeader,
  kDelimiter,
  kNullText,
};
constexpr size_t kOptionCount = 8;

constexpr std::array<Named<Option>, 16> kOptions = {{
    {"format", Option::kFormat},
    {"codec", Option::kCodec},
    {"codec_level", Option::kCodecLevel},
    {"row_group_rows", Option::kRowGroupRows},
    {"row_group_bytes", Option::kRowGroupBytes},
    {"header", Option::kHeader},
    {"delimiter", Option::kDelimiter},
    {"null_text", Option::kNullText},
    // As others call them.
    {"compression", Option::kCodec},
    {"compression_level", Option::kCodecLevel},
    {"row_group_size", Option::kRowGroupRows},
    {"row_group_size_bytes", Option::kRowGroupBytes},
    {"delim", Option::kDelimiter},
    {"sep", Option::kDelimiter},
    {"nullstr", Option::kNullText},
    {"nullvalue", Option::kNullText},
}};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return lower;
}

Status Refused(SourceRange range, const std::string& message) {
  return core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                           .error_class = {},
                           .sql_offset = range.offset,
                           .sql_length = range.length},
                          message);
}

// "a, b and c"
std::string Listed(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

// The value of a name in a table, of which the first `shown` are what an error lists.
template <typename Table>
auto Find(const Table& table, size_t shown, std::string_view what, std::string_view name,
          SourceRange range) -> Result<decltype(table[0].value)> {
  const std::string lower = Lower(name);
  std::vector<std::string_view> names;
  for (const auto& row : table) {
    if (row.name == lower) {
      return row.value;
    }
    names.push_back(row.name);
  }
  std::string message = "there is no " + std::string(what) + " '" + std::string(name);
  if (const auto nearest = core::NearestName(lower, names); !nearest.empty()) {
    return Refused(range, message + "'; did you mean " + std::string(nearest) + "?");
  }
  names.resize(shown);
  return Refused(range, message + "'; there are " + Listed(names));
}

std::vector<Option> OptionsOf(FileFormatKind kind) {
  switch (kind) {
    case FileFormatKind::kParquet:
      return {Option::kCodec, Option::kCodecLevel, Option::kRowGroupRows,
              Option::kRowGroupBytes};
    case FileFormatKind::kCsv:
      return {Option::kHeader, Option::kDelimiter, Option::kNullText};
    case FileFormatKind::kArrow:
      return {Option::kCodec, Option::kCodecLevel};
    default:
      return {};
  }
}

std::string_view NameOf(Option option) {
  return kOptions[static_cast<size_t>(option)].name;
}

Status CheckApplies(const FileOption& given, Option option, FileFormatKind kind) {
  const auto wanted = OptionsOf(kind);
  if (option == Option::kFormat ||
      std::find(wanted.begin(), wanted.end(), option) != wanted.end()) {
    return Status::OK();
  }
  std::vector<std::string_view> names;
  for (const Option one : wanted) {
    names.push_back(NameOf(one));
  }
  return Refused(given.range, "the format " + std::string(ToString(kind)) +
                                  " has no option " + given.name + "; it has " +
                                  (names.empty() ? "none" : Listed(names)));
}

Result<int64_t> NumberIn(const FileOption& given, int64_t least, int64_t most) {
  const auto number = ParseInteger(given.value);
  if (!number.has_value() || *number < least || *number > most) {
    return Refused(given.range, given.name + " is a number from " +
                                    std::to_string(least) + " to " +
                                    std::to_string(most) + ", not '" + given.value + "'");
  }
  return *number;
}

Result<int64_t> BytesOf(const FileOption& given) {
  constexpr int64_t kLeast = 64 << 10;
  constexpr int64_t kMost = int64_t{1} << 30;
  const auto size = core::ParseByteSize(given.value);
  if (!size.ok()) {
    return Refused(given.range, given.name + ": " + size.status().message());
  }
  if (*size < kLeast || *size > kMost) {
    return Refused(given.range,
                   given.name + " is from 64 KiB to 1 GiB, not '" + given.value + "'");
  }
  return *size;
}

Result<bool> BooleanOf(const FileOption& given) {
  const std::string lower = Lower(given.value);
  if (lower == "true" || lower == "1") {
    return true;
  }
  if (lower == "false" || lower == "0") {
    return false;
  }
  return Refused(given.range,
                 given.name + " is true or false, not '" + given.value + "'");
}

Result<char> DelimiterOf(const FileOption& given) {
  const std::string text = given.value == "\\t" ? "\t" : given.value;
  const bool one = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80;
  if (!one || text[0] == '"' || text[0] == '\n' || text[0] == '\r' || text[0] == '\0') {
    return Refused(
        given.range,
        given.name + " is one ASCII character, and no quotation mark or end of line");
  }
  return text[0];
}

Status Apply(const FileOption& given, Option option, FileFormat* format) {
  switch (option) {
    case Option::kFormat:
      return Status::OK();  // Known already.
    case Option::kCodec: {
      ARROW_ASSIGN_OR_RAISE(
          format->codec, Find(kCodecs, kCodecCount, "codec", given.value, given.range));
      const bool known =
          format->kind != FileFormatKind::kArrow || format->codec == FileCodec::kNone ||
          format->codec == FileCodec::kZstd || format->codec == FileCodec::kLz4;
      return known ? Status::OK()
                   : Refused(given.range,
                             "the codecs of arrow are none, zstd and lz4, not " +
                                 std::string(ToString(format->codec)));
    }
    case Option::kCodecLevel:
      return Status::OK();  // Depends on the codec, which may follow.
    case Option::kRowGroupRows:
      return NumberIn(given, 1, int64_t{1} << 30).Value(&format->row_group_rows);
    case Option::kRowGroupBytes:
      return BytesOf(given).Value(&format->row_group_bytes);
    case Option::kHeader:
      return BooleanOf(given).Value(&format->header);
    case Option::kDelimiter:
      return DelimiterOf(given).Value(&format->delimiter);
    case Option::kNullText:
      format->null_text = given.value;
      return Status::OK();
  }
  return Status::OK();
}

Status ApplyLevel(const FileOption& given, FileFormat* format) {
  if (format->codec != FileCodec::kZstd && format->codec != FileCodec::kGzip) {
    return Refused(given.range, "the codec " + std::string(ToString(format->codec)) +
                                    " has no levels; zstd and gzip have");
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t level,
                        NumberIn(given, 1, format->codec == FileCodec::kZstd ? 22 : 9));
  format->codec_level = static_cast<int>(level);
  return Status::OK();
}

Status CheckNullText(const FileOption& given, const FileFormat& format) {
  const std::string special = std::string("\"\r\n") + format.delimiter;
  return format.null_text.find_first_of(special) == std::string::npos
             ? Status::OK()
             : Refused(given.range, given.name +
                                        " may hold no delimiter, quotation mark or end "
                                        "of line");
}

FileFormat DefaultsOf(FileFormatKind kind) {
  FileFormat format;
  format.kind = kind;
  if (kind != FileFormatKind::kParquet) {
    format.codec = FileCodec::kNone;
  }
  return format;
}

Result<FileFormat> FromExtension(std::string_view path, SourceRange range) {
  const size_t slash = path.rfind('/');
  const std::string_view name =
      slash == std::string_view::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  const std::string extension =
      dot == std::string_view::npos ? "" : Lower(name.substr(dot + 1));
  if (extension == "tsv") {
    FileFormat format = DefaultsOf(FileFormatKind::kCsv);
    format.delimiter = '\t';
    return format;
  }
  for (const auto& row : kKinds) {
    if (row.name == extension && extension != "markdown") {
      return DefaultsOf(row.value);
    }
  }
  return Refused(range,
                 "the name of the file does not say its format; end it in .parquet, "
                 ".csv, .tsv, .ndjson, .json, .arrow or .md, or add (FORMAT parquet)");
}

}  // namespace

Result<FileFormat> ParseFileFormat(std::string_view path, SourceRange path_range,
                                   const std::vector<FileOption>& options) {
  std::array<const FileOption*, kOptionCount> given = {};
  for (const FileOption& option : options) {
    ARROW_ASSIGN_OR_RAISE(const Option known, Find(kOptions, kOptionCount, "option",
                                                   option.name, option.range));
    const FileOption*& slot = given[static_cast<size_t>(known)];
    if (slot != nullptr) {
      return Refused(option.range,
                     option.name + " is given twice" +
                         (Lower(slot->name) == Lower(option.name)
                              ? std::string()
                              : ": " + slot->name + " is another name of it"));
    }
    slot = &option;
  }
  FileFormat format;
  const auto of = [&given](Option option) { return given[static_cast<size_t>(option)]; };
  if (const FileOption* named = of(Option::kFormat); named != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const FileFormatKind kind,
                          Find(kKinds, kKindCount, "format", named->value, named->range));
    format = DefaultsOf(kind);
  } else {
    ARROW_ASSIGN_OR_RAISE(format, FromExtension(path, path_range));
  }
  for (size_t i = 0; i < kOptionCount; ++i) {
    if (given[i] != nullptr) {
      ARROW_RETURN_NOT_OK(CheckApplies(*given[i], static_cast<Option>(i), format.kind));
      ARROW_RETURN_NOT_OK(Apply(*given[i], static_cast<Option>(i), &format));
    }
  }
  if (const FileOption* level = of(Option::kCodecLevel); level != nullptr) {
    ARROW_RETURN_NOT_OK(ApplyLevel(*level, &format));
  }
  if (const FileOption* text = of(Option::kNullText); text != nullptr) {
    ARROW_RETURN_NOT_OK(CheckNullText(*text, format));
  }
  return format;
}

std::string_view ToString(FileFormatKind kind) {
  return kKinds[static_cast<size_t>(kind)].name;
}

std::string_view ToString(FileCodec codec) {
  return kCodecs[static_cast<size_t>(codec)].name;
}

std::string ToString(const FileFormat& format) {
  const FileFormat defaults = DefaultsOf(format.kind);
  std::vector<std::string> parts;
  if (format.codec != defaults.codec || format.codec_level != 0) {
    parts.push_back(
        "codec " + std::string(ToString(format.codec)) +
        (format.codec_level == 0 ? "" : " " + std::to_string(format.codec_level)));
  }
  if (format.row_group_rows != defaults.row_group_rows) {
    parts.push_back("row_group_rows " + std::to_string(format.row_group_rows));
  }
  if (format.row_group_bytes != defaults.row_group_bytes) {
    parts.push_back("row_group_bytes " + core::FormatByteSize(format.row_group_bytes));
  }
  if (!format.header) {
    parts.emplace_back("no header");
  }
  if (format.delimiter != defaults.delimiter) {
    parts.push_back("delimiter " + (format.delimiter == '\t'
                                        ? std::string("\\t")
                                        : std::string(1, format.delimiter)));
  }
  if (!format.null_text.empty()) {
    parts.push_back("null_text " + format.null_text);
  }
  std::string text(ToString(format.kind));
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? " (" : ", ") + parts[i];
  }
  return text + (parts.empty() ? "" : ")");
}

}  // namespace wheelpit::plan
