// SPDX-License-Identifier: Apache-2.0
// The binder's errors: each has a range.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <arrow/status.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::sql {

inline arrow::Status BindError(core::ErrorKind kind, std::string_view error_class,
                               plan::SourceRange range, std::string message) {
  return core::MakeStatus({.kind = kind,
                           .error_class = std::string(error_class),
                           .sql_offset = range.offset,
                           .sql_length = range.length},
                          std::move(message));
}

/// "<what> is not supported yet"
inline arrow::Status NotYet(std::string_view what, plan::SourceRange range) {
  return BindError(core::ErrorKind::kUnsupported, "UNSUPPORTED_FEATURE", range,
                   std::string(what) + " is not supported yet");
}

inline arrow::Status Invalid(std::string_view error_class, plan::SourceRange range,
                             std::string message) {
  return BindError(core::ErrorKind::kInvalidSql, error_class, range, std::move(message));
}

using plan::WithRange;

}  // namespace wheelpit::sql
