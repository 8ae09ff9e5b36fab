// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/table.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/index/footer_cache.h"
#include "wheelpit/index/parquet_test_file.h"
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

using TableResult = arrow::Result<std::shared_ptr<const Table>>;

class TableTest : public TableFixture {
 protected:
  TableResult Open(const std::string& name, const Predicate& filter = {},
                   FooterCache* cache = nullptr) {
    return OpenTable(At(name), filter, options_, file_system_.get(), context_, &metrics_,
                     cache);
  }
  std::vector<std::string> Names(const TableResult& table) {
    EXPECT_TRUE(table.ok()) << table.status();
    if (!table.ok()) {
      return {};
    }
    return Relative((*table)->files, [](const TableFile& file) { return file.path; });
  }
  void Write(const std::string& name, const std::vector<TestColumn>& columns,
             const TestFileOptions& options = {}) {
    directory_.Write(name, ParquetBytes(columns, options));
  }
  void WriteInts(const std::string& name, const std::string& json = "[1, 2]") {
    Write(name, {{"a", arrow::int32(), json}});
  }
  static std::vector<std::string> Fields(const TableResult& table) {
    std::vector<std::string> names;
    for (const auto& field : (*table)->schema->fields()) {
      names.push_back(field->name() + ":" + field->type()->ToString());
    }
    return names;
  }
  void ExpectError(const TableResult& table, ErrorKind kind, const std::string& text) {
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(core::KindOf(table.status()), kind) << table.status();
    EXPECT_THAT(table.status().message(), HasSubstr(text));
  }
};

TEST_F(TableTest, FilesAreSortedAndCarryTheirFooters) {
  WriteInts("t/b.parquet", "[1, 2, 3]");
  WriteInts("t/a.parquet");
  const TableResult table = Open("t");
  EXPECT_THAT(Names(table), ElementsAre("t/a.parquet", "t/b.parquet"));
  EXPECT_EQ((*table)->name, At("t"));
  EXPECT_EQ((*table)->file_system, file_system_.get());
  EXPECT_EQ((*table)->files[0].footer->row_count, 2);
  EXPECT_EQ((*table)->files[1].footer->row_count, 3);
  EXPECT_EQ((*table)->files[1].size_bytes,
            static_cast<int64_t>(std::filesystem::file_size(At("t/b.parquet"))));
  EXPECT_GT((*table)->files[0].mtime_nanos, 0);
  EXPECT_THAT(*(*table)->files[0].column_map, ElementsAre(0));
  EXPECT_EQ(Count(Metric::kFootersRead), 2);
  EXPECT_GT(Count(Metric::kBytesRead), 0);
}

TEST_F(TableTest, FilesOfOneSchemaShareIt) {
  for (int i = 0; i < 100; ++i) {
    WriteInts("t/f" + std::to_string(i) + ".parquet");
  }
  const TableResult table = Open("t/*.parquet");
  ASSERT_TRUE(table.ok()) << table.status();
  for (const TableFile& file : (*table)->files) {
    EXPECT_EQ(file.footer->schema, (*table)->files[0].footer->schema);
    EXPECT_EQ(file.column_map, (*table)->files[0].column_map);
  }
  // One open and one read each: the names and sizes came from the directory.
  EXPECT_EQ(syscalls_.preads, 100);
}

TEST_F(TableTest, FootersBeyondTheLimitAreRefusedBeforeAllAreRead) {
  for (int i = 0; i < 200; ++i) {
    WriteInts("t/f" + std::to_string(i) + ".parquet");
  }
  const auto table = Open("t").ValueOrDie();
  int64_t bytes = 0;
  for (const TableFile& file : table->files) {
    bytes += file.footer->memory_bytes();
  }
  options_.footer_bytes_max = bytes;
  EXPECT_TRUE(Open("t").ok());
  options_.footer_bytes_max = bytes / 4;
  const int64_t before = Count(Metric::kFootersRead);
  ExpectError(Open("t"), ErrorKind::kMemoryLimit, "set memory.limit to more than");
  EXPECT_LT(Count(Metric::kFootersRead) - before, 150);
}

