// SPDX-License-Identifier: Apache-2.0
// Private to engine: the rows of statements that are not queries. Few and short, they are
// not counted in a budget; `pool` outlives them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/config.h"
#include "wheelpit/engine/session.h"

namespace wheelpit::engine {

using Rows = arrow::Result<std::shared_ptr<arrow::RecordBatch>>;

/// One column, "plan".
std::shared_ptr<arrow::Schema> ExplainSchema();
/// One row per line.
Rows ExplainRows(const std::string& text, arrow::MemoryPool* pool);
/// What EXPLAIN ANALYZE adds: seconds, stages, and the counters that are not 0.
std::string AnalyzeText(const QueryStats& stats);
/// col_name, data_type, comment, as Spark's DESCRIBE; partition columns say so in the
/// comment.
Rows DescribeRows(const arrow::Schema& schema,
                  const std::vector<std::string>& partition_columns,
                  arrow::MemoryPool* pool);
/// key, value, source, meaning: of one setting, or of all when the key is empty.
Rows SettingRows(const core::Config& config, const std::string& key,
                 arrow::MemoryPool* pool);
/// namespace, viewName, isTemporary, as Spark's SHOW VIEWS shows a session's.
Rows ViewRows(const std::vector<std::string>& names, arrow::MemoryPool* pool);
/// No rows of no columns.
Rows NoRows();

}  // namespace wheelpit::engine
