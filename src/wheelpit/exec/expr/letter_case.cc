// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/letter_case.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "wheelpit/exec/expr/letter_case_table.h"
#include "wheelpit/exec/expr/like.h"

namespace wheelpit::exec::expr {

namespace {

constexpr uint32_t kInvalid = 0xFFFFFFFF;
constexpr uint32_t kCapitalSigma = 0x3A3;
constexpr uint32_t kFinalSigma = 0x3C2;

uint32_t Decode(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(character[i]); };
  const auto tail = [&](size_t i) { return static_cast<uint32_t>(byte(i) & 0x3F); };
  for (size_t i = 1; i < character.size(); ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return kInvalid;
    }
  }
  switch (character.size()) {
    case 1:
      return byte(0) < 0x80 ? byte(0) : kInvalid;
    case 2:
      return byte(0) < 0xC0 ? kInvalid : (byte(0) & 0x1Fu) << 6 | tail(1);
    case 3:
      return byte(0) < 0xE0 ? kInvalid : (byte(0) & 0x0Fu) << 12 | tail(1) << 6 | tail(2);
    default:
      return byte(0) < 0xF0
                 ? kInvalid
                 : (byte(0) & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
  }
}

void Encode(uint32_t code_point, std::string* out) {
  const auto push = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0 | code_point >> 6);
    push(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    push(0xE0 | code_point >> 12);
    push(0x80 | (code_point >> 6 & 0x3F));
    push(0x80 | (code_point & 0x3F));
  } else {
    push(0xF0 | code_point >> 18);
    push(0x80 | (code_point >> 12 & 0x3F));
    push(0x80 | (code_point >> 6 & 0x3F));
    push(0x80 | (code_point & 0x3F));
  }
}

uint32_t MapOne(std::span<const CaseRun> runs, uint32_t code_point) {
  const auto run =
      std::lower_bound(runs.begin(), runs.end(), code_point,
                       [](const CaseRun& r, uint32_t value) { return r.last < value; });
  if (run == runs.end() || code_point < run->first ||
      (code_point - run->first) % run->stride != 0) {
    return code_point;
  }
  return static_cast<uint32_t>(static_cast<int64_t>(code_point) + run->delta);
}

void AppendMapped(std::span<const CaseRun> runs,
                  std::span<const CaseExpansion> expansions, uint32_t code_point,
                  std::string* out) {
  const auto expansion = std::lower_bound(
      expansions.begin(), expansions.end(), code_point,
      [](const CaseExpansion& e, uint32_t value) { return e.code_point < value; });
  if (expansion == expansions.end() || expansion->code_point != code_point) {
    Encode(MapOne(runs, code_point), out);
    return;
  }
  for (const uint32_t mapped : expansion->mapped) {
    if (mapped != 0) {
      Encode(mapped, out);
    }
  }
}

bool IsCased(std::string_view character) {
  const uint32_t code_point = Decode(character);
  if (code_point < 0x80) {
    return (code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z';
  }
  return MapOne(kUpperRuns, code_point) != code_point ||
         MapOne(kLowerRuns, code_point) != code_point;
}

template <typename Ascii>
void AppendCase(std::string_view text, std::span<const CaseRun> runs,
                std::span<const CaseExpansion> expansions, bool lower, Ascii ascii,
                std::string* out) {
  std::string_view before;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, CharacterSize(text));
    text.remove_prefix(character.size());
    const uint32_t code_point = Decode(character);
    if (code_point == kInvalid) {
      out->append(character);
    } else if (code_point < 0x80) {
      out->push_back(ascii(static_cast<char>(code_point)));
    } else if (lower && code_point == kCapitalSigma && !before.empty() &&
               IsCased(before) &&
               (text.empty() || !IsCased(text.substr(0, CharacterSize(text))))) {
      Encode(kFinalSigma, out);
    } else {
      AppendMapped(runs, expansions, code_point, out);
    }
    before = character;
  }
}

}  // namespace

void AppendUpper(std::string_view text, std::string* out) {
  AppendCase(
      text, kUpperRuns, kUpperExpansions, /*lower=*/false,
      [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }, out);
}

void AppendLower(std::string_view text, std::string* out) {
  AppendCase(
      text, kLowerRuns, kLowerExpansions, /*lower=*/true,
      [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }, out);
}

}  // namespace wheelpit::exec::expr
