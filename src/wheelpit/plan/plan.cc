// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/plan.h"

#include <algorithm>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/call_rules.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::plan {

namespace {

std::string_view AggregateName(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCountAll:
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kAvg:
      return "avg";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kStddevSamp:
      return "stddev_samp";
    case AggregateFunction::kStddevPop:
      return "stddev_pop";
    case AggregateFunction::kVarSamp:
      return "var_samp";
    case AggregateFunction::kVarPop:
      return "var_pop";
  }
  return "count";
}

DecimalShape Bounded(int precision, int scale) {
  return {std::min(precision, kDecimalPrecisionMax),
          std::min(scale, kDecimalPrecisionMax)};
}

template <typename Item, typename Text>
std::string Joined(const std::vector<Item>& items, Text text) {
  std::string joined;
  for (size_t i = 0; i < items.size(); ++i) {
    joined += (i == 0 ? "" : ", ") + text(items[i], i);
  }
  return joined;
}

std::string ScanText(const Node& node) {
  std::string text = "Scan " + node.table->name + " [" +
                     Joined(node.columns,
                            [&](int column, size_t) {
                              return node.table->schema->field(column)->name();
                            }) +
                     "]";
  if (!node.filter.empty()) {
    text += " filter " + Joined(node.filter, [](const ExprPtr& conjunct, size_t) {
              return ToString(*conjunct);
            });
  }
  if (!node.predicate.empty()) {
    text += " pruned by " + Joined(node.predicate, [](const index::PredicateTerm& term,
                                                      size_t) { return term.column; });
  }
  return text;
}

std::string AliasedText(const Node& node, const ExprPtr& expression, size_t i) {
  const std::string text = ToString(*expression);
  const std::string& name = node.schema->field(static_cast<int>(i))->name();
  return text == name ? text : text + " AS " + name;
}

std::string AggregateText(const Node& node) {
  const auto key = [&](const ExprPtr& expression, size_t i) {
    return AliasedText(node, expression, i);
  };
  const auto aggregate = [](const Aggregate& one, size_t) { return ToString(one); };
  return "Aggregate [" + Joined(node.aggregates, aggregate) + "]" +
         (node.keys.empty() ? "" : " by [" + Joined(node.keys, key) + "]");
}

std::string SortText(const Node& node) {
  const auto key = [&](const SortKey& one, size_t) {
    return node.schema->field(one.column)->name() + (one.descending ? " DESC" : "") +
           (one.nulls_first == one.descending
                ? (one.nulls_first ? " NULLS FIRST" : " NULLS LAST")
                : "");
  };
  return (node.limit < 0 ? "Sort [" : "Top " + std::to_string(node.limit) + " [") +
         Joined(node.sort_keys, key) + "]";
}

std::string LineOf(const Node& node) {
  switch (node.kind) {
    case NodeKind::kValues:
      return "Values " + std::to_string(node.rows.size()) + " row" +
             (node.rows.size() == 1 ? "" : "s");
    case NodeKind::kScan:
      return ScanText(node);
    case NodeKind::kFilter:
      return "Filter " + ToString(*node.condition);
    case NodeKind::kProject:
      return "Project [" +
             Joined(node.expressions,
                    [&](const ExprPtr& expression, size_t i) {
                      return AliasedText(node, expression, i);
                    }) +
             "]";
    case NodeKind::kExpand:
      return "Expand " + std::to_string(node.rows.size()) + " times [" +
             Joined(node.schema->field_names(),
                    [](const std::string& name, size_t) { return name; }) +
             "]";
    case NodeKind::kAggregate:
      return AggregateText(node);
    case NodeKind::kSort:
      return SortText(node);
    case NodeKind::kUnion:
      return "Union";
    case NodeKind::kWrite:
      return "Write " + node.path + " as " + ToString(node.format);
    case NodeKind::kLimit:
      return "Limit " + (node.limit < 0 ? "all" : std::to_string(node.limit)) +
             (node.offset == 0 ? "" : " offset " + std::to_string(node.offset));
  }
  return "";
}

