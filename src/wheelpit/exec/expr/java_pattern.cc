// SPDX-License-Identifier: Apache-2.0
// The translation of Java's patterns into RE2's.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "wheelpit/exec/expr/java_regex.h"
#include "wheelpit/exec/expr/like.h"

namespace wheelpit::exec::expr {

namespace {

// Java's line ends; "." is none of them, "$" may stand before the last one.
constexpr std::string_view kNoLineEnd = R"([^\n\r\x{85}\x{2028}\x{2029}])";
constexpr std::string_view kTextEnd = R"((?:(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z))";
constexpr std::string_view kSpaces = R"(\t\n\x0B\f\r )";
constexpr std::string_view kNoSpaces = R"(\x00-\x08\x0E-\x1F\x21-\x{10FFFF})";
constexpr std::string_view kBlanks =
    R"( \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view kVerticals = R"(\n\x0B\f\r\x{85}\x{2028}\x{2029})";
constexpr int kDepthMax = 200;
constexpr int32_t kRepeatMax = 1000;  // RE2's

struct PosixClass {
  std::string_view java;
  std::string_view re2;
};
constexpr std::array kPosixClasses = {
    PosixClass{"Alpha", "[:alpha:]"}, PosixClass{"Digit", "[:digit:]"},
    PosixClass{"Alnum", "[:alnum:]"}, PosixClass{"Upper", "[:upper:]"},
    PosixClass{"Lower", "[:lower:]"}, PosixClass{"Punct", "[:punct:]"},
    PosixClass{"Space", "[:space:]"}, PosixClass{"XDigit", "[:xdigit:]"},
    PosixClass{"Cntrl", "[:cntrl:]"}, PosixClass{"Graph", "[:graph:]"},
    PosixClass{"Print", "[:print:]"}, PosixClass{"Blank", "[:blank:]"},
    PosixClass{"ASCII", "[:ascii:]"}};

bool IsLetter(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsDigit(uint32_t c) {
  return c >= '0' && c <= '9';
}

std::string Quoted(uint32_t code) {
  if (IsLetter(code) || IsDigit(code)) {
    return {static_cast<char>(code)};
  }
  char digits[16];
  const char* end = std::to_chars(digits, digits + sizeof digits, code, 16).ptr;
  return "\\x{" + std::string(digits, static_cast<size_t>(end - digits)) + "}";
}

// One pass over the pattern, one function for each kind of thing in it. The first error
// sticks.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : text_(pattern) {}

  TranslatedPattern Run() {
    Alternatives(0);
    if (ok() && at_ < text_.size()) {
      Invalid("a ) without a (");
    }
    return std::move(out_);
  }

 private:
  struct Flags {
    bool ignore_case = false;
    bool dot_all = false;
  };

  bool ok() const { return out_.error == RegexError::kNone; }
  bool AtEnd() const { return at_ >= text_.size(); }
  bool At(std::string_view piece) const {
    return !AtEnd() && text_.substr(at_).starts_with(piece);
  }
  bool Take(std::string_view piece) {
    const bool there = At(piece);
    at_ += there ? piece.size() : 0;
    return there;
  }
  void Emit(std::string_view piece) { out_.pattern += piece; }

  void Invalid(std::string message) { Fail(RegexError::kInvalid, std::move(message)); }
  void Unsupported(std::string what) {
    Fail(RegexError::kUnsupported, std::move(what) + " is not supported");
  }
  void Fail(RegexError error, std::string message) {
    if (ok()) {
      out_.error = error;
      out_.message = std::move(message);
    }
    at_ = text_.size();
  }

  // Up to the ) of a group, or the end. Flags that are set in it end with it.
  void Alternatives(int depth) {
    if (depth > kDepthMax) {
      return Unsupported("a pattern of so many nested groups");
    }
    const Flags outside = flags_;
    while (!AtEnd() && !At(")")) {
      if (Take("|")) {
        Emit("|");
        continue;
      }
      if (Atom(depth)) {
        Quantifier();
      }
    }
    flags_ = outside;
  }

  // Whether it may be repeated.
  bool Atom(int depth) {
    if (Take("(")) {
      return Group(depth);
    }
    if (Take("[")) {
      Class();
      return true;
    }
    if (Take("\\")) {
      return Escape();
    }
    if (Take(".")) {
      Emit(flags_.dot_all ? "(?s:.)" : kNoLineEnd);
      return true;
    }
    if (Take("^")) {
      Emit("\\A");
      return false;
    }
    if (Take("$")) {
      TextEnd();
      return false;
    }
    if (At("*") || At("+") || At("?")) {
      Invalid("a quantifier without anything to repeat before it");
      return false;
    }
    if (At("{")) {
      // Java repeats nothing, so often.
      IsDigit(Byte(at_ + 1)) ? Unsupported("a repetition of nothing")
                             : Invalid("a { that begins no repetition");
      return false;
    }
    Literal(TakeCharacter());
    return true;
  }

  // What comes after "(". A setting of flags is nothing to repeat.
  bool Group(int depth) {
    if (Take("?")) {
      if (At("=") || At("!") || At("<=") || At("<!")) {
        Unsupported("look-around, (?=…), (?!…), (?<=…) and (?<!…),");
        return false;
      }
      if (At(">")) {
        Unsupported("an atomic group, (?>…),");
        return false;
      }
      if (Take("<")) {
        const size_t end = text_.find('>', at_);
        if (end == std::string_view::npos || end == at_ || !IsLetter(Byte(at_))) {
          Invalid("a group whose name does not end");
          return false;
        }
        at_ = end + 1;
        Emit("(");
      } else {
        const Flags outside = flags_;
        if (!SetFlags()) {
          return false;
        }
        if (Take(")")) {
          return false;
        }
        at_ += 1;  // the colon
        Emit("(?:");
        return Body(depth, outside);
      }
    } else {
      Emit("(");
    }
    return Body(depth, flags_);
  }

  bool Body(int depth, Flags outside) {
    Alternatives(depth + 1);
    flags_ = outside;
    if (ok() && !Take(")")) {
      Invalid("a ( without a )");
    }
    Emit(")");
    return ok();
  }

  // "is-m", up to ":" or ")".
  bool SetFlags() {
    bool on = true;
    for (; !AtEnd() && !At(":") && !At(")"); ++at_) {
      switch (text_[at_]) {
        case '-':
          on = false;
          break;
        case 'i':
          flags_.ignore_case = on;
          break;
        case 's':
          flags_.dot_all = on;
          break;
        case 'd':
        case 'm':
        case 'u':
        case 'x':
        case 'U':
          if (on) {
            Unsupported(std::string("the flag ") + text_[at_]);
            return false;
          }
          break;
        default:
          Invalid("an unknown flag or kind of group");
          return false;
      }
    }
    if (AtEnd()) {
      Invalid("a ( without a )");
    }
    return ok();
  }

  void Quantifier() {
    if (At("{")) {
      Repetition();
    } else if (At("*") || At("+") || At("?")) {
      Emit(text_.substr(at_++, 1));
    } else {
      return;
    }
    if (ok() && Take("?")) {
      Emit("?");
    } else if (At("+")) {
      Unsupported("a possessive quantifier, as a*+,");
    } else if (At("{")) {
      Unsupported("a repetition of a repetition");
    }
  }

  // {2}, {2,} or {2,3}
  void Repetition() {
    const size_t end = text_.find('}', at_);
    const std::string_view inside =
        end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
    const size_t comma = std::min(inside.find(','), inside.size());
    const auto number = [](std::string_view digits) -> std::optional<int32_t> {
      int32_t value = 0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return error != std::errc() || stop != digits.data() + digits.size() || value < 0
                 ? std::nullopt
                 : std::optional(value);
    };
    const auto least = number(inside.substr(0, comma));
    const std::string_view most =
        comma + 1 < inside.size() ? inside.substr(comma + 1) : "";
    if (!least || (!most.empty() && number(most).value_or(-1) < *least)) {
      return Invalid("a repetition that is not {n}, {n,} or {n,m}");
    }
    if (std::max(*least, number(most).value_or(0)) > kRepeatMax) {
      return Unsupported("more than 1000 repetitions");
    }
    Emit("{" + std::string(inside) + "}");
    at_ = end + 1;
  }

  // "$" and "\Z". Elsewhere than at the end of the pattern what follows would have to
  // look at the line end again, which a match without look-ahead has passed by then.
  void TextEnd() {
    if (!IsLast(at_)) {
      return Unsupported("$ or \\Z before the end of a pattern");
    }
    Emit(kTextEnd);
  }

  // Whether nothing of the pattern must match after this place.
  bool IsLast(size_t at) const {
    while (at < text_.size()) {
      if (text_[at] == '|') {
        at = EndOfGroup(at);
      } else if (text_[at] != ')') {
        return false;
      } else {
        ++at;
      }
    }
    return true;
  }

  // The ) of the group around this place, or the end.
  size_t EndOfGroup(size_t at) const {
    int depth = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\\') {
        ++at;
      } else if (c == '[') {
        at = std::min(text_.find(']', at + 2), text_.size());
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && depth-- == 0) {
        return at;
      }
    }
    return text_.size();
  }

