// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/pruner.h"

#include <algorithm>
#include <optional>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/index/column_name.h"

namespace wheelpit::index {

namespace {

std::optional<int> ColumnOf(const arrow::Schema& schema, std::string_view name) {
  const arrow::FieldVector& fields = schema.fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (SameName(fields[i]->name(), name)) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

Pruner::Pruner(const Table& table, const Predicate& predicate) {
  for (const PredicateTerm& term : predicate) {
    if (const std::optional<int> column = ColumnOf(*table.schema, term.column)) {
      terms_.push_back({ComparableTerm(term), *column, -1, {}});
    }
  }
}

void Pruner::Enter(const TableFile& file) {
  file_ = &file;
  // Files of one schema come in runs.
  if (file.column_map == column_map_) {
    return;
  }
  column_map_ = file.column_map;
  for (Term& term : terms_) {
    term.place = (*column_map_)[static_cast<size_t>(term.column)];
    term.bounds = term.place < 0 ? BoundsReader{}
                                 : BoundsReader::Make(*file.footer->schema, term.place);
  }
}

bool Pruner::FileMayMatch() const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.place >= 0 ||
           MayMatch(term.comparable, term.place == -1 ? ColumnRange::OnlyNulls()
                                                      : PartitionRange(term.place));
  });
}

bool Pruner::RowGroupMayMatch(const ParquetRowGroup& row_group) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.place < 0 || MayMatch(term.comparable, term.bounds.Read(row_group));
  });
}

ColumnRange Pruner::PartitionRange(int place) const {
  const arrow::Scalar& scalar = *file_->partition_values[static_cast<size_t>(-2 - place)];
  if (!scalar.is_valid) {
    return ColumnRange::OnlyNulls();
  }
  return ColumnRange::OneValue(ToComparable(scalar));
}

}  // namespace wheelpit::index
