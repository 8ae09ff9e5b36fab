// SPDX-License-Identifier: Apache-2.0
// Errors about a text, as a terminal shows them.
#include <algorithm>
#include <vector>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/lexer.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {
namespace {

constexpr int64_t kLineColumnsMax = 80;
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kEllipsis = "…";

// One character of a line: its bytes, and how many columns of a terminal it takes.
struct Glyph {
  std::string text;
  int64_t offset = 0;  // in the whole text
  int64_t columns = 1;
};

uint32_t DecodeCodePoint(std::string_view bytes) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  switch (bytes.size()) {
    case 2:
      return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    case 4:
      return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 |
             (byte(3) & 0x3FU);
    default:
      return byte(0);
  }
}

// 0 for marks that sit on the character before, 2 for the wide ones of East Asia and for
// pictures; the blocks of the Unicode standard, not its table.
int64_t ColumnsOf(uint32_t code) {
  if ((code >= 0x300 && code <= 0x36F) || (code >= 0x200B && code <= 0x200F) ||
      (code >= 0xFE00 && code <= 0xFE0F)) {
    return 0;
  }
  bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
              (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
              (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
              (code >= 0xFFE0 && code <= 0xFFE6) ||
              (code >= 0x1F300 && code <= 0x1FAFF) ||
              (code >= 0x20000 && code <= 0x3FFFD);
  return wide ? 2 : 1;
}

// Bytes of the character at the start, 0 when it is not UTF-8.
size_t SequenceLength(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return FindInvalidUtf8(text.substr(0, length)) < 0 ? length : 0;
}

std::vector<Glyph> Glyphs(std::string_view line, int64_t offset) {
  std::vector<Glyph> glyphs;
  for (size_t i = 0; i < line.size();) {
    size_t length = SequenceLength(line.substr(i));
    Glyph glyph;
    glyph.offset = offset + static_cast<int64_t>(i);
    std::string_view bytes = line.substr(i, std::max<size_t>(length, 1));
    uint32_t code = length == 0 ? 0xFFFD : DecodeCodePoint(bytes);
    bool control = code < 0x20 || (code >= 0x7F && code < 0xA0) ||
                   (code >= 0x202A && code <= 0x202E) ||
                   (code >= 0x2066 && code <= 0x2069);
    if (length == 0) {
      glyph.text = "\xEF\xBF\xBD";
    } else if (control) {
      glyph.text = code == '\t' ? " " : "?";
    } else {
      glyph.text = std::string(bytes);
      glyph.columns = ColumnsOf(code);
    }
    glyphs.push_back(std::move(glyph));
    i += bytes.size();
  }
  return glyphs;
}

// Lines end at a line feed, a carriage return or both.
struct Line {
  size_t start = 0;
  size_t end = 0;
  int64_t number = 1;
};

Line FindLine(std::string_view text, size_t offset) {
  Line line;
  offset = std::min(offset, text.size());
  for (size_t i = 0; i < offset; ++i) {
    bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !pair)) {
      ++line.number;
      line.start = i + 1;
    }
  }
  line.end = std::min(text.find_first_of("\r\n", line.start), text.size());
  return line;
}

// The glyphs [first, last) that fit around the caret.
struct Window {
  size_t first = 0;
  size_t last = 0;
};

Window FitWindow(const std::vector<Glyph>& glyphs, size_t caret) {
  int64_t room = kLineColumnsMax - static_cast<int64_t>(kIndent.size()) - 2;
  int64_t before_max = room / 2;
  Window window{.first = std::min(caret, glyphs.size()), .last = caret};
  int64_t total = 0;
  for (const Glyph& glyph : glyphs) {
    total += glyph.columns;
  }
  if (total + (caret >= glyphs.size() ? 1 : 0) <= room + 2) {
    return {.first = 0, .last = glyphs.size()};
  }
  int64_t used = 0;
  while (window.first > 0 && used + glyphs[window.first - 1].columns <= before_max) {
    used += glyphs[--window.first].columns;
  }
  while (window.last < glyphs.size() && used + glyphs[window.last].columns <= room) {
    used += glyphs[window.last++].columns;
  }
  // At the line's end there is room left for more of its start.
  while (window.first > 0 && used + glyphs[window.first - 1].columns <= room) {
    used += glyphs[--window.first].columns;
  }
  return window;
}

// How many of the glyphs are before an offset.
size_t CountBefore(const std::vector<Glyph>& glyphs, int64_t offset) {
  size_t count = 0;
  while (count < glyphs.size() && glyphs[count].offset < offset) {
    ++count;
  }
  return count;
}

}  // namespace

TextPlace PlaceOf(std::string_view text, int64_t offset) {
  const Line line = FindLine(text, static_cast<size_t>(offset));
  const std::vector<Glyph> glyphs = Glyphs(text.substr(line.start, line.end - line.start),
                                           static_cast<int64_t>(line.start));
  return {.line = line.number,
          .column = static_cast<int64_t>(CountBefore(glyphs, offset)) + 1};
}

std::string FormatSqlError(std::string_view text, const arrow::Status& status,
                           int64_t statement_offset) {
  core::ErrorInfo info = core::InfoOf(status);
  std::string message;
  for (const Glyph& glyph : Glyphs(status.message(), 0)) {
    message += glyph.text;
  }
  const int64_t rest = static_cast<int64_t>(text.size()) - statement_offset;
  if (info.sql_offset < 0 || info.sql_offset > rest) {
    return message;
  }
  info.sql_offset += statement_offset;
  auto offset = static_cast<size_t>(info.sql_offset);
  Line line = FindLine(text, offset);
  std::vector<Glyph> glyphs = Glyphs(text.substr(line.start, line.end - line.start),
                                     static_cast<int64_t>(line.start));
  const size_t caret = CountBefore(glyphs, info.sql_offset);
  Window window = FitWindow(glyphs, caret);
  std::string shown(window.first > 0 ? kEllipsis : "");
  std::string carets(window.first > 0 ? 1 : 0, ' ');
  int64_t end = info.sql_offset + info.sql_length;
  for (size_t i = window.first; i < window.last; ++i) {
    const Glyph& glyph = glyphs[i];
    shown += glyph.text;
    bool marked = i >= caret && (i == caret || glyph.offset < end);
    if (i <= caret || marked) {
      carets.append(glyph.columns, marked ? '^' : ' ');
    }
  }
  if (caret >= glyphs.size()) {
    carets += '^';
  }
  if (window.last < glyphs.size()) {
    shown += kEllipsis;
  }
  message += "\nline " + std::to_string(line.number) + ", column " +
             std::to_string(caret + 1) + "\n";
  return message.append(kIndent).append(shown) + "\n" +
         std::string(kIndent).append(carets);
}

}  // namespace wheelpit::sql
