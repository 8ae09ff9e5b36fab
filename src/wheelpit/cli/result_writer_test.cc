// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/result_writer.h"

#include <csignal>
#include <sstream>

#include <arrow/array/builder_base.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {
namespace {

using Cells = std::vector<std::vector<const char*>>;  // by column; nullptr is null

class Capture {
 public:
  Capture() { EXPECT_EQ(pipe(fds_), 0); }
  ~Capture() { close(fds_[0]); }
  int fd() const { return fds_[1]; }
  std::string Text() {
    close(fds_[1]);
    std::string text(1 << 16, '\0');
    const ssize_t size = read(fds_[0], text.data(), text.size());
    text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return text;
  }

 private:
  int fds_[2] = {};
};

std::string Render(Format format, const arrow::Schema& titles, const Cells& cells,
                   WriterOptions options = {}) {
  io::KernelSyscalls syscalls;
  Capture capture;
  Output output(syscalls, capture.fd(), "test");
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const auto& column : cells) {
    // The schema's titles; its types too, where the cells are of them.
    auto field = titles.field(static_cast<int>(columns.size()));
    for (const char* cell : column) {
      if (cell != nullptr && !arrow::Scalar::Parse(field->type(), cell).ok()) {
        field = field->WithType(arrow::utf8());
      }
    }
    std::unique_ptr<arrow::ArrayBuilder> builder;
    EXPECT_TRUE(
        arrow::MakeBuilder(arrow::default_memory_pool(), field->type(), &builder).ok());
    for (const char* cell : column) {
      EXPECT_TRUE((cell == nullptr
                       ? builder->AppendNull()
                       : builder->AppendScalar(
                             *arrow::Scalar::Parse(field->type(), cell).ValueOrDie()))
                      .ok());
    }
    fields.push_back(field);
    columns.push_back(builder->Finish().ValueOrDie());
  }
  const int64_t rows = cells.empty() ? 0 : static_cast<int64_t>(cells[0].size());
  const auto schema = arrow::schema(fields);
  options.pool = arrow::default_memory_pool();
  auto writer = MakeResultWriter(format, schema, options, &output).ValueOrDie();
  EXPECT_TRUE(writer->Begin().ok());
  EXPECT_TRUE(writer->Write(*arrow::RecordBatch::Make(schema, rows, columns)).ok());
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_TRUE(output.Flush().ok());
  return capture.Text();
}

const arrow::Schema& TwoColumns() {
  static const auto schema = arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
  return *schema;
}

TEST(ResultWriter, FormatsForProgramsAreThoseOfCopy) {
  EXPECT_EQ(Render(Format::kCsv, TwoColumns(), {{"1", nullptr}, {"a,b", ""}}),
            "id,name\n1,\"a,b\"\n,\"\"\n");
  EXPECT_EQ(Render(Format::kNdjson, TwoColumns(), {{"1"}, {"a"}}),
            "{\"id\":1,\"name\":\"a\"}\n");
  EXPECT_EQ(Render(Format::kJson, TwoColumns(), {{"1"}, {"a"}}),
            "[\n{\"id\":1,\"name\":\"a\"}\n]\n");
  EXPECT_EQ(Render(Format::kMarkdown, TwoColumns(), {{"1"}, {"a"}}),
            "| id | name |\n| ---: | --- |\n| 1 | a |\n");
  EXPECT_TRUE(Render(Format::kParquet, TwoColumns(), {{"1"}, {"a"}}).ends_with("PAR1"));
  // The stream format of Arrow: a continuation mark first, no magic.
  EXPECT_TRUE(Render(Format::kArrow, TwoColumns(), {{"1"}, {"a"}})
                  .starts_with("\xff\xff\xff\xff"));
}

TEST(ResultWriter, BinaryFormatsAreNotForTerminals) {
  for (const Format format : {Format::kArrow, Format::kParquet}) {
    const auto status = CheckMayPrint(format, /*terminal=*/true);
    EXPECT_EQ(core::KindOf(status), core::ErrorKind::kConfiguration);
    EXPECT_NE(status.message().find("> file"), std::string::npos);
    EXPECT_TRUE(CheckMayPrint(format, /*terminal=*/false).ok());
  }
  EXPECT_TRUE(CheckMayPrint(Format::kCsv, /*terminal=*/true).ok());
}

TEST(ResultWriter, TableAlignsNumbersRightAndCountsRows) {
  EXPECT_EQ(Render(Format::kTable, TwoColumns(), {{"1", "200"}, {"a", nullptr}}),
            "id  | name\n----+-----\n  1 | a\n200 | NULL\n(2 rows)\n");
  EXPECT_EQ(Render(Format::kTable, TwoColumns(), {{}, {}}),
            "id | name\n---+-----\n(0 rows)\n");
}

