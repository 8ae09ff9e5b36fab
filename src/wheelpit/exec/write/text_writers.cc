// SPDX-License-Identifier: Apache-2.0
// CSV, JSON and markdown: formats of lines.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/exec/write/batch_text.h"
#include "wheelpit/exec/write/json_text.h"
#include "wheelpit/exec/write/writers.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::exec {

namespace {

// The values of one row as text; no value for null.
struct RowText {
  const arrow::ArrayVector& columns;
  int64_t row;

  size_t size() const { return columns.size(); }
  bool is_null(size_t column) const { return columns[column]->IsNull(row); }
  std::string_view operator[](size_t column) const {
    return static_cast<const arrow::StringArray&>(*columns[column]).GetView(row);
  }
};

class LineWriter : public FormatWriter {
 public:
  LineWriter(const FormatWriterOptions& options, ByteSink* sink)
      : options_(options), sink_(sink) {}

  arrow::Status Prepare(const SchemaPtr& schema, NestedForm nested) {
    schema_ = schema;
    return BatchText::Make(
               schema,
               {.time_zone = options_.time_zone, .nested = nested, .pool = options_.pool})
        .Value(&text_);
  }

  arrow::Status Begin() override {
    std::string line;
    AppendHeader(&line);
    return sink_->Write(line);
  }

  // A part of the rows at a time, so that their text is never much.
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    constexpr int64_t kRowsMost = 1024;
    constexpr int64_t kBytesMost = 128 << 10;
    const int64_t step = std::min(kRowsMost, RowsOf(batch, kBytesMost));
    for (int64_t first = 0; first < batch.num_rows(); first += step) {
      const auto rows = batch.Slice(first, step);
      ARROW_ASSIGN_OR_RAISE(const auto columns, text_->Convert(*rows));
      for (int64_t row = 0; row < rows->num_rows(); ++row) {
        line_.clear();
        AppendRow({columns, row}, &line_);
        ARROW_RETURN_NOT_OK(sink_->Write(line_));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    std::string line;
    AppendFooter(&line);
    return sink_->Write(line);
  }

 protected:
  virtual void AppendHeader(std::string* /*line*/) {}
  virtual void AppendRow(const RowText& row, std::string* line) = 0;
  virtual void AppendFooter(std::string* /*line*/) {}

  const arrow::Schema& schema() const { return *schema_; }
  const plan::FileFormat& format() const { return options_.format; }

 private:
  const FormatWriterOptions options_;
  ByteSink* const sink_;
  SchemaPtr schema_;
  std::unique_ptr<BatchText> text_;
  std::string line_;
};

class CsvWriter final : public LineWriter {
 public:
  CsvWriter(const FormatWriterOptions& options, ByteSink* sink)
      : LineWriter(options, sink),
        special_(std::string("\"\r\n") + options.format.delimiter) {}

 private:
  void AppendHeader(std::string* line) override {
    if (!format().header) {
      return;
    }
    for (const auto& field : schema().fields()) {
      Append(field->name(), line);
    }
    EndLine(line);
  }

  void AppendRow(const RowText& row, std::string* line) override {
    for (size_t column = 0; column < row.size(); ++column) {
      if (row.is_null(column)) {
        *line += format().null_text;
        *line += format().delimiter;
      } else {
        Append(row[column], line);
      }
    }
    EndLine(line);
  }

  // A field and its delimiter. Text that would be taken for null is quoted.
  void Append(std::string_view text, std::string* line) const {
    const bool quoted = text.empty() || text == format().null_text ||
                        text.find_first_of(special_) != std::string_view::npos;
    if (!quoted) {
      line->append(text);
    } else {
      *line += '"';
      for (const char c : text) {
        line->append(c == '"' ? 2 : 1, c);
      }
      *line += '"';
    }
    *line += format().delimiter;
  }

  static void EndLine(std::string* line) {
    if (!line->empty()) {
      line->pop_back();
    }
    *line += '\n';
  }

