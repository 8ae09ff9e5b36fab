// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/file_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/config.h"
#include "wheelpit/core/error.h"

namespace wheelpit::plan {

namespace {

template <typename T>
using Named = std::pair<std::string_view, T>;

// The first name of each is the one that messages use.
constexpr std::array<Named<FileKind>, 8> kFormats = {{
    {"parquet", FileKind::kParquet},
    {"csv", FileKind::kCsv},
    {"json", FileKind::kJson},
    {"ndjson", FileKind::kJsonLines},
    {"jsonl", FileKind::kJsonLines},
    {"arrow", FileKind::kArrowFile},
    {"arrow_stream", FileKind::kArrowStream},
    {"markdown", FileKind::kMarkdown},
}};

constexpr std::array<Named<FileKind>, 11> kExtensions = {{
    {"parquet", FileKind::kParquet},
    {"csv", FileKind::kCsv},
    {"tsv", FileKind::kCsv},
    {"json", FileKind::kJson},
    {"ndjson", FileKind::kJsonLines},
    {"jsonl", FileKind::kJsonLines},
    {"arrow", FileKind::kArrowFile},
    {"feather", FileKind::kArrowFile},
    {"arrows", FileKind::kArrowStream},
    {"md", FileKind::kMarkdown},
    {"markdown", FileKind::kMarkdown},
}};

constexpr std::array<Named<FileCodec>, 6> kCodecs = {{
    {"none", FileCodec::kNone},
    {"snappy", FileCodec::kSnappy},
    {"zstd", FileCodec::kZstd},
    {"gzip", FileCodec::kGzip},
    {"lz4", FileCodec::kLz4},
    {"uncompressed", FileCodec::kNone},
}};

enum class Option : uint8_t {
  kFormat,
  kCompression,
  kLevel,
  kRowGroupRows,
  kRowGroupBytes,
  kHeader,
  kDelimiter,
  kNullText,
};

constexpr std::array<Named<Option>, 12> kOptions = {{
    {"format", Option::kFormat},
    {"compression", Option::kCompression},
    {"codec", Option::kCompression},
    {"compression_level", Option::kLevel},
    {"row_group_size", Option::kRowGroupRows},
    {"row_group_size_bytes", Option::kRowGroupBytes},
    {"header", Option::kHeader},
    {"delimiter", Option::kDelimiter},
    {"delim", Option::kDelimiter},
    {"sep", Option::kDelimiter},
    {"null", Option::kNullText},
    {"nullstr", Option::kNullText},
}};

template <typename T>
std::optional<T> Find(std::span<const Named<T>> table, std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

template <typename T>
std::string_view NameOf(std::span<const Named<T>> table, T value) {
  for (const auto& [known, named] : table) {
    if (named == value) {
      return known;
    }
  }
  return "?";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return lower;
}

arrow::Status Invalid(SourceRange range, std::string message) {
  return core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                           .error_class = "INVALID_COPY_OPTION",
                           .sql_offset = range.offset,
                           .sql_length = range.length},
                          std::move(message));
}

// "; did you mean x?", or all names where none is near.
template <typename T>
std::string Hint(std::span<const Named<T>> table, std::string_view name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const auto& [known, value] : table) {
    names.push_back(known);
    // Of two names for one thing the first is enough.
    if (NameOf(table, value) == known) {
      list += (list.empty() ? "" : ", ") + std::string(known);
    }
  }
  const std::string_view nearest = core::NearestName(name, names);
  return nearest.empty() ? "; there are " + list
                         : "; did you mean " + std::string(nearest) + "?";
}

// As part of a message: short, and without what could steer a terminal.
std::string Shown(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kMost)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return shown + (text.size() > kMost ? "...'" : "'");
}

arrow::Result<int64_t> Whole(const FileOption& option, int64_t least, int64_t most) {
  int64_t number = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [at, error] = std::from_chars(option.value.data(), end, number);
  if (error != std::errc() || at != end || number < least || number > most) {
    return Invalid(option.value_range,
                   option.name + " takes a whole number from " + std::to_string(least) +
                       " to " + std::to_string(most) + ", not " + Shown(option.value));
  }
  return number;
}

