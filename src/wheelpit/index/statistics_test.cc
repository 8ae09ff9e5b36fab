// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/statistics.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/index/parquet_test_file.h"

namespace wheelpit::index {
namespace {

// The footer of a file's bytes: its length stands before the last four bytes.
std::shared_ptr<const ParquetFooter> FooterOf(const std::string& bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + bytes.size() - 8, sizeof length);
  auto footer = DecodeParquetFooter(bytes.substr(bytes.size() - 8 - length, length),
                                    static_cast<int64_t>(bytes.size()), nullptr);
  EXPECT_TRUE(footer.ok()) << footer.status();
  return footer.ValueOr(nullptr);
}

// The range of the only column of a file with these values.
struct Bounds {
  std::shared_ptr<const ParquetFooter> footer;
  ColumnRange range;
};
Bounds BoundsOf(const std::shared_ptr<arrow::DataType>& type, const std::string& json,
                const TestFileOptions& options = {}) {
  Bounds out;
  out.footer = FooterOf(ParquetBytes({{"c", type, json}}, options));
  const BoundsReader reader = BoundsReader::Make(*out.footer->schema, 0);
  out.range = reader.Read(out.footer->row_groups[0]);
  return out;
}

// Whether the bounds are exactly the two values, of the given type.
void ExpectBounds(const Bounds& bounds, const std::shared_ptr<arrow::DataType>& type,
                  const std::string& min, const std::string& max) {
  const auto low = TestScalar(type, min);
  const auto high = TestScalar(type, max);
  EXPECT_EQ(Compare(bounds.range.min, ToComparable(*low)), Order::kEqual)
      << *type << " " << min;
  EXPECT_EQ(Compare(bounds.range.max, ToComparable(*high)), Order::kEqual)
      << *type << " " << max;
}

TEST(Statistics, EveryTypeIsReadAsItsValues) {
  struct Case {
    std::shared_ptr<arrow::DataType> type;
    std::string json, min, max;
  };
  const std::vector<Case> cases = {
      {arrow::int8(), "[3, -5, null]", "-5", "3"},
      {arrow::int16(), "[3, -500]", "-500", "3"},
      {arrow::int32(), "[2147483647, -2147483648]", "-2147483648", "2147483647"},
      {arrow::int64(), "[9007199254740993, -1]", "-1", "9007199254740993"},
      {arrow::float32(), "[1.5, -2.5]", "-2.5", "1.5"},
      {arrow::float64(), "[1.5, -2.5]", "-2.5", "1.5"},
      {arrow::boolean(), "[true, false]", "false", "true"},
      {arrow::boolean(), "[true, true]", "true", "true"},
      {arrow::utf8(), R"(["b", "a", "ü"])", R"("a")", R"("ü")"},
      {arrow::date32(), "[19753, -1]", "-1", "19753"},
      {arrow::decimal128(5, 2), R"(["1.25", "-3.50"])", R"("-3.50")", R"("1.25")"},
      {arrow::decimal128(15, 2), R"(["1.25", "-3.50"])", R"("-3.50")", R"("1.25")"},
      {arrow::decimal128(38, 10), R"(["1.2500000000", "-3.5000000000"])",
       R"("-3.5000000000")", R"("1.2500000000")"},
      {arrow::timestamp(arrow::TimeUnit::MICRO), "[1, -7]", "-7", "1"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[1, -7]", "-7", "1"},
      {arrow::timestamp(arrow::TimeUnit::MILLI), "[1, -7]", "-7", "1"},
  };
  for (const Case& one : cases) {
    ExpectBounds(BoundsOf(one.type, one.json), one.type, one.min, one.max);
  }
  for (const int32_t precision : {5, 15}) {
    const auto type = arrow::decimal128(precision, 2);
    ExpectBounds(BoundsOf(type, R"(["1.25", "-3.50"])", {.decimals_as_integers = true}),
                 type, R"("-3.50")", R"("1.25")");
  }
}

TEST(Statistics, UnsignedIntegersAreReadAsTheWiderTypesThatHoldThem) {
  ExpectBounds(BoundsOf(arrow::uint8(), "[255, 1]"), arrow::int16(), "1", "255");
  ExpectBounds(BoundsOf(arrow::uint32(), "[4294967295, 1]"), arrow::int64(), "1",
               "4294967295");
  ExpectBounds(BoundsOf(arrow::uint64(), "[18446744073709551615, 1]"),
               arrow::decimal128(20, 0), R"("1")", R"("18446744073709551615")");
}

TEST(Statistics, NanosecondsBoundTheMicrosecondsOnBothSides) {
  const auto type = arrow::timestamp(arrow::TimeUnit::NANO);
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  ExpectBounds(BoundsOf(type, "[1500, 2500]"), micros, "1", "3");
  ExpectBounds(BoundsOf(type, "[-1500, -500]"), micros, "-2", "0");
  ExpectBounds(BoundsOf(type, "[1000, 2000]"), micros, "1", "2");
}

TEST(Statistics, Int96AndNestedColumnsHaveNoBounds) {
  const Bounds int96 = BoundsOf(arrow::timestamp(arrow::TimeUnit::NANO), "[1000, 2000]",
                                {.int96_timestamps = true});
  EXPECT_EQ(int96.range.min.kind, Comparable::Kind::kNone);
  const Bounds list = BoundsOf(arrow::list(arrow::int32()), "[[1, 2], null, [null]]");
  EXPECT_EQ(list.range.min.kind, Comparable::Kind::kNone);
  EXPECT_TRUE(list.range.may_have_null && list.range.may_have_value);
  const Bounds nested =
      BoundsOf(arrow::struct_({arrow::field("x", arrow::int32())}), R"([null, null])");
  EXPECT_EQ(nested.range.min.kind, Comparable::Kind::kNone);
  EXPECT_TRUE(nested.range.may_have_value);
}

TEST(Statistics, NullCountsAreRead) {
  const Bounds none = BoundsOf(arrow::int32(), "[1, 2]");
  EXPECT_FALSE(none.range.may_have_null);
  EXPECT_TRUE(none.range.may_have_value);
  const Bounds some = BoundsOf(arrow::int32(), "[1, null]");
  EXPECT_TRUE(some.range.may_have_null && some.range.may_have_value);
  const Bounds all = BoundsOf(arrow::int32(), "[null, null]");
  EXPECT_TRUE(all.range.may_have_null);
  EXPECT_FALSE(all.range.may_have_value);
}

TEST(Statistics, WithoutThemNothingIsKnown) {
  const Bounds bounds = BoundsOf(arrow::int32(), "[1, 2]", {.statistics = false});
  EXPECT_TRUE(bounds.range.may_have_null && bounds.range.may_have_value);
  EXPECT_EQ(bounds.range.min.kind, Comparable::Kind::kNone);
  EXPECT_EQ(bounds.range.max.kind, Comparable::Kind::kNone);
}

TEST(Statistics, FloatingColumnsMayHideNan) {
  const Bounds bounds = BoundsOf(arrow::float64(), "[1.5, NaN, 2.5]");
  EXPECT_TRUE(bounds.range.may_have_nan);
  const PredicateTerm term{.column = "c",
                           .op = PredicateOp::kGreater,
                           .literals = {std::make_shared<arrow::DoubleScalar>(100)}};
  EXPECT_TRUE(MayMatch(ComparableTerm(term), bounds.range));
  EXPECT_FALSE(BoundsOf(arrow::int32(), "[1]").range.may_have_nan);
}

TEST(Statistics, ZerosOfBothSignsAreInside) {
  for (const char* json : {"[0.0]", "[-0.0]"}) {
    const Bounds bounds = BoundsOf(arrow::float64(), json);
    for (const double zero : {0.0, -0.0}) {
      const PredicateTerm term{.column = "c",
                               .op = PredicateOp::kEqual,
                               .literals = {std::make_shared<arrow::DoubleScalar>(zero)}};
      EXPECT_TRUE(MayMatch(ComparableTerm(term), bounds.range)) << json;
    }
  }
}

// Bytes of a wrong length say nothing, whatever the footer claims.
TEST(Statistics, MalformedBoundsAreIgnored) {
  for (const auto& type : {arrow::int32(), arrow::int64(), arrow::float64(),
                           arrow::boolean(), arrow::decimal128(38, 2)}) {
    const std::string json = type->id() == arrow::Type::BOOL         ? "[true]"
                             : type->id() == arrow::Type::DECIMAL128 ? R"(["1.00"])"
                                                                     : "[1]";
    const Bounds bounds = BoundsOf(type, json);
    ParquetRowGroup group = bounds.footer->row_groups[0];
    const std::string wrong(17, 'x');
    for (const size_t length : {size_t{0}, size_t{3}, size_t{17}}) {
      group.chunks[0].has_min_max = true;
      group.chunks[0].min = std::string_view(wrong).substr(0, length);
      group.chunks[0].max = group.chunks[0].min;
      const ColumnRange range = BoundsReader::Make(*bounds.footer->schema, 0).Read(group);
      if (type->id() != arrow::Type::DECIMAL128 || length != 3) {
        EXPECT_EQ(range.min.kind, Comparable::Kind::kNone) << *type << length;
        EXPECT_EQ(range.max.kind, Comparable::Kind::kNone) << *type << length;
      }
    }
    group.chunks.clear();
    EXPECT_EQ(BoundsReader::Make(*bounds.footer->schema, 0).Read(group).min.kind,
              Comparable::Kind::kNone);
  }
}

}  // namespace
}  // namespace wheelpit::index
