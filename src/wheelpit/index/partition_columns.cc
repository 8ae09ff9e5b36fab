// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/partition_columns.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::index {

namespace {

// The different values of one column and what they come to: there are far fewer of them
// than directories.
struct Column {
  PartitionType type;
  std::unordered_map<std::string_view, std::shared_ptr<arrow::Scalar>> scalars;

  void See(std::string_view value, bool infer) {
    if (scalars.try_emplace(value, nullptr).second) {
      type = Widen(type, InferPartitionType(value, infer));
    }
  }
};

}  // namespace

arrow::Result<PartitionColumns> MakePartitionColumns(const FileListing& listing,
                                                     const FileListing& sample,
                                                     const TableOptions& options) {
  PartitionColumns out;
  const std::vector<ListedDirectory>& named =
      listing.directories.empty() ? sample.directories : listing.directories;
  if (named.empty()) {
    return out;
  }
  const std::vector<PartitionKey>& names = named.front().keys;
  std::vector<Column> columns(names.size());
  for (const auto* directories : {&listing.directories, &listing.pruned, &named}) {
    for (const ListedDirectory& directory : *directories) {
      for (size_t i = 0; i < std::min(directory.keys.size(), columns.size()); ++i) {
        columns[i].See(directory.keys[i].value, options.infer_partition_types);
      }
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    out.fields.push_back(arrow::field(names[i].name, ToArrow(columns[i].type)));
  }
  out.values.reserve(listing.directories.size());
  for (const ListedDirectory& directory : listing.directories) {
    std::vector<std::shared_ptr<arrow::Scalar>> values;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& value = directory.keys[i].value;
      std::shared_ptr<arrow::Scalar>& scalar = columns[i].scalars[value];
      if (scalar == nullptr) {
        auto made = MakePartitionScalar(value, columns[i].type, options.time_zone);
        if (!made.ok()) {
          return core::WithContext(made.status(), fs::Quoted(directory.path));
        }
        scalar = *std::move(made);
      }
      values.push_back(scalar);
    }
    out.values.push_back(std::move(values));
  }
  return out;
}

}  // namespace wheelpit::index
