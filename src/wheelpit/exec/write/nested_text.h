// SPDX-License-Identifier: Apache-2.0
// Lists, maps and structs as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/write/batch_text.h"
#include "wheelpit/exec/write/json_text.h"

namespace wheelpit::exec {

/// Values of one nested type. Their parts become text as columns do, all at once; the
/// whole is put together from them. Types inside each other are as deep as the schema,
/// which has a limit where it is read.
class NestedText {
 public:
  static arrow::Result<std::unique_ptr<NestedText>> Make(
      const std::shared_ptr<arrow::DataType>& type, const TextOptions& options);
  ~NestedText();

  /// A string array: [1, 2], {1, a}, {k -> 1} as CAST writes them in Spark, or JSON
  /// ([1,2], {"x":1,"y":"a"}, {"k":1}).
  arrow::Result<std::shared_ptr<arrow::Array>> Convert(const arrow::Array& array) const;

 private:
  NestedText(const std::shared_ptr<arrow::DataType>& type, const TextOptions& options);

  /// The columns of the parts (of a list its items, of a map its keys and its values).
  arrow::Result<arrow::ArrayVector> PartTexts(const arrow::Array& array) const;
  void AppendList(const arrow::Array& items, int64_t begin, int64_t end,
                  std::string* out) const;
  void AppendMap(const arrow::ArrayVector& parts, int64_t begin, int64_t end,
                 std::string* out) const;
  void AppendStruct(const arrow::ArrayVector& parts, int64_t row, std::string* out) const;
  void AppendPart(const arrow::Array& texts, int64_t at, size_t part,
                  std::string* out) const;

  const std::shared_ptr<arrow::DataType> type_;
  const TextOptions options_;
  std::shared_ptr<arrow::Schema> parts_;
  std::vector<JsonForm> forms_;    // by part
  std::vector<std::string> keys_;  // of a struct's parts, in JSON
  std::unique_ptr<BatchText> part_text_;
};

}  // namespace wheelpit::exec
