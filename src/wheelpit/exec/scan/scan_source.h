// SPDX-License-Identifier: Apache-2.0
// ScanSource: reads one split of a table of Parquet files. Row groups are read ahead by
// I/O threads; this side decodes, page by page, the filter's columns first and of the
// others only what is left. Never blocks: while bytes are missing it waits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/scan/growing_dictionary.h"
#include "wheelpit/exec/scan/moving_predicate.h"
#include "wheelpit/exec/scan/row_filter.h"
#include "wheelpit/index/table.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::exec {

struct ScanOptions {
  std::shared_ptr<const index::Table> table;
  std::vector<int> columns;  ///< of table.schema, in the order of the output
  /// A row comes out when all of them are true for it.
  std::vector<std::unique_ptr<RowFilter>> filters;
  /// What is known of them to prune pages by; empty: page indexes are not read for it.
  index::Predicate predicate;
  /// Leaves out row groups that are read later, and their pages where page indexes may be
  /// read; null: there is none. What it leaves out of rows is one of `filters`.
  std::shared_ptr<const MovingPredicate> moving;
  bool moving_pages = true;
  /// Which of `columns` come out, ascending; the rest is only read for filters.
  std::vector<int> output;
  /// Of `columns`; empty: of none. Where it is not null (text), batches may have a
  /// dictionary column of int16 codes of it in the place of the plain one, some of them
  /// or all: for operators that know codes. Shared by the tasks of a query.
  std::vector<std::shared_ptr<GrowingDictionary>> dictionaries;
  index::Split split;
  int64_t batch_rows = 8192;
  int64_t prefetch_bytes = int64_t{8} << 20;
  /// Over I/O threads; where all reads run. Whoever owns it closes it (and so waits for
  /// reads in flight) before the pool, the file system or the metrics go.
  core::TaskGroup* io_tasks = nullptr;
  core::MetricSet* metrics = nullptr;
  /// The context's pool, where it is a budget: before each batch, what that may take
  /// beyond the budget's minimum is asked of operators that can give it (batches may wait
  /// behind the scan). May be null.
  memory::OperatorBudget* budget = nullptr;
};

/// A batch has the fields of table.schema that `output` names (dictionaries of their
/// types where `dictionaries` allows it, which its schema does not say), at most
/// batch_rows rows, and where rows are wide about 1 MiB. Of the context the pool and the
/// stop token are used. Errors name the file, row group and column and say what to do:
/// kCorrupt for bytes that do not decode and for files that changed since they were
/// listed, kUnsupported for types, encodings and codecs that are not read here.
arrow::Result<std::unique_ptr<Source>> MakeScanSource(ScanOptions options,
                                                      const core::Context& context);

}  // namespace wheelpit::exec
