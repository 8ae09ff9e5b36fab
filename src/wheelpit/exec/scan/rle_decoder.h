// SPDX-License-Identifier: Apache-2.0
// Decoder of Parquet's hybrid of run-length and bit-packed unsigned integers: dictionary
// codes, definition levels, booleans. Format:
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
//
// Bytes are hostile: nothing is read beyond them, and values beyond what they hold are
// simply not there (Decode returns fewer). Values are not checked against anything.
#pragma once

#include <cstdint>
#include <span>

namespace wheelpit::exec {

class RleDecoder {
 public:
  static constexpr int kBitWidthMax = 32;

  RleDecoder() = default;
  /// `bit_width` 0 to 32. `bytes` must outlive the decoder.
  RleDecoder(std::span<const uint8_t> bytes, int bit_width)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), bit_width_(bit_width) {}

  /// The next `count` values, fewer when the bytes end or contradict themselves.
  int64_t Decode(uint32_t* out, int64_t count);
  /// Of the next `count` values those at `offsets`, which ascend and are below it; passes
  /// over all. How many values there were: below `count`, not all of `out` is set.
  int64_t Pick(std::span<const int32_t> offsets, int64_t count, uint32_t* out);
  /// Passes over `count` values; how many there were.
  int64_t Skip(int64_t count);
  /// How many of the next `count` values are the same as the first of them, as far as
  /// that shows without decoding (one run); that value is in *value. 0 at a bit-packed
  /// run or at the end.
  int64_t PeekRun(int64_t count, uint32_t* value);

 private:
  // Makes a run with values left current; false at the end.
  bool NextRun();
  void Unpack(uint32_t* out, int64_t count);
  uint32_t Extract(int64_t position) const;

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  int bit_width_ = 0;
  int64_t run_left_ = 0;  // values of the current run
  bool packed_ = false;
  uint32_t value_ = 0;            // of a run-length run
  const uint8_t* run_ = nullptr;  // of a bit-packed run: its first byte,
  int64_t run_bytes_ = 0;         // its length
  int64_t run_position_ = 0;      // and the next value
};

}  // namespace wheelpit::exec
