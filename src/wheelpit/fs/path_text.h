// SPDX-License-Identifier: Apache-2.0
// Paths are bytes. This is how they become text that is safe to print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wheelpit::fs {

/// The path in single quotes, for messages: printable UTF-8 stays as it is; control and
/// formatting characters (newline, escape, direction marks), quotes, backslashes and
/// bytes that are not UTF-8 become \n, \t, \r, \', \\ or \xNN, so that no name can forge
/// another line or another name, and two different paths never look the same. Very long
/// paths keep both ends.
std::string Quoted(std::string_view path);

/// The first character of a text that is not empty.
struct Utf8Character {
  uint32_t code_point = 0;
  size_t length = 0;  ///< in bytes; 0 when the text does not begin with UTF-8 (RFC 3629)
};
Utf8Character FirstCharacter(std::string_view text);

}  // namespace wheelpit::fs
