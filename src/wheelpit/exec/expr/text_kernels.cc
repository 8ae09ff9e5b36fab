// SPDX-License-Identifier: Apache-2.0
// Functions of text and binary. Positions and lengths of text count code points.
#include <algorithm>
#include <limits>
#include <string>

#include <arrow/type.h>

#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/letter_case.h"
#include "wheelpit/exec/expr/like.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) {
    count += (static_cast<uint8_t>(c) & 0xC0) != 0x80 ? 1 : 0;
  }
  return count;
}

// Makes `out` from one text per row; nulls are empty.
template <typename TextOf>
arrow::Status BuildText(const KernelCall& call, int64_t count, Vector* out,
                        TextOf text_of) {
  ARROW_ASSIGN_OR_RAISE(TextBuilder builder,
                        TextBuilder::Make(call.expression.type, count, call.pool));
  for (int64_t i = 0; i < count; ++i) {
    if (out->IsValid(i)) {
      ARROW_RETURN_NOT_OK(builder.Piece(text_of(i)));
    }
    builder.EndValue();
  }
  ARROW_ASSIGN_OR_RAISE(Vector text, builder.Finish());
  text.valid = out->valid;
  text.valid_buffer = std::move(out->valid_buffer);
  *out = std::move(text);
  return arrow::Status::OK();
}

template <void (*kAppend)(std::string_view, std::string*)>
arrow::Status ChangeCase(const KernelCall& call, std::span<const Vector> arguments,
                         int64_t count, Vector* out) {
  std::string changed;
  return BuildText(call, count, out, [&](int64_t i) -> std::string_view {
    changed.clear();
    kAppend(arguments[0].Text(i), &changed);
    return changed;
  });
}

arrow::Status Length(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                     Vector* out) {
  auto* lengths = MutableValues<int32_t>(*out);
  const bool text = arguments[0].type_class == TypeClass::kString;
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view value =
        out->IsValid(i) ? arguments[0].Text(i) : std::string_view();
    lengths[i] = static_cast<int32_t>(text ? CountCharacters(value)
                                           : static_cast<int64_t>(value.size()));
  }
  return arrow::Status::OK();
}

// The byte position of character `index`, or the end.
size_t BytePosition(std::string_view text, int64_t index) {
  size_t position = 0;
  for (; index > 0 && position < text.size(); --index) {
    position += CharacterSize(text.substr(position));
  }
  return position;
}

// From `position`, which counts from 1, or from the end when it is negative.
std::string_view Part(std::string_view value, int64_t position, int64_t length,
                      bool text) {
  int64_t start = position > 0 ? position - 1 : 0;
  if (position < 0) {
    start =
        position + (text ? CountCharacters(value) : static_cast<int64_t>(value.size()));
  }
  // As 32-bit integers these would overflow where the sum does: to the greatest.
  const int64_t end =
      std::min<int64_t>(start + length, std::numeric_limits<int32_t>::max());
  if (end <= start || end <= 0) {
    return {};
  }
  const int64_t first = std::max<int64_t>(start, 0);
  if (!text) {
    const auto size = static_cast<int64_t>(value.size());
    return first >= size ? std::string_view()
                         : value.substr(static_cast<size_t>(first),
                                        static_cast<size_t>(end - first));
  }
  const size_t begin = BytePosition(value, first);
  const std::string_view rest = value.substr(begin);
  return rest.substr(0, BytePosition(rest, end - first));
}

arrow::Status Substring(const KernelCall& call, std::span<const Vector> arguments,
                        int64_t count, Vector* out) {
  const bool text = arguments[0].type_class == TypeClass::kString;
  return BuildText(call, count, out, [&](int64_t i) {
    return Part(arguments[0].Text(i), arguments[1].Values<int32_t>()[arguments[1].At(i)],
                arguments[2].Values<int32_t>()[arguments[2].At(i)], text);
  });
}

bool HasCharacter(std::string_view set, std::string_view character) {
  while (!set.empty()) {
    const std::string_view candidate = set.substr(0, CharacterSize(set));
    if (candidate == character) {
      return true;
    }
    set.remove_prefix(candidate.size());
  }
  return false;
}

std::string_view TrimStart(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    const std::string_view character = text.substr(0, CharacterSize(text));
    if (!HasCharacter(set, character)) {
      break;
    }
    text.remove_prefix(character.size());
  }
  return text;
}

std::string_view TrimEnd(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80) {
      --start;
    }
    if (!HasCharacter(set, text.substr(start))) {
      break;
    }
    text = text.substr(0, start);
  }
  return text;
}

