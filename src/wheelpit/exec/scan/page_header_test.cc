// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/page_header.h"

#include <string>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {
namespace {

using namespace std::string_view_literals;

// type 0, sizes 10 and 20 bytes, crc 7, data page header {5 values, encoding 8, 3, 3}.
constexpr auto kDataPage =
    "\x15\x00\x15\x28\x15\x14\x15\x0e\x1c\x15\x0a\x15\x10\x15\x06\x15\x06\x00\x00"sv;

TEST(PageHeader, ADataPageReadsAsItIs) {
  const auto header = DecodePageHeader(std::string(kDataPage) + "body").ValueOrDie();
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, PageKind::kData);
  EXPECT_EQ(header->header_bytes, static_cast<int32_t>(kDataPage.size()));
  EXPECT_EQ(header->uncompressed_bytes, 20);
  EXPECT_EQ(header->compressed_bytes, 10);
  EXPECT_EQ(header->crc, 7u);
  EXPECT_EQ(header->value_count, 5);
  EXPECT_EQ(header->encoding, 8);
  EXPECT_EQ(header->definition_encoding, 3);
}

TEST(PageHeader, EveryBeginningAsksForMore) {
  for (size_t size = 0; size < kDataPage.size(); ++size) {
    const auto header = DecodePageHeader(kDataPage.substr(0, size));
    ASSERT_TRUE(header.ok()) << size;
    EXPECT_FALSE(*header) << size;
  }
}

TEST(PageHeader, NegativeSizesAreCorrupt) {
  std::string bytes(kDataPage);
  bytes[5] = '\x13';  // zigzag of -10
  EXPECT_EQ(core::KindOf(DecodePageHeader(bytes).status()), core::ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace wheelpit::exec
