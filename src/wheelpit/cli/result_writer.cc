// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/result_writer.h"

#include <algorithm>
#include <limits>
#include <numeric>
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
      if (schema.GetAllFieldIndices(field->name()).size() > 1) {
        return core::Error(core::ErrorKind::kInvalidSql, "two columns are called ",
                           JsonString(field->name()),
                           ", which an object in JSON has once; rename one with AS");
      }
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
    const std::vector<size_t> columns = FitToWidth();
    if (!titles_.empty()) {
      ARROW_RETURN_NOT_OK(Line(columns, titles_.data(), /*header=*/true));
      std::string rule;
      for (const size_t column : columns) {
        rule += rule.empty() ? "" : "-+-";
        rule += std::string(
            static_cast<size_t>(column == kGap ? kGapWidth : widths_[column]), '-');
      }
      ARROW_RETURN_NOT_OK(output_->Write(rule + "\n"));
      for (size_t at = 0; at < cells_.size(); at += titles_.size()) {
        ARROW_RETURN_NOT_OK(Line(columns, cells_.data() + at, /*header=*/false));
      }
    }
    return output_->Write(LastLine(columns));
  }

 private:
  static constexpr int64_t kHeldBytesMax = 16 << 20;
  static constexpr const char* kEllipsis = "\u2026";

  static constexpr size_t kGap = std::numeric_limits<size_t>::max();
  static constexpr int kGapWidth = 1;
  static constexpr int kBetween = 3;  // " | "

  // The columns that the terminal has room for, with kGap where others are left out:
  // those in the middle go, after wide columns were cut as far as they can be.
  std::vector<size_t> FitToWidth() {
    std::vector<size_t> columns(widths_.size());
    std::iota(columns.begin(), columns.end(), size_t{0});
    if (options_.width <= 0 || widths_.empty()) {
      return columns;
    }
    std::vector<int> least;
    int total = 0;
    for (size_t i = 0; i < widths_.size(); ++i) {
      least.push_back(LeastWidth(i));
      total += least.back() + (i == 0 ? 0 : kBetween);
    }
    if (total > options_.width && widths_.size() > 1) {
      columns = LeaveMiddleOut(least);
    }
    Shrink(columns, least);
    return columns;
  }

  // A column keeps its title if that is not long, and some of its values.
  int LeastWidth(size_t column) const {
    constexpr int kValueLeast = 8;
    constexpr int kTitleMost = 20;
    const int title = std::min(DisplayWidth(titles_[column]), kTitleMost);
    return std::min(widths_[column], std::max(title, kValueLeast));
  }

  // From both ends inwards, the first before the last.
  std::vector<size_t> LeaveMiddleOut(const std::vector<int>& least) const {
    std::vector<size_t> first = {0};
    std::vector<size_t> last;
    int room = options_.width - least[0] - kBetween - kGapWidth;
    for (bool from_end = true;; from_end = !from_end) {
      const size_t next = from_end ? least.size() - 1 - last.size() : first.size();
      if (least[next] + kBetween > room) {
        break;
      }
      room -= least[next] + kBetween;
      (from_end ? last : first).push_back(next);
    }
    first.push_back(kGap);
    first.insert(first.end(), last.rbegin(), last.rend());
    return first;
  }

  // The widest columns give way first, down to their least; one alone to the terminal.
  void Shrink(const std::vector<size_t>& columns, const std::vector<int>& least) {
    int excess = -options_.width - kBetween;
    for (const size_t column : columns) {
      excess += kBetween + (column == kGap ? kGapWidth : widths_[column]);
    }
    while (excess > 0) {
      size_t widest = kGap;
      for (const size_t column : columns) {
        const bool cuttable = column != kGap && widths_[column] > least[column];
        if (cuttable && (widest == kGap || widths_[column] > widths_[widest])) {
          widest = column;
        }
      }
      if (widest == kGap) {
        // A terminal narrower than one column.
        widths_[columns[0]] = std::max(1, widths_[columns[0]] - excess);
        return;
      }
      --widths_[widest];
      --excess;
    }
  }

  std::string LastLine(const std::vector<size_t>& columns) const {
    std::string line =
        "(" + WithThousands(row_count_) + (row_count_ == 1 ? " row" : " rows");
    const bool rows_hidden = shown_ < row_count_;
    const bool columns_hidden =
        std::find(columns.begin(), columns.end(), kGap) != columns.end();
    if (rows_hidden) {
      line += ", " + WithThousands(shown_) + " shown";
    }
    if (columns_hidden) {
      line += "; " + std::to_string(titles_.size()) + " columns, " +
              std::to_string(columns.size() - 1) + " shown";
    }
    if (rows_hidden || columns_hidden) {
      line += "; --format csv gives all";
    }
    return line +
           (rows_hidden && !columns_hidden ? ", SET output.max_rows more)\n" : ")\n");
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
    return out + kEllipsis;
  }

  arrow::Status Line(const std::vector<size_t>& columns, const std::string* cells,
                     bool header) {
    std::string line;
    for (size_t i = 0; i < columns.size(); ++i) {
      const size_t column = columns[i];
      const bool gap = column == kGap;
      const int width = gap ? kGapWidth : widths_[column];
      const std::string cell = gap ? kEllipsis : Cut(cells[column], width);
      const auto pad = static_cast<size_t>(std::max(0, width - DisplayWidth(cell)));
      line += i == 0 ? "" : " | ";
      const bool last = i + 1 == columns.size();
      if (!gap && right_[column] && !header) {
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
