// SPDX-License-Identifier: Apache-2.0
// Calls, casts and aggregates.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/expression_binder.h"
#include "wheelpit/sql/fold.h"
#include "wheelpit/sql/functions.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/spark_functions.h"

namespace wheelpit::sql {

using ast::ExpressionKind;
using plan::AggregateFunction;
using plan::ExprPtr;
using plan::Function;

namespace {

struct ExtractRow {
  std::string_view field;
  Function function;
};

constexpr std::array kExtractFields = {
    ExtractRow{"year", Function::kYear},
    ExtractRow{"y", Function::kYear},
    ExtractRow{"years", Function::kYear},
    ExtractRow{"yr", Function::kYear},
    ExtractRow{"yrs", Function::kYear},
    ExtractRow{"month", Function::kMonth},
    ExtractRow{"mon", Function::kMonth},
    ExtractRow{"mons", Function::kMonth},
    ExtractRow{"months", Function::kMonth},
    ExtractRow{"day", Function::kDay},
    ExtractRow{"d", Function::kDay},
    ExtractRow{"days", Function::kDay},
    ExtractRow{"hour", Function::kHour},
    ExtractRow{"h", Function::kHour},
    ExtractRow{"hours", Function::kHour},
    ExtractRow{"hr", Function::kHour},
    ExtractRow{"hrs", Function::kHour},
    ExtractRow{"minute", Function::kMinute},
    ExtractRow{"m", Function::kMinute},
    ExtractRow{"min", Function::kMinute},
    ExtractRow{"mins", Function::kMinute},
    ExtractRow{"minutes", Function::kMinute},
    ExtractRow{"second", Function::kSecondFraction},
    ExtractRow{"s", Function::kSecondFraction},
    ExtractRow{"sec", Function::kSecondFraction},
    ExtractRow{"seconds", Function::kSecondFraction},
    ExtractRow{"secs", Function::kSecondFraction},
};

// Fields that Spark extracts and nothing here does yet.
constexpr std::array<std::string_view, 11> kOtherFields = {
    "quarter",   "qtr",     "week",          "w",   "weeks",     "dow",
    "dayofweek", "dow_iso", "dayofweek_iso", "doy", "yearofweek"};

// INTERVAL DAY, INTERVAL YEAR TO MONTH
arrow::Result<std::shared_ptr<arrow::DataType>> BindIntervalType(
    const ast::TypeName& type) {
  constexpr std::array<std::string_view, 6> kUnits = {"year", "month",  "day",
                                                      "hour", "minute", "second"};
  auto field = [&](const std::string& unit) {
    return static_cast<plan::IntervalField>(
        std::find(kUnits.begin(), kUnits.end(), unit) - kUnits.begin());
  };
  plan::IntervalFields fields{field(type.units.front()), field(type.units.back())};
  bool same_kind = (fields.first <= plan::IntervalField::kMonth) == fields.year_month();
  if (!same_kind || (type.units.size() > 1 && fields.first >= fields.last)) {
    return Invalid("PARSE_SYNTAX_ERROR", type.range,
                   "INTERVAL " + type.units.front() + " TO " + type.units.back() +
                       " is no type; the first field is the larger one of the same kind");
  }
  return plan::IntervalType(fields);
}

bool IsNonNullLiteral(const plan::Expr& expression) {
  return expression.kind == plan::ExprKind::kLiteral && expression.literal->is_valid;
}

bool SameAggregate(const plan::Aggregate& a, const plan::Aggregate& b) {
  auto same = [](const ExprPtr& x, const ExprPtr& y) {
    return (x == nullptr) == (y == nullptr) && (x == nullptr || plan::Equals(*x, *y));
  };
  return a.function == b.function && same(a.argument, b.argument) &&
         same(a.filter, b.filter) &&
         std::equal(a.distinct.begin(), a.distinct.end(), b.distinct.begin(),
                    b.distinct.end(), same);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> BindType(const ast::TypeName& type) {
  const std::string& word = type.word;
  constexpr int32_t kDefaultPrecision = 10;
  if (word == "decimal" || word == "dec" || word == "numeric") {
    auto number = [&](size_t i, int32_t otherwise) {
      return i < type.parameters.size() ? static_cast<int32_t>(type.parameters[i])
                                        : otherwise;
    };
    int32_t precision = number(0, kDefaultPrecision);
    if (precision < 1) {
      return Invalid("DATATYPE_MISMATCH", type.range, "a decimal has at least one digit");
    }
    return arrow::decimal128(precision, number(1, 0));
  }
  std::string_view name = word == "byte"                          ? "tinyint"
                          : word == "short"                       ? "smallint"
                          : word == "integer"                     ? "int"
                          : word == "long"                        ? "bigint"
                          : word == "real"                        ? "float"
                          : word == "timestamp_ltz"               ? "timestamp"
                          : word == "char" || word == "character" ? "string"
                          : word == "varchar"                     ? "string"
                                              : std::string_view(word);
  bool local =
      word == "timestamp_ntz" || (word == "timestamp" && type.time_zone == false);
  if (local) {
    return plan::TimestampNtzType();
  }
  if (word == "interval" && !type.units.empty()) {
    return BindIntervalType(type);
  }
  if (word == "void") {
    return arrow::null();
  }
  if (auto found = FindCastFunction(name)) {
    return found;
  }
  return NotYet("the type " + word, type.range);
}

ExpressionBinder::Result ExpressionBinder::BindCast(const ast::Expression& node) {
  ARROW_ASSIGN_OR_RAISE(auto type, BindType(*node.type));
  ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*node.operands[0]));
  return plan::MakeCast(std::move(value), std::move(type), node.try_cast, node.range);
}

ExpressionBinder::Result ExpressionBinder::BindCall(const ast::Expression& node) {
  const ast::Call& call = *node.call;
  if (call.over) {
    return NotYet("a window function", node.range);
  }
  if (!call.within_group.empty()) {
    return NotYet("WITHIN GROUP", node.range);
  }
  std::string name;
  for (const ast::Name& part : call.name) {
    name += (name.empty() ? "" : ".") + LowerCase(part.text);
  }
  const auto aggregate = FindAggregate(name);
  // Of any_value it is so in any case.
  const bool may_ignore = aggregate && aggregate->argument == AggregateArgument::kAny;
  if (call.ignore_nulls && !may_ignore) {
    return NotYet("IGNORE NULLS and RESPECT NULLS", node.range);
  }
  if (aggregate) {
    return BindAggregate(node, *aggregate);
  }
  if (call.distinct || call.filter != nullptr) {
    return Invalid("INVALID_SQL_SYNTAX", node.op_range,
                   std::string(call.distinct ? "DISTINCT" : "FILTER") +
                       " is for aggregate functions; " + name + " is none known here");
  }
  return BindScalarCall(node, name);
}

ExpressionBinder::Result ExpressionBinder::BindScalarCall(const ast::Expression& node,
                                                          const std::string& name) {
  if (auto function = FindFunction(name)) {
    ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
    return Call(*function, std::move(arguments), node.range);
  }
  if (auto type = FindCastFunction(name); type != nullptr && node.operands.size() == 1) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*node.operands[0]));
    return plan::MakeCast(std::move(value), std::move(type), false, node.range);
  }
  if (name == "grouping" || name == "grouping_id") {
    return BindGroupingCall(node, name == "grouping_id");
  }
  if (name == "trim" || name == "btrim" || name == "ltrim" || name == "rtrim") {
    return BindTrim(node, name);
  }
  bool extract = name == "extract" || name == "date_part" || name == "datepart";
  if (extract && node.operands.size() == 2 &&
      node.operands[0]->literal == ast::LiteralKind::kString) {
    return BindExtract(node);
  }
  return BindBuiltCall(node, name);
}

