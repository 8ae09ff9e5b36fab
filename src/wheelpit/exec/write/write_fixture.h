// SPDX-License-Identifier: Apache-2.0
// What the tests of this module share: rows, and what was written of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/exec/write/format_writer.h"
#include "wheelpit/exec/write/many_rows.h"

namespace parquet {
class FileMetaData;
}  // namespace parquet

namespace wheelpit::exec {

struct Bytes final : ByteSink {
  arrow::Status Write(std::string_view bytes) override;
  std::string text;
};

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::string& name,
                                            std::shared_ptr<arrow::Array> column);
/// Columns id BIGINT and name STRING.
std::shared_ptr<arrow::RecordBatch> TwoColumns(
    const std::vector<std::optional<int64_t>>& ids,
    const std::vector<std::optional<std::string>>& names);

/// What a writer makes of a batch; a failure is the test's.
std::string Written(const std::shared_ptr<arrow::RecordBatch>& batch,
                    const plan::FileFormat& format, bool arrow_stream = false);
/// Whether there is a writer.
arrow::Status StatusOf(const std::shared_ptr<arrow::Schema>& schema,
                       const plan::FileFormat& format);

std::shared_ptr<arrow::Table> ReadParquet(const std::string& bytes);
std::shared_ptr<parquet::FileMetaData> MetadataOf(const std::string& bytes);

/// The rows of every column as text, whatever the types are that hold them.
std::vector<std::string> ValueTexts(const arrow::RecordBatch& batch);
std::vector<std::string> ValueTexts(const arrow::Table& table);

}  // namespace wheelpit::exec
