// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/json_writer.h"

#include <charconv>
#include <cmath>

#include "wheelpit/fs/path_text.h"

namespace wheelpit::events {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Whether a byte stands for itself inside a JSON string.
bool IsPlain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

void AppendEscape(unsigned char byte, std::string* out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  switch (byte) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\b':
      *out += "\\b";
      return;
    case '\t':
      *out += "\\t";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\f':
      *out += "\\f";
      return;
    case '\r':
      *out += "\\r";
      return;
    default:
      *out += "\\u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15];
  }
}

}  // namespace

void JsonWriter::BeforeValue() {
  if (comma_) {
    out_ += ',';
  }
  comma_ = true;
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_ += bracket;
  comma_ = true;
}

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  out_ += '"';
  out_ += key;
  out_ += "\":";
  comma_ = false;
}

void JsonWriter::Escaped(std::string_view text) {
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(static_cast<unsigned char>(text[plain]))) {
      ++plain;
    }
    out_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) {
      return;
    }
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte < 0x80) {
      AppendEscape(byte, &out_);
      text.remove_prefix(1);
      continue;
    }
    const size_t length = fs::FirstCharacter(text).length;
    out_ += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  out_ += '"';
  if (text.size() <= kJsonStringBytesMax) {
    Escaped(text);
  } else {
    size_t kept = kJsonStringBytesMax;
    while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xc0) == 0x80) {
      --kept;
    }
    Escaped(text.substr(0, kept));
    out_ += "... (" + std::to_string(text.size() - kept) + " more bytes)";
  }
  out_ += '"';
}

void JsonWriter::Number(int64_t number) {
  BeforeValue();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out_.append(digits, end);
}

void JsonWriter::Double(double number) {
  if (!std::isfinite(number)) {
    Null();
    return;
  }
  BeforeValue();
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const std::string_view text(digits, static_cast<size_t>(end - digits));
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) {
    out_ += ".0";
  }
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

}  // namespace wheelpit::events
