// SPDX-License-Identifier: Apache-2.0
// The leaf files of a table and the key=value directories that they lie in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/fs/file_system.h"
#include "wheelpit/index/partition_value.h"
#include "wheelpit/index/predicate.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

struct ListedFile {
  fs::FileInfo info;
  int directory = 0;  ///< of FileListing::directories
};

struct ListedDirectory {
  std::string path;
  std::string base;                ///< where its key=value directories begin
  std::vector<PartitionKey> keys;  ///< outermost first
};

struct FileListing {
  std::vector<ListedFile> files;             ///< sorted by path, each path once
  std::vector<ListedDirectory> directories;  ///< those that hold a data file
  std::vector<ListedDirectory> pruned;       ///< not entered, because of the filter
  int64_t empty_count = 0;                   ///< files of zero bytes, left out
  int64_t hidden_count = 0;
};

/// Lists what `path` names, several directories at a time, on the calling thread and on
/// context.io. `filter` prunes as OpenTable says. Counts directories, files and what was
/// passed over. When all that the filter leaves is nothing, the files of the first pruned
/// directory that has any are in *sample, for their schema.
arrow::Result<FileListing> ListFiles(const std::string& path, const Predicate& filter,
                                     const TableOptions& options,
                                     fs::FileSystem* file_system,
                                     const core::Context& context,
                                     core::MetricSet* metrics, FileListing* sample);

}  // namespace wheelpit::index
