// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/statement_rows.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::engine {

namespace {

using Row = std::vector<std::string>;

constexpr std::string_view kComment = "comment";

std::shared_ptr<arrow::Schema> TextSchema(const std::vector<std::string>& names) {
  arrow::FieldVector fields;
  for (const auto& name : names) {
    fields.push_back(arrow::field(name, arrow::utf8(), name == kComment));
  }
  return arrow::schema(std::move(fields));
}

// An empty comment is a null, as in Spark.
Rows TextRows(const std::vector<std::string>& names, const std::vector<Row>& rows,
              arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  for (size_t column = 0; column < names.size(); ++column) {
    arrow::StringBuilder builder(pool);
    for (const Row& row : rows) {
      const bool null = names[column] == kComment && row[column].empty();
      ARROW_RETURN_NOT_OK(null ? builder.AppendNull() : builder.Append(row[column]));
    }
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(TextSchema(names), static_cast<int64_t>(rows.size()),
                                  std::move(columns));
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

std::string ShowMetric(core::MetricUnit unit, int64_t value) {
  switch (unit) {
    case core::MetricUnit::kBytes:
      return core::FormatByteSize(value);
    case core::MetricUnit::kNanos:
      return Seconds(static_cast<double>(value) * 1e-9);
    default:
      return std::to_string(value);
  }
}

}  // namespace

std::shared_ptr<arrow::Schema> ExplainSchema() {
  return TextSchema({"plan"});
}

Rows ExplainRows(const std::string& text, arrow::MemoryPool* pool) {
  std::vector<Row> rows;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    rows.push_back({text.substr(at, end - at)});
    at = end + 1;
  }
  return TextRows({"plan"}, rows, pool);
}

std::string AnalyzeText(const QueryStats& stats) {
  std::string text = "\ntime " + Seconds(stats.seconds) + " (planning " +
                     Seconds(stats.plan_seconds) + "), CPU " +
                     Seconds(stats.cpu_seconds) + ", budget peak " +
                     core::FormatByteSize(stats.peak_budget_bytes) + "\n";
  for (const StageTimes& stage : stats.stages) {
    text += "stage " + stage.name + ": " + Seconds(stage.seconds) + ", " +
            std::to_string(stage.tasks) + (stage.tasks == 1 ? " task\n" : " tasks\n");
  }
  for (const core::MetricRow& row : core::MetricTable()) {
    const int64_t value = stats.metrics[static_cast<size_t>(row.metric)];
    if (value != 0) {
      text += std::string(row.name) + ": " + ShowMetric(row.unit, value) + "\n";
    }
  }
  return text;
}

Rows DescribeRows(const arrow::Schema& schema,
                  const std::vector<std::string>& partition_columns,
                  arrow::MemoryPool* pool) {
  std::vector<Row> rows;
  for (const auto& field : schema.fields()) {
    const bool partition = std::find(partition_columns.begin(), partition_columns.end(),
                                     field->name()) != partition_columns.end();
    rows.push_back({field->name(), plan::TypeName(*field->type()),
                    partition ? "partition column" : ""});
  }
  return TextRows({"col_name", "data_type", std::string(kComment)}, rows, pool);
}

Rows SettingRows(const core::Config& config, const std::string& key,
                 arrow::MemoryPool* pool) {
  const core::ConfigRow* wanted = nullptr;
  if (!key.empty()) {
    ARROW_ASSIGN_OR_RAISE(wanted, core::Config::Find(key));
  }
  std::vector<Row> rows;
  for (const core::ConfigRow& row : core::ConfigTable()) {
    if (wanted != nullptr && wanted->key != row.key) {
      continue;
    }
    const std::string value =
        row.type == core::ConfigType::kBytes && config.Text(row.key) != "auto"
            ? core::FormatByteSize(config.Number(row.key))
            : config.Text(row.key);
    rows.push_back({std::string(row.name), value,
                    std::string(core::ToString(config.SourceOf(row.key))),
                    std::string(row.meaning)});
  }
  return TextRows({"key", "value", "source", "meaning"}, rows, pool);
}

Rows ViewRows(const std::vector<std::string>& names, arrow::MemoryPool* pool) {
  arrow::StringBuilder spaces(pool);
  arrow::StringBuilder views(pool);
  arrow::BooleanBuilder temporary(pool);
  for (const std::string& name : names) {
    ARROW_RETURN_NOT_OK(spaces.Append(""));
    ARROW_RETURN_NOT_OK(views.Append(name));
    ARROW_RETURN_NOT_OK(temporary.Append(true));
  }
  ARROW_ASSIGN_OR_RAISE(auto space_column, spaces.Finish());
  ARROW_ASSIGN_OR_RAISE(auto view_column, views.Finish());
  ARROW_ASSIGN_OR_RAISE(auto temporary_column, temporary.Finish());
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("namespace", arrow::utf8(), false),
                     arrow::field("viewName", arrow::utf8(), false),
                     arrow::field("isTemporary", arrow::boolean(), false)}),
      static_cast<int64_t>(names.size()),
      {std::move(space_column), std::move(view_column), std::move(temporary_column)});
}

Rows NoRows() {
  return arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector()), 0,
                                  arrow::ArrayVector());
}

}  // namespace wheelpit::engine
