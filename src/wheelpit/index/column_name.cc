// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/column_name.h"

#include <algorithm>

namespace wheelpit::index {

namespace {

char Folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string FoldedName(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(), Folded);
  return out;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Folded(x) == Folded(y); });
}

}  // namespace wheelpit::index
