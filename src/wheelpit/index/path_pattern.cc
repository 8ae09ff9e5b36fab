// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/path_pattern.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::index {

namespace {

// Of a whole path: {0..9}{0..9}{0..9} written out is a thousand.
constexpr size_t kAlternativesMax = 4096;

// The next character of `text` at `*at`; bytes that are no UTF-8 get numbers beyond
// Unicode, so that they match themselves and nothing else.
uint32_t TakeCharacter(std::string_view text, size_t* at) {
  const fs::Utf8Character character = fs::FirstCharacter(text.substr(*at));
  if (character.length == 0) {
    return 0x110000u + static_cast<uint8_t>(text[(*at)++]);
  }
  *at += character.length;
  return character.code_point;
}

arrow::Status Unclosed(std::string_view text, char bracket) {
  return core::Error(
      core::ErrorKind::kInvalidSql, "the glob ", fs::Quoted(text), " has a '", bracket,
      "' that is never closed; put a \\ before it if it is part of a name");
}

struct Braces {
  size_t open = 0;
  size_t close = 0;
  std::vector<std::string_view> choices;
};

// The first group of braces at the outermost level for which `wanted` holds.
template <typename Wanted>
arrow::Result<std::optional<Braces>> FindBraces(std::string_view text, Wanted wanted) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      Braces braces{.open = i, .close = 0, .choices = {}};
      size_t depth = 1;
      size_t begin = i + 1;
      for (++i; i < text.size() && depth > 0; ++i) {
        if (text[i] == '\\') {
          ++i;
        } else if (text[i] == '{') {
          ++depth;
        } else if (text[i] == '}' ? --depth == 0 : text[i] == ',' && depth == 1) {
          braces.choices.push_back(text.substr(begin, i - begin));
          begin = i + 1;
        }
      }
      if (depth > 0) {
        return Unclosed(text, '{');
      }
      braces.close = --i;
      if (wanted(text.substr(braces.open, braces.close - braces.open))) {
        return braces;
      }
    }
  }
  return std::nullopt;
}

// Replaces every group of braces for which `wanted` holds by each of its choices.
template <typename Wanted>
arrow::Status Expand(const std::string& text, Wanted wanted,
                     std::vector<std::string>* out) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<Braces> braces, FindBraces(text, wanted));
  if (!braces) {
    out->push_back(text);
    if (out->size() > kAlternativesMax) {
      return core::Error(core::ErrorKind::kInvalidSql, "the glob ", fs::Quoted(text),
                         " has more than ", kAlternativesMax, " alternatives");
    }
    return arrow::Status::OK();
  }
  for (const std::string_view choice : braces->choices) {
    std::string one = text.substr(0, braces->open);
    one += choice;
    one += text.substr(braces->close + 1);
    ARROW_RETURN_NOT_OK(Expand(one, wanted, out));
  }
  return arrow::Status::OK();
}

}  // namespace

bool LooksLikePattern(std::string_view path) {
  return path.find_first_of("*?[{\\") != std::string_view::npos;
}

arrow::Status NamePattern::ParseSet(std::string_view text, size_t* at) {
  Token token{.kind = Kind::kSet, .character = 0, .negated = false, .ranges = {}};
  if (*at < text.size() && (text[*at] == '^' || text[*at] == '!')) {
    token.negated = true;
    ++*at;
  }
  const auto take = [&]() -> std::optional<uint32_t> {
    if (*at < text.size() && text[*at] == '\\') {
      ++*at;
    }
    return *at < text.size() ? std::optional(TakeCharacter(text, at)) : std::nullopt;
  };
  // A bracket right after the opening one stands for itself.
  for (bool first = true; first || *at >= text.size() || text[*at] != ']';
       first = false) {
    const std::optional<uint32_t> low = take();
    std::optional<uint32_t> high = low;
    if (*at + 1 < text.size() && text[*at] == '-' && text[*at + 1] != ']') {
      ++*at;
      high = take();
    }
    if (!low || !high) {
      return Unclosed(text, '[');
    }
    token.ranges.emplace_back(*low, *high);
  }
  ++*at;
  tokens_.push_back(std::move(token));
  return arrow::Status::OK();
}

