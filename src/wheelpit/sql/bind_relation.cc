// SPDX-License-Identifier: Apache-2.0
// FROM: files, subqueries, common tables and VALUES.
#include <algorithm>
#include <array>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/candidate_terms.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/query_binder.h"

namespace wheelpit::sql {

using plan::ExprPtr;
using plan::Node;
using plan::NodeKind;
using NodePtr = std::unique_ptr<Node>;

namespace {

// Formats that Spark reads by format.`path`.
constexpr std::array<std::string_view, 6> kOtherFormats = {"csv",  "json", "orc",
                                                           "text", "avro", "delta"};

NodePtr RenameColumns(NodePtr input, const std::vector<ast::Name>& names) {
  auto project = std::make_unique<Node>();
  project->kind = NodeKind::kProject;
  arrow::FieldVector fields;
  for (int i = 0; i < input->schema->num_fields(); ++i) {
    const auto& field = input->schema->field(i);
    project->expressions.push_back(
        plan::MakeColumn(i, field->name(), field->type(), field->nullable()));
    fields.push_back(field->WithName(names[static_cast<size_t>(i)].text));
  }
  project->schema = arrow::schema(std::move(fields));
  project->inputs.push_back(std::move(input));
  return project;
}

// One row without columns: SELECT without FROM.
NodePtr MakeOneRow() {
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kValues;
  node->schema = arrow::schema(arrow::FieldVector());
  node->rows.emplace_back();
  return node;
}

// "s3" of "s3://bucket/key"; nothing for a path of this machine.
std::string_view SchemeOf(std::string_view path) {
  const size_t end = path.find("://");
  if (end == std::string_view::npos || end == 0) {
    return {};
  }
  const std::string_view scheme = path.substr(0, end);
  const bool good = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '+' || c == '-' || c == '.';
  });
  return good ? scheme : std::string_view();
}

std::string PathText(const ast::NamePath& path) {
  std::string text;
  for (const ast::Name& name : path) {
    text += (text.empty() ? "" : ".") + name.text;
  }
  return text;
}

arrow::Result<std::string> FunctionPath(const ast::Expression& call) {
  std::string name = LowerCase(PathText(call.call->name));
  if (name != "read_parquet") {
    return NotYet("the table function " + name, call.op_range);
  }
  bool path = !call.operands.empty() &&
              call.operands[0]->kind == ast::ExpressionKind::kLiteral &&
              call.operands[0]->literal == ast::LiteralKind::kString;
  if (!path) {
    return Invalid(
        "INVALID_PARAMETER", call.range,
        "read_parquet takes a path in quotes, as read_parquet('dir/*.parquet')");
  }
  // Partition columns are read from key=value folders in any case.
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const ast::Expression& argument = *call.operands[i];
    bool partitioning = argument.kind == ast::ExpressionKind::kNamedArgument &&
                        SameName(argument.path[0].text, "hive_partitioning") &&
                        argument.operands[0]->literal == ast::LiteralKind::kTrue;
    if (!partitioning) {
      return NotYet("this argument of read_parquet", argument.range);
    }
  }
  return call.operands[0]->text;
}

// The type of a column of VALUES: what all its rows can be brought to.
arrow::Result<std::shared_ptr<arrow::DataType>> ColumnType(
    const std::vector<std::vector<ExprPtr>>& rows, size_t column,
    plan::SourceRange range) {
  std::shared_ptr<arrow::DataType> type = rows[0][column]->type;
  for (const std::vector<ExprPtr>& row : rows) {
    auto common = plan::CommonType(type, row[column]->type);
    // Text does not become anything else here, as it would in an expression.
    bool text = plan::ClassOf(*type) == plan::TypeClass::kString;
    bool null = plan::ClassOf(*type) == plan::TypeClass::kNull ||
                plan::ClassOf(*row[column]->type) == plan::TypeClass::kNull;
    bool other_text = plan::ClassOf(*row[column]->type) == plan::TypeClass::kString;
    if (common == nullptr || (text != other_text && !null)) {
      return Invalid("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                     row[column]->range.offset >= 0 ? row[column]->range : range,
                     "column " + std::to_string(column + 1) + " of VALUES has " +
                         plan::TypeName(*type) + " before and " +
                         plan::TypeName(*row[column]->type) + " here");
    }
    type = std::move(common);
  }
  return type;
}

}  // namespace

arrow::Result<std::string> QueryBinder::PathOf(const ast::Relation& relation) {
  ARROW_ASSIGN_OR_RAISE(std::string path, AnyPathOf(relation));
  ARROW_RETURN_NOT_OK(CheckLocal(path, "reading from", relation.range));
  return path;
}

