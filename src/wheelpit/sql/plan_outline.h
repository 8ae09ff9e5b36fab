// SPDX-License-Identifier: Apache-2.0
// For tests: tables that need no files, and plans as short text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>

#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/binder.h"

namespace wheelpit::sql {

/// Gives each path the same table of columns a int, Bb bigint, s string, d decimal(10,2),
/// dt date, b boolean, f double, ts timestamp (none of them null), n int (may be null)
/// and p int, its partition column. Remembers what it was asked.
class FakeTables final : public TableResolver {
 public:
  FakeTables();
  arrow::Result<std::shared_ptr<const index::Table>> OpenPath(
      const std::string& path, const index::Predicate& candidate_terms) override;

  std::shared_ptr<const ast::Statement> FindView(const std::string& name) const override;

  /// Adds what a CREATE VIEW says, unchecked.
  void CreateView(std::string_view text);

  std::string path;           ///< the last one
  std::string terms;          ///< the last ones, as "a>=1, p in(1 2)"
  bool has_no_table = false;  ///< OpenPath fails

 private:
  std::shared_ptr<index::Table> table_;
  std::map<std::string, std::shared_ptr<const ast::Statement>> views_;  // in lower case
};

/// Parses and binds; the table is "x" in the text.
arrow::Result<BoundStatement> BindText(std::string_view text, FakeTables* tables);

/// The plan as "project[a + 1](scan[a]{a > 1})": braces hold a scan's filter.
std::string Outline(const plan::Node& node);

/// The outline of a text's plan, or "error: " and the message.
std::string OutlineOf(std::string_view text);

}  // namespace wheelpit::sql
