// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/thrift_compact.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace wheelpit::index {
namespace {

using namespace std::string_view_literals;

TEST(ThriftReader, ReadsZigzagVarintsToTheirLimits) {
  const auto bytes =
      "\x01"
      "\x02"
      "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv;
  ThriftReader reader(bytes);
  EXPECT_EQ(reader.ReadI64(), -1);
  EXPECT_EQ(reader.ReadI64(), 1);
  EXPECT_EQ(reader.ReadI64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(reader.ReadI64(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0);
}

TEST(ThriftReader, RefusesVarintsBeyondTheirWidth) {
  ThriftReader longer("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv);
  EXPECT_EQ(longer.ReadI64(), 0);
  EXPECT_FALSE(longer.ok());
  ThriftReader endless("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"sv);
  endless.ReadI64();
  EXPECT_FALSE(endless.ok());
  ThriftReader wide("\x80\x80\x80\x80\x10"sv);  // 2^31
  EXPECT_EQ(wide.ReadI32(), 0);
  EXPECT_FALSE(wide.ok());
}

TEST(ThriftReader, AFailureEndsEveryLoopAndStays) {
  ThriftReader reader(
      "\x18\x7f"
      "abc"sv);  // field 1, binary of 127 bytes
  ThriftField field;
  ASSERT_TRUE(reader.NextField(&field));
  EXPECT_EQ(reader.ReadBinary(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_FALSE(reader.NextField(&field));
  EXPECT_EQ(reader.ReadI64(), 0);
  EXPECT_FALSE(reader.ok());
}

TEST(ThriftReader, ListsAreNoLongerThanTheBytesThatAreLeft) {
  ThriftReader reader("\xf8\xff\xff\xff\xff\x0f\x01\x02"sv);
  ThriftType type;
  EXPECT_EQ(reader.ReadListHeader(&type), 0);
  EXPECT_FALSE(reader.ok());
}

TEST(ThriftReader, SkipsEveryTypeByItsLength) {
  // A struct of: true, i8, i16, double, binary, list<bool>, map<i32, binary>,
  // struct{}, uuid; then a byte that must be next.
  std::string bytes = "\x11\x13\x05\x14\x7e\x17";
  bytes += std::string(8, 'd');
  bytes += "\x18\x03xyz\x19\x21\x01\x02\x1b\x01\x58\x06\x01v\x1c";
  bytes += '\0';
  bytes += "\x1d" + std::string(16, 'u');
  bytes += '\0';
  bytes += '\x2a';
  ThriftReader reader(bytes);
  reader.Skip(ThriftType::kStruct);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.ReadByte(), 0x2a);
}

TEST(ThriftReader, NestingBeyondTheLimitFails) {
  const std::string lists(200, '\x19');  // list of one list of one list…
  ThriftReader reader(lists);
  reader.Skip(ThriftType::kList);
  EXPECT_FALSE(reader.ok());
  const std::string structs(100'000, '\x1c');
  ThriftReader deep(structs);
  deep.Skip(ThriftType::kStruct);
  EXPECT_FALSE(deep.ok());
}

TEST(ThriftReader, SkippingNoiseEndsWithinTheBytes) {
  std::mt19937 random(42);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    ThriftReader reader(bytes);
    reader.Skip(static_cast<ThriftType>(random() % 16));
    EXPECT_GE(reader.remaining(), 0);
  }
}

}  // namespace
}  // namespace wheelpit::index
