// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/like.h"

#include <algorithm>
#include <cstdint>

namespace wheelpit::exec::expr {

namespace {

constexpr size_t kNone = std::string_view::npos;

bool IsContinuation(char c) {
  return (static_cast<uint8_t>(c) & 0xC0) == 0x80;
}

// The position `count` characters before the end; kNone when there are fewer.
size_t BackFromEnd(std::string_view text, size_t count) {
  size_t position = text.size();
  for (; count > 0; --count) {
    if (position == 0) {
      return kNone;
    }
    --position;
    while (position > 0 && IsContinuation(text[position])) {
      --position;
    }
  }
  return position;
}

}  // namespace

size_t CharacterSize(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t wanted = first < 0x80   ? 1
                        : first < 0xC0 ? 1
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF8 ? 4
                                       : 1;
  return std::min(wanted, text.size());
}

void LikePattern::AppendLiteral(std::string_view character, Segment* segment) {
  if (segment->pieces.empty() || segment->pieces.back().any_characters > 0) {
    segment->pieces.emplace_back();
  }
  segment->pieces.back().text += character;
  ++segment->characters;
}

LikeError LikePattern::Parse(std::string_view pattern, std::string_view escape) {
  segments_.assign(1, {});
  while (!pattern.empty()) {
    std::string_view character = pattern.substr(0, CharacterSize(pattern));
    pattern.remove_prefix(character.size());
    if (character == escape) {
      if (pattern.empty()) {
        return LikeError::kEscapeAtEnd;
      }
      character = pattern.substr(0, CharacterSize(pattern));
      if (character != "_" && character != "%" && character != escape) {
        return LikeError::kEscapeInMiddle;
      }
      pattern.remove_prefix(character.size());
      AppendLiteral(character, &segments_.back());
    } else if (character == "%") {
      segments_.emplace_back();
    } else if (character == "_") {
      if (segments_.back().pieces.empty()) {
        segments_.back().pieces.emplace_back();
      }
      ++segments_.back().pieces.back().any_characters;
      ++segments_.back().characters;
    } else {
      AppendLiteral(character, &segments_.back());
    }
  }
  return LikeError::kNone;
}

// Where a match that begins at `from` ends; kNone when there is none.
size_t LikePattern::MatchAt(const Segment& segment, std::string_view text, size_t from) {
  for (const Piece& piece : segment.pieces) {
    if (text.substr(from, piece.text.size()) != piece.text) {
      return kNone;
    }
    from += piece.text.size();
    for (size_t i = 0; i < piece.any_characters; ++i) {
      if (from >= text.size()) {
        return kNone;
      }
      from += CharacterSize(text.substr(from));
    }
  }
  return from;
}

// The first match at or after `from`; its end goes to `end`.
size_t LikePattern::Find(const Segment& segment, std::string_view text, size_t from,
                         size_t* end) {
  if (segment.pieces.empty()) {
    *end = from;
    return from;
  }
  const std::string& anchor = segment.pieces[0].text;
  while (from <= text.size()) {
    if (!anchor.empty()) {
      from = text.find(anchor, from);
      if (from == kNone) {
        return kNone;
      }
    }
    *end = MatchAt(segment, text, from);
    if (*end != kNone) {
      return from;
    }
    if (from == text.size()) {
      return kNone;
    }
    from += CharacterSize(text.substr(from));
  }
  return kNone;
}

bool LikePattern::Matches(std::string_view text) const {
  size_t position = MatchAt(segments_.front(), text, 0);
  if (segments_.size() == 1) {
    return position == text.size();
  }
  if (position == kNone) {
    return false;
  }
  // Between the anchored ends each segment takes its first match.
  for (size_t i = 1; i + 1 < segments_.size(); ++i) {
    if (Find(segments_[i], text, position, &position) == kNone) {
      return false;
    }
  }
  const Segment& last = segments_.back();
  const size_t start = BackFromEnd(text, last.characters);
  return start != kNone && start >= position && MatchAt(last, text, start) == text.size();
}

}  // namespace wheelpit::exec::expr
