// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/byte_size.h"

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::core {
namespace {

TEST(Counted, HasTheRightEnding) {
  EXPECT_EQ(Counted(0, "file"), "0 files");
  EXPECT_EQ(Counted(1, "file"), "1 file");
  EXPECT_EQ(Counted(2, "file"), "2 files");
}

TEST(ByteSize, DecimalAndBinaryUnitsDiffer) {
  EXPECT_EQ(ParseByteSize("1MB").ValueOrDie(), 1'000'000);
  EXPECT_EQ(ParseByteSize("1MiB").ValueOrDie(), 1 << 20);
  EXPECT_EQ(ParseByteSize("64 MiB").ValueOrDie(), 64 << 20);
  EXPECT_EQ(ParseByteSize("1.5gib").ValueOrDie(), 1536LL << 20);
  EXPECT_EQ(ParseByteSize("100g").ValueOrDie(), 100'000'000'000);
  EXPECT_EQ(ParseByteSize("4096").ValueOrDie(), 4096);
  EXPECT_EQ(ParseByteSize("0").ValueOrDie(), 0);
  EXPECT_EQ(ParseByteSize("9223372036854775807").ValueOrDie(), INT64_MAX);
}

TEST(ByteSize, WhatIsNoSizeIsAConfigurationErrorThatQuotesIt) {
  for (const char* text : {"", "MB", "-1", "1XB", "1e9", "1.2.3MB", "9223372036854775808",
                           "99999999TiB", " 1", "0x10", "1.5.GB", "nan", "1..5"}) {
    const auto size = ParseByteSize(text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(KindOf(size.status()), ErrorKind::kConfiguration) << text;
    EXPECT_NE(size.status().message().find(text), std::string::npos) << text;
  }
}

TEST(ByteSize, FormatIsExactWhereAUnitFits) {
  EXPECT_EQ(FormatByteSize(64 << 20), "64 MiB");
  EXPECT_EQ(FormatByteSize(512'000'000), "512 MB");
  EXPECT_EQ(FormatByteSize(1'432'100'000), "1.4 GB");
  EXPECT_EQ(FormatByteSize(1'000'000'000'000), "1 TB");
  EXPECT_EQ(FormatByteSize(24684084LL << 10), "25.3 GB");
  EXPECT_EQ(FormatByteSize(1'432'123'456), "1.4 GB");
  EXPECT_EQ(FormatByteSize(999), "999 B");
  EXPECT_EQ(FormatByteSize(0), "0 B");
}

}  // namespace
}  // namespace wheelpit::core
