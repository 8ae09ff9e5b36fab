// SPDX-License-Identifier: Apache-2.0
// The functions that a query may call, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::sql {

/// The scalar function of a lower-case name, if evaluation has it under one name or
/// another. Functions that become something else (if, nvl2, date) are the binder's.
std::optional<plan::Function> FindFunction(std::string_view name);

/// What the argument of an aggregate function is taken as.
enum class AggregateArgument : uint8_t {
  kValue,
  kBoolean,    ///< and has to be: bool_and is the least of booleans
  kCondition,  ///< rows in which it is true are counted: count_if
  kAny,        ///< whichever of the values: any_value gives the largest
};

struct NamedAggregate {
  std::string_view name;
  plan::AggregateFunction function;
  AggregateArgument argument = AggregateArgument::kValue;
};

/// The aggregate function of a lower-case name. count(*) is the binder's affair.
std::optional<NamedAggregate> FindAggregate(std::string_view name);

/// The type that a function of that name casts to: int(x), date(x); null for others.
std::shared_ptr<arrow::DataType> FindCastFunction(std::string_view name);

/// Every name that may be called, for suggestions.
std::vector<std::string> FunctionNames();

}  // namespace wheelpit::sql