  uint8_t Byte(size_t at) const {
    return at < text_.size() ? static_cast<uint8_t>(text_[at]) : 0;
  }

  // One character of the pattern's UTF-8.
  uint32_t TakeCharacter() {
    const std::string_view character =
        text_.substr(at_, CharacterSize(text_.substr(at_)));
    at_ += character.size();
    auto code = static_cast<uint32_t>(static_cast<uint8_t>(character[0]));
    if (character.size() > 1) {
      code &= 0xFFU >> (character.size() + 1);
      for (const char c : character.substr(1)) {
        code = (code << 6) | (static_cast<uint8_t>(c) & 0x3FU);
      }
    } else if (code >= 0x80) {
      Invalid("a byte that is not UTF-8");
    }
    return code;
  }

  // Without regard to case is without regard to that of ASCII letters, as in Java.
  void Literal(uint32_t code) {
    if (flags_.ignore_case && IsLetter(code)) {
      Emit("[" + Quoted(code) + Quoted(code ^ 0x20U) + "]");
    } else {
      Emit(Quoted(code));
    }
  }

  // What comes after a backslash, outside of a class. Whether it may be repeated.
  bool Escape() {
    if (Take("Q")) {
      return QuotedText();
    }
    if (Take("A") || Take("z")) {
      Emit(text_[at_ - 1] == 'A' ? "\\A" : "\\z");
      return false;
    }
    if (Take("Z")) {
      TextEnd();
      return false;
    }
    if (Take("b") || Take("B")) {
      if (At("{")) {
        Unsupported("\\b{g}");
      }
      Emit(text_[at_ - 1] == 'b' ? "\\b" : "\\B");
      return false;
    }
    if (Take("R")) {
      Emit("(?:\\r\\n|[" + std::string(kVerticals) + "])");
      return true;
    }
    if (IsDigit(Byte(at_)) && Byte(at_) != '0') {
      Unsupported("a back-reference, as \\1,");
    } else if (At("k")) {
      Unsupported("a back-reference, as \\k<name>,");
    } else if (At("G") || At("X") || At("N")) {
      Unsupported(std::string("\\") + text_[at_]);
    } else if (const std::string set = EscapedSet(); !set.empty()) {
      Emit("[" + set + "]");
    } else if (ok()) {
      Literal(EscapedCharacter());
    }
    return ok();
  }

