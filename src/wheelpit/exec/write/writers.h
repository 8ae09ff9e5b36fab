// SPDX-License-Identifier: Apache-2.0
// The writers behind MakeFormatWriter.
#pragma once

#include <memory>

#include "wheelpit/exec/write/format_writer.h"

namespace wheelpit::exec {

using SchemaPtr = std::shared_ptr<arrow::Schema>;
using WriterResult = arrow::Result<std::unique_ptr<FormatWriter>>;

WriterResult MakeTextWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                            ByteSink* sink);
WriterResult MakeArrowWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                             ByteSink* sink);
WriterResult MakeParquetWriter(const SchemaPtr& schema,
                               const FormatWriterOptions& options, ByteSink* sink);

/// kInvalidSql when two columns have one name, which `what` cannot have.
arrow::Status CheckNamesDiffer(const arrow::Schema& schema, std::string_view what);

}  // namespace wheelpit::exec
