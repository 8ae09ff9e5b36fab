// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/listing.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/index/table_fixture.h"

namespace wheelpit::index {
namespace {

using core::ErrorKind;
using core::Metric;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class ListingTest : public TableFixture {
 protected:
  arrow::Result<FileListing> ListPath(const std::string& path,
                                      const Predicate& filter = {}) {
    return ListFiles(path, filter, options_, file_system_.get(), context_, &metrics_,
                     &sample_);
  }
  arrow::Result<FileListing> List(const std::string& name = "",
                                  const Predicate& filter = {}) {
    return ListPath(name.empty() ? Root() : At(name), filter);
  }
  std::vector<std::string> Names(const arrow::Result<FileListing>& listing) {
    EXPECT_TRUE(listing.ok()) << listing.status();
    if (!listing.ok()) {
      return {};
    }
    return Relative(listing->files,
                    [](const ListedFile& file) { return file.info.path; });
  }
  void ExpectError(const arrow::Result<FileListing>& listing, ErrorKind kind,
                   const std::string& text) {
    EXPECT_FALSE(listing.ok());
    EXPECT_EQ(core::KindOf(listing.status()), kind) << listing.status();
    EXPECT_THAT(listing.status().message(), HasSubstr(text));
  }
  static Predicate Equals(const std::string& column, int32_t value) {
    return {{.column = column,
             .op = PredicateOp::kEqual,
             .literals = {std::make_shared<arrow::Int32Scalar>(value)}}};
  }

  FileListing sample_;
};

TEST_F(ListingTest, RootIsAFileADirectoryOrAGlob) {
  directory_.Write("t/b.parquet");
  directory_.Write("t/a.parquet");
  directory_.Write("t/sub/c.parquet");
  directory_.Write("t/notes.txt");
  EXPECT_THAT(Names(List("t/a.parquet")), ElementsAre("t/a.parquet"));
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a.parquet", "t/b.parquet", "t/notes.txt",
                                            "t/sub/c.parquet"));
  EXPECT_THAT(Names(List("t/*.parquet")), ElementsAre("t/a.parquet", "t/b.parquet"));
  EXPECT_THAT(Names(List("t/{a,x}.parquet")), ElementsAre("t/a.parquet"));
  EXPECT_THAT(Names(List("?/[a-b].parquet")), ElementsAre("t/a.parquet", "t/b.parquet"));
  EXPECT_THAT(Names(List("t/{sub/c,b}.parquet")),
              ElementsAre("t/b.parquet", "t/sub/c.parquet"));
}

TEST_F(ListingTest, DoubleStarGoesDownAnyNumberOfLevels) {
  directory_.Write("t/a.parquet");
  directory_.Write("t/x/b.parquet");
  directory_.Write("t/x/y/c.parquet");
  directory_.Write("t/x/y/d.txt");
  directory_.Write("t/_x/e.parquet");
  EXPECT_THAT(Names(List("t/**/*.parquet")),
              ElementsAre("t/a.parquet", "t/x/b.parquet", "t/x/y/c.parquet"));
  EXPECT_THAT(Names(List("t/**/y/*.parquet")), ElementsAre("t/x/y/c.parquet"));
  EXPECT_THAT(Names(List("t/**")), ElementsAre("t/a.parquet", "t/x/b.parquet",
                                               "t/x/y/c.parquet", "t/x/y/d.txt"));
}

TEST_F(ListingTest, PathsThatExistAreNotReadAsGlobs) {
  directory_.Write("t/a[1].parquet");
  directory_.Write("t/a1.parquet");
  directory_.Write("t/{x}/b.parquet");
  EXPECT_THAT(Names(List("t/a[1].parquet")), ElementsAre("t/a[1].parquet"));
  EXPECT_THAT(Names(List("t/{x}")), ElementsAre("t/{x}/b.parquet"));
  EXPECT_THAT(Names(List("t/a\\[1\\]*")), ElementsAre("t/a[1].parquet"));
}

