// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/rle_decoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace wheelpit::exec {

namespace {

// Eight values of kWidth bits, which fill kWidth bytes. Reads up to seven bytes beyond.
template <int kWidth>
inline void UnpackEight(const uint8_t* in, uint32_t* out) {
  constexpr uint64_t kMask = (uint64_t{1} << kWidth) - 1;
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    uint64_t word;
    std::memcpy(&word, in + i * kWidth / 8, sizeof(word));
    out[i] = static_cast<uint32_t>((word >> (i * kWidth % 8)) & kMask);
  }
}

template <int kWidth>
void UnpackGroups(const uint8_t* in, int64_t groups, uint32_t* out) {
  for (int64_t g = 0; g < groups; ++g) UnpackEight<kWidth>(in + g * kWidth, out + g * 8);
}

using Unpacker = void (*)(const uint8_t*, int64_t, uint32_t*);

template <int... kWidths>
constexpr std::array<Unpacker, sizeof...(kWidths)> MakeUnpackers(
    std::integer_sequence<int, kWidths...>) {
  return {&UnpackGroups<kWidths>...};
}

constexpr auto kUnpackers =
    MakeUnpackers(std::make_integer_sequence<int, RleDecoder::kBitWidthMax + 1>());

// What UnpackEight may read beyond its group.
constexpr int64_t kOverreadBytes = 7;

}  // namespace

bool RleDecoder::NextRun() {
  while (run_left_ == 0) {
    uint64_t header = 0;
    int shift = 0;
    do {
      if (at_ == end_ || shift > 28) return false;
      header |= static_cast<uint64_t>(*at_ & 0x7f) << shift;
      shift += 7;
    } while ((*at_++ & 0x80) != 0);
    packed_ = (header & 1) != 0;
    if (packed_) {
      const int64_t groups = static_cast<int64_t>(header >> 1);
      run_ = at_;
      run_bytes_ = std::min<int64_t>(groups * bit_width_, end_ - at_);
      // Some writers leave the padding of the last group out.
      run_left_ = bit_width_ == 0 ? groups * 8
                                  : std::min(groups * 8, run_bytes_ * 8 / bit_width_);
      run_position_ = 0;
      at_ += run_bytes_;
    } else {
      const int value_bytes = (bit_width_ + 7) / 8;
      if (end_ - at_ < value_bytes) return false;
      value_ = 0;
      std::memcpy(&value_, at_, static_cast<size_t>(value_bytes));
      at_ += value_bytes;
      run_left_ = static_cast<int64_t>(header >> 1);
    }
  }
  return true;
}

// From the current bit-packed run, which has that many left.
void RleDecoder::Unpack(uint32_t* out, int64_t count) {
  const Unpacker unpack = kUnpackers[static_cast<size_t>(bit_width_)];
  while (count > 0) {
    const int64_t group = run_position_ / 8;
    const int64_t offset = group * bit_width_;
    const int64_t within = run_position_ % 8;
    // Whole groups that may be over-read go straight out.
    const int64_t safe_groups =
        bit_width_ == 0 ? 0 : (run_bytes_ - offset - kOverreadBytes) / bit_width_;
    int64_t taken = 0;
    if (const int64_t groups = std::min(count / 8, safe_groups);
        within == 0 && groups > 0) {
      unpack(run_ + offset, groups, out);
      taken = groups * 8;
    } else {
      uint8_t padded[kBitWidthMax + kOverreadBytes + 1] = {};
      const int64_t bytes = std::min<int64_t>(bit_width_, run_bytes_ - offset);
      if (bytes > 0) std::memcpy(padded, run_ + offset, static_cast<size_t>(bytes));
      uint32_t values[8];
      unpack(padded, 1, values);
      taken = std::min(count, 8 - within);
      std::memcpy(out, values + within, static_cast<size_t>(taken) * sizeof(uint32_t));
    }
    out += taken;
    run_position_ += taken;
    count -= taken;
  }
}

int64_t RleDecoder::Decode(uint32_t* out, int64_t count) {
  int64_t done = 0;
  while (done < count && NextRun()) {
    const int64_t take = std::min(count - done, run_left_);
    if (packed_) {
      Unpack(out + done, take);
    } else {
      std::fill_n(out + done, take, value_);
    }
    run_left_ -= take;
    done += take;
  }
  return done;
}

// One value of the current bit-packed run.
uint32_t RleDecoder::Extract(int64_t position) const {
  const int64_t bit = position * bit_width_;
  const int64_t left = run_bytes_ - bit / 8;
  uint64_t word = 0;
  if (left >= static_cast<int64_t>(sizeof(word))) {
    std::memcpy(&word, run_ + bit / 8, sizeof(word));
  } else if (left > 0) {
    std::memcpy(&word, run_ + bit / 8, static_cast<size_t>(left));
  }
  return static_cast<uint32_t>((word >> (bit % 8)) & ((uint64_t{1} << bit_width_) - 1));
}

int64_t RleDecoder::Pick(std::span<const int32_t> offsets, int64_t count, uint32_t* out) {
  int64_t done = 0;
  size_t i = 0;
  while (done < count && NextRun()) {
    const int64_t take = std::min(count - done, run_left_);
    if (packed_) {
      for (; i < offsets.size() && offsets[i] < done + take; ++i) {
        out[i] = Extract(run_position_ + offsets[i] - done);
      }
      run_position_ += take;
    } else {
      for (; i < offsets.size() && offsets[i] < done + take; ++i) out[i] = value_;
    }
    run_left_ -= take;
    done += take;
  }
  return done;
}

int64_t RleDecoder::Skip(int64_t count) {
  int64_t done = 0;
  while (done < count && NextRun()) {
    const int64_t take = std::min(count - done, run_left_);
    run_position_ += take;
    run_left_ -= take;
    done += take;
  }
  return done;
}

int64_t RleDecoder::PeekRun(int64_t count, uint32_t* value) {
  if (!NextRun() || packed_) return 0;
  *value = value_;
  return std::min(count, run_left_);
}

}  // namespace wheelpit::exec
