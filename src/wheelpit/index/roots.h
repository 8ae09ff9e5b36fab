// SPDX-License-Identifier: Apache-2.0
// From what a query names to the files and directories where listing begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/context.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/fs/file_system.h"
#include "wheelpit/index/table.h"

namespace wheelpit::index {

/// Whether listing passes a name over: Spark's rules (a leading "." or a leading "_"
/// without "=", a trailing "._COPYING_"; directories that begin with "_metadata" or
/// "_common_metadata" are entered all the same), and checksum files (".crc").
bool IsHidden(std::string_view name, bool is_directory);

/// The last component.
std::string_view NameOf(std::string_view path);
/// All but the last component: "/" for "/a", "." for "a".
std::string_view ParentOf(std::string_view path);

/// The error of a name that was there and whose target is not, in a strict listing.
arrow::Status VanishedError(std::string_view path);

/// What `path` names: itself where it exists, else what it matches as a glob, sorted by
/// path, each once. Wildcards match no hidden name unless they spell its first character.
/// kNotFound when there is nothing, with a name that is near.
arrow::Result<std::vector<fs::FileInfo>> ResolveRoots(const std::string& path,
                                                      const TableOptions& options,
                                                      fs::FileSystem* file_system,
                                                      const core::Context& context,
                                                      core::MetricSet* metrics);

}  // namespace wheelpit::index
