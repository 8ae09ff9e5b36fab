// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/java_regex.h"

#include <utility>

#include <re2/re2.h>

namespace wheelpit::exec::expr {

namespace {

constexpr size_t kPatternBytesMax = 64 << 10;
// The program and the states that matching makes as it goes along.
constexpr int64_t kMemoryMax = 4 << 20;

}  // namespace

JavaRegex::JavaRegex() = default;
JavaRegex::JavaRegex(JavaRegex&&) noexcept = default;
JavaRegex& JavaRegex::operator=(JavaRegex&&) noexcept = default;
JavaRegex::~JavaRegex() = default;

JavaRegex JavaRegex::Compile(std::string_view pattern) {
  JavaRegex regex;
  if (pattern.size() > kPatternBytesMax) {
    regex.error_ = RegexError::kUnsupported;
    regex.message_ = "a pattern of more than 64 KiB is not supported";
    return regex;
  }
  TranslatedPattern translated = TranslateJavaPattern(pattern);
  regex.error_ = translated.error;
  regex.message_ = std::move(translated.message);
  if (regex.error_ != RegexError::kNone) {
    return regex;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMax);
  regex.regex_ = std::make_unique<re2::RE2>(translated.pattern, options);
  if (!regex.regex_->ok()) {
    // What is valid in Java is beyond RE2's limits then.
    regex.error_ = RegexError::kUnsupported;
    regex.message_ =
        "it is too large to be matched in linear time (" + regex.regex_->error() + ")";
  }
  return regex;
}

bool JavaRegex::Find(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

}  // namespace wheelpit::exec::expr
