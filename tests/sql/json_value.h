// SPDX-License-Identifier: Apache-2.0
// A JSON value of a golden file: just enough to read one object a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace wheelpit::sqltest {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kLiteral, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::string text;  ///< of a string; of a number, true or false as written
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;  ///< in the order written

  /// The member of that name, or null when there is none.
  const JsonValue* Find(std::string_view name) const;
  /// The text of that member, or empty when it is absent or null.
  std::string TextOf(std::string_view name) const;
};

arrow::Result<JsonValue> ParseJson(std::string_view text);

/// The text as a JSON string, quotes included; UTF-8 stays as it is.
std::string JsonText(std::string_view text);

}  // namespace wheelpit::sqltest
