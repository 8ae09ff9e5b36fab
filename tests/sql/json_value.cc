// SPDX-License-Identifier: Apache-2.0
#include "json_value.h"

#include <charconv>
#include <cstdio>

#include <arrow/status.h>

namespace wheelpit::sqltest {

namespace {

constexpr int kDepthMax = 16;

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xc0 | code >> 6);
    *out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *out += static_cast<char>(0xe0 | code >> 12);
    *out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  arrow::Result<JsonValue> Whole() {
    ARROW_ASSIGN_OR_RAISE(JsonValue value, Value(0));
    SkipSpace();
    if (at_ != text_.size()) {
      return Wrong("the end");
    }
    return value;
  }

 private:
  arrow::Status Wrong(std::string_view wanted) const {
    return arrow::Status::Invalid("JSON: expected ", wanted, " at byte ", at_, " of ",
                                  text_.substr(0, 80));
  }

  void SkipSpace() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  }

  bool Take(char wanted) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != wanted) {
      return false;
    }
    ++at_;
    return true;
  }

  arrow::Result<JsonValue> Value(int depth) {
    if (depth > kDepthMax) {
      return Wrong("less nesting");
    }
    JsonValue value;
    if (Take('"')) {
      value.kind = JsonValue::Kind::kString;
      ARROW_ASSIGN_OR_RAISE(value.text, String());
    } else if (Take('[')) {
      value.kind = JsonValue::Kind::kArray;
      ARROW_RETURN_NOT_OK(Items(depth, &value));
    } else if (Take('{')) {
      value.kind = JsonValue::Kind::kObject;
      ARROW_RETURN_NOT_OK(Members(depth, &value));
    } else {
      const size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      value.text = text_.substr(at_, end - at_);
      if (value.text.empty()) {
        return Wrong("a value");
      }
      at_ = end;
      value.kind =
          value.text == "null" ? JsonValue::Kind::kNull : JsonValue::Kind::kLiteral;
    }
    return value;
  }

  arrow::Status Items(int depth, JsonValue* array) {
    if (Take(']')) {
      return arrow::Status::OK();
    }
    do {
      ARROW_ASSIGN_OR_RAISE(JsonValue item, Value(depth + 1));
      array->items.push_back(std::move(item));
    } while (Take(','));
    return Take(']') ? arrow::Status::OK() : Wrong("]");
  }

  arrow::Status Members(int depth, JsonValue* object) {
    if (Take('}')) {
      return arrow::Status::OK();
    }
    do {
      if (!Take('"')) {
        return Wrong("a name");
      }
      ARROW_ASSIGN_OR_RAISE(std::string name, String());
      if (!Take(':')) {
        return Wrong(":");
      }
      ARROW_ASSIGN_OR_RAISE(JsonValue member, Value(depth + 1));
      object->members.emplace_back(std::move(name), std::move(member));
    } while (Take(','));
    return Take('}') ? arrow::Status::OK() : Wrong("}");
  }

  // After the opening quote, to after the closing one.
  arrow::Result<std::string> String() {
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') {
        return out;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      ARROW_RETURN_NOT_OK(Escape(&out));
    }
    return Wrong("a closing quote");
  }

  arrow::Status Escape(std::string* out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) {
      return Wrong("an escape");
    }
    const char letter = text_[at_++];
    if (const size_t i = kLetters.find(letter); i != std::string_view::npos) {
      *out += kMeanings[i];
      return arrow::Status::OK();
    }
    uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (letter != 'u' || error != std::errc() || end != digits.data() + 4) {
      return Wrong("a known escape");
    }
    at_ += 4;
    AppendUtf8(code, out);
    return arrow::Status::OK();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

std::string JsonValue::TextOf(std::string_view name) const {
  const JsonValue* value = Find(name);
  return value == nullptr ? std::string() : value->text;
}

arrow::Result<JsonValue> ParseJson(std::string_view text) {
  return Reader(text).Whole();
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace wheelpit::sqltest
