// SPDX-License-Identifier: Apache-2.0
// The schema part of a Parquet footer: a list of elements in depth-first order. Only the
// footer decoder uses this.
#pragma once

#include <memory>
#include <string_view>

#include <arrow/result.h>

#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::index {

/// Decodes FileMetaData.schema, which `bytes` holds from the list's header on, and
/// nothing else after it. kCorrupt for what is no schema, kUnsupported for one that
/// Arrow's types cannot express.
arrow::Result<std::shared_ptr<const ParquetSchema>> DecodeParquetSchema(
    std::string_view bytes);

}  // namespace wheelpit::index