TEST_F(TableTest, ColumnsAreMatchedByNameInOrderOfFirstAppearance) {
  Write("t/1.parquet", {{"a", arrow::int32(), "[1]"}, {"b", arrow::utf8(), "[\"x\"]"}});
  Write("t/2.parquet", {{"B", arrow::utf8(), "[\"y\"]"},
                        {"c", arrow::float64(), "[0.5]"},
                        {"A", arrow::int64(), "[2]"}});
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Fields(table), ElementsAre("a:int64", "b:string", "c:double"));
  EXPECT_THAT(*(*table)->files[0].column_map, ElementsAre(0, 1, -1));
  EXPECT_THAT(*(*table)->files[1].column_map, ElementsAre(2, 0, 1));
}

TEST_F(TableTest, TypesThatDoNotFitNameBothFilesAndAWayOut) {
  WriteInts("t/1.parquet");
  Write("t/2.parquet", {{"a", arrow::utf8(), "[\"x\"]"}});
  const TableResult table = Open("t");
  ExpectError(table, ErrorKind::kInvalidSql, "'a'");
  EXPECT_THAT(
      table.status().message(),
      AllOf(HasSubstr(At("t/1.parquet")), HasSubstr(At("t/2.parquet")),
            HasSubstr("is int in"), HasSubstr("string in"), HasSubstr("by a glob")));
}

TEST_F(TableTest, TwoColumnsOfOneNameAreAnError) {
  Write("t/1.parquet", {{"a", arrow::int32(), "[1]"}, {"A", arrow::int32(), "[1]"}});
  ExpectError(Open("t"), ErrorKind::kInvalidSql, "two columns named 'A'");
}

TEST_F(TableTest, PartitionColumnsComeLastWithTheirTypes) {
  WriteInts("t/y=2024/d=2024-01-31/s=a%2Fb/f.parquet");
  WriteInts("t/y=2025/d=__HIVE_DEFAULT_PARTITION__/s=1/f.parquet");
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Fields(table),
              ElementsAre("a:int32", "y:int32", "d:date32[day]", "s:string"));
  EXPECT_THAT((*table)->partition_columns, ElementsAre("y", "d", "s"));
  const TableFile& first = (*table)->files[0];
  EXPECT_THAT(*first.column_map, ElementsAre(0, -2, -3, -4));
  EXPECT_EQ(first.partition_values[0]->ToString(), "2024");
  EXPECT_EQ(first.partition_values[1]->ToString(), "2024-01-31");
  EXPECT_EQ(first.partition_values[2]->ToString(), "a/b");
  EXPECT_FALSE((*table)->files[1].partition_values[1]->is_valid);
}

TEST_F(TableTest, PartitionColumnsTakeThePlaceOfDataColumnsOfTheirName) {
  Write("t/A=7/f.parquet", {{"a", arrow::int64(), "[1]"}, {"b", arrow::int32(), "[2]"}});
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Fields(table), ElementsAre("A:int32", "b:int32"));
  EXPECT_THAT(*(*table)->files[0].column_map, ElementsAre(-2, 1));
}

TEST_F(TableTest, WithoutInferencePartitionValuesAreText) {
  WriteInts("t/k=01/f.parquet");
  options_.infer_partition_types = false;
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Fields(table), ElementsAre("a:int32", "k:string"));
  EXPECT_EQ((*table)->files[0].partition_values[0]->ToString(), "01");
}

TEST_F(TableTest, TypesOfPartitionsIncludePrunedValues) {
  WriteInts("t/k=1/f.parquet");
  WriteInts("t/k=2.5/f.parquet");
  const TableResult table =
      Open("t", {{.column = "k",
                  .op = PredicateOp::kEqual,
                  .literals = {std::make_shared<arrow::Int32Scalar>(1)}}});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Names(table), ElementsAre("t/k=1/f.parquet"));
  EXPECT_THAT(Fields(table), ElementsAre("a:int32", "k:double"));
}

