// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/redaction.h"

#include <algorithm>
#include <array>

namespace wheelpit::events {

bool LooksSecret(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {
      "secret", "password", "token", "accesskey", "access.key", "credential"};
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
  };
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same) !=
           text.end();
  });
}

}  // namespace wheelpit::events
