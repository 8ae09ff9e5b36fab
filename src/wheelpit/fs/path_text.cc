// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/path_text.h"

namespace wheelpit::fs {

namespace {

// More than PATH_MAX: only names that somebody made up are longer.
constexpr size_t kShownBytesMax = 8192;

// Characters that move the cursor, end the line or change the direction of text.
bool IsFormatting(uint32_t code_point) {
  const auto in = [&](uint32_t first, uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point < 0x20 || in(0x7F, 0x9F) || code_point == 0xAD ||
         in(0x200B, 0x200F) || in(0x2028, 0x202E) || in(0x2060, 0x206F) ||
         code_point == 0xFEFF || in(0xFFF9, 0xFFFB) || in(0xE0000, 0xE007F);
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    switch (c) {
      case '\n':
        *out += "\\n";
        break;
      case '\t':
        *out += "\\t";
        break;
      case '\r':
        *out += "\\r";
        break;
      default:
        *out += "\\x";
        *out += kHex[static_cast<uint8_t>(c) >> 4];
        *out += kHex[static_cast<uint8_t>(c) & 15];
    }
  }
}

void AppendText(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const Utf8Character decoded = FirstCharacter(text);
    const size_t length = decoded.length == 0 ? 1 : decoded.length;
    const std::string_view character = text.substr(0, length);
    if (decoded.length == 0 || IsFormatting(decoded.code_point)) {
      AppendEscaped(character, out);
    } else {
      if (character == "'" || character == "\\") {
        *out += '\\';
      }
      *out += character;
    }
    text.remove_prefix(length);
  }
}

}  // namespace

// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, at most U+10FFFF.
Utf8Character FirstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return {};
  }
  uint32_t code_point = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {};
    }
    code_point = (code_point << 6) | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kSmallest[length] || code_point > 0x10FFFF || surrogate) {
    return {};
  }
  return {code_point, length};
}

std::string Quoted(std::string_view path) {
  std::string out = "'";
  out.reserve(path.size() + 2);
  if (path.size() <= kShownBytesMax) {
    AppendText(path, &out);
  } else {
    constexpr size_t kEnd = 1024;
    AppendText(path.substr(0, kEnd), &out);
    out += "' and " + std::to_string(path.size() - 2 * kEnd) + " more bytes to '";
    AppendText(path.substr(path.size() - kEnd), &out);
  }
  out += "'";
  return out;
}

}  // namespace wheelpit::fs
