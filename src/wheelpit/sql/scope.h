// SPDX-License-Identifier: Apache-2.0
// The columns that a name may mean.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"
#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

/// The error class of a name that no column has.
inline constexpr std::string_view kUnresolvedColumn = "UNRESOLVED_COLUMN";

class Scope {
 public:
  /// No columns: SELECT without FROM.
  Scope() = default;
  /// The columns of a relation that is called `qualifier` (may be empty).
  Scope(const arrow::Schema& schema, std::string qualifier);

  size_t size() const { return columns_.size(); }
  const std::string& name(size_t column) const { return columns_[column].name; }

  /// The column that a name means, possibly qualified. kInvalidSql: class
  /// UNRESOLVED_COLUMN, with a suggestion, or AMBIGUOUS_REFERENCE.
  arrow::Result<plan::ExprPtr> Find(const ast::Expression& name) const;

  /// The column at a position, as a star gives it.
  plan::ExprPtr At(size_t column, plan::SourceRange range) const;

  /// The positions that a star stands for, those of its EXCEPT left out.
  arrow::Result<std::vector<size_t>> Expand(const ast::Expression& star) const;

  /// Whether `qualifier` is this relation's name.
  bool IsQualifier(std::string_view qualifier) const;

 private:
  struct Column {
    std::string name;
    std::shared_ptr<arrow::DataType> type;
    bool nullable = true;
  };

  const std::vector<size_t>& Matches(std::string_view name) const;
  /// An error when the column's type is one that nothing here reads.
  arrow::Status CheckReadable(size_t column, plan::SourceRange range) const;
  arrow::Status Unknown(const ast::NamePath& path, plan::SourceRange range) const;

  std::vector<Column> columns_;
  std::unordered_map<std::string, std::vector<size_t>> positions_;  // by lower-case name
  std::string qualifier_;
};

}  // namespace wheelpit::sql
