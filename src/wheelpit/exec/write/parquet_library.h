// SPDX-License-Identifier: Apache-2.0
// What both writers of Parquet files have of the library: the properties of a file, and
// its exceptions as errors. Private to them.
#pragma once

#include <exception>
#include <memory>
#include <new>

#include <arrow/status.h>
#include <arrow/type_fwd.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/writers.h"

namespace wheelpit::exec {

// The library throws what its interface says it returns, and other things.
template <typename Work>
arrow::Status CatchParquet(Work&& work) {
  try {
    return work();
  } catch (const parquet::ParquetStatusException& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return core::BadAllocError();
  } catch (const std::exception& error) {
    return core::Error(core::ErrorKind::kInternal, "writing Parquet: ", error.what());
  }
}

parquet::Compression::type ParquetCodecOf(plan::FileCodec codec);
/// Without what depends on the columns.
void SetParquetProperties(const FormatWriterOptions& options, arrow::MemoryPool* pool,
                          parquet::WriterProperties::Builder* builder);
std::shared_ptr<parquet::WriterProperties> ParquetProperties(
    const FormatWriterOptions& options, arrow::MemoryPool* pool);
std::shared_ptr<parquet::ArrowWriterProperties> ParquetArrowProperties();

/// Whether the rows are of columns that ParquetColumn takes.
bool IsFlatParquet(const arrow::Schema& schema);
WriterResult MakeFlatParquetWriter(const SchemaPtr& schema,
                                   const FormatWriterOptions& options, ByteSink* sink);

}  // namespace wheelpit::exec
