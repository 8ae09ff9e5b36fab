// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/file_format.h"

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::plan {
namespace {

constexpr SourceRange kPath = {.offset = 3, .length = 9};

arrow::Result<FileFormat> Parse(std::string_view path,
                                std::vector<FileOption> options = {}) {
  return ParseFileFormat(path, kPath, options);
}

FileOption Option(std::string name, std::string value) {
  return {.name = std::move(name),
          .value = std::move(value),
          .range = {.offset = 20, .length = 5}};
}

void ExpectRefused(std::string_view path, std::vector<FileOption> options,
                   std::string_view part, int64_t offset = 20) {
  const auto format = Parse(path, std::move(options));
  ASSERT_FALSE(format.ok()) << part;
  const auto info = core::InfoOf(format.status());
  EXPECT_EQ(info.kind, core::ErrorKind::kInvalidSql);
  EXPECT_EQ(info.sql_offset, offset);
  EXPECT_NE(format.status().message().find(part), std::string::npos) << format.status();
}

TEST(FileFormat, TheExtensionSaysWhatIsWritten) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"a.parquet", "parquet"}, {"a.b/x.CSV", "csv"},   {"x.tsv", "csv (delimiter \\t)"},
      {"x.ndjson", "ndjson"},   {"x.jsonl", "ndjson"},  {"x.json", "json"},
      {"x.csv.arrow", "arrow"}, {"x.feather", "arrow"}, {"x.md", "markdown"}};
  for (const auto& [path, text] : expected) {
    const auto format = Parse(path);
    ASSERT_TRUE(format.ok()) << format.status();
    EXPECT_EQ(ToString(*format), text);
  }
  for (const std::string_view path : {"x", "x.", "a.csv/x", "x.gz", "x.markdown", ""}) {
    ExpectRefused(path, {}, "(FORMAT parquet)", kPath.offset);
  }
}

TEST(FileFormat, OptionsAreTakenInAnyCaseAndByOtherNames) {
  const auto parquet =
      Parse("x", {Option("FORMAT", "Parquet"), Option("Compression_Level", "7"),
                  Option("COMPRESSION", "ZSTD"), Option("row_group_size", "1000"),
                  Option("row_group_bytes", "8MiB")})
          .ValueOrDie();
  EXPECT_EQ(parquet.kind, FileFormatKind::kParquet);
  EXPECT_EQ(parquet.codec, FileCodec::kZstd);
  EXPECT_EQ(parquet.codec_level, 7);
  EXPECT_EQ(parquet.row_group_rows, 1000);
  EXPECT_EQ(parquet.row_group_bytes, 8 << 20);
  EXPECT_EQ(ToString(parquet),
            "parquet (codec zstd 7, row_group_rows 1000, row_group_bytes 8 MiB)");
  const auto csv = Parse("x.csv", {Option("header", "FALSE"), Option("sep", "\\t"),
                                   Option("nullstr", "NA")})
                       .ValueOrDie();
  EXPECT_FALSE(csv.header);
  EXPECT_EQ(csv.delimiter, '\t');
  EXPECT_EQ(csv.null_text, "NA");
  EXPECT_EQ(Parse("x.arrow").ValueOrDie().codec, FileCodec::kNone);
  EXPECT_EQ(Parse("x.parquet").ValueOrDie().codec, FileCodec::kSnappy);
}

TEST(FileFormat, TheOptionGoesBeforeTheExtension) {
  EXPECT_EQ(Parse("x.csv", {Option("format", "parquet")}).ValueOrDie().kind,
            FileFormatKind::kParquet);
}

TEST(FileFormat, WrongNamesAndValuesSayWhatIsRight) {
  ExpectRefused("x.parquet", {Option("codek", "zstd")}, "did you mean codec?");
  ExpectRefused("x.parquet", {Option("quux_of_all", "1")}, "there are format, codec,");
  ExpectRefused("x", {Option("format", "parket")}, "did you mean parquet?");
  ExpectRefused("x", {Option("format", "")},
                "parquet, csv, ndjson, json, arrow and mark");
  ExpectRefused("x.parquet", {Option("codec", "zstt")}, "did you mean zstd?");
  ExpectRefused("x.arrow", {Option("codec", "snappy")}, "none, zstd and lz4");
  ExpectRefused("x.parquet", {Option("header", "true")}, "it has codec, codec_level,");
  ExpectRefused("x.ndjson", {Option("codec", "zstd")}, "it has none");
  ExpectRefused("x.parquet", {Option("codec_level", "3")}, "snappy has no levels");
  ExpectRefused("x.parquet", {Option("codec", "zstd"), Option("codec_level", "23")},
                "from 1 to 22");
  ExpectRefused("x.parquet", {Option("codec", "gzip"), Option("codec_level", "10")},
                "from 1 to 9");
  ExpectRefused("x.parquet", {Option("row_group_rows", "0")}, "from 1 to");
  ExpectRefused("x.parquet", {Option("row_group_rows", "many")}, "not 'many'");
  ExpectRefused("x.parquet", {Option("row_group_bytes", "1")}, "64 KiB to 1 GiB");
  ExpectRefused("x.parquet", {Option("row_group_bytes", "8 miles")}, "8 miles");
  ExpectRefused("x.csv", {Option("header", "maybe")}, "true or false");
  for (const char* text : {"", "ab", "\"", "\n", "\xc3\xa9"}) {
    ExpectRefused("x.csv", {Option("delimiter", text)}, "one ASCII character");
  }
  ExpectRefused("x.csv", {Option("null_text", "a;b"), Option("delimiter", ";")},
                "may hold no delimiter");
  ExpectRefused("x.csv", {Option("header", "true"), Option("HEADER", "true")},
                "given twice");
  ExpectRefused("x.parquet", {Option("codec", "zstd"), Option("compression", "zstd")},
                "codec is another name of it");
}

}  // namespace
}  // namespace wheelpit::plan
