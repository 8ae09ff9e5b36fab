// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::sql {
namespace {

struct KeywordRow {
  std::string_view text;
  Keyword keyword;
};

#define WHEELPIT_SQL_ROW(name, text) KeywordRow{text, Keyword::name},
constexpr std::array kKeywords = {WHEELPIT_SQL_KEYWORDS(WHEELPIT_SQL_ROW)};
#undef WHEELPIT_SQL_ROW
constexpr size_t kKeywordLengthMax = 32;

static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end(),
                             [](const KeywordRow& a, const KeywordRow& b) {
                               return a.text < b.text;
                             }));

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsWordByte(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}
bool IsMultiByte(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0;
}
char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

Keyword FindKeyword(std::string_view word) {
  if (word.size() > kKeywordLengthMax) {
    return Keyword::kNone;
  }
  std::array<char, kKeywordLengthMax> upper;
  std::transform(word.begin(), word.end(), upper.begin(), Upper);
  std::string_view key(upper.data(), word.size());
  auto row = std::lower_bound(
      kKeywords.begin(), kKeywords.end(), key,
      [](const KeywordRow& a, std::string_view b) { return a.text < b; });
  return row != kKeywords.end() && row->text == key ? row->keyword : Keyword::kNone;
}

// Bytes of the UTF-8 encoded space at the start of `text`, 0 when it starts otherwise.
// Spark's set: U+00A0 U+1680 U+2000-U+200A U+2028 U+202F U+205F U+3000.
size_t WideSpaceBytes(std::string_view text) {
  if (text.starts_with("\xC2\xA0")) {
    return 2;
  }
  if (text.starts_with("\xE1\x9A\x80") || text.starts_with("\xE2\x81\x9F") ||
      text.starts_with("\xE3\x80\x80")) {
    return 3;
  }
  if (text.size() >= 3 && text.starts_with("\xE2\x80")) {
    auto last = static_cast<unsigned char>(text[2]);
    bool space = (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xAF;
    return space ? 3 : 0;
  }
  return 0;
}

struct Operator {
  std::string_view text;
  TokenKind kind;
};

// Longest first among those with a common start.
constexpr std::array kOperators = {
    Operator{">>>", TokenKind::kShiftRightUnsigned},
    Operator{"<=>", TokenKind::kNullSafeEqual},
    Operator{"/*+", TokenKind::kHintStart},
    Operator{"*/", TokenKind::kHintEnd},
    Operator{"==", TokenKind::kEqual},
    Operator{"=>", TokenKind::kFatArrow},
    Operator{"<>", TokenKind::kNotEqual},
    Operator{"!=", TokenKind::kNotEqualBang},
    Operator{"<=", TokenKind::kLessEqual},
    Operator{"!>", TokenKind::kLessEqual},
    Operator{">=", TokenKind::kGreaterEqual},
    Operator{"!<", TokenKind::kGreaterEqual},
    Operator{"<<", TokenKind::kShiftLeft},
    Operator{">>", TokenKind::kShiftRight},
    Operator{"||", TokenKind::kConcat},
    Operator{"|>", TokenKind::kPipeArrow},
    Operator{"::", TokenKind::kDoubleColon},
    Operator{"->", TokenKind::kArrow},
    Operator{"(", TokenKind::kLeftParen},
    Operator{")", TokenKind::kRightParen},
    Operator{"[", TokenKind::kLeftBracket},
    Operator{"]", TokenKind::kRightBracket},
    Operator{",", TokenKind::kComma},
    Operator{".", TokenKind::kDot},
    Operator{";", TokenKind::kSemicolon},
    Operator{"!", TokenKind::kBang},
    Operator{"=", TokenKind::kEqual},
    Operator{"<", TokenKind::kLess},
    Operator{">", TokenKind::kGreater},
    Operator{"+", TokenKind::kPlus},
    Operator{"-", TokenKind::kMinus},
    Operator{"*", TokenKind::kStar},
    Operator{"/", TokenKind::kSlash},
    Operator{"%", TokenKind::kPercent},
    Operator{"~", TokenKind::kTilde},
    Operator{"&", TokenKind::kAmpersand},
    Operator{"|", TokenKind::kPipe},
    Operator{"^", TokenKind::kCaret},
    Operator{":", TokenKind::kColon},
    Operator{"@", TokenKind::kAt},
    Operator{"?", TokenKind::kQuestion},
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  arrow::Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 2);
    while (true) {
      ARROW_RETURN_NOT_OK(SkipSpace());
      if (position_ == text_.size()) {
        break;
      }
      ARROW_ASSIGN_OR_RAISE(Token token, Next());
      position_ = token.offset + token.length;
      tokens.push_back(token);
    }
    tokens.push_back({.offset = static_cast<uint32_t>(position_)});
    return tokens;
  }

 private:
  char At(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }

  Token Make(TokenKind kind, size_t end) const {
    return {.kind = kind,
            .offset = static_cast<uint32_t>(position_),
            .length = static_cast<uint32_t>(end - position_)};
  }

  arrow::Status SkipSpace() {
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++position_;
      } else if (size_t wide =
                     IsMultiByte(c) ? WideSpaceBytes(text_.substr(position_)) : 0) {
        position_ += wide;
      } else if (c == '-' && At(position_ + 1) == '-') {
        SkipLineComment();
      } else if (c == '/' && At(position_ + 1) == '*' && At(position_ + 2) != '+') {
        ARROW_RETURN_NOT_OK(SkipBlockComment());
      } else {
        break;
      }
    }
    return arrow::Status::OK();
  }

  // A backslash before the line's end continues the comment on the next line.
  void SkipLineComment() {
    while (position_ < text_.size()) {
      if (text_[position_] == '\\' && At(position_ + 1) == '\n') {
        position_ += 2;
      } else if (text_[position_] == '\n' || text_[position_] == '\r') {
        return;
      } else {
        ++position_;
      }
    }
  }

  // Block comments nest, and one that begins a hint inside a comment does not.
  arrow::Status SkipBlockComment() {
    size_t start = position_;
    int64_t depth = 0;
    do {
      if (position_ + 1 >= text_.size()) {
        return SyntaxError({.offset = static_cast<int64_t>(start), .length = 2},
                           "the comment that begins here is not closed; add */");
      }
      std::string_view pair = text_.substr(position_, 2);
      if (pair == "/*" && At(position_ + 2) != '+') {
        ++depth;
        position_ += 2;
      } else if (pair == "*/") {
        --depth;
        position_ += 2;
      } else {
        ++position_;
      }
    } while (depth > 0);
    return arrow::Status::OK();
  }

  arrow::Result<Token> Next() {
    char c = text_[position_];
    char next = At(position_ + 1);
    if ((c == 'r' || c == 'R') && (next == '\'' || next == '"')) {
      return RawString();
    }
    if (IsDigit(c) || (c == '.' && IsDigit(next))) {
      return Number();
    }
    if (IsWordByte(c) || IsMultiByte(c)) {
      return Word();
    }
    if (c == '\'' || c == '"') {
      return String();
    }
    if (c == '`') {
      return QuotedName();
    }
    if (c == '$') {
      return DollarString();
    }
    for (const Operator& op : kOperators) {
      if (text_.substr(position_).starts_with(op.text)) {
        return Make(op.kind, position_ + op.text.size());
      }
    }
    return SyntaxError({.offset = static_cast<int64_t>(position_), .length = 1},
                       "this character has no meaning outside quotes");
  }

  size_t WordEnd(size_t index) const {
    while (index < text_.size() && IsWordByte(text_[index])) {
      ++index;
    }
    return index;
  }

  arrow::Result<Token> Word() {
    size_t end = position_;
    bool ascii = true;
    while (end < text_.size() && (IsWordByte(text_[end]) || IsMultiByte(text_[end]))) {
      if (IsMultiByte(text_[end])) {
        if (WideSpaceBytes(text_.substr(end)) > 0) {
          break;
        }
        ascii = false;
      }
      ++end;
    }
    if (ascii && text_.substr(end).starts_with("://")) {
      return Path(end + 3);
    }
    Token token = Make(TokenKind::kWord, end);
    if (!ascii) {
      std::string name(text_.substr(position_, end - position_));
      return SyntaxError(token.range(), "the name " + name +
                                            " needs back-ticks: without them a name has "
                                            "letters a to z, digits and _ only");
    }
    token.keyword = FindKeyword(text_.substr(position_, end - position_));
    return token;
  }

  Token Path(size_t end) const {
    constexpr std::string_view kStops = " \t\r\n\f\v,;()'\"`";
    while (end < text_.size() && kStops.find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    return Make(TokenKind::kPath, end);
  }

  // Several rules fit the start of a number: the longest wins, and a name may start with
  // a digit, so 1_000 and 1e3x are names.
  Token Number() const {
    size_t whole_end = position_;
    while (IsDigit(At(whole_end))) {
      ++whole_end;
    }
    if (At(whole_end) == '.') {
      size_t end = whole_end + 1;
      while (IsDigit(At(end))) {
        ++end;
      }
      TokenKind kind = TokenKind::kDecimal;
      end = Suffix(end, &kind);
      if (!IsWordByte(At(end))) {
        return Make(kind, end);
      }
      if (whole_end == position_) {
        return Make(TokenKind::kDot, position_ + 1);
      }
    }
    TokenKind kind = TokenKind::kInteger;
    size_t end = Suffix(whole_end, &kind);
    size_t word_end = WordEnd(whole_end);
    // 1e-3 goes past what could be a name.
    return word_end > end ? Make(TokenKind::kWord, word_end) : Make(kind, end);
  }

  // Takes an exponent and a type letter; leaves `kind` alone when there is neither.
  size_t Suffix(size_t end, TokenKind* kind) const {
    bool whole = *kind == TokenKind::kInteger;
    if (Upper(At(end)) == 'E') {
      size_t digit = end + 1 + (At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0);
      if (IsDigit(At(digit))) {
        while (IsDigit(At(digit))) {
          ++digit;
        }
        end = digit;
        *kind = TokenKind::kExponent;
      }
    }
    bool exponent = *kind == TokenKind::kExponent;
    switch (Upper(At(end))) {
      case 'D':
        *kind = TokenKind::kDouble;
        return end + 1;
      case 'F':
        *kind = TokenKind::kFloat;
        return end + 1;
      case 'B':
        if (Upper(At(end + 1)) == 'D') {
          *kind = TokenKind::kBigDecimal;
          return end + 2;
        }
        return end;
      case 'L':
      case 'S':
      case 'Y':
        if (whole && !exponent) {
          *kind = Upper(At(end)) == 'L'   ? TokenKind::kBigint
                  : Upper(At(end)) == 'S' ? TokenKind::kSmallint
                                          : TokenKind::kTinyint;
          return end + 1;
        }
        return end;
      default:
        return end;
    }
  }

  arrow::Status Unclosed(std::string_view what, char quote) const {
    return SyntaxError({.offset = static_cast<int64_t>(position_), .length = 1},
                       std::string("the ") + std::string(what) +
                           " that begins here is not closed; add " + quote);
  }

  arrow::Result<Token> String() const {
    char quote = text_[position_];
    for (size_t end = position_ + 1; end < text_.size(); ++end) {
      if (text_[end] == '\\') {
        ++end;
      } else if (text_[end] == quote) {
        if (At(end + 1) != quote) {
          return Make(TokenKind::kString, end + 1);
        }
        ++end;
      }
    }
    return Unclosed("string", quote);
  }

  arrow::Result<Token> RawString() const {
    char quote = text_[position_ + 1];
    size_t end = text_.find(quote, position_ + 2);
    if (end == std::string_view::npos) {
      return Unclosed("string", quote);
    }
    return Make(TokenKind::kString, end + 1);
  }

  arrow::Result<Token> QuotedName() const {
    for (size_t end = position_ + 1; end < text_.size(); ++end) {
      if (text_[end] == '`') {
        if (At(end + 1) != '`') {
          return Make(TokenKind::kQuotedName, end + 1);
        }
        ++end;
      }
    }
    return Unclosed("name", '`');
  }

  arrow::Result<Token> DollarString() const {
    size_t tag_end = WordEnd(position_ + 1);
    if (At(tag_end) == '$') {
      std::string_view tag = text_.substr(position_, tag_end + 1 - position_);
      size_t close = text_.find(tag, tag_end + 1);
      if (close != std::string_view::npos) {
        return Make(TokenKind::kDollarString, close + tag.size());
      }
    }
    return Unclosed("body", '$');
  }

  std::string_view text_;
  size_t position_ = 0;
};

