// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/rle_decoder.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace wheelpit::exec {
namespace {

// Writes runs as the format describes them.
class RleWriter {
 public:
  explicit RleWriter(int bit_width) : bit_width_(bit_width) {}

  void Repeat(uint32_t value, uint32_t count) {
    Varint(count << 1);
    for (int i = 0; i < (bit_width_ + 7) / 8; ++i) {
      bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
    values.insert(values.end(), count, value);
  }
  // A multiple of eight values.
  void Pack(const std::vector<uint32_t>& run) {
    Varint(static_cast<uint32_t>(run.size() / 8) << 1 | 1);
    uint64_t word = 0;
    int bits = 0;
    for (const uint32_t value : run) {
      word |= static_cast<uint64_t>(value) << bits;
      for (bits += bit_width_; bits >= 8; bits -= 8, word >>= 8) {
        bytes.push_back(static_cast<uint8_t>(word));
      }
    }
    values.insert(values.end(), run.begin(), run.end());
  }

  std::vector<uint8_t> bytes;
  std::vector<uint32_t> values;

 private:
  void Varint(uint32_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes.push_back(static_cast<uint8_t>(value | 0x80));
    }
    bytes.push_back(static_cast<uint8_t>(value));
  }
  int bit_width_;
};

RleWriter RandomRuns(int bit_width, std::mt19937* random) {
  RleWriter writer(bit_width);
  const uint32_t mask =
      bit_width == 0 ? 0 : static_cast<uint32_t>((uint64_t{1} << bit_width) - 1);
  for (int run = 0; run < 12; ++run) {
    if ((*random)() % 2 == 0) {
      writer.Repeat(static_cast<uint32_t>((*random)()) & mask,
                    static_cast<uint32_t>((*random)() % 300));
    } else {
      std::vector<uint32_t> values((*random)() % 20 * 8);
      for (auto& value : values) value = static_cast<uint32_t>((*random)()) & mask;
      writer.Pack(values);
    }
  }
  return writer;
}

TEST(RleDecoder, EveryWidthReadsBackInPiecesOfAnySize) {
  std::mt19937 random(3);
  for (int width = 0; width <= 32; ++width) {
    for (int round = 0; round < 20; ++round) {
      const RleWriter writer = RandomRuns(width, &random);
      RleDecoder decoder(writer.bytes, width);
      std::vector<uint32_t> out;
      while (out.size() < writer.values.size()) {
        std::vector<uint32_t> piece(random() % 100 + 1);
        const int64_t got =
            decoder.Decode(piece.data(), static_cast<int64_t>(piece.size()));
        ASSERT_GT(got, 0) << width;
        out.insert(out.end(), piece.begin(), piece.begin() + got);
      }
      ASSERT_EQ(out, writer.values) << width;
      uint32_t more;
      EXPECT_EQ(decoder.Decode(&more, 1), 0);
    }
  }
}

TEST(RleDecoder, SkippingIsDecodingAndForgetting) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    const int width = static_cast<int>(random() % 20) + 1;
    const RleWriter writer = RandomRuns(width, &random);
    RleDecoder decoder(writer.bytes, width);
    const auto size = static_cast<int64_t>(writer.values.size());
    for (int64_t at = 0; at < size;) {
      at += decoder.Skip(static_cast<int64_t>(random() % 50));
      if (at >= size) break;
      uint32_t value = 0;
      uint32_t peeked = 0;
      const int64_t run = decoder.PeekRun(1000, &peeked);
      ASSERT_EQ(decoder.Decode(&value, 1), 1);
      ASSERT_EQ(value, writer.values[static_cast<size_t>(at)]);
      if (run > 0) {
        ASSERT_EQ(peeked, value);
      }
      ++at;
    }
  }
}

TEST(RleDecoder, PickingIsDecodingAndChoosing) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    const int width = static_cast<int>(random() % 33);
    const RleWriter writer = RandomRuns(width, &random);
    RleDecoder decoder(writer.bytes, width);
    const auto size = static_cast<int64_t>(writer.values.size());
    for (int64_t at = 0; at < size;) {
      const int64_t count =
          std::min<int64_t>(size - at, static_cast<int64_t>(random() % 90));
      std::vector<int32_t> offsets;
      for (int32_t i = 0; i < count; ++i) {
        if (random() % 5 == 0) offsets.push_back(i);
      }
      std::vector<uint32_t> out(offsets.size());
      ASSERT_EQ(decoder.Pick(offsets, count, out.data()), count);
      for (size_t i = 0; i < offsets.size(); ++i) {
        ASSERT_EQ(out[i], writer.values[static_cast<size_t>(at + offsets[i])]);
      }
      at += count;
    }
    EXPECT_EQ(decoder.Skip(1), 0);
  }
}

TEST(RleDecoder, ALastGroupWithoutItsPaddingGivesWhatIsThere) {
  RleWriter writer(4);
  writer.Pack({1, 2, 3, 4, 5, 6, 7, 8});
  writer.bytes.pop_back();
  writer.bytes.pop_back();
  RleDecoder decoder(writer.bytes, 4);
  uint32_t out[8];
  EXPECT_EQ(decoder.Decode(out, 8), 4);
  EXPECT_EQ(out[3], 4u);
}

TEST(RleDecoder, NoiseEndsWithinItsBytes) {
  std::mt19937 random(5);
  std::vector<uint32_t> out(5000);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes(random() % 30);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
    RleDecoder decoder(bytes, static_cast<int>(random() % 33));
    decoder.Skip(static_cast<int64_t>(random() % 10));
    decoder.Decode(out.data(), static_cast<int64_t>(out.size()));
  }
}

}  // namespace
}  // namespace wheelpit::exec