arrow::Status QueryBinder::CheckLocal(const std::string& path, const char* doing,
                                      plan::SourceRange range) {
  // A directory of that name can be reached by "./" before it.
  if (const std::string_view scheme = SchemeOf(path); !scheme.empty()) {
    return NotYet(std::string(doing) + " " + std::string(scheme) + "://", range);
  }
  return arrow::Status::OK();
}

arrow::Result<std::string> QueryBinder::AnyPathOf(const ast::Relation& relation) {
  if (relation.kind == ast::RelationKind::kFile) {
    return relation.file;
  }
  if (relation.kind == ast::RelationKind::kFunction) {
    return FunctionPath(*relation.function);
  }
  const ast::NamePath& path = relation.path;
  if (path.size() == 2 && SameName(path[0].text, "parquet")) {
    return path[1].text;
  }
  if (path.size() == 2) {
    std::string format = LowerCase(path[0].text);
    if (std::find(kOtherFormats.begin(), kOtherFormats.end(), format) !=
        kOtherFormats.end()) {
      return NotYet("reading " + format, relation.range);
    }
  }
  return Invalid("TABLE_OR_VIEW_NOT_FOUND", relation.range,
                 "there is no table " + PathText(path) +
                     "; put the name of a file or directory in quotes, as FROM "
                     "'dir/*.parquet'");
}

arrow::Result<QueryBinder::Source> QueryBinder::BindFrom(const ast::Select& select) {
  if (select.from.empty()) {
    Source source;
    source.node = MakeOneRow();
    return source;
  }
  if (select.from.size() > 1) {
    return NotYet("more than one table in FROM", select.from[1].range);
  }
  return BindRelation(select.from[0], select.where.get());
}

arrow::Result<QueryBinder::Source> QueryBinder::BindRelation(
    const ast::Relation& relation, const ast::Expression* where) {
  // Views and common tables that use others twice would double at each level.
  constexpr int kRelationsMax = 10000;
  if (++relation_count_ > kRelationsMax) {
    return Invalid("TOO_MANY_TABLES", relation.range,
                   "with its views and common tables written out this query has more "
                   "than " +
                       std::to_string(kRelationsMax) + " tables");
  }
  if (!relation.extensions.empty()) {
    const ast::RelationExtension& first = relation.extensions[0];
    return first.pivot != nullptr
               ? NotYet(first.pivot->unpivot ? "UNPIVOT" : "PIVOT", first.pivot->range)
               : NotYet("JOIN", first.range);
  }
  if (relation.lateral) {
    return NotYet("LATERAL", relation.range);
  }
  if (relation.sample) {
    return NotYet("TABLESAMPLE", relation.sample->range);
  }
  if (relation.version != nullptr) {
    return NotYet("reading an older version of a table", relation.version->range);
  }
  std::string qualifier = relation.alias.text;
  Source source;
  ARROW_ASSIGN_OR_RAISE(source.node, BindRelationRows(relation, where, &qualifier));
  const std::vector<ast::Name>& aliases = relation.column_aliases;
  if (!aliases.empty()) {
    auto count = static_cast<size_t>(source.node->schema->num_fields());
    if (aliases.size() != count) {
      return Invalid(relation.kind == ast::RelationKind::kValues
                         ? "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH"
                         : "ASSIGNMENT_ARITY_MISMATCH",
                     aliases[0].range,
                     core::Counted(static_cast<int64_t>(aliases.size()), "name") +
                         " for " + core::Counted(static_cast<int64_t>(count), "column"));
    }
    source.node = RenameColumns(std::move(source.node), aliases);
  }
  source.scope = Scope(*source.node->schema, std::move(qualifier));
  return source;
}

QueryBinder::NodeResult QueryBinder::BindRelationRows(const ast::Relation& relation,
                                                      const ast::Expression* where,
                                                      std::string* qualifier) {
  // Renamed columns are not the files' columns.
  if (!relation.column_aliases.empty()) {
    where = nullptr;
  }
  switch (relation.kind) {
    case ast::RelationKind::kTable:
      return BindNamedTable(relation, where, qualifier);
    case ast::RelationKind::kFile:
    case ast::RelationKind::kFunction: {
      ARROW_ASSIGN_OR_RAISE(std::string path, PathOf(relation));
      return BindFile(path, where, *qualifier, relation.range);
    }
    case ast::RelationKind::kQuery:
      return BindQuery(*relation.query);
    case ast::RelationKind::kValues:
      return BindValues(relation);
    case ast::RelationKind::kNested:
      break;
  }
  const ast::Relation& nested = *relation.nested;
  if (qualifier->empty()) {
    *qualifier = nested.alias.text;
  }
  ARROW_ASSIGN_OR_RAISE(Source source, BindRelation(nested, nullptr));
  return std::move(source.node);
}

