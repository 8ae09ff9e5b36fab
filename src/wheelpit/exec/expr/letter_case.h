// SPDX-License-Identifier: Apache-2.0
// Upper and lower case of UTF-8 text without a locale: Unicode's full mappings ("ß" is
// "SS"), and the final form of a lower-case sigma. Bytes that are no UTF-8 stay.
#pragma once

#include <string>
#include <string_view>

namespace wheelpit::exec::expr {

void AppendUpper(std::string_view text, std::string* out);
void AppendLower(std::string_view text, std::string* out);

}  // namespace wheelpit::exec::expr