void AppendNode(const Node& node, size_t depth, std::string* text) {
  text->append(2 * depth, ' ');
  text->append(LineOf(node));
  text->push_back('\n');
  for (const auto& input : node.inputs) {
    AppendNode(*input, depth + 1, text);
  }
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> AggregateType(AggregateFunction function,
                                                              const Expr* argument,
                                                              SourceRange range) {
  if (function == AggregateFunction::kCountAll || function == AggregateFunction::kCount) {
    return arrow::int64();
  }
  const TypeClass c = ClassOf(*argument->type);
  if (function == AggregateFunction::kMin || function == AggregateFunction::kMax) {
    if (c == TypeClass::kOther) {
      return SqlError("DATATYPE_MISMATCH", range,
                      std::string(AggregateName(function)) + " does not take " +
                          TypeName(*argument->type));
    }
    return argument->type;
  }
  if (!IsNumeric(c)) {
    return SqlError("DATATYPE_MISMATCH", range,
                    std::string(AggregateName(function)) + " takes numbers, not " +
                        TypeName(*argument->type) + "; cast to a numeric type");
  }
  if (IsMomentFunction(function)) {
    return arrow::float64();
  }
  const DecimalShape shape = DecimalShapeOf(*argument->type);
  if (function == AggregateFunction::kSum) {
    return c == TypeClass::kDecimal
               ? DecimalType(Bounded(shape.precision + 10, shape.scale))
           : IsIntegral(c) ? arrow::int64()
                           : arrow::float64();
  }
  return c == TypeClass::kDecimal
             ? DecimalType(Bounded(shape.precision + 4, shape.scale + 4))
             : arrow::float64();
}

arrow::Result<Aggregate> MakeAggregate(AggregateFunction function, ExprPtr argument,
                                       ExprPtr filter, SourceRange range) {
  Aggregate aggregate{.function = function,
                      .argument = std::move(argument),
                      .filter = std::move(filter),
                      .type = nullptr,
                      .range = range,
                      .distinct = {}};
  if (function == AggregateFunction::kSum || function == AggregateFunction::kAvg) {
    // As for any parameter that is a number, text, instants and NULL become double.
    const TypeClass c = ClassOf(*aggregate.argument->type);
    if (c == TypeClass::kString || c == TypeClass::kTimestamp || c == TypeClass::kNull) {
      aggregate.argument = Coerce(aggregate.argument, arrow::float64());
    }
  } else if (IsMomentFunction(function)) {
    const TypeClass c = ClassOf(*aggregate.argument->type);
    if (IsNumeric(c) || c == TypeClass::kString || c == TypeClass::kNull) {
      aggregate.argument = Coerce(aggregate.argument, arrow::float64());
    }
  }
  if (aggregate.filter != nullptr) {
    if (ClassOf(*aggregate.filter->type) == TypeClass::kNull) {
      aggregate.filter = Coerce(aggregate.filter, arrow::boolean());
    }
    if (ClassOf(*aggregate.filter->type) != TypeClass::kBoolean) {
      return SqlError("DATATYPE_MISMATCH", aggregate.filter->range,
                      "the filter of an aggregate must be boolean, not " +
                          TypeName(*aggregate.filter->type));
    }
  }
  ARROW_ASSIGN_OR_RAISE(aggregate.type,
                        AggregateType(function, aggregate.argument.get(), range));
  return aggregate;
}

ExprPtr SummedForAverage(const Aggregate& average) {
  // Sums of smaller integers do not overflow before there are 2^31 of them.
  return ClassOf(*average.argument->type) == TypeClass::kInt64
             ? Coerce(average.argument, DecimalType({20, 0}))
             : average.argument;
}

arrow::Result<ExprPtr> AverageOf(const Aggregate& average, ExprPtr sum, ExprPtr count) {
  const bool decimal = ClassOf(*average.type) == TypeClass::kDecimal;
  const auto divisor = decimal ? DecimalType({20, 0}) : arrow::float64();
  if (!decimal) {
    sum = Coerce(sum, arrow::float64());
  }
  auto quotient = std::make_shared<Expr>();
  quotient->kind = ExprKind::kCall;
  quotient->function = Function::kDivide;
  quotient->arguments = {std::move(sum), Coerce(count, divisor)};
  // Not the type of "/": it is rounded once.
  quotient->type = average.type;
  quotient->range = average.range;
  return quotient;
}

std::string ToString(const Aggregate& aggregate) {
  std::string text(AggregateName(aggregate.function));
  if (!aggregate.distinct.empty()) {
    text += "(DISTINCT " +
            Joined(aggregate.distinct,
                   [](const ExprPtr& one, size_t) { return ToString(*one); }) +
            ")";
  } else {
    text +=
        aggregate.argument == nullptr ? "(*)" : "(" + ToString(*aggregate.argument) + ")";
  }
  if (aggregate.filter != nullptr) {
    text += " FILTER (WHERE " + ToString(*aggregate.filter) + ")";
  }
  return text;
}

std::string ToString(const Node& node) {
  std::string text;
  AppendNode(node, 0, &text);
  return text;
}

}  // namespace wheelpit::plan