// Appends a code point that may be no character at all (a lone surrogate becomes U+FFFD,
// as what is above Unicode's range does).
void AppendUtf8(uint32_t code, std::string* out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    code = 0xFFFD;
  }
  auto append = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | (code >> 6));
    append(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    append(0xE0 | (code >> 12));
    append(0x80 | ((code >> 6) & 0x3F));
    append(0x80 | (code & 0x3F));
  } else {
    append(0xF0 | (code >> 18));
    append(0x80 | ((code >> 12) & 0x3F));
    append(0x80 | ((code >> 6) & 0x3F));
    append(0x80 | (code & 0x3F));
  }
}

// Reads exactly `count` digits of a base; false when they are not there.
bool ReadDigits(std::string_view text, size_t count, uint32_t base, uint32_t* value) {
  if (text.size() < count) {
    return false;
  }
  *value = 0;
  for (char c : text.substr(0, count)) {
    char upper = Upper(c);
    uint32_t digit = IsDigit(upper)                   ? upper - '0'
                     : (upper >= 'A' && upper <= 'F') ? upper - 'A' + 10
                                                      : base;
    if (digit >= base) {
      return false;
    }
    *value = *value * base + digit;
  }
  return true;
}

// Decodes the escape after a backslash at the start of `text`; gives the bytes taken.
size_t DecodeEscape(std::string_view text, std::string* out) {
  uint32_t code = 0;
  char c = text[0];
  if (c == 'u' && ReadDigits(text.substr(1), 4, 16, &code)) {
    // Two halves of a surrogate pair are one character.
    uint32_t low = 0;
    if (code >= 0xD800 && code < 0xDC00 && text.substr(5).starts_with("\\u") &&
        ReadDigits(text.substr(7), 4, 16, &low) && low >= 0xDC00 && low < 0xE000) {
      AppendUtf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
      return 11;
    }
    AppendUtf8(code, out);
    return 5;
  }
  if (c == 'U' && ReadDigits(text.substr(1), 8, 16, &code)) {
    AppendUtf8(code, out);
    return 9;
  }
  if ((c == '0' || c == '1') && ReadDigits(text, 3, 8, &code)) {
    AppendUtf8(code, out);
    return 3;
  }
  constexpr std::string_view kFrom = "0bnrtZ";
  constexpr std::string_view kTo("\0\b\n\r\t\x1A", 6);
  if (c == '%' || c == '_') {
    out->push_back('\\');
  }
  size_t index = kFrom.find(c);
  out->push_back(index == std::string_view::npos ? c : kTo[index]);
  return 1;
}

}  // namespace

