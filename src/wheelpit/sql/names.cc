// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/names.h"

#include <algorithm>

#include "wheelpit/core/config.h"

namespace wheelpit::sql {

namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

}  // namespace

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), Upper);
  return upper;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> lower;
  lower.reserve(known.size());
  for (const std::string& one : known) {
    lower.push_back(LowerCase(one));
  }
  std::vector<std::string_view> views(lower.begin(), lower.end());
  std::string_view nearest = core::NearestName(LowerCase(name), views);
  if (nearest.empty()) {
    return {};
  }
  auto found = std::find(views.begin(), views.end(), nearest);
  return " did you mean " + known[static_cast<size_t>(found - views.begin())] + "?";
}

}  // namespace wheelpit::sql
