// SPDX-License-Identifier: Apache-2.0
// The pieces of MakeCall that its rule files share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::plan {

/// A call under construction: the rules change `arguments` and set the rest.
struct CallRule {
  Function function;
  std::vector<ExprPtr> arguments;
  SourceRange range;
  std::shared_ptr<arrow::DataType> type;
  bool nullable = false;          ///< when no argument is
  ExprPtr replacement = nullptr;  ///< what stands for the call, when it is none

  /// kInvalidSql, DATATYPE_MISMATCH, at the range: "<name> does not take <types>".
  arrow::Status Mismatch() const;
};

/// `argument` as `type`, without a check: literals at once where that is certain.
ExprPtr Coerce(const ExprPtr& argument, const std::shared_ptr<arrow::DataType>& type);

arrow::Status SqlError(std::string_view error_class, SourceRange range,
                       std::string message);

/// + - * / div % & | ^.
arrow::Status ApplyArithmetic(CallRule* call);
/// The same where intervals are concerned; sets `done` when that is so.
arrow::Status ApplyIntervalArithmetic(CallRule* call, bool* done);
/// = <> < <= > >= <=>.
arrow::Status ApplyComparison(CallRule* call);

}  // namespace wheelpit::plan
