// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/referenced_bytes.h"

#include <memory>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::exec {
namespace {

template <typename Builder, typename Values>
std::shared_ptr<arrow::Array> Built(Builder builder, const Values& values) {
  for (const auto& value : values) {
    EXPECT_TRUE(builder.Append(value).ok());
  }
  return builder.Finish().ValueOrDie();
}

TEST(ReferencedBytes, OfASliceOnlyItsOwn) {
  const auto numbers = Built(arrow::Int32Builder(), std::vector<int32_t>(100, 7));
  EXPECT_EQ(ReferencedBytes(*numbers->data()), 400);
  EXPECT_EQ(ReferencedBytes(*numbers->Slice(90)->data()), 40);
  EXPECT_EQ(ReferencedBytes(*numbers->Slice(0, 0)->data()), 0);
  const auto text =
      Built(arrow::StringBuilder(), std::vector<std::string>{"a", "bcd", "", "efghi"});
  EXPECT_EQ(ReferencedBytes(*text->data()), 9 + 5 * 4);
  EXPECT_EQ(ReferencedBytes(*text->Slice(1, 1)->data()), 3 + 2 * 4);
}

TEST(ReferencedBytes, OfNestedValuesThoseOfTheirChildren) {
  auto values = std::make_shared<arrow::Int64Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  for (int length : {3, 0, 5}) {
    ASSERT_TRUE(lists.Append().ok());
    for (int i = 0; i < length; ++i) {
      ASSERT_TRUE(values->Append(i).ok());
    }
  }
  const auto list = lists.Finish().ValueOrDie();
  EXPECT_EQ(ReferencedBytes(*list->Slice(2)->data()), 5 * 8 + 2 * 4);
  const auto rows =
      arrow::StructArray::Make({list}, std::vector<std::string>{"l"}).ValueOrDie();
  EXPECT_EQ(ReferencedBytes(*rows->Slice(0, 2)->data()), 3 * 8 + 3 * 4);
}

TEST(ReferencedBytes, OfViewsWhatIsNotInTheView) {
  const auto views = Built(arrow::StringViewBuilder(),
                           std::vector<std::string>{"short", std::string(100, 'x')});
  EXPECT_EQ(ReferencedBytes(*views->data()), 2 * 16 + 100);
  EXPECT_EQ(ReferencedBytes(*views->Slice(0, 1)->data()), 16);
}

TEST(ReferencedBytes, AllocatesNothing) {
  const auto numbers = Built(arrow::Int32Builder(), std::vector<int32_t>(100, 7));
  const int64_t before = arrow::default_memory_pool()->num_allocations();
  ReferencedBytes(*numbers->data());
  EXPECT_EQ(arrow::default_memory_pool()->num_allocations(), before);
}

}  // namespace
}  // namespace wheelpit::exec
