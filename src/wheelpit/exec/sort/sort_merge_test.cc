// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/sort_merge.h"

#include <algorithm>
#include <random>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/sort_fixture.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

using SortMergeTest = SortFixture;

TEST_F(SortMergeTest, SortsByEveryTypeInMemory) {
  uint64_t seed = 1;
  for (const auto& type : SampleKeyTypes()) {
    SCOPED_TRACE(type->ToString());
    auto made = MakeCase({{type, seed % 2 == 0, seed % 3 == 0}}, 3, 1000, {.seed = seed});
    made.options.range_count = 2;
    const auto outcome = Run(made);
    EXPECT_TRUE(IsSorted(made, outcome));
    EXPECT_EQ(outcome.spilled_bytes, 0);
    ++seed;
  }
}

TEST_F(SortMergeTest, SortsByEveryTypeThroughDisk) {
  uint64_t seed = 1;
  for (const auto& type : SampleKeyTypes()) {
    SCOPED_TRACE(type->ToString());
    auto made = MakeCase({{type, seed % 2 == 0}, {arrow::int16()}}, 2, 1500,
                         {.seed = seed, .text_bytes_max = 8000});
    made.slots = 1;
    made.limit_bytes = MinimumOf(made);
    const auto outcome = Run(made);
    EXPECT_TRUE(IsSorted(made, outcome));
    EXPECT_GT(outcome.spilled_bytes, 0);
    ++seed;
  }
}

TEST_F(SortMergeTest, SortsBySeveralKeysOverSeveralRanges) {
  std::mt19937_64 random(3);
  const auto types = SampleKeyTypes();
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    std::vector<KeyColumn> keys;
    for (uint64_t i = 0; i < 1 + random() % 3; ++i) {
      keys.push_back(
          {types[random() % types.size()], random() % 2 == 0, random() % 2 == 0});
    }
    auto made = MakeCase(keys, 5, 4000,
                         {.seed = random(), .distinct = 20, .text_bytes_max = 3000});
    made.options.range_count = 1 + static_cast<int64_t>(random() % 4);
    made.slots = 1 + static_cast<int>(random() % 3);
    made.limit_bytes = MinimumOf(made) + static_cast<int64_t>(random() % 8) * kMiB;
    EXPECT_TRUE(IsSorted(made, Run(made)));
  }
}

// Whatever finishes in a budget finishes in every larger one, with the same rows.
TEST_F(SortMergeTest, FinishesInEveryBudgetFromTheLeastUp) {
  auto made = TextCase(4, 25'000, 5000, RandomText);
  made.options.range_count = 2;
  std::vector<int64_t> spilled;
  for (int64_t more = 0; more <= 40 * kMiB; more += 5 * kMiB) {
    SCOPED_TRACE(more);
    made.limit_bytes = MinimumOf(made) + more;
    const auto outcome = Run(made);
    EXPECT_TRUE(IsSorted(made, outcome));
    spilled.push_back(outcome.spilled_bytes);
    EXPECT_LE(outcome.spill_files, 1);
  }
  EXPECT_GT(spilled.front(), 2 * kMiB);
  EXPECT_EQ(spilled.back(), 0);
}

// Runs beyond what can be merged at once, and one I/O thread.
TEST_F(SortMergeTest, MergesManyShortRunsInSeveralSteps) {
  auto made = TextCase(60, 700, 700, [](int64_t id) {
    return RandomText(id) + std::string(4000, 'x') + RandomText(id + 1);
  });
  made.slots = 1;
  made.limit_bytes = MinimumOf(made);
  const auto outcome = Run(made);
  EXPECT_TRUE(IsSorted(made, outcome));
  EXPECT_LE(outcome.spill_files, 1);
}

TEST_F(SortMergeTest, WritesEachRowOnceAndOnlyWhatLives) {
  auto made = TextCase(1, 100'000, 10'000, RandomText);
  // Slices whose buffers hold ten times as much.
  for (auto& batch : made.tasks[0]) {
    const auto wide = batch;
    batch = wide->Slice(0, wide->num_rows());
  }
  made.slots = 1;
  made.options.compression = block::Compression::kNone;
  made.limit_bytes = MinimumOf(made);
  const auto outcome = Run(made);
  EXPECT_TRUE(IsSorted(made, outcome));
  const int64_t live = 100'000 * (64 + 4 + 8);
  EXPECT_LE(outcome.spilled_bytes, live + live / 10);
  EXPECT_GT(outcome.spilled_bytes, live / 2);
}

TEST_F(SortMergeTest, SpillsAFewBytesOfTextThatRowsShare) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  SortCase made;
  made.options.keys = {{.column = 1}};
  made.options.schema =
      arrow::schema({arrow::field("d", type), arrow::field("k", arrow::int64()),
                     arrow::field("id", arrow::int64())});
  arrow::StringBuilder words;
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(words.Append(std::string(1000, static_cast<char>('a' + i))));
  }
  const auto dictionary = *words.Finish();
  made.tasks.resize(1);
  int64_t id = 0;
  for (int batch = 0; batch < 40; ++batch) {
    arrow::Int32Builder codes;
    arrow::Int64Builder keys;
    arrow::Int64Builder ids;
    for (int i = 0; i < 5000; ++i, ++id) {
      static_cast<void>(codes.Append(i % 10));
      static_cast<void>(keys.Append(static_cast<int64_t>(Mixed(id))));
      static_cast<void>(ids.Append(id));
    }
    const auto coded =
        *arrow::DictionaryArray::FromArrays(type, *codes.Finish(), dictionary);
    made.tasks[0].push_back(arrow::RecordBatch::Make(
        made.options.schema, 5000, {coded, *keys.Finish(), *ids.Finish()}));
  }
  made.slots = 1;
  made.limit_bytes = MinimumOf(made);
  const auto outcome = Run(made);
  EXPECT_TRUE(IsSorted(made, outcome));
  EXPECT_GT(outcome.spilled_bytes, 0);
  EXPECT_LT(outcome.spilled_bytes, 200'000 * 40);
}

