// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/functions.h"

#include <algorithm>
#include <array>
#include <optional>

#include <arrow/type.h>

#include "wheelpit/plan/types.h"

namespace wheelpit::sql {
namespace {

using plan::AggregateFunction;
using plan::Function;

struct FunctionRow {
  std::string_view name;
  Function function;
};

constexpr std::array kFunctions = {
    FunctionRow{"abs", Function::kAbs},
    FunctionRow{"ceil", Function::kCeil},
    FunctionRow{"ceiling", Function::kCeil},
    FunctionRow{"char_length", Function::kLength},
    FunctionRow{"character_length", Function::kLength},
    FunctionRow{"coalesce", Function::kCoalesce},
    FunctionRow{"concat", Function::kConcat},
    FunctionRow{"contains", Function::kContains},
    FunctionRow{"date_add", Function::kDateAdd},
    FunctionRow{"date_diff", Function::kDateDiff},
    FunctionRow{"date_sub", Function::kDateSub},
    FunctionRow{"dateadd", Function::kDateAdd},
    FunctionRow{"datediff", Function::kDateDiff},
    FunctionRow{"day", Function::kDay},
    FunctionRow{"dayofmonth", Function::kDay},
    FunctionRow{"endswith", Function::kEndsWith},
    FunctionRow{"floor", Function::kFloor},
    FunctionRow{"hour", Function::kHour},
    FunctionRow{"isnan", Function::kIsNaN},
    FunctionRow{"isnotnull", Function::kIsNotNull},
    FunctionRow{"isnull", Function::kIsNull},
    FunctionRow{"lcase", Function::kLower},
    FunctionRow{"len", Function::kLength},
    FunctionRow{"length", Function::kLength},
    FunctionRow{"like", Function::kLike},
    FunctionRow{"lower", Function::kLower},
    FunctionRow{"minute", Function::kMinute},
    FunctionRow{"mod", Function::kRemainder},
    FunctionRow{"month", Function::kMonth},
    FunctionRow{"negative", Function::kNegate},
    FunctionRow{"nullif", Function::kNullIf},
    FunctionRow{"regexp", Function::kRLike},
    FunctionRow{"regexp_like", Function::kRLike},
    FunctionRow{"rlike", Function::kRLike},
    FunctionRow{"round", Function::kRound},
    FunctionRow{"second", Function::kSecond},
    FunctionRow{"sqrt", Function::kSqrt},
    FunctionRow{"startswith", Function::kStartsWith},
    FunctionRow{"substr", Function::kSubstring},
    FunctionRow{"substring", Function::kSubstring},
    FunctionRow{"ucase", Function::kUpper},
    FunctionRow{"upper", Function::kUpper},
    FunctionRow{"year", Function::kYear},
};

constexpr std::array kAggregates = {
    NamedAggregate{"any", AggregateFunction::kMax, AggregateArgument::kBoolean},
    NamedAggregate{"any_value", AggregateFunction::kMax, AggregateArgument::kAny},
    NamedAggregate{"avg", AggregateFunction::kAvg},
    NamedAggregate{"bool_and", AggregateFunction::kMin, AggregateArgument::kBoolean},
    NamedAggregate{"bool_or", AggregateFunction::kMax, AggregateArgument::kBoolean},
    NamedAggregate{"count", AggregateFunction::kCount},
    NamedAggregate{"count_if", AggregateFunction::kCount, AggregateArgument::kCondition},
    NamedAggregate{"every", AggregateFunction::kMin, AggregateArgument::kBoolean},
    NamedAggregate{"max", AggregateFunction::kMax},
    NamedAggregate{"mean", AggregateFunction::kAvg},
    NamedAggregate{"min", AggregateFunction::kMin},
    NamedAggregate{"some", AggregateFunction::kMax, AggregateArgument::kBoolean},
    NamedAggregate{"std", AggregateFunction::kStddevSamp},
    NamedAggregate{"stddev", AggregateFunction::kStddevSamp},
    NamedAggregate{"stddev_pop", AggregateFunction::kStddevPop},
    NamedAggregate{"stddev_samp", AggregateFunction::kStddevSamp},
    NamedAggregate{"sum", AggregateFunction::kSum},
    NamedAggregate{"var_pop", AggregateFunction::kVarPop},
    NamedAggregate{"var_samp", AggregateFunction::kVarSamp},
    NamedAggregate{"variance", AggregateFunction::kVarSamp},
};

// What the binder builds out of other functions.
constexpr std::array<std::string_view, 14> kBuiltNames = {
    "btrim", "date_part", "datepart", "extract",  "if",    "ifnull", "left",
    "ltrim", "nvl",       "nvl2",     "positive", "right", "rtrim",  "trim"};

constexpr std::array<std::string_view, 12> kCastNames = {
    "bigint", "binary", "boolean",  "date",   "decimal",   "double",
    "float",  "int",    "smallint", "string", "timestamp", "tinyint"};

template <typename Rows>
auto FindRow(const Rows& rows, std::string_view name) {
  return std::find_if(rows.begin(), rows.end(),
                      [&](const auto& row) { return row.name == name; });
}

}  // namespace

std::optional<Function> FindFunction(std::string_view name) {
  auto row = FindRow(kFunctions, name);
  return row == kFunctions.end() ? std::nullopt : std::optional(row->function);
}

std::optional<NamedAggregate> FindAggregate(std::string_view name) {
  auto row = FindRow(kAggregates, name);
  return row == kAggregates.end() ? std::nullopt : std::optional(*row);
}

std::shared_ptr<arrow::DataType> FindCastFunction(std::string_view name) {
  constexpr int32_t kDefaultPrecision = 10;
  const std::array<std::shared_ptr<arrow::DataType>, kCastNames.size()> types = {
      arrow::int64(),
      arrow::binary(),
      arrow::boolean(),
      arrow::date32(),
      arrow::decimal128(kDefaultPrecision, 0),
      arrow::float64(),
      arrow::float32(),
      arrow::int32(),
      arrow::int16(),
      arrow::utf8(),
      plan::TimestampType(),
      arrow::int8()};
  auto found = std::find(kCastNames.begin(), kCastNames.end(), name);
  return found == kCastNames.end()
             ? nullptr
             : types[static_cast<size_t>(found - kCastNames.begin())];
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const FunctionRow& row : kFunctions) {
    names.emplace_back(row.name);
  }
  for (const NamedAggregate& row : kAggregates) {
    names.emplace_back(row.name);
  }
  names.insert(names.end(), kBuiltNames.begin(), kBuiltNames.end());
  names.insert(names.end(), kCastNames.begin(), kCastNames.end());
  return names;
}

}  // namespace wheelpit::sql
