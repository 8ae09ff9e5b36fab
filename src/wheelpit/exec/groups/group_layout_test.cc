// SPDX-License-Identifier: Apache-2.0
// Rows of groups by themselves: what comes back from a disk, slots, and rooms
// that end.
#include "wheelpit/exec/groups/group_layout.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/groups/group_table.h"
#include "wheelpit/exec/groups/part_merger.h"
#include "wheelpit/exec/keys/key_encoder.h"

namespace wheelpit::exec {
namespace {

using plan::AggregateFunction;

std::unique_ptr<GroupLayout> TextLayout() {
  const auto text = plan::MakeColumn(0, "t", arrow::utf8(), true);
  std::vector<plan::Aggregate> aggregates;
  for (const auto function : {AggregateFunction::kMin, AggregateFunction::kMax}) {
    aggregates.push_back(plan::MakeAggregate(function, text, nullptr, {}).ValueOrDie());
  }
  return GroupLayout::Make(aggregates).ValueOrDie();
}

std::unique_ptr<GroupLayout> CountLayout() {
  return GroupLayout::Make(
             {plan::MakeAggregate(AggregateFunction::kCountAll, nullptr, nullptr, {})
                  .ValueOrDie()})
      .ValueOrDie();
}

TEST(GroupLayout, AggregatesThatDifferInTheirResultShareAState) {
  const auto n = plan::MakeColumn(0, "n", arrow::int64(), true);
  const auto m = plan::MakeColumn(1, "m", arrow::int64(), true);
  std::vector<plan::Aggregate> aggregates;
  for (const auto& argument : {n, m}) {
    for (const auto function :
         {AggregateFunction::kSum, AggregateFunction::kAvg, AggregateFunction::kStddevPop,
          AggregateFunction::kVarSamp, AggregateFunction::kMin,
          AggregateFunction::kMax}) {
      aggregates.push_back(
          plan::MakeAggregate(function, argument, nullptr, {}).ValueOrDie());
    }
  }
  EXPECT_EQ(GroupLayout::Make(aggregates).ValueOrDie()->states().size(), 8U);
}

// A row that was packed comes back; cut off anywhere, or with any length
// changed, it is an error or a row within its bytes.
TEST(GroupLayout, RowsFromDiskAreChecked) {
  const auto layout = TextLayout();
  const std::string key = "a key of 21 bytes !!!";
  const auto row_bytes =
      static_cast<size_t>(layout->RowBytes(static_cast<int64_t>(key.size())));
  std::vector<uint64_t> memory(row_bytes / 8);
  auto* row = reinterpret_cast<uint8_t*>(memory.data());
  layout->Begin(row, 7, key);
  const std::string texts[] = {"first", "the second text"};
  for (size_t i = 0; i < 2; ++i) {
    auto& state = *reinterpret_cast<TextState*>(row + layout->states()[i].offset);
    state = {texts[i].data(), static_cast<uint32_t>(texts[i].size()) + 1, 99};
  }
  const int64_t packed_bytes = layout->RowBytes(row) + layout->TextBytes(row);
  const auto pack = [&] {
    std::vector<uint64_t> packed(static_cast<size_t>(packed_bytes) / 8);
    layout->Pack(row, reinterpret_cast<uint8_t*>(packed.data()));
    return packed;
  };
  auto packed = pack();
  auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
  ASSERT_EQ(layout->Unpack(bytes, packed_bytes).ValueOrDie(), packed_bytes);
  EXPECT_EQ(layout->KeyOf(bytes), key);
  for (size_t i = 0; i < 2; ++i) {
    const auto& state =
        *reinterpret_cast<const TextState*>(bytes + layout->states()[i].offset);
    EXPECT_EQ(state.text(), texts[i]);
  }
  for (int64_t size = 0; size < packed_bytes; ++size) {
    auto cut = pack();
    cut.resize(static_cast<size_t>(size + 7) / 8);
    EXPECT_EQ(core::KindOf(
                  layout->Unpack(reinterpret_cast<uint8_t*>(cut.data()), size).status()),
              core::ErrorKind::kCorrupt);
  }
  for (size_t at = 0; at < row_bytes; ++at) {
    for (const uint8_t value : {uint8_t{0}, uint8_t{0x7F}, uint8_t{0xFF}}) {
      auto changed = pack();
      auto* begin = reinterpret_cast<uint8_t*>(changed.data());
      begin[at] = value;
      const auto used = layout->Unpack(begin, packed_bytes);
      if (used.ok()) {
        EXPECT_LE(*used, packed_bytes);
        EXPECT_LE(layout->RowBytes(begin) + layout->TextBytes(begin), packed_bytes);
      }
    }
  }
}

// Keys of which many have the same hash, some of them equal in all but the last
// byte.
TEST(GroupTable, EqualHashesDoNotMakeEqualKeys) {
  const auto layout = CountLayout();
  GroupTable table({.layout = layout.get(), .pool = arrow::default_memory_pool()});
  table.SetAllowance(64 << 20);
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    texts.push_back(std::string(static_cast<size_t>(i % 90), 'k') + std::to_string(i));
  }
  std::vector<std::string_view> keys(texts.begin(), texts.end());
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < keys.size(); ++i) {
    hashes.push_back(i % 3 == 0 ? 42 : HashKey(keys[i]));
  }
  std::vector<uint8_t*> rows(keys.size());
  const auto count = static_cast<int64_t>(keys.size());
  ASSERT_EQ(table.FindOrAdd(keys.data(), hashes.data(), count, rows.data()).ValueOrDie(),
            count);
  std::map<uint8_t*, std::string> seen;
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_TRUE(seen.emplace(rows[i], keys[i]).second);
    EXPECT_EQ(layout->KeyOf(rows[i]), keys[i]);
  }
}

