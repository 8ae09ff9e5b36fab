// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/binder.h"

#include <set>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/query_binder.h"
#include "wheelpit/sql/rules.h"

namespace wheelpit::sql {
namespace {

arrow::Result<std::unique_ptr<plan::Node>> BindPlan(const ast::Query& query,
                                                    const BindOptions& options,
                                                    TableResolver& tables) {
  ARROW_ASSIGN_OR_RAISE(auto plan, QueryBinder(options, tables).BindQuery(query));
  return Optimize(std::move(plan));
}

// Options are words, text or numbers: (FORMAT parquet, ROW_GROUP_ROWS 1000).
arrow::Result<plan::FileOption> BindOption(const ast::CopyOption& option) {
  const ast::Expression& value = *option.value;
  plan::FileOption bound{
      .name = option.name.text, .value = value.text, .range = value.range};
  if (value.kind == ast::ExpressionKind::kColumn && value.path.size() == 1) {
    bound.value = value.path[0].text;
  } else if (value.literal == ast::LiteralKind::kTrue ||
             value.literal == ast::LiteralKind::kFalse) {
    bound.value = value.literal == ast::LiteralKind::kTrue ? "true" : "false";
  } else if (value.kind != ast::ExpressionKind::kLiteral) {
    return Invalid("INVALID_PARAMETER", value.range,
                   "the option " + option.name.text + " takes a word, text or a number");
  }
  return bound;
}

// In most formats a column is found by its name.
arrow::Status CheckColumnNames(const arrow::Schema& schema,
                               const plan::FileFormat& format, plan::SourceRange range) {
  if (format.kind == plan::FileFormatKind::kCsv ||
      format.kind == plan::FileFormatKind::kMarkdown) {
    return arrow::Status::OK();
  }
  std::set<std::string> names;
  for (const auto& field : schema.fields()) {
    if (!names.insert(LowerCase(field->name())).second) {
      return Invalid("COLUMN_ALREADY_EXISTS", range,
                     "two columns are called " + field->name() + ", which " +
                         std::string(plan::ToString(format.kind)) +
                         " cannot tell apart; give one of them another name with AS");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<plan::Node>> BindCopy(const ast::Statement& statement,
                                                    const BindOptions& options,
                                                    TableResolver& tables) {
  auto write = std::make_unique<plan::Node>();
  write->kind = plan::NodeKind::kWrite;
  write->path = statement.path;
  ARROW_RETURN_NOT_OK(
      QueryBinder::CheckLocal(statement.path, "writing to", statement.path_range));
  std::vector<plan::FileOption> file_options;
  for (const ast::CopyOption& option : statement.options) {
    ARROW_ASSIGN_OR_RAISE(file_options.emplace_back(), BindOption(option));
  }
  ARROW_ASSIGN_OR_RAISE(
      write->format,
      plan::ParseFileFormat(statement.path, statement.path_range, file_options));
  QueryBinder binder(options, tables);
  ARROW_ASSIGN_OR_RAISE(auto rows, statement.query != nullptr
                                       ? binder.BindQuery(*statement.query)
                                       : binder.BindTable(*statement.relation));
  ARROW_RETURN_NOT_OK(CheckColumnNames(*rows->schema, write->format, statement.range));
  write->schema = arrow::schema({arrow::field("rows", arrow::int64(), false),
                                 arrow::field("bytes", arrow::int64(), false)});
  write->inputs.push_back(std::move(rows));
  return Optimize(std::move(write));
}

arrow::Result<BoundStatement> BindExplain(const ast::Statement& statement,
                                          const BindOptions& options,
                                          TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kExplain;
  bound.analyze = statement.explain_mode == "ANALYZE";
  const ast::Statement& inner = *statement.inner;
  if (inner.kind != ast::StatementKind::kQuery &&
      inner.kind != ast::StatementKind::kCopy) {
    return NotYet("EXPLAIN of this statement", inner.range);
  }
  ARROW_ASSIGN_OR_RAISE(bound.plan, inner.kind == ast::StatementKind::kCopy
                                        ? BindCopy(inner, options, tables)
                                        : BindPlan(*inner.query, options, tables));
  return bound;
}

arrow::Result<BoundStatement> BindDescribeTable(const ast::Statement& statement,
                                                TableResolver& tables) {
  BoundStatement bound;
  bound.kind = BoundKind::kDescribe;
  if (!statement.words.empty()) {
    return NotYet(statement.words, statement.range);
  }
  ARROW_ASSIGN_OR_RAISE(std::string path, QueryBinder::PathOf(*statement.relation));
  auto opened = tables.OpenPath(path, {});
  if (!opened.ok()) {
    return WithRange(opened.status(), statement.relation->range);
  }
  const auto table = *std::move(opened);
  bound.schema = table->schema;
  bound.partition_columns = table->partition_columns;
  return bound;
}

BoundStatement BoundSetting(BoundKind kind, const ast::Statement& statement) {
  BoundStatement bound;
  bound.kind = kind;
  bound.key = statement.key;
  bound.value = statement.value;
  return bound;
}

}  // namespace

arrow::Result<BoundStatement> Bind(const ast::Statement& statement,
                                   const BindOptions& options, TableResolver& tables) {
  BoundStatement bound;
  switch (statement.kind) {
    case ast::StatementKind::kQuery: {
      ARROW_ASSIGN_OR_RAISE(bound.plan, BindPlan(*statement.query, options, tables));
      return bound;
    }
    case ast::StatementKind::kExplain:
      return BindExplain(statement, options, tables);
    case ast::StatementKind::kDescribeQuery: {
      ARROW_ASSIGN_OR_RAISE(auto plan, BindPlan(*statement.query, options, tables));
      bound.kind = BoundKind::kDescribe;
      bound.schema = plan->schema;
      return bound;
    }
    case ast::StatementKind::kDescribeTable:
      return BindDescribeTable(statement, tables);
    case ast::StatementKind::kSet:
      return BoundSetting(BoundKind::kSet, statement);
    case ast::StatementKind::kReset:
      return BoundSetting(BoundKind::kReset, statement);
    case ast::StatementKind::kShow:
    case ast::StatementKind::kShowAll:
      return BoundSetting(BoundKind::kShow, statement);
    case ast::StatementKind::kCopy: {
      ARROW_ASSIGN_OR_RAISE(bound.plan, BindCopy(statement, options, tables));
      return bound;
    }
    case ast::StatementKind::kOther:
      break;
  }
  return NotYet(statement.words, statement.range);
}

}  // namespace wheelpit::sql
