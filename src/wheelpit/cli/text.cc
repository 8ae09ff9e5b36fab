// SPDX-License-Identifier: Apache-2.0
// The text side of result_writer.h: widths, escapes, JSON strings.
#include <array>
#include <cstdio>
#include <utility>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/cli/result_writer.h"

namespace wheelpit::cli {

namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t size = 0;  // 0: not UTF-8
};

CodePoint Decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
    return {};
  }
  uint32_t value = lead & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return {};
    }
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kSmallest[size] || value > 0x10ffff || surrogate
             ? CodePoint{}
             : CodePoint{value, size};
}

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
    const CodePoint c = Decode(text);
    if (c.size == 0) {
      ++width;
      text.remove_prefix(1);
      continue;
    }
    width += IsControl(c.value) || IsCombining(c.value) ? 0 : IsWide(c.value) ? 2 : 1;
    text.remove_prefix(c.size);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = Decode(text);
    const size_t size = c.size == 0 ? 1 : c.size;
    if (c.size == 0) {
      AppendHex(&out, "\\x%02x", static_cast<unsigned char>(text[0]));
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\r') {
      out += "\\r";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (IsControl(c.value)) {
      AppendHex(&out, "\\x%02x", c.value);
    } else if (IsTricky(c.value)) {
      AppendHex(&out, "\\u%04x", c.value);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint c = Decode(text);
    const size_t size = c.size == 0 ? 1 : c.size;
    if (c.size == 0) {
      out += "\xef\xbf\xbd";
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += text[0];
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value < 0x20 || c.value == 0x7f) {
      AppendHex(&out, "\\u%04x", c.value);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  out += '"';
  return out;
}

JsonForm JsonFormOf(const arrow::DataType& type) {
  const auto id = type.id();
  if (arrow::is_nested(id)) {
    return JsonForm::kNested;
  }
  const bool scalar = arrow::is_integer(id) || arrow::is_floating(id) ||
                      arrow::is_decimal(id) || id == arrow::Type::BOOL;
  return scalar ? JsonForm::kScalar : JsonForm::kString;
}

void AppendJson(std::string_view text, JsonForm form, std::string* out) {
  const bool finite = text.find("NaN") == std::string_view::npos &&
                      text.find("Inf") == std::string_view::npos;
  if (form == JsonForm::kNested || (form == JsonForm::kScalar && finite)) {
    *out += text;
  } else {
    *out += JsonString(text);
  }
}

}  // namespace wheelpit::cli