  const std::string special_;
};

class JsonWriter final : public LineWriter {
 public:
  JsonWriter(const SchemaPtr& schema, const FormatWriterOptions& options, ByteSink* sink)
      : LineWriter(options, sink),
        array_(options.format.kind == plan::FileFormatKind::kJson) {
    for (const auto& field : schema->fields()) {
      keys_.push_back(JsonString(field->name()) + ":");
      forms_.push_back(JsonFormOf(*field->type()));
    }
  }

 private:
  void AppendHeader(std::string* line) override { *line += array_ ? "[" : ""; }

  void AppendRow(const RowText& row, std::string* line) override {
    if (array_) {
      *line += first_ ? "\n" : ",\n";
      first_ = false;
    }
    *line += '{';
    for (size_t column = 0; column < row.size(); ++column) {
      *line += column == 0 ? "" : ",";
      *line += keys_[column];
      if (row.is_null(column)) {
        *line += "null";
      } else {
        AppendJson(row[column], forms_[column], line);
      }
    }
    *line += array_ ? "}" : "}\n";
  }

  void AppendFooter(std::string* line) override {
    *line += !array_ ? "" : first_ ? "]\n" : "\n]\n";
  }

  const bool array_;
  bool first_ = true;
  std::vector<std::string> keys_;
  std::vector<JsonForm> forms_;
};

class MarkdownWriter final : public LineWriter {
 public:
  using LineWriter::LineWriter;

 private:
  void AppendHeader(std::string* line) override {
    std::string rule = "|";
    *line += '|';
    for (const auto& field : schema().fields()) {
      const auto id = field->type()->id();
      const bool number =
          arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id);
      Append(field->name(), line);
      rule += number ? " ---: |" : " --- |";
    }
    *line += '\n' + rule + '\n';
  }

  void AppendRow(const RowText& row, std::string* line) override {
    *line += '|';
    for (size_t column = 0; column < row.size(); ++column) {
      Append(row.is_null(column) ? std::string_view("NULL") : row[column], line);
    }
    *line += '\n';
  }

  // What would end a cell or begin a tag is escaped; other control characters are shown
  // as U+FFFD, bytes that are not UTF-8 too.
  static void Append(std::string_view text, std::string* line) {
    *line += ' ';
    while (!text.empty()) {
      const fs::Utf8Character c = fs::FirstCharacter(text);
      const size_t length = c.length == 0 ? 1 : c.length;
      if (c.length == 1 && (text[0] == '|' || text[0] == '\\' || text[0] == '`')) {
        *line += '\\';
        *line += text[0];
      } else if (c.length == 1 && text[0] == '<') {
        *line += "&lt;";
      } else if (c.length == 1 && text[0] == '\n') {
        *line += "<br>";
      } else if (c.length == 0 || c.code_point < 0x20 || c.code_point == 0x7f) {
        *line += "\xef\xbf\xbd";
      } else {
        *line += text.substr(0, length);
      }
      text.remove_prefix(length);
    }
    *line += " |";
  }
};

}  // namespace

WriterResult MakeTextWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                            ByteSink* sink) {
  std::unique_ptr<LineWriter> writer;
  NestedForm nested = NestedForm::kSpark;
  switch (options.format.kind) {
    case plan::FileFormatKind::kCsv:
      writer = std::make_unique<CsvWriter>(options, sink);
      break;
    case plan::FileFormatKind::kMarkdown:
      writer = std::make_unique<MarkdownWriter>(options, sink);
      break;
    default:
      ARROW_RETURN_NOT_OK(CheckNamesDiffer(*schema, "an object in JSON"));
      writer = std::make_unique<JsonWriter>(schema, options, sink);
      nested = NestedForm::kJson;
  }
  ARROW_RETURN_NOT_OK(writer->Prepare(schema, nested));
  return writer;
}

}  // namespace wheelpit::exec
