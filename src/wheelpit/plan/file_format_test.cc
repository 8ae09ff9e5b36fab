// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/file_format.h"

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::plan {
namespace {

FileFormat Parsed(std::string_view path, const std::vector<FileOption>& options = {}) {
  auto format = ParseFileFormat(path, options);
  EXPECT_TRUE(format.ok()) << format.status();
  return format.ValueOr(FileFormat{});
}

std::string Refused(std::string_view path, std::vector<FileOption> options) {
  for (size_t i = 0; i < options.size(); ++i) {
    options[i].name_range = {static_cast<int64_t>(100 * i), 1};
    options[i].value_range = {static_cast<int64_t>(100 * i + 50), 1};
  }
  const auto format = ParseFileFormat(path, options, {7, 3});
  EXPECT_FALSE(format.ok());
  const core::ErrorInfo info = core::InfoOf(format.status());
  EXPECT_EQ(info.kind, core::ErrorKind::kInvalidSql) << format.status();
  return std::to_string(info.sql_offset) + " " + format.status().message();
}

TEST(FileFormat, IsThatOfTheExtensionInAnyCase) {
  EXPECT_EQ(Parsed("a/b.parquet").kind, FileKind::kParquet);
  EXPECT_EQ(Parsed("B.PARQUET").kind, FileKind::kParquet);
  EXPECT_EQ(Parsed("x.csv").kind, FileKind::kCsv);
  EXPECT_EQ(Parsed("x.tsv").kind, FileKind::kCsv);
  EXPECT_EQ(Parsed("x.tsv").delimiter, '\t');
  EXPECT_EQ(Parsed("x.json").kind, FileKind::kJson);
  EXPECT_EQ(Parsed("x.ndjson").kind, FileKind::kJsonLines);
  EXPECT_EQ(Parsed("x.jsonl").kind, FileKind::kJsonLines);
  EXPECT_EQ(Parsed("x.arrow").kind, FileKind::kArrowFile);
  EXPECT_EQ(Parsed("x.feather").kind, FileKind::kArrowFile);
  EXPECT_EQ(Parsed("x.arrows").kind, FileKind::kArrowStream);
  EXPECT_EQ(Parsed("x.md").kind, FileKind::kMarkdown);
}

TEST(FileFormat, OptionWinsOverExtension) {
  EXPECT_EQ(Parsed("x.parquet", {{"Format", "CSV"}}).kind, FileKind::kCsv);
  EXPECT_EQ(Parsed("/dev/stdout", {{"format", "parquet"}}).kind, FileKind::kParquet);
}

TEST(FileFormat, NeedsOneOfTheTwo) {
  EXPECT_EQ(Refused("dir.csv/x", {}),
            "7 the name of the file does not tell its format: let it end in .parquet, "
            ".csv, .tsv, .json, .ndjson, .arrow or .md, or write (FORMAT parquet)");
}

TEST(FileFormat, CompressionDependsOnTheFormat) {
  EXPECT_EQ(Parsed("x.parquet").codec, FileCodec::kSnappy);
  EXPECT_EQ(Parsed("x.arrow").codec, FileCodec::kNone);
  const auto zstd =
      Parsed("x.parquet", {{"compression_level", "19"}, {"compression", "zstd"}});
  EXPECT_EQ(zstd.codec, FileCodec::kZstd);
  EXPECT_EQ(zstd.codec_level, 19);
  EXPECT_EQ(Refused("x.arrow", {{"compression", "snappy"}}),
            "50 Arrow files are compressed with none, lz4 or zstd");
  EXPECT_EQ(Refused("x.csv", {{"compression", "gzip"}}),
            "0 csv has no option compression");
  EXPECT_EQ(Refused("x.parquet", {{"compression_level", "3"}}),
            "0 compression_level is for zstd and gzip; snappy has no levels");
  EXPECT_EQ(Refused("x.parquet", {{"codec", "gzip"}, {"compression_level", "10"}}),
            "150 compression_level takes a whole number from 1 to 9, not '10'");
}

TEST(FileFormat, NamesTheNearestNameOfAWrongOne) {
  EXPECT_EQ(Refused("x.csv", {{"haeder", "true"}}),
            "0 COPY has no option 'haeder'; did you mean header?");
  EXPECT_EQ(Refused("x", {{"format", "parket"}}),
            "50 there is no format 'parket'; did you mean parquet?");
  EXPECT_EQ(Refused("x.parquet", {{"compression", "brotli"}}),
            "50 there is no compression 'brotli'; there are none, snappy, zstd, gzip, "
            "lz4");
}

TEST(FileFormat, ChecksValues) {
  const auto csv =
      Parsed("x.csv", {{"header", "FALSE"}, {"sep", "\\t"}, {"null", "NULL"}});
  EXPECT_FALSE(csv.header);
  EXPECT_EQ(csv.delimiter, '\t');
  EXPECT_EQ(csv.null_text, "NULL");
  EXPECT_EQ(Parsed("x.parquet", {{"row_group_size", "5000"}}).row_group_rows, 5000);
  EXPECT_EQ(Parsed("x.parquet", {{"row_group_size_bytes", "1MiB"}}).row_group_bytes,
            1 << 20);
  for (const char* value : {"", "\"", "\n", ",,", "\xc3\xa9"}) {
    EXPECT_NE(Refused("x.csv", {{"delimiter", value}}).find("one ASCII character"),
              std::string::npos);
  }
  for (const char* value : {"0", "-1", "x", "1x", "99999999999999999999"}) {
    EXPECT_NE(Refused("x.parquet", {{"row_group_size", value}}).find("whole number"),
              std::string::npos);
  }
  EXPECT_NE(Refused("x.csv", {{"header", "maybe"}}).find("true or false"),
            std::string::npos);
  EXPECT_NE(Refused("x.csv", {{"null", "a,b"}}).find("without quotes"),
            std::string::npos);
  EXPECT_NE(Refused("x.parquet", {{"row_group_size_bytes", "1"}}).find("64 KiB"),
            std::string::npos);
}

TEST(FileFormat, TakesEachOptionOnceUnderAnyOfItsNames) {
  EXPECT_EQ(Refused("x.csv", {{"sep", ";"}, {"delimiter", ","}}),
            "100 the option delimiter is there twice; once is enough");
}

}  // namespace
}  // namespace wheelpit::plan