TEST_F(TableTest, TimeStampPartitionsAreOfTheSessionZone) {
  WriteInts("t/k=2024-07-01 12%3A00%3A00/f.parquet");
  options_.time_zone = "America/New_York";
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->files[0].partition_values[0]->ToString(),
            "2024-07-01 16:00:00.000000Z");
}

TEST_F(TableTest, WhenEveryPartitionIsPrunedTheSchemaIsThereAndNoFile) {
  WriteInts("t/k=1/f.parquet");
  WriteInts("t/k=2/f.parquet");
  const TableResult table =
      Open("t", {{.column = "k",
                  .op = PredicateOp::kEqual,
                  .literals = {std::make_shared<arrow::Int32Scalar>(9)}}});
  EXPECT_THAT(Names(table), IsEmpty());
  EXPECT_THAT(Fields(table), ElementsAre("a:int32", "k:int32"));
  EXPECT_EQ(Count(Metric::kFootersRead), 1);
  EXPECT_EQ(Count(Metric::kPartitionsPruned), 2);
}

TEST_F(TableTest, TablesWithoutAFileSayWhatIsThere) {
  directory_.MakeDirectory("empty");
  ExpectError(Open("empty"), ErrorKind::kNotFound, At("empty"));
  directory_.Write("hidden/_SUCCESS", "");
  ExpectError(Open("hidden"), ErrorKind::kNotFound, "1 name that is passed over");
  directory_.Write("zero/f.parquet", "");
  ExpectError(Open("zero"), ErrorKind::kNotFound, "1 file of zero bytes");
  ExpectError(Open("zero/f.parquet"), ErrorKind::kNotFound, "1 file of zero bytes");
}

TEST_F(TableTest, EmptyFilesAmongGoodOnesAreSkipped) {
  WriteInts("t/a.parquet");
  directory_.Write("t/b.parquet", "");
  EXPECT_THAT(Names(Open("t")), ElementsAre("t/a.parquet"));
  EXPECT_EQ(Count(Metric::kFilesEmpty), 1);
}

TEST_F(TableTest, FilesWithoutRowsBelongToTheTable) {
  WriteInts("t/a.parquet", "[]");
  const TableResult table = Open("t");
  EXPECT_THAT(Names(table), ElementsAre("t/a.parquet"));
  EXPECT_EQ((*table)->files[0].footer->row_count, 0);
}

TEST_F(TableTest, FilesThatAreNotParquetAreNamedWithAGlobThatLeavesThemOut) {
  WriteInts("t/a.parquet");
  directory_.Write("t/notes.txt", "these are only some notes about the table");
  const TableResult table = Open("t");
  ExpectError(table, ErrorKind::kCorrupt, At("t/notes.txt"));
  EXPECT_THAT(table.status().message(), HasSubstr("'" + At("t/*.parquet") + "'"));
  EXPECT_THAT(Names(Open("t/*.parquet")), ElementsAre("t/a.parquet"));
  // A bad file that is called Parquet is damaged, not misplaced.
  directory_.Write("u/bad.parquet", "these are only some notes about the table");
  const TableResult bad = Open("u");
  ExpectError(bad, ErrorKind::kCorrupt, At("u/bad.parquet"));
  EXPECT_THAT(bad.status().message(), Not(HasSubstr("glob")));
}

TEST_F(TableTest, TruncatedFilesAreNamed) {
  const std::string bytes = ParquetBytes({{"a", arrow::int32(), "[1, 2, 3]"}});
  for (const size_t length :
       {size_t{1}, size_t{7}, size_t{11}, bytes.size() / 2, bytes.size() - 1}) {
    directory_.Write("t/f.parquet", bytes.substr(0, length));
    ExpectError(Open("t"), ErrorKind::kCorrupt, At("t/f.parquet"));
  }
}

