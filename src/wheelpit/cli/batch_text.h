// SPDX-License-Identifier: Apache-2.0
// Every value as the text that CAST(value AS STRING) gives in Spark; nested values as
// JSON-like text.
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::cli {

class BatchText {
 public:
  static arrow::Result<std::unique_ptr<BatchText>> Make(
      std::shared_ptr<arrow::Schema> schema, const std::string& time_zone,
      arrow::MemoryPool* pool);
  ~BatchText();
  /// One string array per column.
  arrow::Result<arrow::ArrayVector> Convert(const arrow::RecordBatch& batch);

 private:
  struct Impl;
  explicit BatchText(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelpit::cli
