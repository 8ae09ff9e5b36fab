// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/partition_filter.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <gtest/gtest.h>

namespace wheelpit::index {
namespace {

std::shared_ptr<arrow::Scalar> Int(int32_t value) {
  return std::make_shared<arrow::Int32Scalar>(value);
}
std::shared_ptr<arrow::Scalar> Text(const std::string& value) {
  return std::make_shared<arrow::StringScalar>(value);
}

bool Matches(const std::string& value, PredicateOp op,
             std::vector<std::shared_ptr<arrow::Scalar>> literals, bool infer = true) {
  const Predicate predicate = {
      {.column = "K", .op = op, .literals = std::move(literals)}};
  return PartitionFilter(predicate, infer, "UTC").MayMatch({"k", value});
}

TEST(PartitionFilter, NumbersAreComparedByValue) {
  EXPECT_TRUE(Matches("01", PredicateOp::kEqual, {Int(1)}));
  EXPECT_FALSE(Matches("2", PredicateOp::kEqual, {Int(1)}));
  EXPECT_FALSE(Matches("2.5", PredicateOp::kLess, {Int(2)}));
  EXPECT_TRUE(Matches("10", PredicateOp::kGreater, {Int(9)}));
  EXPECT_TRUE(
      Matches("10", PredicateOp::kEqual, {std::make_shared<arrow::Int64Scalar>(10)}));
  EXPECT_TRUE(
      Matches("10", PredicateOp::kEqual, {std::make_shared<arrow::DoubleScalar>(10)}));
}

TEST(PartitionFilter, TextIsComparedUnescaped) {
  EXPECT_TRUE(Matches("a%2Fb", PredicateOp::kEqual, {Text("a/b")}));
  EXPECT_FALSE(Matches("a%2Fb", PredicateOp::kEqual, {Text("a%2Fb")}));
  EXPECT_FALSE(Matches("x", PredicateOp::kIn, {Text("a"), Text("b")}));
}

// The column may turn out to be of numbers or of text, which are ordered differently.
TEST(PartitionFilter, TextLiteralsExcludeOnlyUnderBothReadings) {
  EXPECT_TRUE(Matches("2", PredicateOp::kLess, {Text("10")}));    // as numbers
  EXPECT_TRUE(Matches("10", PredicateOp::kLess, {Text("2")}));    // as text
  EXPECT_FALSE(Matches("3", PredicateOp::kLess, {Text("2")}));    // neither
  EXPECT_TRUE(Matches("01", PredicateOp::kEqual, {Text("1")}));   // as numbers
  EXPECT_TRUE(Matches("5", PredicateOp::kEqual, {Text("abc")}));  // not to be compared
  EXPECT_FALSE(Matches("2", PredicateOp::kLess, {Text("10")}, false));
  EXPECT_FALSE(Matches("01", PredicateOp::kEqual, {Text("1")}, false));
}

TEST(PartitionFilter, DatesAreComparedWithDatesAndText) {
  const auto day = std::make_shared<arrow::Date32Scalar>(19753);  // 2024-01-31
  EXPECT_TRUE(Matches("2024-01-31", PredicateOp::kEqual, {day}));
  EXPECT_FALSE(Matches("2024-02-01", PredicateOp::kEqual, {day}));
  EXPECT_TRUE(Matches("2024-01-31", PredicateOp::kEqual, {Text("2024-01-31")}));
  EXPECT_FALSE(Matches("2024-02-01", PredicateOp::kLessEqual, {Text("2024-01-31")}));
}

TEST(PartitionFilter, TheDefaultPartitionIsNull) {
  const std::string null(kNullPartition);
  EXPECT_FALSE(Matches(null, PredicateOp::kEqual, {Text(null)}));
  EXPECT_FALSE(Matches(null, PredicateOp::kIsNotNull, {}));
  EXPECT_TRUE(Matches(null, PredicateOp::kIsNull, {}));
  EXPECT_FALSE(Matches("1", PredicateOp::kIsNull, {}));
  EXPECT_TRUE(Matches("1", PredicateOp::kIsNotNull, {}));
  // Only that very name: these are text.
  EXPECT_FALSE(Matches("NULL", PredicateOp::kIsNull, {}));
  EXPECT_FALSE(Matches("null", PredicateOp::kIsNull, {}));
}

TEST(PartitionFilter, TermsOfOtherColumnsDoNotMatter) {
  const Predicate predicate = {
      {.column = "other", .op = PredicateOp::kEqual, .literals = {Int(1)}}};
  EXPECT_TRUE(PartitionFilter(predicate, true, "UTC").MayMatch({"k", "2"}));
}

TEST(PartitionFilter, EveryTermMustHold) {
  const Predicate predicate = {
      {.column = "k", .op = PredicateOp::kGreater, .literals = {Int(1)}},
      {.column = "k", .op = PredicateOp::kLess, .literals = {Int(5)}}};
  const PartitionFilter filter(predicate, true, "UTC");
  EXPECT_TRUE(filter.MayMatch({"k", "3"}));
  EXPECT_FALSE(filter.MayMatch({"k", "1"}));
  EXPECT_FALSE(filter.MayMatch({"k", "5"}));
}

}  // namespace
}  // namespace wheelpit::index
