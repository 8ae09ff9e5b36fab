// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, or change while they are scanned. Run under address and
// undefined-behaviour sanitizers too.
#include <random>
#include <set>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using core::ErrorKind;
using core::KindOf;
using parquet::WriterProperties;

std::shared_ptr<arrow::Table> SmallTable(int64_t rows) {
  arrow::Int64Builder few;
  arrow::Int64Builder many;
  arrow::StringBuilder texts;
  arrow::BooleanBuilder flags;
  arrow::ListBuilder lists(arrow::default_memory_pool(),
                           std::make_shared<arrow::Int64Builder>());
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE((i % 5 == 0 ? few.AppendNull() : few.Append(i % 3)).ok());
    EXPECT_TRUE(many.Append(i * 1'000'003).ok());
    EXPECT_TRUE(texts.Append(std::string(static_cast<size_t>(i % 4), 't')).ok());
    EXPECT_TRUE(flags.Append(i % 2 == 0).ok());
    EXPECT_TRUE(lists.Append().ok());
    EXPECT_TRUE(static_cast<arrow::Int64Builder*>(lists.value_builder())->Append(i).ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("few", arrow::int64()),
                     arrow::field("many", arrow::int64(), false),
                     arrow::field("text", arrow::utf8()),
                     arrow::field("flag", arrow::boolean()),
                     arrow::field("list", arrow::list(arrow::int64()))}),
      {few.Finish().ValueOrDie(), many.Finish().ValueOrDie(), texts.Finish().ValueOrDie(),
       flags.Finish().ValueOrDie(), lists.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::Buffer> Flipped(const arrow::Buffer& bytes, int64_t at,
                                       uint8_t bits) {
  std::string copy = bytes.ToString();
  copy[static_cast<size_t>(at)] = static_cast<char>(copy[static_cast<size_t>(at)] ^ bits);
  return arrow::Buffer::FromString(std::move(copy));
}

int64_t DataEnd(const ScannedTable& scanned) {
  int64_t end = 0;
  for (const auto& group : scanned.table->files[0].footer->row_groups) {
    for (const auto& chunk : group.chunks) {
      end = std::max(end, chunk.offset() + chunk.compressed_bytes);
    }
  }
  return end;
}

TEST(ScanBadInput, FlippedBytesGiveRowsOrACorruptionThatNamesItsPlace) {
  const auto table = SmallTable(60);
  using Builder = WriterProperties::Builder;
  const std::vector<std::shared_ptr<WriterProperties>> options = {
      Builder().build(),
      Builder().disable_dictionary()->build(),
      Builder()
          .data_page_version(parquet::ParquetDataPageVersion::V2)
          ->compression(parquet::Compression::SNAPPY)
          ->build(),
      Builder()
          .disable_dictionary()
          ->encoding(parquet::Encoding::DELTA_BINARY_PACKED)
          ->encoding("text", parquet::Encoding::DELTA_BYTE_ARRAY)
          ->encoding("flag", parquet::Encoding::RLE)
          ->compression(parquet::Compression::ZSTD)
          ->build(),
  };
  std::mt19937 random(11);
  std::string seen;
  for (const auto& properties : options) {
    const auto bytes = WriteParquet(*table, properties, 30);
    ScannedTable scanned;
    scanned.Add("f.parquet", bytes);
    const int64_t end = DataEnd(scanned);
    for (int64_t at = 4; at < end; ++at) {
      for (const uint8_t bits : {uint8_t{1}, static_cast<uint8_t>(random() | 0x80)}) {
        scanned.file_system.Put("f.parquet", Flipped(*bytes, at, bits));
        std::vector<std::unique_ptr<RowFilter>> filters;
        if (at % 2 == 0) {
          filters.push_back(ValueFilter<int64_t>(0, [](int64_t v) { return v != 1; }));
        }
        const auto read = scanned.Run({0, 1, 2, 3, 4}, std::move(filters));
        if (read.ok()) {
          EXPECT_LE((*read)->num_rows(), 60);
          continue;
        }
        const auto kind = KindOf(read.status());
        EXPECT_TRUE(kind == ErrorKind::kCorrupt || kind == ErrorKind::kUnsupported)
            << at << ": " << read.status();
        EXPECT_EQ(read.status().message().find("f.parquet: "), 0u) << read.status();
        seen += read.status().message() + "\n";
      }
    }
  }
  for (const char* words :
       {"beyond its dictionary", "no page header here", "does not decompress",
        "fewer rows than", "column 'few'", "row group 1"}) {
    EXPECT_NE(seen.find(words), std::string::npos) << words;
  }
}

TEST(ScanBadInput, ChecksumsAreChecked) {
  const auto bytes = WriteParquet(
      *SmallTable(60),
      WriterProperties::Builder().enable_page_checksum()->disable_dictionary()->build());
  ScannedTable scanned;
  scanned.Add("f", bytes);
  const auto& chunk = scanned.table->files[0].footer->row_groups[0].chunks[1];
  // The last byte of the column is a value's, and any value is a good one.
  scanned.file_system.Put(
      "f", Flipped(*bytes, chunk.offset() + chunk.compressed_bytes - 1, 1));
  const auto status = scanned.Run({1}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(status.message().find("checksum"), std::string::npos) << status;
}

TEST(ScanBadInput, FilesThatVanishOrChangeAreNamed) {
  const auto bytes = WriteParquet(*SmallTable(60), WriterProperties::Builder().build());
  ScannedTable scanned;
  scanned.Add("gone.parquet", bytes);
  scanned.file_system.Put("gone.parquet", arrow::SliceBuffer(bytes, 0, 100));
  auto status = scanned.Run({1}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(status.message().find("gone.parquet: it has 100 bytes and had"), 0u)
      << status;
  scanned.file_system.Remove("gone.parquet");
  status = scanned.Run({1}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
}

// What a scan says when one fact of the footer is bent.
arrow::Status RunWith(const std::function<void(index::ParquetChunk*)>& bend) {
  ScannedTable scanned;
  scanned.Add("f",
              WriteParquet(*SmallTable(60), WriterProperties::Builder()
                                                .compression(parquet::Compression::SNAPPY)
                                                ->build()));
  auto footer = std::make_shared<index::ParquetFooter>(*scanned.table->files[0].footer);
  bend(&footer->row_groups[0].chunks[1]);
  scanned.table->files[0].footer = footer;
  return scanned.Run({1}).status();
}

TEST(ScanBadInput, WrongAndUnknownCodecsAreTold) {
  for (const int codec : {0, 2, 4, 6, 7}) {
    const auto status = RunWith(
        [&](index::ParquetChunk* chunk) { chunk->codec = static_cast<int8_t>(codec); });
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << codec << status;
  }
  const auto status = RunWith([](index::ParquetChunk* chunk) { chunk->codec = 3; });
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
  EXPECT_NE(status.message().find("write the file with"), std::string::npos) << status;
}

TEST(ScanBadInput, ChunksThatEndEarlyAreTold) {
  for (const int64_t cut : {1, 50, 200}) {
    const auto status =
        RunWith([&](index::ParquetChunk* chunk) { chunk->compressed_bytes -= cut; });
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << status;
  }
}

}  // namespace
}  // namespace wheelpit::exec