arrow::Status SyntaxError(plan::SourceRange range, std::string message) {
  return core::MakeStatus({.kind = core::ErrorKind::kInvalidSql,
                           .error_class = "PARSE_SYNTAX_ERROR",
                           .sql_offset = range.offset,
                           .sql_length = range.length},
                          std::move(message));
}

arrow::Status TooLong(int64_t size_bytes, int64_t limit_bytes) {
  return SyntaxError({}, "a text of " + std::to_string(size_bytes) +
                             " bytes is too long; the longest allowed has " +
                             std::to_string(limit_bytes) +
                             " bytes (put long lists of values into a file)");
}

int64_t FindInvalidUtf8(std::string_view text) {
  size_t i = 0;
  auto byte = [&](size_t index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
  };
  while (i < text.size()) {
    unsigned first = byte(i);
    size_t length = first < 0x80                      ? 1
                    : (first >= 0xC2 && first < 0xE0) ? 2
                    : (first >= 0xE0 && first < 0xF0) ? 3
                    : (first >= 0xF0 && first < 0xF5) ? 4
                                                      : 0;
    bool good = length > 0;
    for (size_t k = 1; k < length; ++k) {
      good = good && (byte(i + k) & 0xC0U) == 0x80U;
    }
    // Overlong forms, surrogates, and what is above U+10FFFF.
    unsigned second = byte(i + 1);
    good = good && !(first == 0xE0 && second < 0xA0) &&
           !(first == 0xED && second > 0x9F) && !(first == 0xF0 && second < 0x90) &&
           !(first == 0xF4 && second > 0x8F);
    if (!good) {
      return static_cast<int64_t>(i);
    }
    i += length;
  }
  return -1;
}

arrow::Result<std::vector<Token>> Tokenize(std::string_view text) {
  if (static_cast<int64_t>(text.size()) > kTextBytesMax) {
    return TooLong(static_cast<int64_t>(text.size()), kTextBytesMax);
  }
  if (int64_t offset = FindInvalidUtf8(text); offset >= 0) {
    return SyntaxError(
        {.offset = offset, .length = 1},
        "the text is not UTF-8 from byte " + std::to_string(offset) + " on");
  }
  return Lexer(text).Run();
}

std::string DecodeQuotedName(std::string_view token) {
  std::string name;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    name.push_back(token[i]);
    if (token[i] == '`') {
      ++i;
    }
  }
  return name;
}

std::string DecodeString(std::string_view token) {
  if (token[0] == 'r' || token[0] == 'R') {
    return std::string(token.substr(2, token.size() - 3));
  }
  std::string_view body = token.substr(1, token.size() - 2);
  std::string value;
  value.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) {
      i += DecodeEscape(body.substr(i + 1), &value);
    } else {
      value.push_back(body[i]);
      if (body[i] == token[0]) {
        ++i;
      }
    }
  }
  return value;
}

}  // namespace wheelpit::sql
