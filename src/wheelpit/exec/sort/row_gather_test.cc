// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/row_gather.h"

#include <random>

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/exec/keys/key_sample.h"
#include "wheelpit/exec/sort/merge_tree.h"

namespace wheelpit::exec {
namespace {

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", column->type())}),
                                  column->length(), {column});
}

TEST(RowGather, GathersEveryTypeFromSeveralBatches) {
  std::mt19937_64 random(5);
  for (const auto& type : SampleKeyTypes()) {
    SCOPED_TRACE(type->ToString());
    for (const int nulls : {0, 30}) {
      RowGather gather(arrow::schema({arrow::field("c", type)}));
      std::vector<std::shared_ptr<arrow::Array>> columns;
      for (uint32_t source = 0; source < 3; ++source) {
        columns.push_back(SampleColumn(type, 40, {.seed = source + 1, .nulls = nulls}));
        gather.Set(source, BatchOf(columns.back()));
      }
      std::vector<RowRef> refs;
      int64_t bytes = 0;
      for (int i = 0; i < 200; ++i) {
        refs.push_back(
            {static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 40)});
        bytes += gather.RowBytes(refs.back());
      }
      const auto batch = gather.Gather(refs, arrow::system_memory_pool()).ValueOrDie();
      ASSERT_EQ(batch->num_rows(), 200);
      ASSERT_TRUE(batch->Validate().ok());
      ASSERT_TRUE(batch->column(0)->type()->Equals(*type));
      for (size_t i = 0; i < refs.size(); ++i) {
        ASSERT_EQ(ComparePlainly({{type}}, batch->columns(), static_cast<int64_t>(i),
                                 {columns[refs[i].source]}, refs[i].row),
                  0);
      }
      if (type->id() != arrow::Type::DICTIONARY) {
        EXPECT_LE(GatheredBytes(*batch), bytes + 1000);
      }
    }
  }
}

TEST(RowGather, GathersNestedColumns) {
  const auto type = arrow::struct_(
      {arrow::field("n", arrow::int32()), arrow::field("l", arrow::list(arrow::utf8()))});
  const auto column = *arrow::json::ArrayFromJSONString(
      type, R"([[1, ["a", "b"]], null, [3, null], [4, []], [5, ["c"]]])");
  RowGather gather(arrow::schema({arrow::field("c", type)}));
  gather.Set(0, BatchOf(column->Slice(1)));
  const std::vector<RowRef> refs = {{0, 3}, {0, 1}, {0, 2}, {0, 0}};
  const auto batch = gather.Gather(refs, arrow::system_memory_pool()).ValueOrDie();
  const auto wanted = *arrow::json::ArrayFromJSONString(
      type, R"([[5, ["c"]], [3, null], [4, []], null])");
  EXPECT_TRUE(batch->column(0)->Equals(*wanted)) << batch->ToString();
}

TEST(RowGather, GathersNoRowsAndNoColumns) {
  RowGather gather(arrow::schema({}));
  gather.Set(0, arrow::RecordBatch::Make(arrow::schema({}), 7, arrow::ArrayVector()));
  const std::vector<RowRef> refs = {{0, 3}, {0, 1}};
  EXPECT_EQ((*gather.Gather(refs, arrow::system_memory_pool()))->num_rows(), 2);
  EXPECT_EQ((*gather.Gather({}, arrow::system_memory_pool()))->num_rows(), 0);
}

TEST(MergeTree, GivesTheSmallestAndOfEqualOnesTheFirst) {
  std::mt19937_64 random(9);
  for (size_t inputs = 1; inputs < 40; ++inputs) {
    std::vector<std::vector<std::string>> lists(inputs);
    std::vector<std::pair<std::string, size_t>> wanted;
    for (size_t i = 0; i < inputs; ++i) {
      for (uint64_t n = random() % 20; n > 0; --n) {
        lists[i].push_back(std::string(12, 'p') + std::to_string(random() % 30));
        wanted.emplace_back(lists[i].back(), i);
      }
      std::sort(lists[i].rbegin(), lists[i].rend());
    }
    std::sort(wanted.begin(), wanted.end());
    std::vector<MergeHead> heads(inputs);
    std::vector<std::string> keys(inputs);
    const auto advance = [&](size_t i) {
      heads[i].ended = lists[i].empty();
      if (!lists[i].empty()) {
        keys[i] = lists[i].back();
        lists[i].pop_back();
        heads[i].key = keys[i];
      }
      heads[i].word = heads[i].ended ? UINT64_MAX : PrefixWord(keys[i], inputs % 13);
    };
    for (size_t i = 0; i < inputs; ++i) {
      advance(i);
    }
    MergeTree tree;
    tree.Build(&heads);
    std::vector<std::pair<std::string, size_t>> got;
    for (; !heads[tree.top()].ended; tree.Replay()) {
      got.emplace_back(keys[tree.top()], tree.top());
      advance(tree.top());
    }
    EXPECT_EQ(got, wanted);
  }
}

}  // namespace
}  // namespace wheelpit::exec
