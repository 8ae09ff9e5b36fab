// SPDX-License-Identifier: Apache-2.0
// A parsed statement to something that can be run: names looked up, types worked out by
// Spark's rules, the plan optimised. What parses and is not planned yet is kUnsupported
// with its range.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/predicate.h"
#include "wheelpit/index/table.h"
#include "wheelpit/plan/plan.h"
#include "wheelpit/sql/ast.h"

namespace wheelpit::sql {

struct BindOptions {
  /// Where TIMESTAMP literals without a zone are.
  std::string time_zone = "UTC";
};

/// How the binder gets at tables. It may block.
class TableResolver {
 public:
  virtual ~TableResolver() = default;

  /// The table of the files that `path` names: a file, a directory or a pattern, as
  /// written in the query.
  ///
  /// `candidate_terms` are the parts of WHERE that compare a name with literals, found
  /// before any column is known: names as the query spells them, literals of their own
  /// types, which need not be the column's. Whoever lists files may leave out what a term
  /// about a partition column excludes, and must ignore a term about any other column.
  /// The filter itself is in the plan all the same.
  virtual arrow::Result<std::shared_ptr<const index::Table>> OpenPath(
      const std::string& path, const index::Predicate& candidate_terms) = 0;

  /// The CREATE VIEW statement of the view of that name, in any case; null when there is
  /// none. The binder does not keep it.
  virtual std::shared_ptr<const ast::Statement> FindView(const std::string& name) const {
    static_cast<void>(name);
    return nullptr;
  }
};

enum class BoundKind : uint8_t {
  kQuery,
  kExplain,
  kDescribe,
  kSet,
  kReset,
  kShow,
  kCreateView,  ///< its query can be bound
  kDropView,
  kShowViews,
};

struct BoundStatement {
  BoundKind kind = BoundKind::kQuery;
  std::unique_ptr<plan::Node> plan;            ///< kQuery (COPY too), kExplain
  bool analyze = false;                        ///< EXPLAIN ANALYZE
  std::shared_ptr<arrow::Schema> schema;       ///< kDescribe
  std::vector<std::string> partition_columns;  ///< kDescribe, of a table
  std::string key;                   ///< kSet, kReset, kShow; empty when all are meant
  std::optional<std::string> value;  ///< kSet; without one it is a question
};

/// Errors about the text carry their range: kInvalidSql with Spark's class for names that
/// are not there and types that do not fit, kUnsupported for what is not planned yet. The
/// resolver's errors pass through. Threads that may block only.
arrow::Result<BoundStatement> Bind(const ast::Statement& statement,
                                   const BindOptions& options, TableResolver& tables);

}  // namespace wheelpit::sql