TEST_F(ListingTest, RelativePathsStayRelative) {
  const std::filesystem::path before = std::filesystem::current_path();
  directory_.Write("t/a.parquet");
  std::filesystem::current_path(Root());
  for (const char* path :
       {"t", "./t", "t/", "t//a.parquet", "t/*", "*/a.parquet", "t/./"}) {
    const auto listing = ListPath(path);
    ASSERT_TRUE(listing.ok()) << listing.status();
    ASSERT_EQ(listing->files.size(), 1u) << path;
    EXPECT_EQ(listing->files[0].info.path, "t/a.parquet") << path;
  }
  std::filesystem::current_path(before);
}

TEST_F(ListingTest, HiddenNamesArePassedOverAsSparkDoes) {
  for (const char* name :
       {"_SUCCESS", ".part.crc", "part.crc", ".hidden", "_x", "a._COPYING_", "_metadata",
        "_common_metadata", "_temporary/0/f", ".hive-staging/f", "_a/b=1/f", "x.y/.z"}) {
    directory_.Write(std::string("t/") + name);
  }
  for (const char* name : {"part-0", "a_b", "x.y/z", "_d=1.parquet", "a.crc.parquet"}) {
    directory_.Write(std::string("t/") + name);
  }
  EXPECT_THAT(Names(List("t")), ElementsAre("t/_d=1.parquet", "t/a.crc.parquet", "t/a_b",
                                            "t/part-0", "t/x.y/z"));
  EXPECT_EQ(Count(Metric::kFilesHidden), 12);
  EXPECT_EQ(Count(Metric::kFilesListed), 5);
  // Hidden directories are never entered.
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 2);
}

TEST_F(ListingTest, PartitionDirectoriesMayBeginWithAnUnderscore) {
  directory_.Write("t/_k=1/f");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/_k=1/f"));
}

TEST_F(ListingTest, RootsThemselvesAreNeverHidden) {
  directory_.Write(".hive/_t/f");
  directory_.Write(".hive/_t/_file");
  EXPECT_THAT(Names(List(".hive/_t")), ElementsAre(".hive/_t/f"));
  EXPECT_THAT(Names(List(".hive/_t/_file")), ElementsAre(".hive/_t/_file"));
}

TEST_F(ListingTest, WildcardsPassHiddenNamesOverUnlessSpelled) {
  directory_.Write("t/a");
  directory_.Write("t/_b");
  directory_.Write("t/.c");
  EXPECT_THAT(Names(List("t/*")), ElementsAre("t/a"));
  EXPECT_THAT(Names(List("t/_*")), ElementsAre("t/_b"));
  EXPECT_THAT(Names(List("t/{a,.}*")), ElementsAre("t/.c", "t/a"));
}

TEST_F(ListingTest, RootsGivenTwiceOrInsideEachOtherGiveEachFileOnce) {
  directory_.Write("t/a");
  directory_.Write("t/sub/b");
  EXPECT_THAT(Names(List("{t,t}")), ElementsAre("t/a", "t/sub/b"));
  EXPECT_THAT(Names(List("{t,t/sub}")), ElementsAre("t/a", "t/sub/b"));
  EXPECT_THAT(Names(List("{t/sub,t/a,t/sub/b,t//a,t/}")), ElementsAre("t/a", "t/sub/b"));
  EXPECT_THAT(Names(List("t/**/*")), ElementsAre("t/a", "t/sub/b"));
}

