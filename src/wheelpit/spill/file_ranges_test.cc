// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/file_ranges.h"

#include <deque>
#include <random>

#include <gtest/gtest.h>

namespace wheelpit::spill {

namespace {

constexpr int64_t kUnit = 64 << 10;

TEST(FileRanges, AFreedRangeIsTakenAgain) {
  FileRanges ranges;
  const auto first = ranges.Take(kUnit);
  const auto second = ranges.Take(kUnit);
  ranges.GiveBack(first);
  EXPECT_EQ(ranges.Take(kUnit)[0].offset, first[0].offset);
  EXPECT_EQ(ranges.peak_end(), 2 * kUnit);
  EXPECT_EQ(second[0].offset, kUnit);
}

TEST(FileRanges, TheSmallestHoleThatFitsIsTaken) {
  FileRanges ranges;
  const auto wide = ranges.Take(3 * kUnit);
  const auto wall = ranges.Take(kUnit);
  const auto narrow = ranges.Take(2 * kUnit);
  const auto end = ranges.Take(kUnit);
  ranges.GiveBack(wide);
  ranges.GiveBack(narrow);
  EXPECT_EQ(ranges.Take(2 * kUnit)[0].offset, narrow[0].offset);
}

TEST(FileRanges, NeighboursUnite) {
  FileRanges ranges;
  const auto a = ranges.Take(kUnit);
  const auto b = ranges.Take(kUnit);
  const auto c = ranges.Take(kUnit);
  const auto end = ranges.Take(kUnit);
  ranges.GiveBack(a);
  ranges.GiveBack(c);
  ranges.GiveBack(b);
  const auto all = ranges.Take(3 * kUnit);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].offset, 0);
}

TEST(FileRanges, AFreedTailMakesTheFileShorter) {
  FileRanges ranges;
  const auto a = ranges.Take(kUnit);
  const auto b = ranges.Take(kUnit);
  ranges.GiveBack(b);
  EXPECT_EQ(ranges.end(), kUnit);
  EXPECT_EQ(ranges.room(), kUnit);
  ranges.GiveBack(a);
  EXPECT_EQ(ranges.room(), 2 * kUnit);
  EXPECT_EQ(ranges.end(), 0);
}

TEST(FileRanges, WhatCouldNotBeWrittenIsNoRoom) {
  FileRanges ranges;
  const auto kept = ranges.Take(4096);
  ranges.GiveBackUnwritten(ranges.Take(8192));
  EXPECT_EQ(ranges.room(), 0);
  EXPECT_EQ(ranges.peak_end(), 4096);
  ranges.GiveBack(kept);
  EXPECT_EQ(ranges.room(), 4096);
}

TEST(FileRanges, SeveralHolesAreFilledBeforeTheFileGrows) {
  FileRanges ranges;
  const auto a = ranges.Take(kUnit);
  const auto wall = ranges.Take(kUnit);
  const auto b = ranges.Take(kUnit);
  const auto end = ranges.Take(kUnit);
  ranges.GiveBack(a);
  ranges.GiveBack(b);
  const auto split = ranges.Take(3 * kUnit);
  ASSERT_EQ(split.size(), 3u);
  EXPECT_EQ(split[2].offset, 4 * kUnit);
  EXPECT_EQ(ranges.peak_end(), 5 * kUnit);
}

TEST(FileRanges, HolesAreNotCutIntoCrumbs) {
  FileRanges ranges;
  const auto crumb = ranges.Take(4032);
  const auto end = ranges.Take(kUnit);
  ranges.GiveBack(crumb);
  EXPECT_EQ(ranges.Take(kUnit).size(), 1u);
}

struct Mix {
  const char* name;
  int64_t least;
  int64_t most;
  bool in_order;  // which extents end: the oldest, or any
};

class FileRangesOfMix : public testing::TestWithParam<Mix> {};

TEST_P(FileRangesOfMix, LieDisjointInLittleMoreThanTheirPeak) {
  const Mix& mix = GetParam();
  std::mt19937_64 random(11);
  FileRanges ranges;
  std::deque<std::vector<FileRange>> live;
  std::map<int64_t, int64_t> in_use;  // end by offset
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
  const auto free = [&](size_t at) {
    for (const FileRange& range : live[at]) {
      in_use.erase(range.offset);
      live_bytes -= range.size;
    }
    ranges.GiveBack(live[at]);
    live.erase(live.begin() + static_cast<int64_t>(at));
  };
  for (int round = 0; round < 20'000; ++round) {
    while (live.size() >= 200 || (!live.empty() && random() % 4 == 0)) {
      free(mix.in_order ? 0 : random() % live.size());
    }
    const int64_t size =
        (mix.least + static_cast<int64_t>(random() % (mix.most - mix.least + 1))) / 64 *
        64;
    live.push_back(ranges.Take(size));
    int64_t taken = 0;
    for (const FileRange& range : live.back()) {
      taken += range.size;
      EXPECT_EQ(range.offset % 64, 0);
      const auto next = in_use.lower_bound(range.offset);
      ASSERT_TRUE(next == in_use.end() || next->first >= range.offset + range.size);
      ASSERT_TRUE(next == in_use.begin() || std::prev(next)->second <= range.offset);
      in_use.emplace(range.offset, range.offset + range.size);
    }
    ASSERT_EQ(taken, size);
    live_bytes += size;
    peak_bytes = std::max(peak_bytes, live_bytes);
  }
  RecordProperty("percent", static_cast<int>(ranges.peak_end() * 100 / peak_bytes));
  EXPECT_LE(ranges.peak_end(), peak_bytes * 11 / 10);
  while (!live.empty()) {
    free(0);
  }
  EXPECT_EQ(ranges.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Each, FileRangesOfMix,
    testing::Values(Mix{"alike", 1 << 20, 1 << 20, false},
                    Mix{"nearly_alike", 50'000, 65'000, false},
                    Mix{"nearly_alike_in_order", 50'000, 65'000, true},
                    Mix{"half_to_one", 512 << 10, 1 << 20, false},
                    Mix{"from_one_to_ten", 100 << 10, 1 << 20, false},
                    Mix{"from_one_to_ten_in_order", 100 << 10, 1 << 20, true}),
    [](const auto& mix) { return mix.param.name; });

}  // namespace

}  // namespace wheelpit::spill