bool ExpressionBinder::HasPlaceholder(const plan::Expr& expression) {
  return (expression.kind == plan::ExprKind::kColumn &&
          expression.column >= kFirstAggregate) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExprPtr& argument) { return HasPlaceholder(*argument); });
}

ExpressionBinder::Result ExpressionBinder::BindGroupingCall(const ast::Expression& node,
                                                            bool of_all) {
  if (groupings_ == nullptr) {
    return Invalid("UNSUPPORTED_GROUPING_EXPRESSION", node.range,
                   "grouping and grouping_id tell the sets of GROUP BY ROLLUP, CUBE or "
                   "GROUPING SETS apart");
  }
  if (in_aggregate_) {
    return NotYet("grouping and grouping_id inside of an aggregate function", node.range);
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  if (!of_all && arguments.size() != 1) {
    return Invalid(
        "WRONG_NUM_ARGS", node.range,
        "grouping takes 1 argument, " + std::to_string(arguments.size()) + " given");
  }
  groupings_->push_back({std::move(arguments), of_all, node.range});
  return plan::MakeColumn(kFirstGrouping + static_cast<int>(groupings_->size()) - 1,
                          of_all ? "grouping_id" : "grouping",
                          of_all ? arrow::int64() : arrow::int8(), false, node.range);
}

// right(text, count): the last characters; none for a count that is not positive.
ExpressionBinder::Result ExpressionBinder::BindRight(std::vector<ExprPtr> arguments,
                                                     plan::SourceRange range) {
  auto number = [&](int32_t value) {
    return plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(value), range);
  };
  ARROW_ASSIGN_OR_RAISE(arguments[1],
                        plan::MakeCast(arguments[1], arrow::int32(), false, range));
  ARROW_RETURN_NOT_OK(Charge(*arguments[1], 1, range));
  ARROW_ASSIGN_OR_RAISE(ExprPtr none,
                        Call(Function::kLessEqual, {arguments[1], number(0)}, range));
  ARROW_ASSIGN_OR_RAISE(ExprPtr start, Call(Function::kNegate, {arguments[1]}, range));
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr tail, Call(Function::kSubstring, {arguments[0], std::move(start)}, range));
  ARROW_ASSIGN_OR_RAISE(ExprPtr empty, Call(Function::kSubstring,
                                            {arguments[0], number(1), number(0)}, range));
  return Call(Function::kCase, {std::move(none), std::move(empty), std::move(tail)},
              range);
}

