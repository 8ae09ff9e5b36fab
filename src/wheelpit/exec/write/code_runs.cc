// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/code_runs.h"

#include <algorithm>
#include <cstring>

#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

namespace wheelpit::exec {

namespace {

// Values that are packed together; a shorter run of equal ones is not worth its header.
constexpr size_t kGroup = 8;

uint8_t* PutVarint(uint64_t value, uint8_t* out) {
  for (; value >= 0x80; value >>= 7) {
    *out++ = static_cast<uint8_t>(value | 0x80);
  }
  *out++ = static_cast<uint8_t>(value);
  return out;
}

// Eight codes at a time take `width` bytes; what is missing at the end is 0.
uint8_t* Pack(std::span<const uint16_t> codes, int width, uint8_t* out) {
  uint64_t bits = 0;
  int filled = 0;
  const auto put = [&](uint64_t code) {
    bits |= code << filled;
    filled += width;
    if (filled >= 32) {
      const auto word = static_cast<uint32_t>(bits);
      std::memcpy(out, &word, sizeof(word));
      out += sizeof(word);
      bits >>= 32;
      filled -= 32;
    }
  };
  for (const uint16_t code : codes) {
    put(code);
  }
  for (size_t i = codes.size(); i % kGroup != 0; ++i) {
    put(0);
  }
  for (; filled > 0; filled -= 8, bits >>= 8) {
    *out++ = static_cast<uint8_t>(bits);
  }
  return out;
}

uint8_t* PutPacked(std::span<const uint16_t> codes, int width, uint8_t* out) {
  if (codes.empty()) {
    return out;
  }
  return Pack(codes, width,
              PutVarint((codes.size() + kGroup - 1) / kGroup << 1 | 1, out));
}

}  // namespace

int64_t RunsBytesMax(int64_t count, int width) {
  // A run of eight takes two bytes for its length and two for its value at most, and one
  // more header where packed groups begin again.
  constexpr int64_t kHeaders = 16;
  return (count / 8 + 1) * std::max<int64_t>(width, 9) + kHeaders;
}

int64_t EncodeRuns(std::span<const uint16_t> codes, int width, uint8_t* out) {
  const uint8_t* const begin = out;
  const int value_bytes = (width + 7) / 8;
  size_t packed_from = 0;
  for (size_t i = 0; i + kGroup <= codes.size();) {
    size_t end = i + 1;
    while (end < codes.size() && codes[end] == codes[i]) {
      ++end;
    }
    if (end - i < kGroup) {
      i += kGroup;
      continue;
    }
    out = PutPacked(codes.subspan(packed_from, i - packed_from), width, out);
    out = PutVarint((end - i) << 1, out);
    std::memcpy(out, &codes[i], static_cast<size_t>(value_bytes));
    out += value_bytes;
    packed_from = i = end;
  }
  out = PutPacked(codes.subspan(packed_from), width, out);
  return out - begin;
}

int64_t EncodeSetRun(int64_t count, uint8_t* out) {
  uint8_t* const end = PutVarint(static_cast<uint64_t>(count) << 1, out);
  *end = 1;
  return end + 1 - out;
}

int64_t EncodeBitRun(const uint8_t* bitmap, int64_t offset, int64_t count, uint8_t* out) {
  const int64_t bytes = arrow::bit_util::BytesForBits(count);
  uint8_t* const bits = PutVarint(static_cast<uint64_t>(bytes) << 1 | 1, out);
  std::memset(bits, 0, static_cast<size_t>(bytes));
  arrow::internal::CopyBitmap(bitmap, offset, count, bits, 0);
  return bits + bytes - out;
}

}  // namespace wheelpit::exec
