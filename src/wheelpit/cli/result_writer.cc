// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/result_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/config.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/batch_text.h"

namespace wheelpit::cli {

namespace {

std::string_view CellOf(const arrow::ArrayVector& columns, size_t column, int64_t row) {
  return static_cast<const arrow::StringArray&>(*columns[column]).GetView(row);
}

plan::FileFormatKind KindOf(Format format) {
  switch (format) {
    case Format::kCsv:
      return plan::FileFormatKind::kCsv;
    case Format::kJson:
      return plan::FileFormatKind::kJson;
    case Format::kNdjson:
      return plan::FileFormatKind::kJsonLines;
    case Format::kArrow:
      return plan::FileFormatKind::kArrow;
    case Format::kMarkdown:
      return plan::FileFormatKind::kMarkdown;
    default:
      return plan::FileFormatKind::kParquet;
  }
}

std::string WithThousands(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

// Keeps the rows that it will show, since widths depend on all of them; counts the rest.
class TableWriter final : public exec::FormatWriter {
 public:
  TableWriter(const arrow::Schema& schema, const WriterOptions& options,
              std::unique_ptr<exec::BatchText> text, Output* output)
      : options_(options), text_(std::move(text)), output_(output) {
    for (const auto& field : schema.fields()) {
      titles_.push_back(Printable(field->name()));
      widths_.push_back(DisplayWidth(titles_.back()));
      const auto id = field->type()->id();
      right_.push_back(arrow::is_integer(id) || arrow::is_floating(id) ||
                       arrow::is_decimal(id));
    }
  }

  arrow::Status Begin() override { return arrow::Status::OK(); }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector columns, text_->Convert(batch));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
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

  arrow::Status Finish() override {
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
  const std::unique_ptr<exec::BatchText> text_;
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
  constexpr std::array<std::string_view, 7> kNames = {
      "table", "csv", "json", "ndjson", "arrow", "parquet", "markdown"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) {
    return static_cast<Format>(found - kNames.begin());
  }
  const std::string_view nearest = core::NearestName(name, kNames);
  return core::Error(
      core::ErrorKind::kConfiguration, "there is no format '", name, "'; ",
      nearest.empty() ? "" : "did you mean " + std::string(nearest) + "? ",
      "the formats are table, csv, json, ndjson, arrow, parquet and markdown");
}

arrow::Status CheckMayPrint(Format format, bool terminal) {
  const bool binary = format == Format::kArrow || format == Format::kParquet;
  return !binary || !terminal
             ? arrow::Status::OK()
             : core::Error(core::ErrorKind::kConfiguration,
                           "this format is not for a terminal; send it to a file with "
                           "> file, or to a program with |");
}

arrow::Result<std::unique_ptr<exec::FormatWriter>> MakeResultWriter(
    Format format, const std::shared_ptr<arrow::Schema>& schema,
    const WriterOptions& options, Output* output) {
  if (format == Format::kTable) {
    ARROW_ASSIGN_OR_RAISE(
        auto text, exec::BatchText::Make(
                       schema, {.time_zone = options.time_zone, .pool = options.pool}));
    return std::make_unique<TableWriter>(*schema, options, std::move(text), output);
  }
  exec::FormatWriterOptions writer{.format = {},
                                   .arrow_stream = true,
                                   .time_zone = options.time_zone,
                                   .pool = options.pool,
                                   // Beside the budget, thus not much.
                                   .memory_bytes = 16 << 20};
  writer.format.kind = KindOf(format);
  if (format == Format::kArrow) {
    writer.format.codec = plan::FileCodec::kNone;
  }
  return exec::MakeFormatWriter(schema, writer, output);
}

}  // namespace wheelpit::cli
