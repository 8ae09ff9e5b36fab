// SPDX-License-Identifier: Apache-2.0
// What tests, the fuzz target and the benchmark of the scan share: files in memory,
// tables over them, filters made of a function, and a loop that runs a scan to its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/scan/scan_source.h"
#include "wheelpit/fs/file_system.h"
#include "wheelpit/index/table.h"

namespace parquet {
class WriterProperties;
}  // namespace parquet

namespace wheelpit::exec {

/// Files by path.
class MemoryFileSystem final : public fs::FileSystem {
 public:
  void Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes) {
    files_[path] = std::move(bytes);
  }
  void Remove(const std::string& path) { files_.erase(path); }

  arrow::Result<fs::FileInfo> Stat(const std::string& path) override {
    return core::Error(core::ErrorKind::kInternal, "not used: ", path);
  }
  arrow::Result<fs::Listing> List(const std::string& directory, const fs::EntryFilter&,
                                  const arrow::StopToken&) override {
    return core::Error(core::ErrorKind::kInternal, "not used: ", directory);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      const std::string& path, arrow::MemoryPool*) override {
    const auto found = files_.find(path);
    if (found == files_.end()) {
      return core::Error(core::ErrorKind::kNotFound, path, ": no such file");
    }
    return std::make_shared<arrow::io::BufferReader>(found->second);
  }

 private:
  std::map<std::string, std::shared_ptr<arrow::Buffer>> files_;
};

/// A filter that keeps the rows for which a function of one array and a row is true.
class FunctionFilter final : public RowFilter {
 public:
  using Keep = std::function<arrow::Result<bool>(const arrow::ArrayVector&, int64_t row)>;
  FunctionFilter(std::vector<int> columns, Keep keep, bool may_fail = false)
      : columns_(std::move(columns)), keep_(std::move(keep)), may_fail_(may_fail) {}

  const std::vector<int>& columns() const override { return columns_; }
  bool may_fail() const override { return may_fail_; }
  arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays, int64_t length,
                                  int32_t* rows) override {
    int64_t count = 0;
    evaluated_rows += length;
    for (int64_t i = 0; i < length; ++i) {
      ARROW_ASSIGN_OR_RAISE(const bool keep, keep_(arrays, i));
      if (keep) rows[count++] = static_cast<int32_t>(i);
    }
    return count;
  }

  int64_t evaluated_rows = 0;

 private:
  std::vector<int> columns_;
  Keep keep_;
  bool may_fail_;
};

/// Keeps the rows whose value of a fixed-width column is not null and satisfies `keep`.
template <typename T>
std::unique_ptr<RowFilter> ValueFilter(int column, std::function<bool(T)> keep) {
  return std::make_unique<FunctionFilter>(
      std::vector<int>{column},
      [keep](const arrow::ArrayVector& arrays, int64_t row) -> arrow::Result<bool> {
        const auto& array = *arrays[0];
        return array.IsValid(row) && keep(array.data()->GetValues<T>(1)[row]);
      });
}

/// A Parquet file made by Arrow.
std::shared_ptr<arrow::Buffer> WriteParquet(
    const arrow::Table& table, std::shared_ptr<parquet::WriterProperties> properties,
    int64_t row_group_rows = 1 << 20, bool int96 = false);

/// The values of a dictionary column; others as they are.
std::shared_ptr<arrow::Array> Plain(const std::shared_ptr<arrow::Array>& array);

/// A table over files in memory, and scans of it.
class ScannedTable {
 public:
  ScannedTable();

  /// Its schema is the table's unless one was set before; columns are matched by name.
  void Add(const std::string& path, std::shared_ptr<arrow::Buffer> bytes);
  void SetSchema(std::shared_ptr<arrow::Schema> schema) { table->schema = schema; }

  std::vector<int> AllColumns() const;

  /// Runs one scan of `split` (all files unless changed). `output` counts in `columns`;
  /// nothing: all.
  arrow::Result<std::shared_ptr<arrow::Table>> Run(
      std::vector<int> columns, std::vector<std::unique_ptr<RowFilter>> filters = {},
      std::optional<std::vector<int>> output = std::nullopt);

  int64_t Get(core::Metric metric) const { return metrics->Get(metric); }

  MemoryFileSystem file_system;
  std::shared_ptr<index::Table> table = std::make_shared<index::Table>();
  index::Split split;
  index::Predicate predicate;
  std::shared_ptr<const MovingPredicate> moving;
  int64_t batch_rows = 1000;
  int64_t prefetch_bytes = int64_t{8} << 20;
  /// As ScanOptions has them; `Run` gives plain values nevertheless, `batches` do not.
  std::vector<std::shared_ptr<GrowingDictionary>> dictionaries;
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  // Of the last run:
  std::unique_ptr<core::MetricSet> metrics;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;

 private:
  std::unique_ptr<core::ThreadPool> io_;
};

/// Runs a source to its end on the calling thread, blocking in its waits.
arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> RunToEnd(Source* source);

}  // namespace wheelpit::exec
