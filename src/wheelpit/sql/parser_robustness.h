// SPDX-License-Identifier: Apache-2.0
// What holds for every text, however broken. For the fuzz target and its unit test.
#pragma once

#include <string_view>

namespace wheelpit::sql {

/// Parses the text and ends the process when a promise of the parser is broken: an error
/// without kind, class or a range inside the text, a shown line that is too wide or that
/// holds a control character.
void CheckRobustness(std::string_view text);

}  // namespace wheelpit::sql
