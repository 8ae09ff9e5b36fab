// SPDX-License-Identifier: Apache-2.0
// One schema for files whose schemas differ. The rule is in README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::index {

/// The type that holds every value of both exactly; null when there is none.
std::shared_ptr<arrow::DataType> WiderType(const std::shared_ptr<arrow::DataType>& a,
                                           const std::shared_ptr<arrow::DataType>& b);

/// Takes the schemas of a table's files, in the order of the files, then makes the
/// table's. Not thread-safe.
class SchemaUnion {
 public:
  /// `path` is for messages. Schemas shared by several files are looked at once.
  arrow::Status Add(std::shared_ptr<const ParquetSchema> schema, const std::string& path);

  /// After the last Add: data columns in the order of their first appearance, then the
  /// partition columns that no data column has the name of; of the others, the partition
  /// column takes the data column's place.
  void Finish(const std::vector<std::shared_ptr<arrow::Field>>& partition_fields);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// TableFile::column_map of the files that have this schema. After Finish.
  std::shared_ptr<const std::vector<int>> ColumnMapOf(const ParquetSchema* schema) const;

 private:
  struct Column {
    std::string name;
    std::shared_ptr<arrow::DataType> type;
    std::string path;  // of the file that the type is from
  };
  struct Known {
    std::shared_ptr<const ParquetSchema> schema;
    /// For each field of the schema, its column.
    std::vector<int> columns;
    std::shared_ptr<const std::vector<int>> column_map;
  };

  arrow::Result<int> AddField(const arrow::Field& field, const std::string& path);

  std::vector<Column> columns_;
  std::unordered_map<std::string, int> by_name_;  // folded
  std::unordered_map<const ParquetSchema*, Known> known_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace wheelpit::index