TEST_F(ListingTest, OddNamesAreListedByteForByte) {
  const std::vector<std::string> names = {"a b",  "50%",       "%41",    "a:b",
                                          "x::y", "new\nline", "q?#[z]", "caf\xe9",
                                          "日本", "a+b"};
  for (const std::string& name : names) {
    directory_.Write("t/" + name);
  }
  std::vector<std::string> expected;
  for (const std::string& name : names) {
    expected.push_back("t/" + name);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(Names(List("t")), expected);
}

TEST_F(ListingTest, KeysAreNamesUnescapedAndValuesAsTheyAre) {
  directory_.Write("t/a%20b=1/c=x%3Dy/f");
  const auto listing = List("t");
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->directories.size(), 1u);
  EXPECT_EQ(listing->directories[0].keys,
            (std::vector<PartitionKey>{{"a b", "1"}, {"c", "x%3Dy"}}));
  EXPECT_EQ(listing->directories[0].base, At("t"));
}

TEST_F(ListingTest, TheFirstEqualsSignDividesNameFromValue) {
  directory_.Write("t/a=b=c/f");
  const auto listing = List("t");
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(listing->directories[0].keys, (std::vector<PartitionKey>{{"a", "b=c"}}));
}

TEST_F(ListingTest, PlainDirectoriesMayLieAboveAndBelowTheKeys) {
  directory_.Write("t/x/a=1/f");
  directory_.Write("t/x/a=2/y/z/f");
  const auto listing = List("t");
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_THAT(Names(listing), ElementsAre("t/x/a=1/f", "t/x/a=2/y/z/f"));
  for (const ListedDirectory& directory : listing->directories) {
    EXPECT_EQ(directory.keys.size(), 1u);
    EXPECT_EQ(directory.base, At("t/x"));
  }
}

TEST_F(ListingTest, ConflictingStructuresAreErrorsThatNameBoth) {
  directory_.Write("names/a=1/f");
  directory_.Write("names/b=2/f");
  ExpectError(List("names"), ErrorKind::kInvalidSql, "conflicting partition columns");
  directory_.Write("depth/a=1/f");
  directory_.Write("depth/a=1/b=2/f");
  ExpectError(List("depth"), ErrorKind::kInvalidSql, At("depth/a=1/b=2"));
  directory_.Write("beside/f");
  directory_.Write("beside/a=1/f");
  ExpectError(List("beside"), ErrorKind::kInvalidSql, "beside the partition");
  directory_.Write("plain/x/f");
  directory_.Write("plain/a=1/f");
  ExpectError(List("plain"), ErrorKind::kInvalidSql, At("plain/x"));
  directory_.Write("bases/x/a=1/f");
  directory_.Write("bases/y/a=1/f");
  ExpectError(List("bases"), ErrorKind::kInvalidSql, "directory structures");
  directory_.Write("twice/a=1/A=2/f");
  ExpectError(List("twice"), ErrorKind::kInvalidSql, "a second time");
  directory_.Write("no_name/=1/f");
  ExpectError(List("no_name"), ErrorKind::kInvalidSql, "without a name");
  directory_.Write("no_value/a=/f");
  ExpectError(List("no_value"), ErrorKind::kInvalidSql, "without a value");
  directory_.Write("between/a=1/x/b=2/f");
  ExpectError(List("between"), ErrorKind::kInvalidSql, "must follow each other");
}

TEST_F(ListingTest, KeyNamesThatDifferOnlyByCaseAreOneColumn) {
  directory_.Write("t/a=1/f");
  directory_.Write("t/A=2/f");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/A=2/f", "t/a=1/f"));
}

TEST_F(ListingTest, DirectoriesWithoutDataMakeNoConflict) {
  directory_.Write("t/a=1/f");
  directory_.MakeDirectory("t/b=2");
  directory_.MakeDirectory("t/a=");
  directory_.Write("t/c=3/_SUCCESS");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a=1/f"));
}

