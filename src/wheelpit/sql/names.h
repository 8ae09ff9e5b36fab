// SPDX-License-Identifier: Apache-2.0
// Names as SQL compares them: letters A to Z are the same in either case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wheelpit::sql {

bool SameName(std::string_view a, std::string_view b);
std::string LowerCase(std::string_view text);
std::string UpperCase(std::string_view text);

/// The known name that is nearest to `name`, as " did you mean x?", or empty.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& known);

}  // namespace wheelpit::sql
