// SPDX-License-Identifier: Apache-2.0
// Globs, in Hadoop's grammar: ? * [abc] [a-c] [^a] (or [!a]) {x,y} and \ before a
// character that stands for itself; besides, a component ** is any number of directories.
// No wildcard crosses a slash; ? and [..] take one UTF-8 character, or one byte where a
// name is not UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace wheelpit::index {

/// Whether a path has any character that a glob gives a meaning to.
bool LooksLikePattern(std::string_view path);

/// One component of a pattern, without braces.
class NamePattern {
 public:
  static arrow::Result<NamePattern> Parse(std::string_view text);

  bool Matches(std::string_view name) const;
  /// Only one name matches: literal().
  bool is_literal() const { return is_literal_; }
  const std::string& literal() const { return literal_; }
  /// It is "**".
  bool crosses_directories() const { return crosses_directories_; }
  /// It spells out a leading "_" or ".": then it may name what listing hides.
  bool names_hidden() const;

 private:
  enum class Kind : uint8_t { kCharacter, kAny, kMany, kSet };
  struct Token {
    Kind kind = Kind::kCharacter;
    uint32_t character = 0;
    bool negated = false;
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
  };
  static bool MatchesOne(const Token& token, uint32_t character);
  arrow::Status ParseSet(std::string_view text, size_t* at);

  std::vector<Token> tokens_;
  std::string literal_;
  bool is_literal_ = true;
  bool crosses_directories_ = false;
};

/// The alternatives of one component: any may match.
using ComponentPattern = std::vector<NamePattern>;

struct PathPattern {
  bool absolute = false;
  std::vector<ComponentPattern> components;
};

/// Braces that hold a slash give several patterns; the others stay in their component.
/// Errors say which bracket is not closed, or that there are too many alternatives.
arrow::Result<std::vector<PathPattern>> ParsePathPattern(std::string_view text);

}  // namespace wheelpit::index
