// SPDX-License-Identifier: Apache-2.0
// Text to tokens, by Apache Spark's lexical rules (its default mode: back-ticks quote
// names, '…' and "…" are strings). The text is hostile: its length is capped, its UTF-8
// is checked, and every token lies inside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/plan/expression.h"
#include "wheelpit/sql/keywords.h"

namespace wheelpit::sql {

/// Longest text that is looked at: a script of statements.
inline constexpr int64_t kTextBytesMax = 16 << 20;

enum class TokenKind : uint8_t {
  kEnd,
  kWord,        ///< unquoted name or keyword; may start with a digit, as Spark's do
  kQuotedName,  ///< `…`
  kPath,        ///< scheme://…, which is a name only to tell that it needs quotes
  kString,      ///< '…', "…", r'…', r"…"
  kDollarString,
  kInteger,
  kDecimal,     ///< 1.5
  kExponent,    ///< 1e3, 1.5e3: a double
  kBigint,      ///< 1L
  kSmallint,    ///< 1S
  kTinyint,     ///< 1Y
  kFloat,       ///< 1.5F
  kDouble,      ///< 1.5D
  kBigDecimal,  ///< 1.5BD
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kComma,
  kDot,
  kSemicolon,
  kBang,
  kEqual,  ///< = or ==
  kNullSafeEqual,
  kNotEqual,
  kNotEqualBang,  ///< !=
  kLess,
  kLessEqual,  ///< <= or !>
  kGreater,
  kGreaterEqual,  ///< >= or !<
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kTilde,
  kAmpersand,
  kPipe,
  kConcat,
  kPipeArrow,  ///< |>
  kCaret,
  kColon,
  kDoubleColon,
  kAt,
  kArrow,
  kFatArrow,
  kHintStart,
  kHintEnd,
  kQuestion,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kNone;  ///< of a kWord
  uint32_t offset = 0;               ///< bytes from the start of the text
  uint32_t length = 0;

  plan::SourceRange range() const { return {.offset = offset, .length = length}; }
};

/// The tokens of a text, white space and comments left out, a kEnd at the end. Errors are
/// kInvalidSql with class PARSE_SYNTAX_ERROR and a range.
arrow::Result<std::vector<Token>> Tokenize(std::string_view text);

/// What a kQuotedName means: back-ticks taken off, doubled ones made one.
std::string DecodeQuotedName(std::string_view token);

/// What a kString means, by Spark's escapes: \n and the like, octal \101, \u0041,
/// \U00000041; \% and \_ stay as they are, for LIKE. Raw strings are taken as they are.
std::string DecodeString(std::string_view token);

/// The offset of the first byte that is not UTF-8, or -1.
int64_t FindInvalidUtf8(std::string_view text);

/// A kInvalidSql error with class PARSE_SYNTAX_ERROR and a range.
arrow::Status SyntaxError(plan::SourceRange range, std::string message);

/// The error of a text that is longer than a limit.
arrow::Status TooLong(int64_t size_bytes, int64_t limit_bytes);

}  // namespace wheelpit::sql
