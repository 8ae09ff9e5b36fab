// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/byte_size.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "wheelpit/core/error.h"

namespace wheelpit::core {

namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

constexpr int64_t kKi = 1024;
constexpr std::array<Unit, 14> kUnits = {{
    {"", 1},
    {"b", 1},
    {"k", 1000},
    {"kb", 1000},
    {"m", 1000 * 1000},
    {"mb", 1000 * 1000},
    {"g", 1000 * 1000 * 1000},
    {"gb", 1000 * 1000 * 1000},
    {"t", int64_t{1000} * 1000 * 1000 * 1000},
    {"tb", int64_t{1000} * 1000 * 1000 * 1000},
    {"kib", kKi},
    {"mib", kKi* kKi},
    {"gib", kKi* kKi* kKi},
    {"tib", kKi* kKi* kKi* kKi},
}};

arrow::Status BadSize(std::string_view text, std::string_view why) {
  return Error(ErrorKind::kConfiguration, "'", text, "' is not a size: ", why,
               "; write it like 512MB (10^6) or 64MiB (2^20)");
}

}  // namespace

arrow::Result<int64_t> ParseByteSize(std::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
    ++end;
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + end, number);
  if (end == 0 || error != std::errc() || stop != text.data() + end) {
    return BadSize(text, "it does not begin with a number");
  }
  std::string unit;
  for (const char c : text.substr(end)) {
    if (c != ' ') {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  for (const auto& [name, factor] : kUnits) {
    if (unit != name) {
      continue;
    }
    int64_t whole = 0;
    const auto [whole_end, whole_error] =
        std::from_chars(text.data(), text.data() + end, whole);
    if (whole_end == text.data() + end && whole_error == std::errc()) {
      int64_t product = 0;
      if (__builtin_mul_overflow(whole, factor, &product)) {
        return BadSize(text, "it is beyond 2^63 bytes");
      }
      return product;
    }
    const double size = number * static_cast<double>(factor);
    if (size >= 9.2e18) {
      return BadSize(text, "it is beyond 2^63 bytes");
    }
    return static_cast<int64_t>(std::llround(size));
  }
  return BadSize(text, "unknown unit '" + unit + "'");
}

std::string FormatByteSize(int64_t size_bytes) {
  constexpr std::array<Unit, 8> kExact = {{{" TiB", kKi * kKi * kKi * kKi},
                                           {" TB", int64_t{1000} * 1000 * 1000 * 1000},
                                           {" GiB", kKi * kKi * kKi},
                                           {" GB", 1000 * 1000 * 1000},
                                           {" MiB", kKi * kKi},
                                           {" MB", 1000 * 1000},
                                           {" KiB", kKi},
                                           {" kB", 1000}}};
  constexpr int64_t kReadable = 10'000;
  for (const auto& [name, factor] : kExact) {
    if (size_bytes >= factor && size_bytes % factor == 0 &&
        size_bytes / factor < kReadable) {
      return std::to_string(size_bytes / factor) + std::string(name);
    }
  }
  for (const auto& [name, factor] : {kExact[1], kExact[3], kExact[5], kExact[7]}) {
    if (size_bytes >= factor) {
      char text[48];
      std::snprintf(text, sizeof text, "%.1f%s",
                    static_cast<double>(size_bytes) / static_cast<double>(factor),
                    std::string(name).c_str());
      return text;
    }
  }
  return std::to_string(size_bytes) + " B";
}

std::string Counted(int64_t count, std::string_view one) {
  std::string text = std::to_string(count) + " ";
  text += one;
  return count == 1 ? text : text + "s";
}

}  // namespace wheelpit::core
