// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/result_writer.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {

namespace {

std::string_view CellOf(const arrow::ArrayVector& columns, size_t column, int64_t row) {
  return static_cast<const arrow::StringArray&>(*columns[column]).GetView(row);
}

std::string WithThousands(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

class CsvWriter final : public ResultWriter {
 public:
  explicit CsvWriter(Output* output) : output_(output) {}

  arrow::Status Begin(const arrow::Schema& schema) override {
    std::string line;
    for (const auto& field : schema.fields()) {
      Append(field->name(), &line);
    }
    return EndLine(&line);
  }

  arrow::Status Write(const arrow::ArrayVector& columns, int64_t row_count) override {
    std::string line;
    for (int64_t row = 0; row < row_count; ++row) {
      line.clear();
      for (size_t column = 0; column < columns.size(); ++column) {
        if (columns[column]->IsNull(row)) {
          line += ',';
        } else {
          Append(CellOf(columns, column, row), &line);
        }
      }
      ARROW_RETURN_NOT_OK(EndLine(&line));
    }
    return arrow::Status::OK();
  }

  arrow::Status End() override { return arrow::Status::OK(); }

 private:
  // A field and its comma. The empty string is quoted: an empty field means null.
  static void Append(std::string_view text, std::string* line) {
    const bool quoted =
        text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos;
    if (!quoted) {
      line->append(text);
    } else {
      *line += '"';
      for (const char c : text) {
        line->append(c == '"' ? 2 : 1, c);
      }
      *line += '"';
    }
    *line += ',';
  }

  arrow::Status EndLine(std::string* line) {
    if (!line->empty()) {
      line->pop_back();
    }
    *line += '\n';
    return output_->Write(*line);
  }

  Output* const output_;
};

class NdjsonWriter final : public ResultWriter {
 public:
  explicit NdjsonWriter(Output* output) : output_(output) {}

  arrow::Status Begin(const arrow::Schema& schema) override {
    for (const auto& field : schema.fields()) {
      keys_.push_back(JsonString(field->name()) + ":");
      forms_.push_back(JsonFormOf(*field->type()));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::ArrayVector& columns, int64_t row_count) override {
    std::string line;
    for (int64_t row = 0; row < row_count; ++row) {
      line = "{";
      for (size_t column = 0; column < columns.size(); ++column) {
        line += column == 0 ? "" : ",";
        line += keys_[column];
        if (columns[column]->IsNull(row)) {
          line += "null";
        } else {
          AppendJson(CellOf(columns, column, row), forms_[column], &line);
        }
      }
      line += "}\n";
      ARROW_RETURN_NOT_OK(output_->Write(line));
    }
    return arrow::Status::OK();
  }

  arrow::Status End() override { return arrow::Status::OK(); }

 private:
  Output* const output_;
  std::vector<std::string> keys_;
  std::vector<JsonForm> forms_;
};

// Keeps the rows that it will show, since widths depend on all of them; counts the rest.
class TableWriter final : public ResultWriter {
 public:
  TableWriter(const WriterOptions& options, Output* output)
      : options_(options), output_(output) {}

  arrow::Status Begin(const arrow::Schema& schema) override {
    for (const auto& field : schema.fields()) {
      titles_.push_back(Printable(field->name()));
      widths_.push_back(DisplayWidth(titles_.back()));
      const auto id = field->type()->id();
      right_.push_back(arrow::is_integer(id) || arrow::is_floating(id) ||
                       arrow::is_decimal(id));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::ArrayVector& columns, int64_t row_count) override {
    for (int64_t row = 0; row < row_count; ++row) {
      ++row_count_;
      if ((options_.rows_max > 0 && shown_ == options_.rows_max) ||
          held_bytes_ > kHeldBytesMax) {
        continue;
      }
      ++shown_;
      for (size_t column = 0; column < columns.size(); ++column) {
        std::string cell = columns[column]->IsNull(row)
                               ? "NULL"
                               : Printable(CellOf(columns, column, row));
        widths_[column] = std::max(widths_[column], DisplayWidth(cell));
        held_bytes_ += static_cast<int64_t>(cell.size());
        cells_.push_back(std::move(cell));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status End() override {
    FitToWidth();
    if (!titles_.empty()) {
      ARROW_RETURN_NOT_OK(Line(titles_.data(), /*header=*/true));
      std::string rule;
      for (size_t i = 0; i < widths_.size(); ++i) {
        rule += (i == 0 ? "" : "-+-") + std::string(static_cast<size_t>(widths_[i]), '-');
      }
      ARROW_RETURN_NOT_OK(output_->Write(rule + "\n"));
      for (size_t at = 0; at < cells_.size(); at += titles_.size()) {
        ARROW_RETURN_NOT_OK(Line(cells_.data() + at, /*header=*/false));
      }
    }
    std::string last =
        "(" + WithThousands(row_count_) + (row_count_ == 1 ? " row" : " rows");
    if (shown_ < row_count_) {
      last += ", " + WithThousands(shown_) +
              " shown; --format csv gives all, SET output.max_rows more";
    }
    return output_->Write(last + ")\n");
  }

 private:
  static constexpr int64_t kHeldBytesMax = 16 << 20;

  // The widest columns give way first, down to eight; then the line just becomes too
  // long.
  void FitToWidth() {
    if (options_.width <= 0 || widths_.empty()) {
      return;
    }
    constexpr int kLeast = 8;
    int total = static_cast<int>(3 * (widths_.size() - 1));
    for (const int width : widths_) {
      total += width;
    }
    while (total > options_.width) {
      auto widest = std::max_element(widths_.begin(), widths_.end());
      if (*widest <= kLeast) {
        return;
      }
      const int next = std::max(kLeast, *widest - (total - options_.width));
      // Not below the second widest in one step: the loss is shared.
      int second = kLeast;
      for (auto it = widths_.begin(); it != widths_.end(); ++it) {
        if (it != widest) {
          second = std::max(second, std::min(*it, *widest - 1));
        }
      }
      const int target = std::max(next, second);
      total -= *widest - target;
      *widest = target;
    }
  }

  static std::string Cut(const std::string& text, int width) {
    if (DisplayWidth(text) <= width) {
      return text;
    }
    std::string out;
    size_t at = 0;
    while (at < text.size()) {
      size_t next = at + 1;
      while (next < text.size() &&
             (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) {
        ++next;
      }
      if (DisplayWidth(out) + DisplayWidth(text.substr(at, next - at)) > width - 1) {
        break;
      }
      out += text.substr(at, next - at);
      at = next;
    }
    return out + "\u2026";
  }

  arrow::Status Line(const std::string* cells, bool header) {
    std::string line;
    for (size_t i = 0; i < widths_.size(); ++i) {
      const std::string cell = Cut(cells[i], widths_[i]);
      const auto pad = static_cast<size_t>(std::max(0, widths_[i] - DisplayWidth(cell)));
      line += i == 0 ? "" : " | ";
      const bool last = i + 1 == widths_.size();
      if (right_[i] && !header) {
        line += std::string(pad, ' ') + cell;
      } else {
        line += cell + (last ? "" : std::string(pad, ' '));
      }
    }
    return output_->Write(line + "\n");
  }

  const WriterOptions options_;
  Output* const output_;
  std::vector<std::string> titles_;
  std::vector<int> widths_;
  std::vector<bool> right_;
  std::vector<std::string> cells_;
  int64_t held_bytes_ = 0;
  int64_t row_count_ = 0;
  int64_t shown_ = 0;
};

}  // namespace

arrow::Result<Format> ParseFormat(std::string_view name) {
  if (name == "table") {
    return Format::kTable;
  }
  if (name == "csv") {
    return Format::kCsv;
  }
  if (name == "ndjson") {
    return Format::kNdjson;
  }
  return core::Error(core::ErrorKind::kConfiguration, "there is no format '", name,
                     "'; the formats are table, csv and ndjson");
}

std::unique_ptr<ResultWriter> MakeResultWriter(Format format,
                                               const WriterOptions& options,
                                               Output* output) {
  switch (format) {
    case Format::kCsv:
      return std::make_unique<CsvWriter>(output);
    case Format::kNdjson:
      return std::make_unique<NdjsonWriter>(output);
    case Format::kTable:
      break;
  }
  return std::make_unique<TableWriter>(options, output);
}

}  // namespace wheelpit::cli