TEST_F(SortMergeTest, SortsRowsOfAMegabyteInTheLeastMemory) {
  for (const bool compressible : {true, false}) {
    auto made = TextCase(2, 24, 3, [compressible](int64_t id) {
      std::string text = RandomText(id % 5);
      while (text.size() < 900'000) {
        text += compressible ? text : RandomText(static_cast<int64_t>(text.size()) + id);
      }
      text.resize(900'000 + static_cast<size_t>(id % 3));
      return text;
    });
    made.limit_bytes = MinimumOf(made);
    const auto outcome = Run(made);
    EXPECT_TRUE(IsSorted(made, outcome)) << compressible;
    EXPECT_GT(outcome.spilled_bytes, 0);
  }
}

TEST_F(SortMergeTest, ARowBeyondTheBudgetNamesItsNeed) {
  auto made = TextCase(1, 2, 1, [](int64_t id) {
    return std::string(40'000'000, static_cast<char>('a' + id));
  });
  made.slots = 1;
  made.limit_bytes = MinimumOf(made) + 4 * kMiB;
  const auto outcome = Run(made);
  EXPECT_EQ(core::KindOf(outcome.status), core::ErrorKind::kMemoryLimit);
  EXPECT_NE(outcome.status.message().find("sorting"), std::string::npos)
      << outcome.status;
}

TEST_F(SortMergeTest, KeepsTheOrderOfEqualKeys) {
  for (const bool spill : {false, true}) {
    auto made = TextCase(6, 30'000, 4000, [](int64_t) { return std::string(64, 'k'); });
    made.options.range_count = 3;
    made.limit_bytes = spill ? MinimumOf(made) : 0;
    EXPECT_TRUE(IsSorted(made, Run(made)));
  }
}

TEST_F(SortMergeTest, SortsWithoutCareForEqualKeys) {
  auto made = TextCase(6, 30'000, 4000, [](int64_t id) { return RandomText(id % 100); });
  made.options.stable = false;
  made.limit_bytes = MinimumOf(made);
  EXPECT_TRUE(IsSorted(made, Run(made)));
}

TEST_F(SortMergeTest, SortsWhatIsSortedAndWhatIsBackwards) {
  for (const int64_t factor : {1, -1}) {
    auto made = TextCase(2, 60'000, 8000, [factor](int64_t id) {
      std::string text = std::to_string(1'000'000 + factor * id);
      return text + std::string(50, 'x');
    });
    made.options.range_count = 2;
    made.limit_bytes = MinimumOf(made);
    EXPECT_TRUE(IsSorted(made, Run(made)));
  }
}

TEST_F(SortMergeTest, SortsNoRowsNoTasksAndNoKeys) {
  auto none = TextCase(2, 0, 1, RandomText);
  EXPECT_TRUE(IsSorted(none, Run(none)));
  auto no_tasks = TextCase(0, 0, 1, RandomText);
  EXPECT_TRUE(IsSorted(no_tasks, Run(no_tasks)));
  auto one = TextCase(1, 1, 1, RandomText);
  one.options.range_count = 4;
  EXPECT_TRUE(IsSorted(one, Run(one)));
  auto empty_batch = TextCase(1, 5, 5, RandomText);
  empty_batch.tasks[0].push_back(empty_batch.tasks[0][0]->Slice(0, 0));
  EXPECT_TRUE(IsSorted(empty_batch, Run(empty_batch)));
  auto no_keys = TextCase(3, 100, 10, RandomText);
  no_keys.options.keys = {};
  EXPECT_TRUE(IsSorted(no_keys, Run(no_keys)));
}

TEST_F(SortMergeTest, PutsBatchesOfOneRowTogether) {
  auto made = TextCase(2, 5000, 1, RandomText);
  EXPECT_TRUE(IsSorted(made, Run(made)));
}

TEST_F(SortMergeTest, GivesTheFirstRowsOfALimit) {
  for (const int64_t limit : {0, 1, 10, 5000, 1'000'000}) {
    for (const bool scarce : {false, true}) {
      SCOPED_TRACE(limit);
      auto made = TextCase(4, 50'000, 6000, [](int64_t id) {
        return RandomText(static_cast<int64_t>(Mixed(id) % 20'000));
      });
      made.options.limit = limit;
      made.limit_bytes = scarce ? MinimumOf(made) : 0;
      const auto outcome = Run(made);
      EXPECT_TRUE(IsSorted(made, outcome));
      // A bounded sort of few rows needs no disk.
      EXPECT_EQ(outcome.spilled_bytes > 0, scarce && limit > 10'000);
    }
  }
}

TEST_F(SortMergeTest, LowersTheCutOffOfALimit) {
  auto made = TextCase(1, 50'000, 6000, RandomText);
  made.options.limit = 10;
  const auto sort = SortMerge::Make(made.options, 1).ValueOrDie();
  EXPECT_EQ(sort->cut_off()->version(), 0);
  EXPECT_EQ(*sort->cut_off()->FirstColumn(arrow::system_memory_pool()), nullptr);
}

TEST(CutOffTest, SelectsRowsThatMayBeWanted) {
  const std::vector<KeyColumn> columns = {{arrow::int32(), /*descending=*/true},
                                          {arrow::utf8()}};
  std::shared_ptr<const KeyEncoder> encoder = KeyEncoder::Make(columns).ValueOrDie();
  std::shared_ptr<const KeyEncoder> first = KeyEncoder::Make({columns[0]}).ValueOrDie();
  CutOff cut_off(encoder, first);
  auto* pool = arrow::system_memory_pool();
  arrow::Int32Builder numbers;
  ASSERT_TRUE(numbers.AppendValues({5, 7, 3, 9}).ok());
  ASSERT_TRUE(numbers.AppendNull().ok());
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.AppendValues({"a", "b", "c", "d", "e"}).ok());
  const arrow::ArrayVector arrays = {*numbers.Finish(), *texts.Finish()};
  const auto keys = *encoder->Encode(arrays, 5, pool);
  std::vector<int32_t> rows(5);
  EXPECT_EQ(*cut_off.Select(arrays[0], 5, pool, rows.data()), 5);
  cut_off.Lower(keys[2]);
  EXPECT_EQ(cut_off.version(), 1);
  cut_off.Lower(keys[0]);
  EXPECT_EQ(cut_off.version(), 2);
  cut_off.Lower(keys[2]);
  EXPECT_EQ(cut_off.version(), 2) << "it only gets lower";
  EXPECT_EQ(*cut_off.Select(arrays[0], 5, pool, rows.data()), 4);
  rows.resize(4);
  EXPECT_EQ(rows, (std::vector<int32_t>{0, 1, 3, 4}));  // 3 comes after 5; nulls first
  const auto value = *cut_off.FirstColumn(pool);
  EXPECT_EQ(static_cast<const arrow::Int32Array&>(*value).Value(0), 5);
}

TEST(SortMergeMakeTest, RefusesKeysThatCannotBeCompared) {
  SortOptions options;
  options.schema = arrow::schema({arrow::field("l", arrow::list(arrow::int32()))});
  options.keys = {{.column = 0}};
  EXPECT_EQ(core::KindOf(SortMerge::Make(options, 1).status()),
            core::ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace wheelpit::exec
