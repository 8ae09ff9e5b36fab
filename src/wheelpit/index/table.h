// SPDX-License-Identifier: Apache-2.0
// A table over files: its schema, and the files with their footers and partition values.
// Made by index::OpenTable; immutable and shared by plans and running scans; any thread
// may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/cancel.h>

#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/fs/file_system.h"
#include "wheelpit/index/parquet_footer.h"
#include "wheelpit/index/predicate.h"

namespace wheelpit::index {

class FooterCache;

struct TableFile {
  std::string path;
  int64_t size_bytes = 0;
  int64_t mtime_nanos = 0;
  std::shared_ptr<const ParquetFooter> footer;
  /// Values of Table::partition_columns, of their types; null scalars for Spark's default
  /// partition.
  std::vector<std::shared_ptr<arrow::Scalar>> partition_values;
  /// For each column of Table::schema: the top-level field of the file's own schema that
  /// holds it, -1 when the file has none (nulls), -2 - i when it is partition value i.
  std::shared_ptr<const std::vector<int>> column_map;
};

struct TableOptions {
  bool recursive = true;
  bool follow_symlinks = true;
  bool ignore_missing = false;
  bool infer_partition_types = true;
  bool read_table_formats = false;
  std::string base_path;          ///< Spark's basePath; empty: each root
  std::string time_zone = "UTC";  ///< in which partition time stamps are read
  /// Footers that take more memory than this are kMemoryLimit, as soon as they do; 0: no
  /// bound.
  int64_t footer_bytes_max = 0;
};

struct Table {
  std::string name;                       ///< as the query wrote it
  std::shared_ptr<arrow::Schema> schema;  ///< data columns, then partition columns
  std::vector<std::string> partition_columns;
  std::vector<TableFile> files;           ///< sorted by path
  fs::FileSystem* file_system = nullptr;  ///< outlives the table
};

/// Bytes of memory that a table holds, footers and what splits will take included: to be
/// counted by whoever keeps it.
int64_t MemoryBytes(const Table& table);

/// Lists what `path` names (file, directory, glob), reads the footers, unites the schemas
/// by name (README.md has the rule). `partition_filter` prunes key=value directories
/// before they are listed; terms about other columns are ignored, and literals may be of
/// any type that a value of the directory's text can be compared with. When it prunes all
/// of them, the table has a schema and no files. `footers`, where given, is asked before
/// a file is read. Blocks; runs on the calling thread and on context.io. Errors name the
/// path and say what to do.
arrow::Result<std::shared_ptr<const Table>> OpenTable(const std::string& path,
                                                      const Predicate& partition_filter,
                                                      const TableOptions& options,
                                                      fs::FileSystem* file_system,
                                                      const core::Context& context,
                                                      core::MetricSet* metrics,
                                                      FooterCache* footers = nullptr);

/// Part of a file for one task: row groups [first, last) of table.files[file].
struct ScanUnit {
  int file = 0;
  int first_row_group = 0;
  int last_row_group = 0;
  int64_t compressed_bytes = 0;  ///< of the wanted columns
  int64_t row_count = 0;
  bool first_of_file = false;  ///< in all splits together: so that files are counted once
};

/// The work of one task, in the order of the files.
using Split = std::vector<ScanUnit>;

struct SplitOptions {
  int task_slots = 1;                   ///< compute threads
  int tasks_per_slot_max = 4;           ///< for small inputs
  int64_t split_bytes_max = 128 << 20;  ///< Spark's maxPartitionBytes
};

/// The row groups that may hold a row of `predicate`, packed into splits. Counts what is
/// pruned. `columns` are those of table.schema that will be read.
std::vector<Split> PlanSplits(const Table& table, const std::vector<int>& columns,
                              const Predicate& predicate, const SplitOptions& options,
                              core::MetricSet* metrics);

}  // namespace wheelpit::index