// Functions made of others: if, left, nvl, nvl2, positive, right.
ExpressionBinder::Result ExpressionBinder::BindBuiltCall(const ast::Expression& node,
                                                         const std::string& name) {
  size_t count = node.operands.size();
  bool coalesce = name == "nvl" || name == "ifnull";
  size_t wanted = name == "positive"               ? 1
                  : coalesce || name == "left"     ? 2
                  : name == "right"                ? 2
                  : name == "if" || name == "nvl2" ? 3
                                                   : 0;
  if (wanted == 0) {
    if (IsSparkFunction(name)) {
      return NotYet("the function " + name, node.op_range);
    }
    std::string suggestion = DidYouMean(name, FunctionNames());
    return Invalid(
        "UNRESOLVED_ROUTINE", node.op_range,
        "there is no function " + name + (suggestion.empty() ? "" : ";" + suggestion));
  }
  if (count != wanted) {
    return Invalid("WRONG_NUM_ARGS", node.range,
                   name + " takes " + std::to_string(wanted) + " arguments, " +
                       std::to_string(count) + " given");
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  if (name == "positive") {
    return BindPlus(std::move(arguments[0]), node.range);
  }
  if (name == "left") {
    ExprPtr first =
        plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(1), node.range);
    return Call(Function::kSubstring, {arguments[0], std::move(first), arguments[1]},
                node.range);
  }
  if (name == "right") {
    return BindRight(std::move(arguments), node.range);
  }
  if (coalesce) {
    return Call(Function::kCoalesce, std::move(arguments), node.range);
  }
  if (name == "nvl2") {
    ARROW_ASSIGN_OR_RAISE(arguments[0],
                          Call(Function::kIsNotNull, {arguments[0]}, node.range));
  } else if (plan::ClassOf(*arguments[0]->type) == plan::TypeClass::kNull) {
    // Of if alone: CASE WHEN NULL is refused, by Spark as well.
    ARROW_ASSIGN_OR_RAISE(
        arguments[0], plan::MakeCast(arguments[0], arrow::boolean(), false, node.range));
  }
  return Call(Function::kCase, std::move(arguments), node.range);
}

// TRIM(… FROM text) and btrim hold the text first; trim, ltrim and rtrim called with two
// arguments hold the characters first, as Spark's do.
ExpressionBinder::Result ExpressionBinder::BindTrim(const ast::Expression& node,
                                                    const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  const std::string& option = node.call->option;
  bool left = name == "ltrim" || option == "LEADING";
  bool right = name == "rtrim" || option == "TRAILING";
  if (name != "btrim" && option.empty() && arguments.size() == 2) {
    std::swap(arguments[0], arguments[1]);
  }
  Function function = left    ? Function::kLeftTrim
                      : right ? Function::kRightTrim
                              : Function::kTrim;
  return Call(function, std::move(arguments), node.range);
}

