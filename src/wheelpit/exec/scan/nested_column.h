// SPDX-License-Identifier: Apache-2.0
// A column of lists, maps or structs, read by Arrow's own reader from bytes that are in
// memory. All its leaves' chunks must be; a read of anything else fails, for it would
// block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/metrics.h"
#include "wheelpit/exec/scan/column_reader.h"
#include "wheelpit/exec/scan/fetcher.h"
#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::exec {

class NestedColumn final : public ColumnReader {
 public:
  struct Options {
    std::string path;    ///< for errors
    std::string column;  ///< for errors
    int row_group = 0;
    int64_t batch_rows = 0;
    std::shared_ptr<arrow::DataType> type;  ///< of the table
    std::shared_ptr<const index::ParquetFooter> footer;
    int64_t file_size = 0;
    std::vector<int> leaves;
    std::vector<ByteRange> ranges;  ///< by leaf
    std::vector<std::shared_ptr<arrow::Buffer>> buffers;
    arrow::MemoryPool* pool = nullptr;
    core::MetricSet* metrics = nullptr;
  };
  static arrow::Result<std::unique_ptr<ColumnReader>> Make(Options options);
  ~NestedColumn() override;

  arrow::Result<bool> Ensure(int64_t, int64_t, core::Wait*) override { return true; }
  arrow::Status Read(int64_t begin, const RowSelection& selection) override;
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override;
  int64_t bytes_per_row() const override { return bytes_per_row_; }

 private:
  struct Reader;
  NestedColumn(Options options, std::unique_ptr<Reader> reader, int64_t bytes_per_row);

  arrow::Status At(const arrow::Status& status) const;
  arrow::Status ReadBatch();

  Options options_;
  std::unique_ptr<Reader> reader_;
  int64_t bytes_per_row_;
  std::shared_ptr<arrow::Array> batch_;  // rows [batch_begin_, batch_begin_ + its length)
  int64_t batch_begin_ = 0;
  arrow::ArrayVector pieces_;
};

}  // namespace wheelpit::exec
