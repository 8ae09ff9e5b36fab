// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/json_text.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/fs/path_text.h"

namespace wheelpit::exec {

namespace {

void AppendControl(uint32_t code_point, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  *out += "\\u00";
  *out += kHex[code_point >> 4];
  *out += kHex[code_point & 15];
}

void AppendString(std::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    const fs::Utf8Character c = fs::FirstCharacter(text);
    if (c.length == 0) {
      *out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    if (c.code_point == '"' || c.code_point == '\\') {
      *out += '\\';
      *out += text[0];
    } else if (c.code_point == '\n') {
      *out += "\\n";
    } else if (c.code_point < 0x20 || c.code_point == 0x7f) {
      AppendControl(c.code_point, out);
    } else {
      *out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  *out += '"';
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out;
  AppendString(text, &out);
  return out;
}

JsonForm JsonFormOf(const arrow::DataType& type) {
  const auto id = type.id();
  if (arrow::is_nested(id)) {
    return JsonForm::kNested;
  }
  if (id == arrow::Type::DICTIONARY) {
    return JsonFormOf(*static_cast<const arrow::DictionaryType&>(type).value_type());
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
    AppendString(text, out);
  }
}

}  // namespace wheelpit::exec