TEST_F(ListingTest, KeysBeginAtTheRootUnlessABasePathSaysOtherwise) {
  directory_.Write("t/a=1/b=2/f");
  auto listing = List("t/a=1");
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(listing->directories[0].keys, (std::vector<PartitionKey>{{"b", "2"}}));
  options_.base_path = At("t/");
  for (const char* root : {"t/a=1", "t/a=*", "t/a=1/b=2/f", "t"}) {
    listing = List(root);
    ASSERT_TRUE(listing.ok()) << listing.status();
    EXPECT_EQ(listing->directories[0].keys,
              (std::vector<PartitionKey>{{"a", "1"}, {"b", "2"}}))
        << root;
    EXPECT_EQ(listing->directories[0].base, At("t"));
  }
  options_.base_path = At("elsewhere");
  ExpectError(List("t"), ErrorKind::kConfiguration, "not above");
}

TEST_F(ListingTest, PartitionsThatTheFilterExcludesAreNotListed) {
  for (int year = 2020; year < 2030; ++year) {
    for (int month = 1; month <= 12; ++month) {
      directory_.Write("t/year=" + std::to_string(year) +
                       "/month=" + std::to_string(month) + "/f");
    }
  }
  Predicate filter = Equals("year", 2024);
  EXPECT_EQ(Names(List("t", filter)).size(), 12u);
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 1 + 1 + 12);
  EXPECT_EQ(Count(Metric::kPartitionsPruned), 9);
  filter.push_back(Equals("MONTH", 3).front());
  EXPECT_THAT(Names(List("t", filter)), ElementsAre("t/year=2024/month=3/f"));
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 14 + 3);
  EXPECT_EQ(Count(Metric::kPartitionsPruned), 9 + 9 + 11);
}

TEST_F(ListingTest, RootsBelowABasePathArePrunedToo) {
  directory_.Write("t/a=1/f");
  directory_.Write("t/a=2/f");
  options_.base_path = At("t");
  EXPECT_THAT(Names(List("t/a=*", Equals("a", 2))), ElementsAre("t/a=2/f"));
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 1 + 1);
}

TEST_F(ListingTest, WhenAllIsPrunedOneDirectoryIsListedForItsSchema) {
  directory_.MakeDirectory("t/a=1");
  directory_.Write("t/a=2/b=1/f");
  directory_.Write("t/a=3/b=1/f");
  const auto listing = List("t", Equals("a", 7));
  EXPECT_THAT(Names(listing), IsEmpty());
  EXPECT_THAT(Names(arrow::Result<FileListing>(sample_)), ElementsAre("t/a=2/b=1/f"));
  EXPECT_EQ(sample_.directories[0].keys.size(), 2u);
}

TEST_F(ListingTest, WithoutRecursionOnlyTheDirectoryItselfIsRead) {
  directory_.Write("t/a");
  directory_.Write("t/sub/b");
  options_.recursive = false;
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a"));
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 1);
}

TEST_F(ListingTest, EmptyFilesAreSkippedAndCounted) {
  directory_.Write("t/a", "");
  directory_.Write("t/b", "x");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/b"));
  EXPECT_EQ(Count(Metric::kFilesEmpty), 1);
  EXPECT_EQ(Count(Metric::kFilesListed), 1);
}

TEST_F(ListingTest, MissingPathsSuggestANameThatIsNear) {
  directory_.Write("lineitem/a.parquet");
  directory_.Write("orders/a.parquet");
  ExpectError(List("linitem"), ErrorKind::kNotFound,
              "did you mean '" + At("lineitem") + "'");
  ExpectError(List("nothing-like-it"), ErrorKind::kNotFound, At("nothing-like-it"));
  EXPECT_THAT(List("nothing-like-it").status().message(), Not(HasSubstr("did you mean")));
  ExpectError(List("no/such/depth"), ErrorKind::kNotFound,
              "'" + Root() + "' has no 'no'");
  ExpectError(ListPath(""), ErrorKind::kNotFound, "the path is empty");
}

TEST_F(ListingTest, GlobsThatMatchNothingSayIt) {
  directory_.Write("t/a");
  ExpectError(List("t/*.parquet"), ErrorKind::kNotFound, "nothing matches");
  ExpectError(List("x/*/*.parquet"), ErrorKind::kNotFound, "nothing matches");
  ExpectError(List("t/a/*"), ErrorKind::kNotFound, "nothing matches");
  ExpectError(List("t/[a"), ErrorKind::kInvalidSql, "never closed");
}

