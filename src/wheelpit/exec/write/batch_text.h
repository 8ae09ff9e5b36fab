// SPDX-License-Identifier: Apache-2.0
// Every value as the text that CAST(value AS STRING) gives in Spark, nested values as
// JSON where that is wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::exec {

enum class NestedForm : uint8_t { kSpark, kJson };

struct TextOptions {
  std::string time_zone = "UTC";  ///< in which time stamps are shown
  NestedForm nested = NestedForm::kSpark;
  arrow::MemoryPool* pool = nullptr;  ///< never null; outlives what is made
};

class BatchText {
 public:
  static arrow::Result<std::unique_ptr<BatchText>> Make(
      const std::shared_ptr<arrow::Schema>& schema, const TextOptions& options);
  ~BatchText();
  /// One string array per column.
  arrow::Result<arrow::ArrayVector> Convert(const arrow::RecordBatch& batch);

 private:
  struct Impl;
  explicit BatchText(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelpit::exec