template <bool kStart, bool kEnd>
arrow::Status Trim(const KernelCall& call, std::span<const Vector> arguments,
                   int64_t count, Vector* out) {
  return BuildText(call, count, out, [&](int64_t i) {
    const std::string_view set =
        arguments.size() > 1 ? arguments[1].Text(i) : std::string_view(" ");
    std::string_view text = arguments[0].Text(i);
    if constexpr (kStart) {
      text = TrimStart(text, set);
    }
    if constexpr (kEnd) {
      text = TrimEnd(text, set);
    }
    return text;
  });
}

arrow::Status Concat(const KernelCall& call, std::span<const Vector> arguments,
                     int64_t count, Vector* out) {
  ARROW_ASSIGN_OR_RAISE(TextBuilder builder,
                        TextBuilder::Make(call.expression.type, count, call.pool));
  for (int64_t i = 0; i < count; ++i) {
    if (out->IsValid(i)) {
      for (const Vector& argument : arguments) {
        ARROW_RETURN_NOT_OK(builder.Piece(argument.Text(i)));
      }
    }
    builder.EndValue();
  }
  ARROW_ASSIGN_OR_RAISE(Vector text, builder.Finish());
  text.valid = out->valid;
  text.valid_buffer = std::move(out->valid_buffer);
  *out = std::move(text);
  return arrow::Status::OK();
}

template <typename Test>
arrow::Status TestText(std::span<const Vector> arguments, int64_t count, Vector* out,
                       Test test) {
  auto* values = MutableValues<uint8_t>(*out);
  for (int64_t i = 0; i < count; ++i) {
    values[i] =
        out->IsValid(i) && test(arguments[0].Text(i), arguments[1].Text(i)) ? 1 : 0;
  }
  return arrow::Status::OK();
}

arrow::Status StartsWith(const KernelCall&, std::span<const Vector> arguments,
                         int64_t count, Vector* out) {
  return TestText(arguments, count, out,
                  [](std::string_view text, std::string_view part) {
                    return text.starts_with(part);
                  });
}

arrow::Status EndsWith(const KernelCall&, std::span<const Vector> arguments,
                       int64_t count, Vector* out) {
  return TestText(
      arguments, count, out,
      [](std::string_view text, std::string_view part) { return text.ends_with(part); });
}

arrow::Status Contains(const KernelCall&, std::span<const Vector> arguments,
                       int64_t count, Vector* out) {
  return TestText(arguments, count, out,
                  [](std::string_view text, std::string_view part) {
                    return text.find(part) != std::string_view::npos;
                  });
}

arrow::Status ParsePattern(const KernelCall& call, std::string_view text,
                           std::string_view escape, LikePattern* pattern) {
  switch (pattern->Parse(text, escape)) {
    case LikeError::kNone:
      return arrow::Status::OK();
    case LikeError::kEscapeAtEnd:
      return DataError(call.expression, "INVALID_FORMAT.ESC_AT_THE_END",
                       "the pattern '" + std::string(text) +
                           "' ends with the escape character; write it twice");
    case LikeError::kEscapeInMiddle:
      break;
  }
  return DataError(call.expression, "INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                   "in the pattern '" + std::string(text) +
                       "' the escape character stands before a character that needs "
                       "none; write it twice");
}

arrow::Status Like(const KernelCall& call, std::span<const Vector> arguments,
                   int64_t count, Vector* out) {
  const std::string_view escape =
      arguments.size() > 2 ? arguments[2].Text(0) : std::string_view("\\");
  auto* values = MutableValues<uint8_t>(*out);
  LikePattern pattern;
  bool parsed = false;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = 0;
    if (!out->IsValid(i)) {
      continue;
    }
    if (!parsed || !arguments[1].constant) {
      ARROW_RETURN_NOT_OK(ParsePattern(call, arguments[1].Text(i), escape, &pattern));
      parsed = true;
    }
    values[i] = pattern.Matches(arguments[0].Text(i)) ? 1 : 0;
  }
  return arrow::Status::OK();
}

}  // namespace

KernelChoice TextKernel(const plan::Expr& call) {
  switch (call.function) {
    case Function::kUpper:
      return {&ChangeCase<&AppendUpper>};
    case Function::kLower:
      return {&ChangeCase<&AppendLower>};
    case Function::kLength:
      return {&Length};
    case Function::kSubstring:
      return {&Substring};
    case Function::kTrim:
      return {&Trim<true, true>};
    case Function::kLeftTrim:
      return {&Trim<true, false>};
    case Function::kRightTrim:
      return {&Trim<false, true>};
    case Function::kConcat:
      return {&Concat};
    case Function::kStartsWith:
      return {&StartsWith};
    case Function::kEndsWith:
      return {&EndsWith};
    case Function::kContains:
      return {&Contains};
    case Function::kLike:
      return {&Like, true};
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
