// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/expr/test_support.h"

namespace wheelpit::exec {
namespace {

using plan::ExprPtr;
using plan::Function;

class FilterTest : public testing::Test {
 protected:
  const std::shared_ptr<arrow::Schema> schema_ = arrow::schema(
      {arrow::field("i", arrow::int32()), arrow::field("l", arrow::int64()),
       arrow::field("price", arrow::decimal128(15, 2)),
       arrow::field("wide", arrow::decimal128(30, 2)),
       arrow::field("d", arrow::float64()), arrow::field("s", arrow::utf8())});
  // Sliced, so that nothing begins at the start of a buffer.
  const arrow::ArrayVector columns_ = {
      ArrayOf(arrow::int32(), {"9", "1", "NULL", "3", "-4", "5"})->Slice(1),
      ArrayOf(arrow::int64(), {"9", "10", "20", "NULL", "0", "50"})->Slice(1),
      ArrayOf(arrow::decimal128(15, 2), {"9.00", "1.00", "2.50", "-3.25", "NULL", "5.00"})
          ->Slice(1),
      ArrayOf(arrow::decimal128(30, 2), {"9.00", "1.00", "2.50", "-3.25", "NULL", "5.00"})
          ->Slice(1),
      ArrayOf(arrow::float64(), {"9", "1", "nan", "-0.0", "NULL", "5"})->Slice(1),
      ArrayOf(arrow::utf8(), {"z", "a", "b", "NULL", "b", "e"})->Slice(1)};

  ExprPtr Column(const char* name) const {
    const int i = schema_->GetFieldIndex(name);
    return plan::MakeColumn(i, name, schema_->field(i)->type(), true);
  }

  std::unique_ptr<Filter> MakeFilter(const std::vector<ExprPtr>& conjuncts) const {
    auto filter =
        Filter::Make(conjuncts, *schema_, {.pool = arrow::default_memory_pool()});
    EXPECT_TRUE(filter.ok()) << filter.status();
    return *std::move(filter);
  }

  Selection Selected(const std::vector<ExprPtr>& conjuncts) const {
    const auto filter = MakeFilter(conjuncts);
    Selection selection = {7, 7, 7};
    const arrow::Status status = filter->Select(columns_, 5, &selection);
    EXPECT_TRUE(status.ok()) << status;
    Selection shrunk = {0, 1, 2, 3, 4};
    EXPECT_TRUE(filter->Shrink(columns_, &shrunk).ok());
    EXPECT_EQ(selection, shrunk);
    return selection;
  }