TEST_F(ListingTest, ForbiddenDirectoriesFailStrictlyAndAreCountedLeniently) {
  for (int i = 0; i < 100; ++i) {
    directory_.Write("t/d" + std::to_string(i) + "/f");
  }
  syscalls_.failures[At("t/d42")] = EACCES;
  ExpectError(List("t"), ErrorKind::kPermission, At("t/d42"));
  EXPECT_THAT(List("t").status().message(), HasSubstr("index.ignore_missing"));
  options_.ignore_missing = true;
  EXPECT_EQ(Names(List("t")).size(), 99u);
  EXPECT_EQ(Count(Metric::kFilesSkipped), 1);
}

TEST_F(ListingTest, ForbiddenRootsFailLenientlyToo) {
  directory_.Write("t/f");
  syscalls_.failures[At("t")] = EACCES;
  options_.ignore_missing = true;
  ExpectError(List("t"), ErrorKind::kPermission, At("t"));
}

TEST_F(ListingTest, DirectoriesThatVanishAreOneMissingSubtreeAndNoMore) {
  directory_.Write("t/a/f");
  directory_.Write("t/b/f");
  directory_.Write("t/c/f");
  syscalls_.before_open = [&](const char* path) {
    if (path == At("t/b")) {
      std::filesystem::remove_all(path);
    }
  };
  ExpectError(List("t"), ErrorKind::kNotFound, At("t/b"));
  directory_.Write("t/b/f");
  options_.ignore_missing = true;
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a/f", "t/c/f"));
  EXPECT_EQ(Count(Metric::kFilesSkipped), 1);
}

TEST_F(ListingTest, LinksThatLeadNowhereFailStrictlyAndAreCountedLeniently) {
  directory_.Write("t/f");
  directory_.MakeLink("t/dangling", "nothing");
  directory_.MakeLink("t/self", "self");
  ExpectError(List("t"), ErrorKind::kNotFound, At("t/dangling"));
  ExpectError(List("t/*"), ErrorKind::kNotFound, At("t/dangling"));
  options_.ignore_missing = true;
  EXPECT_THAT(Names(List("t")), ElementsAre("t/f"));
  EXPECT_EQ(Count(Metric::kFilesSkipped), 2);
}

TEST_F(ListingTest, OtherFailuresAreErrorsEvenLeniently) {
  directory_.Write("t/a/f");
  syscalls_.failures[At("t/a")] = EIO;
  options_.ignore_missing = true;
  ExpectError(List("t"), ErrorKind::kIo, At("t/a"));
}

TEST_F(ListingTest, LinkLoopsEndAndEachRealFileIsListedOnce) {
  directory_.Write("t/a/f1");
  directory_.Write("t/b/f2");
  directory_.MakeLink("t/a/up", "..");
  directory_.MakeLink("t/b/here", ".");
  directory_.MakeLink("t/root", Root());
  directory_.MakeLink("t/a/across", "../b");
  directory_.MakeLink("t/b/across", "../a");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a/f1", "t/b/f2"));
}

// Each directory with links to all the others: as many paths as there are orders.
TEST_F(ListingTest, LinksAcrossDoNotMultiply) {
  constexpr int kCount = 12;
  for (int i = 0; i < kCount; ++i) {
    directory_.Write("t/d" + std::to_string(i) + "/f");
    for (int j = 0; j < kCount; ++j) {
      directory_.MakeLink("t/d" + std::to_string(i) + "/l" + std::to_string(j),
                          "../d" + std::to_string(j));
    }
  }
  EXPECT_EQ(Names(List("t")).size(), static_cast<size_t>(kCount));
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 1 + kCount);
}