arrow::Result<bool> Truth(const FileOption& option) {
  const std::string value = Lower(option.value);
  if (value == "true" || value == "on" || value == "1") {
    return true;
  }
  if (value == "false" || value == "off" || value == "0") {
    return false;
  }
  return Invalid(option.value_range,
                 option.name + " takes true or false, not " + Shown(option.value));
}

arrow::Result<char> Delimiter(const FileOption& option) {
  const std::string value = option.value == "\\t" ? "\t" : option.value;
  const auto byte = static_cast<unsigned char>(value.empty() ? '\0' : value[0]);
  const bool printable = (byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == 1;
  if (value.size() != 1 || !printable || byte == '"') {
    return Invalid(option.value_range,
                   option.name +
                       " takes one ASCII character that is no quote and ends "
                       "no line, not " +
                       Shown(option.value));
  }
  return value[0];
}

arrow::Result<int64_t> Bytes(const FileOption& option) {
  constexpr int64_t kLeast = 64 << 10;
  constexpr int64_t kMost = int64_t{2} << 30;
  const auto size = core::ParseByteSize(option.value);
  if (!size.ok() || *size < kLeast || *size > kMost) {
    return Invalid(option.value_range, option.name + " takes a size from 64 KiB to 2 " +
                                           "GiB, as 64MiB, not " + Shown(option.value));
  }
  return *size;
}

// Which formats have an option.
bool Applies(Option option, FileKind kind) {
  const bool arrow = kind == FileKind::kArrowFile || kind == FileKind::kArrowStream;
  switch (option) {
    case Option::kFormat:
      return true;
    case Option::kCompression:
    case Option::kLevel:
      return arrow || kind == FileKind::kParquet;
    case Option::kRowGroupRows:
    case Option::kRowGroupBytes:
      return kind == FileKind::kParquet;
    case Option::kHeader:
    case Option::kDelimiter:
    case Option::kNullText:
      return kind == FileKind::kCsv;
  }
  return false;
}

class Parser {
 public:
  arrow::Result<FileFormat> Parse(std::string_view path,
                                  const std::vector<FileOption>& options,
                                  SourceRange path_range) {
    ARROW_RETURN_NOT_OK(Sort(options));
    ARROW_RETURN_NOT_OK(ChooseKind(path, path_range));
    const bool arrow =
        format_.kind == FileKind::kArrowFile || format_.kind == FileKind::kArrowStream;
    format_.codec =
        format_.kind == FileKind::kParquet ? FileCodec::kSnappy : FileCodec::kNone;
    for (const auto& [option, written] : options_) {
      if (!Applies(option, format_.kind)) {
        return Invalid(written->name_range, std::string(ToString(format_.kind)) +
                                                " has no option " + written->name);
      }
      ARROW_RETURN_NOT_OK(Set(option, *written));
    }
    if (const FileOption* written = Written(Option::kCompression);
        arrow && written != nullptr &&
        (format_.codec == FileCodec::kSnappy || format_.codec == FileCodec::kGzip)) {
      return Invalid(written->value_range,
                     "Arrow files are compressed with none, lz4 or zstd");
    }
    ARROW_RETURN_NOT_OK(SetLevel());
    if (const FileOption* written = Written(Option::kNullText);
        written != nullptr && !NullTextIsPlain()) {
      return Invalid(written->value_range,
                     written->name +
                         " takes text without quotes, line ends and the delimiter, "
                         "not " +
                         Shown(written->value));
    }
    return std::move(format_);
  }

 private:
  arrow::Status Sort(const std::vector<FileOption>& options) {
    for (const FileOption& written : options) {
      const std::string name = Lower(written.name);
      const auto option = Find<Option>(kOptions, name);
      if (!option) {
        return Invalid(written.name_range, "COPY has no option " + Shown(written.name) +
                                               Hint<Option>(kOptions, name));
      }
      if (Written(*option) != nullptr) {
        return Invalid(written.name_range,
                       "the option " + written.name + " is there twice; once is enough");
      }
      options_.emplace_back(*option, &written);
    }
    return arrow::Status::OK();
  }

  const FileOption* Written(Option option) const {
    for (const auto& [known, written] : options_) {
      if (known == option) {
        return written;
      }
    }
    return nullptr;
  }

  arrow::Status ChooseKind(std::string_view path, SourceRange path_range) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const size_t dot = name.rfind('.');
    const std::string extension =
        dot == std::string_view::npos ? "" : Lower(name.substr(dot + 1));
    format_.delimiter = extension == "tsv" ? '\t' : ',';
    if (const FileOption* written = Written(Option::kFormat)) {
      const std::string value = Lower(written->value);
      const auto kind = Find<FileKind>(kFormats, value);
      if (!kind) {
        return Invalid(written->value_range, "there is no format " +
                                                 Shown(written->value) +
                                                 Hint<FileKind>(kFormats, value));
      }
      format_.kind = *kind;
      return arrow::Status::OK();
    }
    const auto kind = Find<FileKind>(kExtensions, extension);
    if (!kind) {
      return Invalid(path_range,
                     "the name of the file does not tell its format: let it end in "
                     ".parquet, .csv, .tsv, .json, .ndjson, .arrow or .md, or write "
                     "(FORMAT parquet)");
    }
    format_.kind = *kind;
    return arrow::Status::OK();
  }

  arrow::Status Set(Option option, const FileOption& written) {
    switch (option) {
      case Option::kFormat:
      case Option::kLevel:
        return arrow::Status::OK();
      case Option::kCompression: {
        const std::string value = Lower(written.value);
        const auto codec = Find<FileCodec>(kCodecs, value);
        if (!codec) {
          return Invalid(written.value_range, "there is no compression " +
                                                  Shown(written.value) +
                                                  Hint<FileCodec>(kCodecs, value));
        }
        format_.codec = *codec;
        return arrow::Status::OK();
      }
      case Option::kRowGroupRows:
        return Whole(written, 1, INT32_MAX).Value(&format_.row_group_rows);
      case Option::kRowGroupBytes:
        return Bytes(written).Value(&format_.row_group_bytes);
      case Option::kHeader:
        return Truth(written).Value(&format_.header);
      case Option::kDelimiter:
        return Delimiter(written).Value(&format_.delimiter);
      case Option::kNullText:
        format_.null_text = written.value;
        return arrow::Status::OK();
    }
    return arrow::Status::OK();
  }

  arrow::Status SetLevel() {
    const FileOption* written = Written(Option::kLevel);
    if (written == nullptr) {
      return arrow::Status::OK();
    }
    const bool zstd = format_.codec == FileCodec::kZstd;
    if (!zstd && format_.codec != FileCodec::kGzip) {
      return Invalid(written->name_range, written->name + " is for zstd and gzip; " +
                                              std::string(ToString(format_.codec)) +
                                              " has no levels");
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t level, Whole(*written, 1, zstd ? 22 : 9));
    format_.codec_level = static_cast<int>(level);
    return arrow::Status::OK();
  }

  bool NullTextIsPlain() const {
    const std::string special = {'"', '\n', '\r', format_.delimiter};
    return format_.null_text.size() <= 64 &&
           format_.null_text.find_first_of(special) == std::string::npos;
  }

  std::vector<std::pair<Option, const FileOption*>> options_;
  FileFormat format_;
};

}  // namespace

std::string_view ToString(FileKind kind) {
  return NameOf<FileKind>(kFormats, kind);
}

std::string_view ToString(FileCodec codec) {
  return NameOf<FileCodec>(kCodecs, codec);
}

arrow::Result<FileFormat> ParseFileFormat(std::string_view path,
                                          const std::vector<FileOption>& options,
                                          SourceRange path_range) {
  return Parser().Parse(path, options, path_range);
}

}  // namespace wheelpit::plan