  Selection Selected(Function function, std::vector<ExprPtr> arguments) const {
    return Selected({Call(function, std::move(arguments))});
  }
};

TEST_F(FilterTest, ComparisonsWithLiteralsOfAnyFittingType) {
  EXPECT_EQ(Selected(Function::kGreater, {Column("i"), Int(1)}), (Selection{2, 4}));
  EXPECT_EQ(Selected(Function::kGreater, {Int(3), Column("i")}), (Selection{0, 3}));
  EXPECT_EQ(Selected(Function::kLess, {Column("i"), Long(4)}), (Selection{0, 2, 3}));
  EXPECT_EQ(Selected(Function::kLess, {Column("i"), Dec("2.5")}), (Selection{0, 3}));
  EXPECT_EQ(Selected(Function::kEqual, {Column("i"), Dec("2.5")}), (Selection{}));
  EXPECT_EQ(Selected(Function::kNotEqual, {Column("i"), Dec("2.5")}),
            (Selection{0, 2, 3, 4}));
  EXPECT_EQ(Selected(Function::kLess, {Column("i"), Long(INT64_MAX)}),
            (Selection{0, 2, 3, 4}));
  EXPECT_EQ(Selected(Function::kGreaterEqual, {Column("l"), Int(20)}), (Selection{1, 4}));
  EXPECT_EQ(Selected(Function::kGreater, {Column("price"), Int(2)}), (Selection{1, 4}));
  EXPECT_EQ(Selected(Function::kLessEqual, {Column("wide"), Dec("2.5")}),
            (Selection{0, 1, 2}));
  EXPECT_EQ(Selected(Function::kEqual, {Column("s"), Text("b")}), (Selection{1, 3}));
  EXPECT_EQ(Selected(Function::kEqual, {Column("i"), Null()}), (Selection{}));
}

TEST_F(FilterTest, NaNIsLargestAndZerosAreEqual) {
  EXPECT_EQ(Selected(Function::kGreater, {Column("d"), Double(1)}), (Selection{1, 4}));
  EXPECT_EQ(Selected(Function::kLess, {Column("d"), Double(5)}), (Selection{0, 2}));
  EXPECT_EQ(Selected(Function::kEqual, {Column("d"), Double(0)}), (Selection{2}));
}

TEST_F(FilterTest, ConjunctsShrinkTheSelection) {
  const ExprPtr small = Call(Function::kLess, {Column("i"), Int(5)});
  const ExprPtr large = Call(Function::kGreater, {Column("i"), Int(0)});
  EXPECT_EQ(Selected({small, large}), (Selection{0, 2}));
  EXPECT_EQ(Selected({Call(Function::kAnd, {small, large})}), (Selection{0, 2}));
  EXPECT_EQ(Selected(std::vector<ExprPtr>{}), (Selection{0, 1, 2, 3, 4}));
  EXPECT_EQ(Selected({Bool(false)}), (Selection{}));
  EXPECT_EQ(Selected({Bool(true)}), (Selection{0, 1, 2, 3, 4}));
}

TEST_F(FilterTest, FallibleConjunctsSeeOnlyWhatIsLeft) {
  // i % (i - 1) fails for i = 1, which the second conjunct takes out.
  const ExprPtr remainder =
      Call(Function::kEqual,
           {Call(Function::kRemainder,
                 {Column("i"), Call(Function::kSubtract, {Column("i"), Int(1)})}),
            Int(1)});
  const ExprPtr guard = Call(Function::kGreater, {Column("i"), Int(1)});
  EXPECT_EQ(Selected({remainder, guard}), (Selection{2, 4}));
  const auto filter = MakeFilter({remainder});
  Selection selection;
  const arrow::Status status = filter->Select(columns_, 5, &selection);
  EXPECT_EQ(core::InfoOf(status).error_class, "REMAINDER_BY_ZERO");
}

TEST_F(FilterTest, ColumnsThatAreNotReadMayBeMissing) {
  arrow::ArrayVector columns(columns_.size());
  columns[0] = columns_[0];
  Selection selection;
  const auto filter = MakeFilter({Call(Function::kLess, {Column("i"), Int(2)})});
  ASSERT_TRUE(filter->Select(columns, 5, &selection).ok());
  EXPECT_EQ(selection, (Selection{0, 3}));
  const auto other = MakeFilter({Call(Function::kLess, {Column("l"), Int(2)})});
  EXPECT_EQ(core::KindOf(other->Select(columns, 5, &selection)),
            core::ErrorKind::kInternal);
}

TEST_F(FilterTest, DictionariesAreFilteredByCode) {
  const auto codes = ArrayOf(arrow::int32(), {"0", "2", "NULL", "1", "2", "1", "0"});
  const auto values = ArrayOf(arrow::utf8(), {"a", "b", "NULL"});
  arrow::ArrayVector columns(columns_.size());
  columns[5] = *arrow::DictionaryArray::FromArrays(
      arrow::dictionary(arrow::int32(), arrow::utf8()), codes, values);
  columns[5] = columns[5]->Slice(1);
  Selection selection;
  const auto equal = MakeFilter({Call(Function::kEqual, {Column("s"), Text("b")})});
  ASSERT_TRUE(equal->Select(columns, 6, &selection).ok());
  EXPECT_EQ(selection, (Selection{2, 4}));
  selection = {0, 1, 2, 3, 5};
  ASSERT_TRUE(equal->Shrink(columns, &selection).ok());
  EXPECT_EQ(selection, (Selection{2}));
  const auto null = MakeFilter({Call(Function::kIsNull, {Column("s")})});
  ASSERT_TRUE(null->Select(columns, 6, &selection).ok());
  EXPECT_EQ(selection, (Selection{0, 1, 3}));
}

TEST_F(FilterTest, TakeRowsPicksFromEveryType) {
  const Selection selection = {0, 2, 4};
  const auto batch = arrow::RecordBatch::Make(schema_, 5, columns_);
  const auto taken = TakeRows(batch, selection, arrow::default_memory_pool());
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE((*taken)->ValidateFull().ok());
  EXPECT_EQ(TextsOf(*(*taken)->column(0)), (std::vector<std::string>{"1", "3", "5"}));
  EXPECT_EQ(TextsOf(*(*taken)->column(5)), (std::vector<std::string>{"a", "NULL", "e"}));
  EXPECT_EQ(*TakeRows(batch, {0, 1, 2, 3, 4}, arrow::default_memory_pool()), batch);

  const auto list_type = arrow::list(arrow::int32());
  const auto builder = *arrow::MakeBuilder(list_type);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(builder->AppendEmptyValue().ok());
    ASSERT_TRUE(builder->AppendNull().ok());
  }
  const auto lists = (*builder->Finish())->Slice(1);
  const auto some = TakeRows(lists, selection, arrow::default_memory_pool());
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ((*some)->length(), 3);
  EXPECT_EQ((*some)->null_count(), 3);
}

TEST_F(FilterTest, NoRows) {
  const auto filter = MakeFilter({Call(Function::kEqual, {Column("s"), Text("b")})});
  Selection selection = {1};
  ASSERT_TRUE(filter->Select(columns_, 0, &selection).ok());
  EXPECT_TRUE(selection.empty());
}

}  // namespace
}  // namespace wheelpit::exec
