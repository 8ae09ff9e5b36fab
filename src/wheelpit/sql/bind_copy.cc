// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/bind_copy.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {
namespace {

// A value of an option as text: a literal, or a bare word as parquet.
arrow::Result<std::string> ValueOf(const ast::CopyOption& option) {
  if (option.value == nullptr) {
    return "true";
  }
  const ast::Expression& value = *option.value;
  if (value.kind == ast::ExpressionKind::kColumn && value.path.size() == 1) {
    return value.path[0].text;
  }
  if (value.kind == ast::ExpressionKind::kLiteral) {
    switch (value.literal) {
      case ast::LiteralKind::kTrue:
        return "true";
      case ast::LiteralKind::kFalse:
        return "false";
      case ast::LiteralKind::kString:
      case ast::LiteralKind::kInteger:
      case ast::LiteralKind::kDecimal:
        return value.text;
      default:
        break;
    }
  }
  return Invalid("INVALID_PARAMETER", value.range,
                 "option " + option.name.text +
                     " takes a word, a number or a text in quotes, not an expression");
}

bool TellsColumnsByName(plan::FileFormatKind kind) {
  switch (kind) {
    case plan::FileFormatKind::kParquet:
    case plan::FileFormatKind::kArrow:
    case plan::FileFormatKind::kJson:
    case plan::FileFormatKind::kJsonLines:
      return true;
    case plan::FileFormatKind::kCsv:
    case plan::FileFormatKind::kMarkdown:
      break;
  }
  return false;
}

// Whoever reads the file could name none of them.
arrow::Status CheckNames(const arrow::Schema& schema, plan::FileFormatKind kind,
                         plan::SourceRange range) {
  std::unordered_set<std::string> seen;
  std::unordered_set<std::string> told;
  std::string twice;
  for (const auto& field : schema.fields()) {
    const std::string name = LowerCase(field->name());
    if (!seen.insert(name).second && told.insert(name).second) {
      twice += (twice.empty() ? "" : ", ") + field->name();
    }
  }
  if (twice.empty()) {
    return arrow::Status::OK();
  }
  return Invalid("COLUMN_ALREADY_EXISTS", range,
                 "several columns are called " + twice + ", and a file of format " +
                     std::string(plan::ToString(kind)) +
                     " needs one name for each; give them names with AS");
}

}  // namespace

arrow::Result<std::unique_ptr<plan::Node>> BindCopy(const ast::Statement& statement,
                                                    std::unique_ptr<plan::Node> rows) {
  if (statement.path.empty()) {
    return Invalid("INVALID_PARAMETER", statement.path_range,
                   "COPY needs the name of a file behind TO");
  }
  ARROW_RETURN_NOT_OK(
      QueryBinder::CheckLocal(statement.path, "writing to", statement.path_range));
  std::vector<plan::FileOption> options;
  for (const ast::CopyOption& option : statement.options) {
    ARROW_ASSIGN_OR_RAISE(std::string value, ValueOf(option));
    options.push_back({option.name.text, std::move(value), option.range});
  }
  auto write = std::make_unique<plan::Node>();
  write->kind = plan::NodeKind::kWrite;
  ARROW_ASSIGN_OR_RAISE(
      write->format,
      plan::ParseFileFormat(statement.path, statement.path_range, options));
  if (TellsColumnsByName(write->format.kind)) {
    ARROW_RETURN_NOT_OK(
        CheckNames(*rows->schema, write->format.kind, statement.query->range));
  }
  write->path = statement.path;
  write->path_range = statement.path_range;
  write->schema = arrow::schema({arrow::field("rows", arrow::int64(), false),
                                 arrow::field("bytes", arrow::int64(), false)});
  write->inputs.push_back(std::move(rows));
  return write;
}

}  // namespace wheelpit::sql
