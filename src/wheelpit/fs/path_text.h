// SPDX-License-Identifier: Apache-2.0
// Paths are bytes. This is how they become text that is safe to print.
#pragma once

#include <string>
#include <string_view>

namespace wheelpit::fs {

/// The path in single quotes, for messages: printable UTF-8 stays as it is; control and
/// formatting characters (newline, escape, direction marks), quotes, backslashes and
/// bytes that are not UTF-8 become \n, \t, \r, \', \\ or \xNN, so that no name can forge
/// another line or another name, and two different paths never look the same. Very long
/// paths keep both ends.
std::string Quoted(std::string_view path);

}  // namespace wheelpit::fs
