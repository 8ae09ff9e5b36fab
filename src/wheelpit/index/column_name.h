// SPDX-License-Identifier: Apache-2.0
// How names of columns are matched here: without regard to ASCII case.
#pragma once

#include <string>
#include <string_view>

namespace wheelpit::index {

std::string FoldedName(std::string_view name);
bool SameName(std::string_view a, std::string_view b);

}  // namespace wheelpit::index