TEST_F(ListingTest, LinkedPartitionsKeepTheirOwnValues) {
  directory_.Write("data/f");
  directory_.MakeDirectory("t");
  directory_.MakeLink("t/a=1", "../data");
  directory_.MakeLink("t/a=2", "../data");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/a=1/f", "t/a=2/f"));
}

TEST_F(ListingTest, LinksAreNotFollowedWhenNotWanted) {
  directory_.Write("t/f");
  directory_.Write("elsewhere/g");
  directory_.MakeLink("t/file", "f");
  directory_.MakeLink("t/directory", "../elsewhere");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/directory/g", "t/f", "t/file"));
  options_.follow_symlinks = false;
  EXPECT_THAT(Names(List("t")), ElementsAre("t/f"));
  EXPECT_THAT(Names(List("t/*")), ElementsAre("t/f"));
  // What the query names is followed all the same.
  EXPECT_THAT(Names(List("t/directory")), ElementsAre("t/directory/g"));
}

TEST_F(ListingTest, VeryDeepTreesAreAnError) {
  std::string path = "t";
  for (int i = 0; i < 140; ++i) {
    path += "/d";
  }
  directory_.Write(path + "/f");
  ExpectError(List("t"), ErrorKind::kIo, "nested deeper");
}

TEST_F(ListingTest, PipesAndSocketsAreNoDataFiles) {
  directory_.Write("t/f");
  ASSERT_EQ(::mkfifo(At("t/pipe").c_str(), 0600), 0);
  EXPECT_THAT(Names(List("t")), ElementsAre("t/f"));
  ExpectError(List("t/pipe"), ErrorKind::kIo, "neither a file nor a directory");
}

TEST_F(ListingTest, TablesOfOtherFormatsAreRefusedWithTheSettingThatReadsThem) {
  directory_.Write("lake/delta/part-0.parquet");
  directory_.Write("lake/delta/k=1/part-1.parquet");
  directory_.Write("lake/delta/_delta_log/00000000000000000000.json");
  directory_.Write("hudi/p/part-0.parquet");
  directory_.Write("hudi/.hoodie/hoodie.properties");
  directory_.Write("iceberg/data/k=1/part-0.parquet");
  directory_.Write("iceberg/metadata/v1.metadata.json");
  for (const char* path :
       {"lake/delta", "lake", "lake/*", "lake/delta/*.parquet",
        "lake/delta/part-0.parquet", "lake/delta/k=1", "lake/delta/k=1/part-1.parquet"}) {
    ExpectError(List(path), ErrorKind::kUnsupported, "Delta");
    EXPECT_THAT(
        List(path).status().message(),
        AllOf(HasSubstr(At("lake/delta")), HasSubstr("index.read_table_formats")));
  }
  ExpectError(List("hudi"), ErrorKind::kUnsupported, "Hudi");
  for (const char* path : {"iceberg", "iceberg/data", "iceberg/data/k=1",
                           "iceberg/data/k=1/*", "iceberg/data/*"}) {
    ExpectError(List(path), ErrorKind::kUnsupported, "Iceberg");
  }
  options_.read_table_formats = true;
  EXPECT_THAT(Names(List("hudi")), ElementsAre("hudi/p/part-0.parquet"));
  EXPECT_THAT(Names(List("lake/delta/*.parquet")),
              ElementsAre("lake/delta/part-0.parquet"));
}

