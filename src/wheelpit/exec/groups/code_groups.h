// SPDX-License-Identifier: Apache-2.0
// Keys that are dictionary columns of few values: rows are told apart by their
// codes, so that a key is encoded and looked up once per batch and not once per
// row.
#pragma once

#include <cstdint>
#include <vector>

#include <arrow/type_fwd.h>

namespace wheelpit::exec {

class CodeGroups {
 public:
  /// Whether it can be done for these rows of key columns: then each has a
  /// group below count().
  bool Assign(const arrow::ArrayVector& columns, int64_t row_count);

  /// How many combinations of codes occur; several may be the same key.
  int64_t count() const { return static_cast<int64_t>(first_rows_.size()); }
  /// A row of each.
  const std::vector<int32_t>& first_rows() const { return first_rows_; }
  /// Of row i.
  const std::vector<int32_t>& groups() const { return groups_; }

  /// The rows in the order of their groups: `rows`, and where each group
  /// begins, and the end.
  void Sort(std::vector<int32_t>* rows, std::vector<int32_t>* starts) const;

 private:
  std::vector<int32_t> groups_;
  std::vector<int32_t> first_rows_;
  std::vector<int32_t> group_of_codes_;
};

}  // namespace wheelpit::exec
