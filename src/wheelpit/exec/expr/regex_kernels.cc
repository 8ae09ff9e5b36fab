// SPDX-License-Identifier: Apache-2.0
// RLIKE.
#include <optional>
#include <string>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/java_regex.h"
#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

struct RegexState : KernelState {
  explicit RegexState(JavaRegex compiled) : regex(std::move(compiled)) {}
  JavaRegex regex;
};

std::unique_ptr<const KernelState> CompileConstant(
    std::span<const Vector* const> constants) {
  const Vector* pattern = constants[1];
  return pattern == nullptr || !pattern->IsValid(0)
             ? nullptr
             : std::make_unique<RegexState>(JavaRegex::Compile(pattern->Text(0)));
}

arrow::Status PatternError(const KernelCall& call, const JavaRegex& regex,
                           std::string_view pattern) {
  const std::string what = "the pattern '" + std::string(pattern) + "' of " +
                           std::string(plan::FunctionName(call.expression.function));
  if (regex.error() == RegexError::kInvalid) {
    return DataError(call.expression, "INVALID_PARAMETER_VALUE.PATTERN",
                     what + " is not a regular expression: it has " + regex.message());
  }
  return core::MakeStatus({.kind = core::ErrorKind::kUnsupported,
                           .error_class = {},
                           .sql_offset = call.expression.range.offset,
                           .sql_length = call.expression.range.length},
                          what + " cannot be used: " + regex.message());
}

arrow::Status RLike(const KernelCall& call, std::span<const Vector> arguments,
                    int64_t count, Vector* out) {
  auto* values = MutableValues<uint8_t>(*out);
  const auto* state = static_cast<const RegexState*>(call.state);
  std::optional<JavaRegex> own;  // of the pattern of the last row
  std::string_view own_pattern;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = 0;
    if (!out->IsValid(i)) {
      continue;
    }
    const std::string_view pattern = arguments[1].Text(i);
    if (state == nullptr && (!own || pattern != own_pattern)) {
      own = JavaRegex::Compile(pattern);
      own_pattern = pattern;
    }
    const JavaRegex& regex = state != nullptr ? state->regex : *own;
    if (regex.error() != RegexError::kNone) [[unlikely]] {
      return PatternError(call, regex, pattern);
    }
    values[i] = regex.Find(arguments[0].Text(i)) ? 1 : 0;
  }
  return arrow::Status::OK();
}

}  // namespace

KernelChoice RegexKernel(const plan::Expr& call) {
  return call.function == Function::kRLike ? KernelChoice{&RLike, true, &CompileConstant}
                                           : KernelChoice{};
}

}  // namespace wheelpit::exec::expr
