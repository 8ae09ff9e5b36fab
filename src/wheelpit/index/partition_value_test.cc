// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/partition_value.h"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::index {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) {
      return parts;
    }
    begin = end + 1;
  }
}

// Spark's name of a type.
std::string SparkName(PartitionType type) {
  using Kind = PartitionType::Kind;
  switch (type.kind) {
    case Kind::kNull:
      return "void";
    case Kind::kInt:
      return "int";
    case Kind::kLong:
      return "bigint";
    case Kind::kDecimal:
      return "decimal(" + std::to_string(type.precision) + ",0)";
    case Kind::kDouble:
      return "double";
    case Kind::kTimestamp:
      return "timestamp";
    case Kind::kDate:
      return "date";
    case Kind::kString:
      return "string";
  }
  return "";
}

// Whether a scalar shows what Spark showed; doubles are compared as numbers.
bool Shows(const arrow::Scalar& scalar, const std::string& text) {
  if (!scalar.is_valid) {
    return text == "\\N";
  }
  if (scalar.type->id() == arrow::Type::DOUBLE) {
    const double expected = text == "NaN" ? std::nan("") : std::stod(text);
    const double value = static_cast<const arrow::DoubleScalar&>(scalar).value;
    return (std::isnan(value) && std::isnan(expected)) ||
           (value == expected && std::signbit(value) == std::signbit(expected));
  }
  std::string shown = scalar.ToString();
  if (scalar.type->id() == arrow::Type::TIMESTAMP) {
    // 2024-01-31 10:11:12.500000Z; Spark shows no zeros at the end.
    shown = shown.substr(0, shown.find('Z'));
    while (shown.back() == '0' && shown.find('.') != std::string::npos) {
      shown.pop_back();
    }
    if (shown.back() == '.') {
      shown.pop_back();
    }
  }
  return shown == text;
}

TEST(PartitionValue, TypesAndValuesAreThoseOfSpark) {
  std::ifstream file(WHEELPIT_INDEX_TESTDATA "/spark_partitions.txt");
  ASSERT_TRUE(file.good());
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    const std::vector<std::string> columns = Split(line, '\t');
    ASSERT_EQ(columns.size(), 4u) << line;
    PartitionType type;
    const std::vector<std::string> values = Split(columns[1], '|');
    for (const std::string& value : values) {
      type = Widen(type, InferPartitionType(value, columns[0] == "on"));
    }
    // Times of day are text here: no other part of the engine has the type.
    const bool is_time = columns[2].starts_with("time(");
    EXPECT_EQ(SparkName(type), is_time ? "string" : columns[2]) << line;
    const std::vector<std::string> shown = Split(columns[3], '|');
    for (size_t i = 0; i < values.size(); ++i) {
      const auto scalar = MakePartitionScalar(values[i], type, "UTC");
      ASSERT_TRUE(scalar.ok()) << line << " " << scalar.status();
      EXPECT_TRUE((*scalar)->type->Equals(*ToArrow(type))) << line;
      // Years of five digits are shown in Spark's way only by Spark.
      if (!values[i].starts_with("+10000")) {
        EXPECT_TRUE(Shows(**scalar, shown[i])) << line << " " << (*scalar)->ToString();
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 250);
}

TEST(PartitionValue, WideningDoesNotDependOnTheOrder) {
  const std::vector<std::string> values = {"1",
                                           "3000000000",
                                           "99999999999999999999",
                                           "1.5",
                                           "2024-01-31",
                                           "2024-01-31 10%3A11%3A12",
                                           std::string(kNullPartition),
                                           "abc",
                                           "1e5"};
  for (const std::string& a : values) {
    for (const std::string& b : values) {
      const PartitionType x = InferPartitionType(a, true);
      const PartitionType y = InferPartitionType(b, true);
      EXPECT_EQ(Widen(x, y), Widen(y, x)) << a << " " << b;
      for (const std::string& c : values) {
        const PartitionType z = InferPartitionType(c, true);
        EXPECT_EQ(Widen(Widen(x, y), z), Widen(x, Widen(y, z))) << a << b << c;
      }
    }
  }
}

TEST(UnescapePathName, DecodesBytesAndKeepsWhatIsNoEscape) {
  EXPECT_EQ(UnescapePathName("a%20b%2Fc%3a"), "a b/c:");
  EXPECT_EQ(UnescapePathName("100%"), "100%");
  EXPECT_EQ(UnescapePathName("%4"), "%4");
  EXPECT_EQ(UnescapePathName("%zz%g1%1g"), "%zz%g1%1g");
  EXPECT_EQ(UnescapePathName("%C3%BC%FF"), "ü\xff");
  EXPECT_EQ(UnescapePathName("%2541"), "%41");
  EXPECT_EQ(UnescapePathName(""), "");
}

// Characters that Spark escapes in names, and some that it does not, there and back.
TEST(UnescapePathName, RestoresEveryByte) {
  std::string text;
  std::string escaped;
  for (int byte = 1; byte < 256; ++byte) {
    constexpr char kHex[] = "0123456789ABCDEF";
    text += static_cast<char>(byte);
    escaped += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  EXPECT_EQ(UnescapePathName(escaped), text);
}

TEST(PartitionValue, LongDigitsDoNotOverflow) {
  const std::string digits(100'000, '9');
  EXPECT_EQ(InferPartitionType(digits, true).kind, PartitionType::Kind::kDouble);
  EXPECT_EQ(InferPartitionType("1e" + digits, true).kind, PartitionType::Kind::kDouble);
  EXPECT_EQ(InferPartitionType("1e-" + digits, true).kind, PartitionType::Kind::kDouble);
  EXPECT_EQ(InferPartitionType("+" + digits + "-01-01", true).kind,
            PartitionType::Kind::kString);
  EXPECT_EQ(InferPartitionType("0x1p" + digits, true).kind, PartitionType::Kind::kString);
}

}  // namespace
}  // namespace wheelpit::index
