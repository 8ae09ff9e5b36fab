// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/plan_outline.h"

#include <array>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {

namespace {

std::string TermText(const index::PredicateTerm& term) {
  constexpr std::array<std::string_view, 8> kOps = {
      "=", "<", "<=", ">", ">=", " in(", " is null", " is not null"};
  std::string text = term.column + std::string(kOps[static_cast<size_t>(term.op)]);
  for (size_t i = 0; i < term.literals.size(); ++i) {
    text += (i > 0 ? " " : "") + term.literals[i]->ToString();
  }
  return text + (term.op == index::PredicateOp::kIn ? ")" : "");
}

template <typename Items>
std::string List(const Items& items) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : ", ") + plan::ToString(*item);
  }
  return text;
}

std::string ScanOutline(const plan::Node& scan) {
  std::string text = "scan[";
  for (int i = 0; i < scan.schema->num_fields(); ++i) {
    text += (i > 0 ? ", " : "") + scan.schema->field(i)->name();
  }
  return text + "]" + (scan.filter.empty() ? "" : "{" + List(scan.filter) + "}");
}

std::string AggregateOutline(const plan::Node& node) {
  std::string text;
  for (const plan::Aggregate& aggregate : node.aggregates) {
    text += (text.empty() ? "" : ", ") + plan::ToString(aggregate);
  }
  return "aggregate[" + text + "]" +
         (node.keys.empty() ? "" : "by[" + List(node.keys) + "]");
}

std::string SortOutline(const plan::Node& node) {
  std::string text;
  for (const plan::SortKey& key : node.sort_keys) {
    text += (text.empty() ? "" : ", ") + node.schema->field(key.column)->name() +
            (key.descending ? " desc" : "") + (key.nulls_first ? "" : " nulls last");
  }
  return (node.limit < 0 ? "sort[" : "top" + std::to_string(node.limit) + "[") + text +
         "]";
}

std::string ExpandOutline(const plan::Node& node) {
  std::string text;
  for (const auto& row : node.rows) {
    text += (text.empty() ? "" : "; ") + List(row);
  }
  return "expand[" + text + "]";
}

std::string NodeOutline(const plan::Node& node) {
  switch (node.kind) {
    case plan::NodeKind::kValues:
      return "values[" + std::to_string(node.rows.size()) + "x" +
             std::to_string(node.schema->num_fields()) + "]";
    case plan::NodeKind::kScan:
      return ScanOutline(node);
    case plan::NodeKind::kFilter:
      return "filter[" + plan::ToString(*node.condition) + "]";
    case plan::NodeKind::kProject:
      return "project[" + List(node.expressions) + "]";
    case plan::NodeKind::kAggregate:
      return AggregateOutline(node);
    case plan::NodeKind::kExpand:
      return ExpandOutline(node);
    case plan::NodeKind::kSort:
      return SortOutline(node);
    case plan::NodeKind::kUnion:
      return "union";
    case plan::NodeKind::kWrite:
      return "write[" + node.path + " " + plan::ToString(node.format) + "]";
    case plan::NodeKind::kLimit:
      return "limit[" + std::to_string(node.limit) + "+" + std::to_string(node.offset) +
             "]";
  }
  return {};
}

}  // namespace

FakeTables::FakeTables() : table_(std::make_shared<index::Table>()) {
  auto field = [](const char* name, std::shared_ptr<arrow::DataType> type) {
    return arrow::field(name, std::move(type), false);
  };
  table_->name = "x";
  table_->schema =
      arrow::schema({field("a", arrow::int32()), field("Bb", arrow::int64()),
                     field("s", arrow::utf8()), field("d", arrow::decimal128(10, 2)),
                     field("dt", arrow::date32()), field("b", arrow::boolean()),
                     field("f", arrow::float64()), field("ts", plan::TimestampType()),
                     arrow::field("n", arrow::int32()), field("p", arrow::int32())});
  table_->partition_columns = {"p"};
}

arrow::Result<std::shared_ptr<const index::Table>> FakeTables::OpenPath(
    const std::string& asked_path, const index::Predicate& candidate_terms) {
  if (has_no_table) {
    return core::Error(core::ErrorKind::kNotFound, asked_path, ": there is no such file");
  }
  path = asked_path;
  terms.clear();
  for (const index::PredicateTerm& term : candidate_terms) {
    terms += (terms.empty() ? "" : ", ") + TermText(term);
  }
  return table_;
}

std::shared_ptr<const ast::Statement> FakeTables::FindView(
    const std::string& name) const {
  const auto found = views_.find(LowerCase(name));
  return found == views_.end() ? nullptr : found->second;
}

void FakeTables::CreateView(std::string_view text) {
  auto statement = std::make_shared<ast::Statement>(Parse(text).ValueOrDie());
  const std::string name = LowerCase(statement->view.name[0].text);
  views_[name] = std::move(statement);
}

arrow::Result<BoundStatement> BindText(std::string_view text, FakeTables* tables) {
  ARROW_ASSIGN_OR_RAISE(ast::Statement statement, Parse(text));
  return Bind(statement, {}, *tables);
}

std::string Outline(const plan::Node& node) {
  std::string inputs;
  for (const auto& input : node.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + Outline(*input);
  }
  return NodeOutline(node) + (inputs.empty() ? "" : "(" + inputs + ")");
}

std::string OutlineOf(std::string_view text) {
  FakeTables tables;
  auto bound = BindText(text, &tables);
  return bound.ok() ? Outline(*bound->plan) : "error: " + bound.status().message();
}

}  // namespace wheelpit::sql