ExpressionBinder::Result ExpressionBinder::BindExtract(const ast::Expression& node) {
  std::string field = LowerCase(node.operands[0]->text);
  auto row = std::find_if(kExtractFields.begin(), kExtractFields.end(),
                          [&](const ExtractRow& one) { return one.field == field; });
  if (row == kExtractFields.end()) {
    bool known =
        std::find(kOtherFields.begin(), kOtherFields.end(), field) != kOtherFields.end();
    return known ? NotYet("extracting " + field, node.operands[0]->range)
                 : Invalid("INVALID_EXTRACT_FIELD", node.operands[0]->range,
                           "there is no field " + field + " in a date or time");
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr source, Bind(*node.operands[1]));
  if (plan::IsInterval(plan::ClassOf(*source->type))) {
    return BindIntervalPart(row->function, std::move(source), node);
  }
  return Call(row->function, {std::move(source)}, node.range);
}

// A field of an interval: so many of it, less what makes one of the next larger field.
ExpressionBinder::Result ExpressionBinder::BindIntervalPart(Function function,
                                                            ExprPtr source,
                                                            const ast::Expression& node) {
  struct Part {
    Function function;
    plan::IntervalField field;
    int32_t modulus;
    std::shared_ptr<arrow::DataType> type;
  };
  using plan::IntervalField;
  const std::array parts = {
      Part{Function::kYear, IntervalField::kYear, 0, arrow::int32()},
      Part{Function::kMonth, IntervalField::kMonth, 12, arrow::int8()},
      Part{Function::kDay, IntervalField::kDay, 0, arrow::int32()},
      Part{Function::kHour, IntervalField::kHour, 24, arrow::int8()},
      Part{Function::kMinute, IntervalField::kMinute, 60, arrow::int8()},
      Part{Function::kSecondFraction, IntervalField::kSecond, 60,
           arrow::decimal128(8, 6)}};
  auto part = std::find_if(parts.begin(), parts.end(),
                           [&](const Part& one) { return one.function == function; });
  plan::IntervalFields fields = *plan::IntervalFieldsOf(*source->type);
  if (part->field < fields.first || part->field > fields.last) {
    return Invalid("INVALID_EXTRACT_FIELD", node.operands[0]->range,
                   "there is no field " + node.operands[0]->text + " in " +
                       plan::TypeName(*source->type));
  }
  bool seconds = part->field == IntervalField::kSecond;
  for (const auto& type : {plan::IntervalType({part->field, part->field}),
                           seconds ? arrow::decimal128(20, 6) : arrow::int64()}) {
    ARROW_ASSIGN_OR_RAISE(source,
                          plan::MakeCast(std::move(source), type, false, node.range));
  }
  if (part->modulus != 0) {
    ExprPtr modulus = plan::MakeLiteral(
        std::make_shared<arrow::Int32Scalar>(part->modulus), node.range);
    ARROW_ASSIGN_OR_RAISE(
        source,
        Call(Function::kRemainder, {std::move(source), std::move(modulus)}, node.range));
  }
  return plan::MakeCast(std::move(source), part->type, false, node.range);
}

ExpressionBinder::Result ExpressionBinder::BindAggregate(const ast::Expression& node,
                                                         const NamedAggregate& named) {
  if (aggregates_ == nullptr) {
    return Invalid("INVALID_WHERE_CONDITION", node.range,
                   "aggregate functions are not allowed in " +
                       std::string(clause_.empty() ? "this place" : clause_));
  }
  if (in_aggregate_) {
    return Invalid(in_filter_ ? "INVALID_AGGREGATE_FILTER" : "NESTED_AGGREGATE_FUNCTION",
                   node.range,
                   "an aggregate function inside another; put the inner one into a "
                   "subquery in FROM");
  }
  in_aggregate_ = true;
  auto made = MakeAggregate(node, named);
  in_aggregate_ = false;
  ARROW_ASSIGN_OR_RAISE(plan::Aggregate aggregate, std::move(made));
  size_t index = 0;
  while (index < aggregates_->size() &&
         !SameAggregate((*aggregates_)[index], aggregate)) {
    ++index;
  }
  if (index == aggregates_->size()) {
    aggregates_->push_back(std::move(aggregate));
  }
  const plan::Aggregate& found = (*aggregates_)[index];
  bool is_count = found.function == AggregateFunction::kCount ||
                  found.function == AggregateFunction::kCountAll;
  return plan::MakeColumn(kFirstAggregate + static_cast<int>(index),
                          plan::ToString(found), found.type, !is_count, node.range);
}

