// SPDX-License-Identifier: Apache-2.0
// The text side of result_writer.h: widths, escapes.
#include <array>
#include <cstdio>
#include <utility>

#include "wheelpit/cli/result_writer.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::cli {

namespace {

bool IsControl(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

// Bidirectional overrides and line separators can rearrange what a terminal shows.
bool IsTricky(uint32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 ||
         c == 0x2029;
}

bool IsCombining(uint32_t c) {
  return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f);
}

// The blocks that terminals draw two columns wide (Unicode's East_Asian_Width W and F,
// and emoji).
bool IsWide(uint32_t c) {
  constexpr std::array<std::pair<uint32_t, uint32_t>, 10> kBlocks = {
      {{0x1100, 0x115f},
       {0x2e80, 0x303e},
       {0x3041, 0xa4cf},
       {0xac00, 0xd7a3},
       {0xf900, 0xfaff},
       {0xfe30, 0xfe6f},
       {0xff00, 0xff60},
       {0xffe0, 0xffe6},
       {0x1f300, 0x1f64f},
       {0x1f900, 0x1f9ff}}};
  for (const auto& [first, last] : kBlocks) {
    if (c >= first && c <= last) {
      return true;
    }
  }
  return c >= 0x20000 && c <= 0x3fffd;
}

void AppendHex(std::string* out, const char* format, unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  *out += text;
}

}  // namespace

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const fs::Utf8Character c = fs::FirstCharacter(text);
    if (c.length == 0) {
      ++width;
      text.remove_prefix(1);
      continue;
    }
    width += IsControl(c.code_point) || IsCombining(c.code_point) ? 0
             : IsWide(c.code_point)                               ? 2
                                                                  : 1;
    text.remove_prefix(c.length);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const fs::Utf8Character c = fs::FirstCharacter(text);
    const size_t size = c.length == 0 ? 1 : c.length;
    if (c.length == 0) {
      AppendHex(&out, "\\x%02x", static_cast<unsigned char>(text[0]));
    } else if (c.code_point == '\n') {
      out += "\\n";
    } else if (c.code_point == '\r') {
      out += "\\r";
    } else if (c.code_point == '\t') {
      out += "\\t";
    } else if (IsControl(c.code_point)) {
      AppendHex(&out, "\\x%02x", c.code_point);
    } else if (IsTricky(c.code_point)) {
      AppendHex(&out, "\\u%04x", c.code_point);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace wheelpit::cli
