// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/partition_filter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <arrow/scalar.h>

#include "wheelpit/index/column_name.h"

namespace wheelpit::index {

namespace {

using Kind = Comparable::Kind;

// A text as its own value, kept together with what the value points into.
struct Typed {
  PartitionType type;
  std::shared_ptr<arrow::Scalar> scalar;
  Comparable comparable;
};

Typed TypedValue(std::string_view text, const std::string& time_zone) {
  Typed out;
  out.type = InferPartitionType(text, true);
  if (auto scalar = MakePartitionScalar(text, out.type, time_zone); scalar.ok()) {
    out.scalar = *std::move(scalar);
    out.comparable = ToComparable(*out.scalar);
  }
  return out;
}

ComparableTerm WithLiteral(const ComparableTerm& term, const Comparable& literal) {
  ComparableTerm one = term;
  one.literals = {literal};
  return one;
}

}  // namespace

PartitionFilter::PartitionFilter(const Predicate& predicate, bool infer_types,
                                 std::string time_zone)
    : infer_types_(infer_types), time_zone_(std::move(time_zone)) {
  for (const PredicateTerm& term : predicate) {
    terms_.push_back({term.column, ComparableTerm(term)});
  }
}

bool PartitionFilter::MayMatch(const PartitionKey& key) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return !SameName(term.column, key.name) || TermMayMatch(term.comparable, key);
  });
}

bool PartitionFilter::TermMayMatch(const ComparableTerm& term,
                                   const PartitionKey& key) const {
  if (key.value == kNullPartition) {
    return index::MayMatch(term, ColumnRange::OnlyNulls());
  }
  if (term.literals.empty()) {
    return index::MayMatch(term, ColumnRange::OneValue({}));
  }
  const Typed value = TypedValue(key.value, time_zone_);
  const std::string text = UnescapePathName(key.value);
  Comparable as_text;
  as_text.kind = Kind::kBytes;
  as_text.bytes = text;
  return std::any_of(
      term.literals.begin(), term.literals.end(), [&](const Comparable& literal) {
        const bool typed_matches = index::MayMatch(
            WithLiteral(term, literal), ColumnRange::OneValue(value.comparable));
        if (literal.kind != Kind::kBytes) {
          return typed_matches;
        }
        // A text literal: the column may be of text.
        if (index::MayMatch(WithLiteral(term, literal), ColumnRange::OneValue(as_text))) {
          return true;
        }
        // It surely is when this value already makes it so. Else the query may compare
        // the literal as a value of the column's type.
        if (!infer_types_ || value.type.kind == PartitionType::Kind::kString) {
          return false;
        }
        const Typed typed_literal = TypedValue(literal.bytes, time_zone_);
        return index::MayMatch(WithLiteral(term, typed_literal.comparable),
                               ColumnRange::OneValue(value.comparable));
      });
}

}  // namespace wheelpit::index
