// SPDX-License-Identifier: Apache-2.0
// Private to engine: the views of a session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/status.h>

#include "wheelpit/sql/ast.h"

namespace wheelpit::engine {

/// Shared by a session and its running queries, of which any may be the last to end. Any
/// thread.
class ViewCatalog {
 public:
  using Definition = std::shared_ptr<const sql::ast::Statement>;  // a CREATE VIEW

  /// All texts of a session's views together: their trees are not counted in a budget.
  static constexpr int64_t kTextBytesMax = int64_t{4} << 20;

  /// By its name in any case; null when there is none.
  Definition Find(const std::string& name) const;

  /// Replaces a view of its name, keeps it, or fails, as the statement says. kInvalidSql,
  /// class TEMP_TABLE_OR_VIEW_ALREADY_EXISTS or VIEWS_TOO_LARGE.
  arrow::Status Create(Definition definition);

  /// Nothing happens when there is none.
  void Drop(const std::string& name);

  /// As their CREATE VIEW spells them, in order.
  std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;                 // guards what follows
  std::map<std::string, Definition> views_;  // by name in lower case
  int64_t text_bytes_ = 0;
};

}  // namespace wheelpit::engine