arrow::Result<NamePattern> NamePattern::Parse(std::string_view text) {
  NamePattern pattern;
  pattern.crosses_directories_ = text == "**";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '?' || c == '*' || c == '[') {
      pattern.is_literal_ = false;
      ++i;
    }
    if (c == '?') {
      pattern.tokens_.push_back({.kind = Kind::kAny, .ranges = {}});
    } else if (c == '*') {
      if (pattern.tokens_.empty() || pattern.tokens_.back().kind != Kind::kMany) {
        pattern.tokens_.push_back({.kind = Kind::kMany, .ranges = {}});
      }
    } else if (c == '[') {
      ARROW_RETURN_NOT_OK(pattern.ParseSet(text, &i));
    } else {
      if (c == '\\' && i + 1 < text.size()) {
        ++i;
      }
      const size_t begin = i;
      const uint32_t character = TakeCharacter(text, &i);
      pattern.literal_ += text.substr(begin, i - begin);
      pattern.tokens_.push_back(
          {.kind = Kind::kCharacter, .character = character, .ranges = {}});
    }
  }
  return pattern;
}

bool NamePattern::MatchesOne(const Token& token, uint32_t character) {
  switch (token.kind) {
    case Kind::kCharacter:
      return token.character == character;
    case Kind::kAny:
      return true;
    case Kind::kSet: {
      const bool found =
          std::any_of(token.ranges.begin(), token.ranges.end(), [&](const auto& range) {
            return character >= range.first && character <= range.second;
          });
      return found != token.negated;
    }
    case Kind::kMany:
      break;
  }
  return false;
}

bool NamePattern::Matches(std::string_view name) const {
  if (is_literal_) {
    return name == literal_;
  }
  size_t token = 0;
  size_t at = 0;
  // Where to go on when what follows the last * does not fit: one character further.
  // Earlier ones never need another try, so this is at most quadratic.
  size_t retry_token = tokens_.size() + 1;
  size_t retry_at = 0;
  while (at < name.size() || token < tokens_.size()) {
    if (token < tokens_.size() && tokens_[token].kind == Kind::kMany) {
      retry_token = ++token;
      retry_at = at;
      continue;
    }
    if (at < name.size() && token < tokens_.size()) {
      size_t next = at;
      const uint32_t character = TakeCharacter(name, &next);
      if (MatchesOne(tokens_[token], character)) {
        ++token;
        at = next;
        continue;
      }
    }
    if (retry_token > tokens_.size() || retry_at >= name.size()) {
      return false;
    }
    static_cast<void>(TakeCharacter(name, &retry_at));
    token = retry_token;
    at = retry_at;
  }
  return true;
}

bool NamePattern::names_hidden() const {
  return !tokens_.empty() && tokens_[0].kind == Kind::kCharacter &&
         (tokens_[0].character == '_' || tokens_[0].character == '.');
}

arrow::Result<std::vector<PathPattern>> ParsePathPattern(std::string_view text) {
  std::vector<std::string> paths;
  ARROW_RETURN_NOT_OK(Expand(
      std::string(text),
      [](std::string_view braces) { return braces.find('/') != std::string_view::npos; },
      &paths));
  std::vector<PathPattern> patterns;
  for (const std::string& path : paths) {
    PathPattern pattern;
    pattern.absolute = path.starts_with('/');
    for (size_t begin = 0; begin <= path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const std::string component = path.substr(begin, end - begin);
      begin = end + 1;
      if (component.empty() || component == ".") {
        continue;
      }
      std::vector<std::string> names;
      ARROW_RETURN_NOT_OK(Expand(
          component, [](std::string_view) { return true; }, &names));
      ComponentPattern alternatives;
      for (const std::string& name : names) {
        ARROW_ASSIGN_OR_RAISE(auto parsed, NamePattern::Parse(name));
        alternatives.push_back(std::move(parsed));
      }
      pattern.components.push_back(std::move(alternatives));
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace wheelpit::index
