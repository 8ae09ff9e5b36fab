// SPDX-License-Identifier: Apache-2.0
// LIKE: '%' stands for any text, '_' for one character, the escape character takes their
// meaning away. Works on UTF-8; bytes that are no UTF-8 count as characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wheelpit::exec::expr {

/// The byte length of the character that begins at `text[0]`, never beyond the end.
size_t CharacterSize(std::string_view text);

enum class LikeError { kNone, kEscapeAtEnd, kEscapeInMiddle };

class LikePattern {
 public:
  /// kEscapeAtEnd or kEscapeInMiddle when the escape character precedes nothing that
  /// needs it; the pattern is of no use then.
  LikeError Parse(std::string_view pattern, std::string_view escape);

  bool Matches(std::string_view text) const;

 private:
  // What stands between two '%': literal text and '_' alternating.
  struct Piece {
    std::string text;
    size_t any_characters = 0;  ///< '_' after the text
  };
  struct Segment {
    std::vector<Piece> pieces;
    size_t characters = 0;
  };

  static size_t MatchAt(const Segment& segment, std::string_view text, size_t from);
  static size_t Find(const Segment& segment, std::string_view text, size_t from,
                     size_t* end);
  static void AppendLiteral(std::string_view character, Segment* segment);

  std::vector<Segment> segments_;  ///< one more than there are '%'
};

}  // namespace wheelpit::exec::expr
