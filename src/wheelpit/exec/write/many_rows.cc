// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/many_rows.h"

#include <string>

#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace wheelpit::exec {

std::shared_ptr<arrow::RecordBatch> ManyRows(int64_t count) {
  arrow::Int64Builder unique(arrow::system_memory_pool());
  arrow::Int32Builder repeated(arrow::system_memory_pool());
  arrow::StringBuilder text(arrow::system_memory_pool());
  for (int64_t i = 0; i < count; ++i) {
    static_cast<void>(unique.Append(i * 7'919));
    static_cast<void>(i % 11 == 0 ? repeated.AppendNull()
                                  : repeated.Append(static_cast<int32_t>(i % 50)));
    static_cast<void>(text.Append("row number " + std::to_string(i * 104'729 % 999'983)));
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("unique", arrow::int64()),
                     arrow::field("repeated", arrow::int32()),
                     arrow::field("text", arrow::utf8())}),
      count,
      {unique.Finish().ValueOrDie(), repeated.Finish().ValueOrDie(),
       text.Finish().ValueOrDie()});
}

}  // namespace wheelpit::exec