TEST_F(TableTest, UnreadableFilesFailStrictlyAndAreCountedLeniently) {
  WriteInts("t/a.parquet");
  WriteInts("t/b.parquet");
  WriteInts("t/c.parquet");
  syscalls_.failures[At("t/b.parquet")] = EACCES;
  const TableResult table = Open("t");
  ExpectError(table, ErrorKind::kPermission, At("t/b.parquet"));
  EXPECT_THAT(table.status().message(), HasSubstr("index.ignore_missing"));
  options_.ignore_missing = true;
  EXPECT_THAT(Names(Open("t")), ElementsAre("t/a.parquet", "t/c.parquet"));
  EXPECT_EQ(Count(Metric::kFilesSkipped), 1);
}

TEST_F(TableTest, FilesRemovedAfterListingFailStrictlyAndAreCountedLeniently) {
  WriteInts("t/a.parquet");
  WriteInts("t/b.parquet");
  syscalls_.before_open = [&](const char* path) {
    if (path == At("t/b.parquet")) {
      std::filesystem::remove(path);
    }
  };
  ExpectError(Open("t"), ErrorKind::kNotFound, At("t/b.parquet"));
  WriteInts("t/b.parquet");
  options_.ignore_missing = true;
  EXPECT_THAT(Names(Open("t")), ElementsAre("t/a.parquet"));
  EXPECT_EQ(Count(Metric::kFilesSkipped), 1);
}

TEST_F(TableTest, FilesThatChangeWhileTheTableIsOpenedAreErrors) {
  WriteInts("t/a.parquet");
  syscalls_.before_open = [&](const char* path) {
    if (path == At("t/a.parquet")) {
      std::filesystem::resize_file(path, 20);
    }
  };
  const TableResult table = Open("t");
  ExpectError(table, ErrorKind::kIo, At("t/a.parquet"));
  EXPECT_THAT(table.status().message(), HasSubstr("when it was listed"));
}

TEST_F(TableTest, OtherFailuresAreErrorsEvenLeniently) {
  WriteInts("t/a.parquet");
  WriteInts("t/b.parquet");
  syscalls_.failures[At("t/b.parquet")] = EIO;
  options_.ignore_missing = true;
  ExpectError(Open("t"), ErrorKind::kIo, At("t/b.parquet"));
}

TEST_F(TableTest, OddNamesReachTheMessagesQuoted) {
  directory_.Write("t/new\nline \xff.parquet", "not parquet at all, just some text");
  const TableResult table = Open("t");
  ExpectError(table, ErrorKind::kCorrupt, "new\\nline \\xff.parquet");
  EXPECT_THAT(table.status().message(), Not(HasSubstr("\n")));
}

TEST_F(TableTest, StopsWhileFootersAreRead) {
  for (int i = 0; i < 200; ++i) {
    WriteInts("t/f" + std::to_string(i) + ".parquet");
  }
  arrow::StopSource source;
  context_.stop = source.token();
  syscalls_.before_open = [&](const char* path) {
    if (std::string_view(path).ends_with("/f150.parquet")) {
      source.RequestStop();
    }
  };
  ExpectError(Open("t"), ErrorKind::kCancelled, "");
  EXPECT_LT(syscalls_.opens, 200);
}

TEST_F(TableTest, OneThreadIsEnoughEvenFromInside) {
  for (int i = 0; i < 50; ++i) {
    WriteInts("t/k=" + std::to_string(i) + "/f.parquet");
  }
  threads_ = core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
                 .ValueOrDie();
  context_.io = threads_.get();
  core::Signal done;
  size_t count = 0;
  threads_->Submit([&] {
    count = Names(Open("t")).size();
    done.Fire();
  });
  done.wait().Block();
  EXPECT_EQ(count, 50u);
}