TEST(ResultWriter, TableCutsToTheTerminalAndSaysHowManyRowsItHides) {
  const std::string text =
      Render(Format::kTable, TwoColumns(),
             {{"1", "2", "3"}, {"a text that is far too long for it", "b", "c"}},
             {.width = 30, .rows_max = 2});
  EXPECT_EQ(text,
            "id | name\n---+--------------------------\n"
            " 1 | a text that is far too l\u2026\n 2 | b\n"
            "(3 rows, 2 shown; --format csv gives all, SET output.max_rows more)\n");
}

std::shared_ptr<arrow::Schema> Numbers(const std::vector<std::string>& names) {
  arrow::FieldVector fields;
  for (const std::string& name : names) {
    fields.push_back(arrow::field(name, arrow::int32()));
  }
  return arrow::schema(std::move(fields));
}

TEST(ResultWriter, TableLeavesColumnsInTheMiddleOutWhenTheTerminalIsNarrow) {
  const auto schema = Numbers({"first_one", "second_one", "third_one", "fourth_one"});
  EXPECT_EQ(Render(Format::kTable, *schema, {{"1"}, {"2"}, {"3"}, {"4"}}, {.width = 40}),
            "first_one | second_one | \u2026 | fourth_one\n"
            "----------+------------+---+-----------\n"
            "        1 |          2 | \u2026 |          4\n"
            "(1 row; 4 columns, 3 shown; --format csv gives all)\n");
  EXPECT_EQ(
      Render(Format::kTable, *schema, {{"1", "5"}, {"2", "6"}, {"3", "7"}, {"4", "8"}},
             {.width = 12, .rows_max = 1}),
      "first_o\u2026 | \u2026\n"
      "---------+--\n"
      "       1 | \u2026\n"
      "(2 rows, 1 shown; 4 columns, 1 shown; --format csv gives all)\n");
  // Into a pipe everything goes.
  EXPECT_EQ(Render(Format::kTable, *schema, {{"1"}, {"2"}, {"3"}, {"4"}}),
            "first_one | second_one | third_one | fourth_one\n"
            "----------+------------+-----------+-----------\n"
            "        1 |          2 |         3 |          4\n"
            "(1 row)\n");
}

TEST(ResultWriter, NoLineOfATableIsWiderThanTheTerminal) {
  std::vector<std::string> names;
  Cells cells;
  for (int i = 0; i < 30; ++i) {
    names.push_back(std::string(static_cast<size_t>(i % 7), 'n') + std::to_string(i));
    cells.push_back({i % 3 == 0 ? "a value that is long" : "7"});
  }
  const auto schema = Numbers(names);
  for (int width = 1; width < 400; ++width) {
    std::istringstream text(Render(Format::kTable, *schema, cells, {.width = width}));
    for (std::string line; std::getline(text, line) && line[0] != '(';) {
      EXPECT_LE(DisplayWidth(line), std::max(width, 5)) << line;
    }
  }
}

TEST(ResultWriter, DataCannotSteerTheTerminal) {
  const std::string text =
      Render(Format::kTable, TwoColumns(), {{"1"}, {"\x1b[2Jx\r\n\xff\u202e"}});
  EXPECT_NE(text.find("\\x1b[2Jx\\r\\n\\xff\\u202e"), std::string::npos) << text;
}

TEST(ResultWriter, WidthsCountWideAndCombiningCharacters) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth(""), 0);
}

TEST(ResultWriter, UnknownFormatsListTheKnown) {
  const auto format = ParseFormat("xml");
  EXPECT_EQ(core::KindOf(format.status()), core::ErrorKind::kConfiguration);
  EXPECT_NE(format.status().message().find(
                "table, csv, json, ndjson, arrow, parquet and markdown"),
            std::string::npos);
}

TEST(Output, AReaderThatHasGoneIsNotAnError) {
  signal(SIGPIPE, SIG_IGN);
  io::KernelSyscalls syscalls;
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  close(fds[0]);
  Output output(syscalls, fds[1], "test");
  EXPECT_TRUE(output.Write("x").ok());
  EXPECT_TRUE(output.Flush().ok());
  EXPECT_TRUE(output.reader_gone());
  EXPECT_TRUE(output.Write("y").ok());
  close(fds[1]);
}

TEST(Output, AFullDiskNamesTheOutput) {
  io::KernelSyscalls syscalls;
  const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  Output output(syscalls, fd, "standard output");
  ASSERT_TRUE(output.Write("x").ok());
  const auto status = output.Flush();
  EXPECT_EQ(core::KindOf(status), core::ErrorKind::kDiskFull);
  EXPECT_EQ(status.message(), "writing to standard output: No space left on device");
  close(fd);
}

}  // namespace
}  // namespace wheelpit::cli
