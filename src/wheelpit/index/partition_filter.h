// SPDX-License-Identifier: Apache-2.0
// Whether a key=value directory is worth listing, asked before its column has a type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wheelpit/index/comparable.h"
#include "wheelpit/index/partition_value.h"
#include "wheelpit/index/predicate.h"

namespace wheelpit::index {

/// A filter over directory names. What a value is compared as depends on its column's
/// type, which depends on all values of the column, and these are not known before they
/// are listed. So a directory is refused only when it would be under every type that its
/// column can turn out to have.
class PartitionFilter {
 public:
  /// `predicate` must outlive the filter.
  PartitionFilter(const Predicate& predicate, bool infer_types, std::string time_zone);

  /// False when no row under a directory of this key can satisfy the filter. Terms about
  /// other columns do not matter. May read the zone database: not for compute threads.
  bool MayMatch(const PartitionKey& key) const;

 private:
  struct Term {
    std::string_view column;
    ComparableTerm comparable;
  };
  bool TermMayMatch(const ComparableTerm& term, const PartitionKey& key) const;

  std::vector<Term> terms_;
  bool infer_types_;
  std::string time_zone_;
};

}  // namespace wheelpit::index