TEST_F(TableTest, TwoThousandColumnsAreUnited) {
  std::vector<TestColumn> columns;
  for (int i = 0; i < 2000; ++i) {
    columns.push_back({"c" + std::to_string(i), arrow::int32(), "[1]"});
  }
  Write("t/a.parquet", columns);
  columns.back().name = "other";
  Write("t/b.parquet", columns);
  const TableResult table = Open("t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->schema->num_fields(), 2001);
  EXPECT_EQ((*table)->files[1].column_map->at(1999), -1);
  EXPECT_EQ((*table)->files[1].column_map->at(2000), 1999);
}

TEST_F(TableTest, TenThousandFilesOpenAsOneTable) {
  const std::string bytes = ParquetBytes({{"a", arrow::int32(), "[1]"}});
  for (int i = 0; i < 10'000; ++i) {
    directory_.Write("t/f" + std::to_string(i) + ".parquet", bytes);
  }
  const TableResult table = Open("t/*.parquet");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->files.size(), 10'000u);
  EXPECT_EQ(syscalls_.preads, 10'000);
  // Files and the one directory that the wildcard is in.
  EXPECT_EQ(Count(Metric::kDirectoriesListed), 1);
}

// Every call that opening a table makes fails once, one run after another, until a run
// meets no failure. Each failure is an error and leaves nothing open.
TEST_F(TableTest, AnyFailingCallIsAnErrorAndLeavesNothingOpen) {
  WriteInts("t/k=1/a.parquet");
  WriteInts("t/k=2/b.parquet");
  WriteInts("t/k=2/c.parquet");
  threads_ = core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
                 .ValueOrDie();
  context_.io = threads_.get();
  for (const char* path : {"t", "t/k=*/*.parquet", "t/k=2/b.parquet"}) {
    int failures = 0;
    for (int n = 0;; ++n) {
      syscalls_.calls = 0;
      syscalls_.fail_at = n;
      const TableResult table = Open(path);
      EXPECT_EQ(syscalls_.open_files, 0);
      if (table.ok()) {
        EXPECT_FALSE(syscalls_.failed) << "a failure went unnoticed at call " << n;
        break;
      }
      ASSERT_TRUE(syscalls_.failed) << table.status();
      ExpectError(table, ErrorKind::kIo, Root());
      syscalls_.failed = false;
      ++failures;
    }
    EXPECT_GE(failures, 6) << path;
    syscalls_.fail_at = -1;
  }
}

class CachedTableTest : public TableTest {
 protected:
  // Settled: written long ago as far as the cache can tell.
  void WriteSettled(const std::string& name, const std::string& json = "[1, 2]") {
    WriteInts(name, json);
    std::filesystem::last_write_time(
        At(name), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  std::unique_ptr<memory::ProcessBudget> process_ =
      memory::ProcessBudget::Make(1 << 30, arrow::default_memory_pool()).ValueOrDie();
  std::unique_ptr<FooterCache> owned_cache_ =
      FooterCache::Make(1 << 20, process_.get()).ValueOrDie();
  FooterCache& cache_ = *owned_cache_;
};

TEST_F(CachedTableTest, FootersOfUnchangedFilesAreNotReadAgain) {
  WriteSettled("t/a.parquet");
  WriteSettled("t/b.parquet");
  ASSERT_TRUE(Open("t", {}, &cache_).ok());
  EXPECT_EQ(Count(Metric::kFooterCacheHits), 0);
  const int preads = syscalls_.preads;
  const TableResult again = Open("t", {}, &cache_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(Count(Metric::kFooterCacheHits), 2);
  EXPECT_EQ(Count(Metric::kFootersRead), 2);
  EXPECT_EQ(syscalls_.preads, preads);
  EXPECT_EQ((*again)->files[0].footer->row_count, 2);
}

TEST_F(CachedTableTest, ReplacedFilesAreReadAgain) {
  WriteSettled("t/a.parquet");
  ASSERT_TRUE(Open("t", {}, &cache_).ok());
  WriteSettled("t/new.parquet", "[3, 4]");
  std::filesystem::rename(At("t/new.parquet"), At("t/a.parquet"));
  const TableResult again = Open("t", {}, &cache_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(Count(Metric::kFooterCacheHits), 0);
  EXPECT_EQ((*again)->files.size(), 1u);
}

TEST_F(CachedTableTest, FilesWrittenJustNowAreReadAgain) {
  WriteInts("t/a.parquet");
  ASSERT_TRUE(Open("t", {}, &cache_).ok());
  ASSERT_TRUE(Open("t", {}, &cache_).ok());
  EXPECT_EQ(Count(Metric::kFooterCacheHits), 0);
}

}  // namespace
}  // namespace wheelpit::index
