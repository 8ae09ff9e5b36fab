// SPDX-License-Identifier: Apache-2.0
// What WHERE says about columns before any column is known, for those who list files.
#pragma once

#include <string_view>

#include "wheelpit/index/predicate.h"
#include "wheelpit/sql/ast.h"
#include "wheelpit/sql/binder.h"

namespace wheelpit::sql {

/// The conjuncts of the form name op literal (either way round), name IN (literals), name
/// BETWEEN literals and name IS [NOT] NULL, where the name is bare or qualified with
/// `qualifier`. Everything else is left out, so the terms may keep rows that WHERE drops.
index::Predicate CandidateTerms(const ast::Expression& where, std::string_view qualifier,
                                const BindOptions& options);

}  // namespace wheelpit::sql