TEST_F(ListingTest, WhatLiesAnywhereInATableOfAnotherFormatIsRefused) {
  directory_.Write("lake/hudi/.hoodie/hoodie.properties");
  directory_.Write("lake/hudi/2024/01/a.parquet");
  directory_.Write("lake/iceberg/data/abcd/ef/a.parquet");
  directory_.Write("lake/iceberg/metadata/v1.metadata.json");
  directory_.Write("lake/iceberg/moved/a.parquet");
  directory_.Write("lake/good/2024/01/a.parquet");
  for (const char* path :
       {"lake/hudi/2024", "lake/hudi/2024/01", "lake/hudi/*/*", "lake/hudi/*/*/*.parquet",
        "lake/hudi/2024/01/a.parquet", "lake/hudi/../hudi/2024"}) {
    ExpectError(List(path), ErrorKind::kUnsupported, "Hudi");
  }
  for (const char* path : {"lake/iceberg/data/abcd", "lake/iceberg/data/*/*/*.parquet",
                           "lake/iceberg/data/abcd/ef/a.parquet", "lake/iceberg/moved"}) {
    ExpectError(List(path), ErrorKind::kUnsupported, "Iceberg");
  }
  EXPECT_THAT(Names(List("lake/good/*/*/*.parquet")),
              ElementsAre("lake/good/2024/01/a.parquet"));
  EXPECT_THAT(Names(List("lake/hudi/../good/2024")),
              ElementsAre("lake/hudi/../good/2024/01/a.parquet"));
}

TEST_F(ListingTest, ALinkIntoATableOrInsideOneIsRefused) {
  directory_.Write("delta/_delta_log/00000000000000000000.json");
  directory_.Write("delta/p/q/a.parquet");
  directory_.Write("elsewhere/b.parquet");
  directory_.MakeLink("into", At("delta/p/q"));
  directory_.MakeLink("delta/linked", At("elsewhere"));
  for (const char* path : {"into", "into/a.parquet", "delta/linked"}) {
    ExpectError(List(path), ErrorKind::kUnsupported, "Delta");
  }
  EXPECT_THAT(Names(List("elsewhere")), ElementsAre("elsewhere/b.parquet"));
}

TEST_F(ListingTest, AncestorsAreLookedAtOnceForAllRoots) {
  for (int i = 0; i < 100; ++i) {
    directory_.Write("t/d" + std::to_string(i) + "/f");
  }
  ASSERT_TRUE(List("t/d0").ok());
  const int one = syscalls_.calls;
  syscalls_.calls = 0;
  ASSERT_TRUE(List("t/*").ok());
  EXPECT_LT(syscalls_.calls, one + 100 * 8);
}

TEST_F(ListingTest, DirectoriesThatOnlySoundLikeAFormatAreRead) {
  directory_.Write("t/data/f");
  directory_.Write("t/metadata/readme.txt");
  EXPECT_THAT(Names(List("t")), ElementsAre("t/data/f", "t/metadata/readme.txt"));
}

TEST_F(ListingTest, StopsWhenAsked) {
  for (int i = 0; i < 50; ++i) {
    directory_.Write("t/d" + std::to_string(i) + "/f");
  }
  arrow::StopSource source;
  context_.stop = source.token();
  syscalls_.before_open = [&](const char* path) {
    if (std::string_view(path).ends_with("/d20")) {
      source.RequestStop();
    }
  };
  const auto listing = List("t");
  EXPECT_EQ(core::KindOf(listing.status()), ErrorKind::kCancelled);
}

TEST_F(ListingTest, OneThreadIsEnoughEvenFromInside) {
  for (int i = 0; i < 20; ++i) {
    directory_.Write("t/d" + std::to_string(i) + "/e/f");
  }
  threads_ = core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
                 .ValueOrDie();
  context_.io = threads_.get();
  core::Signal done;
  size_t count = 0;
  threads_->Submit([&] {
    count = Names(List("t")).size();
    done.Fire();
  });
  done.wait().Block();
  EXPECT_EQ(count, 20u);
}

TEST_F(ListingTest, WideAndDeepTreesAreListedTheSameByAnyThreads) {
  for (int i = 0; i < 300; ++i) {
    directory_.Write("t/a=" + std::to_string(i % 7) + "/b=" + std::to_string(i % 11) +
                     "/f" + std::to_string(i));
  }
  const std::vector<std::string> first = Names(List("t"));
  EXPECT_EQ(first.size(), 300u);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Names(List("t")), first);
  }
}

}  // namespace
}  // namespace wheelpit::index
