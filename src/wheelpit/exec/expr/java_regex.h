// SPDX-License-Identifier: Apache-2.0
// Regular expressions with the meaning of java.util.regex.Pattern, matched by RE2 in time
// linear in the text. Patterns are translated; what RE2 cannot do (look-around,
// back-references, possessive quantifiers) or would do otherwise is refused. Const after
// Compile and safe to share between threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace wheelpit::exec::expr {

enum class RegexError { kNone, kInvalid, kUnsupported };

class JavaRegex {
 public:
  /// Memory: a few MiB at most, whatever the pattern and the texts are.
  static JavaRegex Compile(std::string_view pattern);
  JavaRegex(JavaRegex&&) noexcept;
  JavaRegex& operator=(JavaRegex&&) noexcept;
  ~JavaRegex();

  RegexError error() const { return error_; }
  /// What is wrong with the pattern, when something is.
  const std::string& message() const { return message_; }

  /// Whether some part of the text matches. No error, please.
  bool Find(std::string_view text) const;

 private:
  JavaRegex();

  RegexError error_ = RegexError::kNone;
  std::string message_;
  std::unique_ptr<re2::RE2> regex_;
};

/// A pattern of Java's in RE2's syntax. For tests; Compile uses it.
struct TranslatedPattern {
  RegexError error = RegexError::kNone;
  std::string message;
  std::string pattern;
};
TranslatedPattern TranslateJavaPattern(std::string_view pattern);

}  // namespace wheelpit::exec::expr
