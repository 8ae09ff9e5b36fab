// SPDX-License-Identifier: Apache-2.0
// Values as JSON (RFC 8259), from their text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// A JSON string, quotes included; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

/// How a value is written in JSON when its text is known.
enum class JsonForm : uint8_t {
  kString,
  kScalar,  ///< bare; NaN and infinities, which JSON has not, as strings
  kNested,  ///< the text is JSON already
};
JsonForm JsonFormOf(const arrow::DataType& type);
void AppendJson(std::string_view text, JsonForm form, std::string* out);

}  // namespace wheelpit::exec