// It stops where memory ends, says what it needs, and goes on from there.
TEST(GroupTable, TakesWhatItIsAllowedAndNoMore) {
  const auto layout = CountLayout();
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  GroupTable table({.layout = layout.get(), .pool = &pool});
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) {
    texts.push_back("key " + std::to_string(i));
  }
  int64_t next = 0;
  int64_t allowed = 0;
  while (next < std::ssize(texts)) {
    const int64_t more = std::max<int64_t>(table.wanted_bytes(), 50'000);
    allowed += more;
    table.SetAllowance(more);
    while (next < std::ssize(texts)) {
      const std::string_view key = texts[static_cast<size_t>(next)];
      const uint64_t hash = HashKey(key);
      uint8_t* row = nullptr;
      if (table.FindOrAdd(&key, &hash, 1, &row).ValueOrDie() == 0) {
        EXPECT_GT(table.wanted_bytes(), 0);
        break;
      }
      ++next;
    }
    EXPECT_LE(pool.max_memory(), allowed);
  }
  int64_t rows = 0;
  for (int64_t i = 0; i < kPartitionCount; ++i) {
    const GroupPart part = table.TakePart(i);
    EXPECT_TRUE(part.distinct);
    rows += part.row_count;
    RowWalk walk(layout.get(), &part.rows);
    while (const uint8_t* row = walk.Next()) {
      EXPECT_EQ(PartitionOf(HashOf(row), 0), static_cast<size_t>(i));
    }
  }
  EXPECT_EQ(rows, std::ssize(texts));
  EXPECT_EQ(table.part_bytes(), 0);
}

// Far more groups than slots: rows of the same group are merged later, none is
// lost.
TEST(PartMerger, MergesWhatTheTableDidNot) {
  const auto layout = CountLayout();
  GroupTable table({.layout = layout.get(), .pool = arrow::default_memory_pool()});
  table.SetAllowance(int64_t{1} << 30);
  constexpr int64_t kGroups = 300'000;
  std::vector<uint8_t*> rows(1);
  for (int64_t i = 0; i < 3 * kGroups; ++i) {
    const int64_t number = i % kGroups;
    const std::string_view key(reinterpret_cast<const char*>(&number), sizeof number);
    const uint64_t hash = HashKey(key);
    ASSERT_EQ(table.FindOrAdd(&key, &hash, 1, rows.data()).ValueOrDie(), 1);
    ++*reinterpret_cast<int64_t*>(rows[0] + layout->states()[0].offset);
  }
  int64_t groups = 0;
  int64_t stored = 0;
  int64_t left = 0;
  for (int64_t i = 0; i < kPartitionCount; ++i) {
    GroupPart part = table.TakePart(i);
    stored += part.row_count;
    const int64_t bytes = part.bytes();
    const auto merger = PartMerger::Make(layout.get(), &part, PartMerger::SlotBytes(part),
                                         arrow::default_memory_pool())
                            .ValueOrDie();
    while (!merger->Step().ValueOrDie()) {
    }
    EXPECT_TRUE(merger->complete());
    DropDeadRows(*layout, merger->dead_rows(), &part);
    EXPECT_LT(part.bytes(), bytes * 3 / 4);
    left += part.row_count;
    RowWalk walk(layout.get(), &part.rows);
    while (const uint8_t* row = walk.Next()) {
      ++groups;
      EXPECT_FALSE(layout->IsDead(row));
      EXPECT_EQ(*reinterpret_cast<const int64_t*>(row + layout->states()[0].offset), 3);
    }
  }
  EXPECT_EQ(groups, kGroups);
  EXPECT_EQ(left, kGroups);
  EXPECT_GT(stored, kGroups);
}

}  // namespace
}  // namespace wheelpit::exec