arrow::Result<plan::Aggregate> ExpressionBinder::MakeAggregate(
    const ast::Expression& node, const NamedAggregate& named) {
  AggregateFunction function = named.function;
  ExprPtr filter;
  if (node.call->filter != nullptr) {
    in_filter_ = true;
    auto bound = BindCondition(*node.call->filter);
    in_filter_ = false;
    ARROW_ASSIGN_OR_RAISE(filter, std::move(bound));
  }
  bool is_count = named.name == "count";
  bool star = is_count && node.operands.size() == 1 &&
              node.operands[0]->kind == ExpressionKind::kStar;
  // The least and the largest are so of all values, too.
  const bool distinct = node.call->distinct && function != AggregateFunction::kMin &&
                        function != AggregateFunction::kMax;
  if (star) {
    if (distinct && node.operands[0]->path.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto columns, scope_.Expand(*node.operands[0]));
      std::vector<ExprPtr> all;
      for (const size_t column : columns) {
        all.push_back(scope_.At(column, node.operands[0]->range));
      }
      return MakeDistinct(function, std::move(all), std::move(filter), node.range);
    }
    if (!node.operands[0]->path.empty() || !node.operands[0]->except.empty()) {
      return Invalid("INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
                     node.operands[0]->range, "only * alone is allowed in count");
    }
    return plan::MakeAggregate(AggregateFunction::kCountAll, nullptr, std::move(filter),
                               node.range);
  }
  size_t count = node.operands.size();
  bool any_star = count == 1 && node.operands[0]->kind == ExpressionKind::kStar;
  // any_value(x, true): nulls do not count.
  if (named.argument == AggregateArgument::kAny && count == 2 &&
      (node.operands[1]->literal == ast::LiteralKind::kTrue ||
       node.operands[1]->literal == ast::LiteralKind::kFalse)) {
    count = 1;
  }
  if (count == 0 || (count > 1 && !is_count) || any_star) {
    return Invalid("WRONG_NUM_ARGS", node.range,
                   node.call->name[0].text + " takes " + (is_count ? "at least 1" : "1") +
                       " argument, " + std::to_string(count) + " given");
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindArguments(node));
  if (named.argument != AggregateArgument::kValue) {
    arguments.resize(1);
    ARROW_ASSIGN_OR_RAISE(arguments[0],
                          TakenAs(named.argument, std::move(arguments[0]), node));
  }
  if (distinct) {
    return MakeDistinct(function, std::move(arguments), std::move(filter), node.range);
  }
  ExprPtr argument = arguments[0];
  if (count > 1) {
    ARROW_ASSIGN_OR_RAISE(argument, CountedRow(std::move(arguments), node.range));
  }
  bool never_null = IsNonNullLiteral(*argument) ||
                    (argument->kind == plan::ExprKind::kColumn && !argument->nullable);
  if (is_count && never_null) {
    function = AggregateFunction::kCountAll;
    argument = nullptr;
  }
  return plan::MakeAggregate(function, std::move(argument), std::move(filter),
                             node.range);
}

ExpressionBinder::Result ExpressionBinder::TakenAs(AggregateArgument taken,
                                                   ExprPtr argument,
                                                   const ast::Expression& node) {
  const plan::TypeClass type = plan::ClassOf(*argument->type);
  if (taken == AggregateArgument::kAny) {
    return type == plan::TypeClass::kOther
               ? NotYet("any_value of a value of type " + plan::TypeName(*argument->type),
                        node.range)
               : Result(std::move(argument));
  }
  if (type == plan::TypeClass::kNull) {
    ARROW_ASSIGN_OR_RAISE(argument, plan::MakeCast(std::move(argument), arrow::boolean(),
                                                   false, node.range));
  } else if (type != plan::TypeClass::kBoolean) {
    return Invalid("DATATYPE_MISMATCH", node.range,
                   node.call->name[0].text + " takes a condition, this is " +
                       plan::TypeName(*argument->type) + "; compare it with something");
  }
  if (taken == AggregateArgument::kBoolean) {
    return argument;
  }
  ExprPtr one = plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(1), node.range);
  return Call(Function::kCase, {std::move(argument), std::move(one)}, node.range);
}

// count(a, b) counts the rows in which none is null.
ExpressionBinder::Result ExpressionBinder::CountedRow(std::vector<ExprPtr> arguments,
                                                      plan::SourceRange range) {
  for (ExprPtr& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(argument, Call(Function::kIsNotNull, {argument}, range));
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr all_there,
                        Balance(Function::kAnd, std::move(arguments), range));
  ExprPtr one = plan::MakeLiteral(std::make_shared<arrow::Int32Scalar>(1), range);
  return Call(Function::kCase, {std::move(all_there), std::move(one)}, range);
}

}  // namespace wheelpit::sql