  // \Q…\E: Java repeats only the last character of it.
  bool QuotedText() {
    const size_t end = std::min(text_.find("\\E", at_), text_.size());
    bool any = false;
    while (ok() && at_ < end) {
      Literal(TakeCharacter());
      any = true;
    }
    at_ = std::min(std::max(at_, end + 2), text_.size());
    return any && ok();
  }

  // The inside of a class for \d, \s, \p{…} and their like; empty for other escapes.
  std::string EscapedSet() {
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) {
      return {};
    }
    switch (rest[0]) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
        ++at_;
        return "\\" + std::string(rest.substr(0, 1));
      case 's':
        ++at_;
        return std::string(kSpaces);
      case 'S':
        ++at_;
        return std::string(kNoSpaces);
      case 'h':
        ++at_;
        return std::string(kBlanks);
      case 'v':
        ++at_;
        return std::string(kVerticals);
      case 'H':
      case 'V':
        Unsupported("\\H and \\V");
        return {};
      case 'p':
      case 'P':
        ++at_;
        return Property(rest[0] == 'P');
      default:
        return {};
    }
  }

  // After \p or \P.
  std::string Property(bool negated) {
    std::string name(text_.substr(at_, 1));
    if (At("{")) {
      const size_t end = text_.find('}', at_);
      if (end == std::string_view::npos) {
        Invalid("a \\p{ without a }");
        return {};
      }
      name = std::string(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else {
      ++at_;
    }
    for (const PosixClass& one : kPosixClasses) {
      if (name == one.java) {
        if (flags_.ignore_case && (name == "Upper" || name == "Lower")) {
          Unsupported("\\p{" + name + "} without regard to case");
          return {};
        }
        std::string set(one.re2);
        return negated ? set.insert(1, "^")
                       : set.insert(0, name == "Space" ? "\\x0B" : "");
      }
    }
    const bool category =
        name.size() <= 2 && !name.empty() && IsLetter(static_cast<uint8_t>(name[0]));
    if (category) {
      constexpr std::string_view kGroups = "CLMNPSZ";
      if (kGroups.find(name[0]) == std::string_view::npos) {
        Invalid("\\p{" + name + "}, which is no property");
        return {};
      }
      return (negated ? "\\P{" : "\\p{") + name + "}";
    }
    constexpr std::array<std::string_view, 5> kScripts = {"Latin", "Greek", "Cyrillic",
                                                          "Han", "Hiragana"};
    if (name.starts_with("Is") &&
        std::find(kScripts.begin(), kScripts.end(), name.substr(2)) != kScripts.end()) {
      return (negated ? "\\P{" : "\\p{") + name.substr(2) + "}";
    }
    if (name.starts_with("Is") || name.starts_with("In") || name.starts_with("java") ||
        name.find('=') != std::string::npos) {
      Unsupported("\\p{" + name + "}");
    } else {
      Invalid("\\p{" + name + "}, which is no property");
    }
    return {};
  }

  // The character that an escape means.
  uint32_t EscapedCharacter() {
    if (AtEnd()) {
      Invalid("a backslash at the end");
      return 0;
    }
    const uint32_t c = TakeCharacter();
    switch (c) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'a':
        return 7;
      case 'e':
        return 27;
      case 'x':
        return At("{") ? BracedCode() : Code(16, 2, 2);
      case 'u':
        return Code(16, 4, 4);
      case '0':
        return Code(8, 1, Byte(at_) <= '3' ? 3 : 2);
      case 'c':
        return AtEnd() ? Code(16, 1, 1) : TakeCharacter() ^ 64U;
      default:
        if (IsLetter(c)) {
          Invalid(std::string("\\") + static_cast<char>(c) + ", which means nothing");
        }
        return c;
    }
  }

  uint32_t BracedCode() {
    const size_t end = text_.find('}', at_);
    ++at_;
    const size_t digits = end == std::string_view::npos ? 0 : end - at_;
    const uint32_t code = Code(16, digits, digits);
    at_ += ok() ? 1 : 0;  // the brace
    return code;
  }

  uint32_t Code(int base, size_t digits_min, size_t digits_max) {
    uint32_t code = 0;
    const char* first = text_.data() + std::min(at_, text_.size());
    const char* last =
        first + std::min(digits_max, text_.size() - std::min(at_, text_.size()));
    const auto [end, error] = std::from_chars(first, last, code, base);
    const auto digits = static_cast<size_t>(end - first);
    if (error != std::errc() || digits == 0 || digits < digits_min || code > 0x10FFFF) {
      Invalid("a code of a character that is none");
      return 0;
    }
    if (code >= 0xD800 && code <= 0xDFFF) {
      Unsupported("a surrogate");
    }
    at_ += digits;
    return code;
  }

  // What comes after "[".
  void Class() {
    Emit(Take("^") ? "[^" : "[");
    bool first = true;
    while (ok() && !AtEnd() && (first || !At("]"))) {
      first = false;
      if (At("[")) {
        return Unsupported("a class within a class, as [a[b]],");
      }
      if (At("&&")) {
        return Unsupported("an intersection of classes, as [a&&b],");
      }
      ClassItem();
    }
    if (ok() && !Take("]")) {
      Invalid("a [ without a ]");
    }
    Emit("]");
  }

  // A set, a character, or a range of them.
  void ClassItem() {
    uint32_t low = 0;
    if (Take("\\")) {
      if (At("Q")) {
        return Unsupported("\\Q in a class");
      }
      if (const std::string set = EscapedSet(); !set.empty()) {
        return Emit(set);
      }
      low = ok() ? EscapedCharacter() : 0;
    } else {
      low = TakeCharacter();
    }
    uint32_t high = low;
    if (At("-") && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
      ++at_;
      if (At("[")) {
        return Unsupported("a class within a class, as [a[b]],");
      }
      high = Take("\\") ? EscapedCharacter() : TakeCharacter();
      if (ok() && high < low) {
        return Invalid("a range from a greater to a lesser character");
      }
    }
    EmitRange(low, high);
    if (flags_.ignore_case) {
      EmitRange(std::max<uint32_t>(low, 'a') - 32, std::min<uint32_t>(high, 'z') - 32);
      EmitRange(std::max<uint32_t>(low, 'A') + 32, std::min<uint32_t>(high, 'Z') + 32);
    }
  }

  void EmitRange(uint32_t low, uint32_t high) {
    if (low <= high && high <= 0x10FFFF) {
      Emit(low == high ? Quoted(low) : Quoted(low) + "-" + Quoted(high));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  Flags flags_;
  TranslatedPattern out_;
};

}  // namespace

TranslatedPattern TranslateJavaPattern(std::string_view pattern) {
  return Translator(pattern).Run();
}

}  // namespace wheelpit::exec::expr
