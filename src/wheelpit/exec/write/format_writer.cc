// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/format_writer.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/exchange.h"
#include "wheelpit/exec/write/json_text.h"
#include "wheelpit/exec/write/writers.h"

namespace wheelpit::exec {

WriterResult MakeFormatWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                              ByteSink* sink) {
  switch (options.format.kind) {
    case plan::FileFormatKind::kParquet:
      return MakeParquetWriter(schema, options, sink);
    case plan::FileFormatKind::kArrow:
      return MakeArrowWriter(schema, options, sink);
    default:
      return MakeTextWriter(schema, options, sink);
  }
}

arrow::Status CheckNamesDiffer(const arrow::Schema& schema, std::string_view what) {
  for (const auto& field : schema.fields()) {
    if (schema.GetAllFieldIndices(field->name()).size() > 1) {
      return core::Error(core::ErrorKind::kInvalidSql, "two columns are called ",
                         JsonString(field->name()), ", which ", what,
                         " has once; rename one with AS");
    }
  }
  return arrow::Status::OK();
}

int64_t RowsOf(const arrow::RecordBatch& batch, int64_t bytes) {
  const int64_t rows = std::max<int64_t>(batch.num_rows(), 1);
  const int64_t row_bytes = std::max<int64_t>(BatchBytes(batch) / rows, 1);
  return std::max<int64_t>(bytes / row_bytes, 1);
}

}  // namespace wheelpit::exec