QueryBinder::NodeResult QueryBinder::BindNamedTable(const ast::Relation& relation,
                                                    const ast::Expression* where,
                                                    std::string* qualifier) {
  if (qualifier->empty()) {
    *qualifier = relation.path.back().text;
  }
  if (relation.path.size() == 1) {
    for (size_t i = common_tables_.size(); i > 0; --i) {
      if (SameName(common_tables_[i - 1]->name.text, relation.path[0].text)) {
        return BindCommonTable(i - 1);
      }
    }
  }
  if (relation.path.size() == 1) {
    if (const auto view = tables_.FindView(relation.path[0].text); view != nullptr) {
      return BindView(*view, relation.range);
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::string path, PathOf(relation));
  return BindFile(path, where, *qualifier, relation.range);
}

// A common table sees those before it.
QueryBinder::NodeResult QueryBinder::BindCommonTable(size_t index) {
  const ast::CommonTable& table = *common_tables_[index];
  std::vector<const ast::CommonTable*> visible = common_tables_;
  common_tables_.resize(index);
  NodeResult node = BindQuery(*table.query);
  common_tables_ = std::move(visible);
  ARROW_RETURN_NOT_OK(node.status());
  return NameColumns(*std::move(node), table.columns);
}

// The same rows under other names, if there are any.
QueryBinder::NodeResult QueryBinder::NameColumns(NodePtr input,
                                                 const std::vector<ast::Name>& names) {
  if (names.empty()) {
    return input;
  }
  if (static_cast<int>(names.size()) != input->schema->num_fields()) {
    return Invalid("ASSIGNMENT_ARITY_MISMATCH", names[0].range,
                   core::Counted(static_cast<int64_t>(names.size()), "name") + " for " +
                       core::Counted(input->schema->num_fields(), "column"));
  }
  return RenameColumns(std::move(input), names);
}

QueryBinder::NodeResult QueryBinder::BindFile(const std::string& path,
                                              const ast::Expression* where,
                                              const std::string& qualifier,
                                              plan::SourceRange range) {
  index::Predicate terms;
  if (where != nullptr) {
    terms = CandidateTerms(*where, qualifier, options_);
  }
  auto opened = tables_.OpenPath(path, terms);
  if (!opened.ok()) {
    return WithRange(opened.status(), range);
  }
  std::shared_ptr<const index::Table> table = *std::move(opened);
  ARROW_RETURN_NOT_OK(
      CheckColumnCount(static_cast<size_t>(table->schema->num_fields()), range));
  auto scan = std::make_unique<Node>();
  scan->kind = NodeKind::kScan;
  scan->schema = table->schema;
  for (int i = 0; i < table->schema->num_fields(); ++i) {
    scan->columns.push_back(i);
  }
  scan->table = std::move(table);
  return scan;
}

// VALUES (1, 2), (3, 4): columns are col1, col2, … unless renamed.
QueryBinder::NodeResult QueryBinder::BindValues(const ast::Relation& values) {
  Scope no_columns;
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::kValues;
  ExpressionBinder binder(no_columns, options_);
  binder.set_clause("VALUES");
  for (const ast::ExpressionPtr& item : values.values) {
    std::vector<ExprPtr> row;
    if (item->kind == ast::ExpressionKind::kRow) {
      for (const ast::ExpressionPtr& value : item->operands) {
        ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder.Bind(*value));
        row.push_back(std::move(bound));
      }
    } else {
      ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder.Bind(*item));
      row.push_back(std::move(bound));
    }
    if (!node->rows.empty() && row.size() != node->rows[0].size()) {
      return Invalid("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", item->range,
                     "this row of VALUES has " + std::to_string(row.size()) +
                         " columns, the first has " +
                         std::to_string(node->rows[0].size()));
    }
    node->rows.push_back(std::move(row));
  }
  arrow::FieldVector fields;
  for (size_t column = 0; column < node->rows[0].size(); ++column) {
    ARROW_ASSIGN_OR_RAISE(auto type, ColumnType(node->rows, column, values.range));
    bool nullable = false;
    for (std::vector<ExprPtr>& row : node->rows) {
      ARROW_ASSIGN_OR_RAISE(row[column],
                            plan::MakeCast(row[column], type, false, row[column]->range));
      nullable = nullable || row[column]->nullable;
    }
    fields.push_back(arrow::field("col" + std::to_string(column + 1), type, nullable));
  }
  node->schema = arrow::schema(std::move(fields));
  return node;
}

}  // namespace wheelpit::sql
