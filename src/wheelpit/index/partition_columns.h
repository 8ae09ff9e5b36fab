// SPDX-License-Identifier: Apache-2.0
// The columns that key=value directories make.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/index/listing.h"

namespace wheelpit::index {

struct PartitionColumns {
  std::vector<std::shared_ptr<arrow::Field>> fields;  ///< nullable
  /// For each of FileListing::directories, the values of the fields.
  std::vector<std::vector<std::shared_ptr<arrow::Scalar>>> values;
};

/// Types hold the values of every directory seen, the pruned ones and those of `sample`
/// (used when nothing else is there) included. Blocks where a time zone has to be read.
arrow::Result<PartitionColumns> MakePartitionColumns(const FileListing& listing,
                                                     const FileListing& sample,
                                                     const TableOptions& options);

}  // namespace wheelpit::index
