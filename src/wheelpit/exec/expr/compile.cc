// SPDX-License-Identifier: Apache-2.0
// From expressions to nodes: constants folded, comparisons taken down to their column's
// type, kernels chosen.
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/conditional.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/membership.h"
#include "wheelpit/exec/expr/node.h"
#include "wheelpit/index/time_zone.h"
#include "wheelpit/plan/comparison.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Function;

// Deeper trees are refused: evaluation recurses.
constexpr int kDepthMax = 2000;

class ConstantNode : public Node {
 public:
  ConstantNode(ExprPtr expression, Vector value)
      : Node(std::move(expression), /*can_fail=*/false), value_(std::move(value)) {}
  arrow::Result<Vector> Evaluate(Rows&) const override { return value_; }
  const Vector* constant() const override { return &value_; }

 private:
  Vector value_;
};

class ColumnNode : public Node {
 public:
  explicit ColumnNode(ExprPtr expression)
      : Node(std::move(expression), /*can_fail=*/false) {}
  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(Vector vector, rows.Column(expression().column));
    if (!vector.type->Equals(*type())) {
      return core::Error(core::ErrorKind::kInternal, "column ", expression().name,
                         " came as ", vector.type->ToString(), ", not as ",
                         type()->ToString());
    }
    return vector;
  }
};

// Dividends are looked at only where the divisor is not null, as in Spark.
bool EvaluatesRightFirst(const Expr& expression) {
  return expression.kind == ExprKind::kCall &&
         (expression.function == Function::kDivide ||
          expression.function == Function::kIntegralDivide ||
          expression.function == Function::kRemainder);
}

// A call or cast that is null when any argument is.
class KernelNode : public Node {
 public:
  KernelNode(ExprPtr expression, bool can_fail, const KernelChoice& choice,
             std::vector<NodePtr> arguments, const index::TimeZone* zone)
      : Node(std::move(expression), can_fail),
        kernel_(choice.kernel),
        arguments_(std::move(arguments)),
        zone_(zone) {
    if (choice.make_state != nullptr) {
      std::vector<const Vector*> constants;
      for (const NodePtr& argument : arguments_) {
        constants.push_back(argument->constant());
      }
      state_ = choice.make_state(constants);
    }
  }

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    std::vector<Vector> arguments(arguments_.size());
    ARROW_ASSIGN_OR_RAISE(const bool any_value, EvaluateArguments(rows, &arguments));
    if (!any_value) {
      return NullVector(type(), rows.pool());
    }
    bool all_constant = true;
    for (const Vector& argument : arguments) {
      all_constant &= argument.constant;
    }
    const int64_t count = all_constant ? 1 : rows.count();
    Vector out;
    if (type()->id() == arrow::Type::STRING || type()->id() == arrow::Type::BINARY) {
      out.type = type();
      out.type_class = plan::ClassOf(*type());
      out.length = count;
    } else {
      ARROW_ASSIGN_OR_RAISE(out, AllocateVector(type(), count, rows.pool()));
    }
    ARROW_RETURN_NOT_OK(CombineValidity(arguments, count, rows.pool(), &out));
    const KernelCall call{
        .expression = expression(), .pool = rows.pool(), .zone = *zone_};
    ARROW_RETURN_NOT_OK(kernel_(call, arguments, count, &out));
    out.constant = all_constant;
    return out;
  }

 private:
  // False when one of them is null for all rows; the others may be missing then.
  arrow::Result<bool> EvaluateArguments(Rows& rows,
                                        std::vector<Vector>* arguments) const {
    const bool backwards = EvaluatesRightFirst(expression());
    bool any_null = false;
    for (size_t k = 0; k < arguments_.size(); ++k) {
      const size_t i = backwards ? arguments_.size() - 1 - k : k;
      Vector& argument = (*arguments)[i];
      if (any_null && arguments_[i]->can_fail()) {
        ARROW_ASSIGN_OR_RAISE(argument,
                              EvaluateWhereValid(rows, *arguments_[i], *arguments));
      } else {
        ARROW_ASSIGN_OR_RAISE(argument, arguments_[i]->Evaluate(rows));
      }
      if (argument.IsConstantNull()) {
        return false;
      }
      any_null |= argument.valid != nullptr && !argument.constant;
    }
    return true;
  }

  // An argument that could fail is evaluated only where those before it have values.
  static arrow::Result<Vector> EvaluateWhereValid(Rows& rows, const Node& node,
                                                  const std::vector<Vector>& done) {
    std::vector<int32_t> positions;
    for (int64_t i = 0; i < rows.count(); ++i) {
      bool valid = true;
      for (const Vector& argument : done) {
        valid &= argument.length == 0 || argument.IsValid(i);
      }
      if (valid) {
        positions.push_back(static_cast<int32_t>(i));
      }
    }
    if (static_cast<int64_t>(positions.size()) == rows.count()) {
      return node.Evaluate(rows);
    }
    if (positions.empty()) {
      return NullVector(node.type(), rows.pool());
    }
    Rows some = rows.At(positions);
    ARROW_ASSIGN_OR_RAISE(Vector values, node.Evaluate(some));
    std::vector<Branch> branches;
    branches.push_back({std::move(values), std::move(positions)});
    return Merge(node.type(), branches, rows.count(), rows.pool());
  }

  static arrow::Status CombineValidity(const std::vector<Vector>& arguments,
                                       int64_t count, arrow::MemoryPool* pool,
                                       Vector* out) {
    uint8_t* combined = nullptr;
    for (const Vector& argument : arguments) {
      if (argument.valid == nullptr || argument.constant) {
        continue;  // a constant null ended the evaluation before
      }
      if (out->valid == nullptr) {
        out->valid = argument.valid;
        out->valid_buffer = argument.valid_buffer;
        continue;
      }
      if (combined == nullptr) {
        const Vector before = *out;
        ARROW_ASSIGN_OR_RAISE(combined, AllocateValidity(out, 1, pool));
        for (int64_t i = 0; i < count; ++i) {
          combined[i] = before.valid[i] & argument.valid[i];
        }
        continue;
      }
      for (int64_t i = 0; i < count; ++i) {
        combined[i] &= argument.valid[i];
      }
    }
    return arrow::Status::OK();
  }

  Kernel kernel_;
  std::vector<NodePtr> arguments_;
  const index::TimeZone* zone_;
  std::unique_ptr<const KernelState> state_;
};

KernelChoice ChooseKernel(const Expr& expression) {
  const auto choosers =
      expression.kind == ExprKind::kCast
          ? std::vector{&NumberCastKernel, &TextCastKernel, &TemporalCastKernel,
                        &IntervalCastKernel}
          : std::vector{&ComparisonKernel, &ArithmeticKernel, &DecimalKernel,
                        &RoundingKernel,   &TextKernel,       &RegexKernel,
                        &TemporalKernel,   &IntervalKernel};
  for (const auto chooser : choosers) {
    if (const KernelChoice choice = chooser(expression); choice.kernel != nullptr) {
      return choice;
    }
  }
  return {};
}

arrow::Status Unsupported(const Expr& expression) {
  std::string types;
  for (const ExprPtr& argument : expression.arguments) {
    types += (types.empty() ? "" : ", ") + plan::TypeName(*argument->type);
  }
  const std::string what =
      expression.kind == ExprKind::kCast
          ? "cast of " + types + " to " + plan::TypeName(*expression.type)
          : std::string(plan::FunctionName(expression.function)) + " of " + types;
  return core::MakeStatus({.kind = core::ErrorKind::kUnsupported,
                           .error_class = {},
                           .sql_offset = expression.range.offset,
                           .sql_length = expression.range.length},
                          what + " is not supported yet");
}

// Text to a time stamp: the text may name a zone, which must be in memory by then, since
// evaluation may not read files.
bool ReadsZoneNames(const Expr& expression) {
  return expression.kind == ExprKind::kCast &&
         plan::IsTemporal(plan::ClassOf(*expression.type)) &&
         expression.type->id() == arrow::Type::TIMESTAMP &&
         expression.arguments[0]->type->id() == arrow::Type::STRING;
}

void LoadZones(const Node& text) {
  if (text.constant() == nullptr) {
    index::TimeZone::LoadAll();
  } else if (text.constant()->IsValid(0)) {
    const auto parsed = plan::ParseTimestamp(text.constant()->Text(0));
    if (parsed && !parsed->zone.empty()) {
      // An unknown one is told of when the text is read.
      static_cast<void>(index::TimeZone::Find(parsed->zone).ok());
    }
  }
}

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options) {}

  arrow::Result<NodePtr> Compile(const ExprPtr& expression, int depth) const {
    if (depth > kDepthMax) {
      return core::Error(core::ErrorKind::kUnsupported,
                         "the expression is nested too deeply; at most ", kDepthMax,
                         " levels are supported");
    }
    switch (expression->kind) {
      case ExprKind::kLiteral: {
        ARROW_ASSIGN_OR_RAISE(Vector value,
                              ConstantVector(*expression->literal, options_.pool));
        return std::make_unique<ConstantNode>(expression, std::move(value));
      }
      case ExprKind::kColumn:
        return std::make_unique<ColumnNode>(expression);
      default:
        break;
    }
    if (const auto comparison = plan::CompareWithLiteral(*expression);
        comparison && expression->function != Function::kNullSafeEqual) {
      return CompileComparison(*expression, *comparison, depth);
    }
    std::vector<NodePtr> arguments;
    bool can_fail = false;
    bool all_constant = true;
    for (const ExprPtr& argument : expression->arguments) {
      ARROW_ASSIGN_OR_RAISE(NodePtr node, Compile(argument, depth + 1));
      can_fail |= node->can_fail();
      all_constant &= node->constant() != nullptr;
      arguments.push_back(std::move(node));
    }
    ARROW_ASSIGN_OR_RAISE(NodePtr node,
                          Assemble(expression, can_fail, std::move(arguments), depth));
    return all_constant ? Fold(expression, std::move(node)) : std::move(node);
  }

 private:
  arrow::Result<NodePtr> CompileComparison(const Expr& original,
                                           const plan::LiteralComparison& comparison,
                                           int depth) const {
    auto call = std::make_shared<Expr>(original);
    call->function = comparison.function;
    call->arguments = {comparison.value, plan::MakeLiteral(comparison.literal)};
    std::vector<NodePtr> arguments;
    ARROW_ASSIGN_OR_RAISE(NodePtr value, Compile(call->arguments[0], depth + 1));
    ARROW_ASSIGN_OR_RAISE(NodePtr literal, Compile(call->arguments[1], depth + 1));
    const bool can_fail = value->can_fail();
    const bool constant = value->constant() != nullptr;
    arguments.push_back(std::move(value));
    arguments.push_back(std::move(literal));
    ARROW_ASSIGN_OR_RAISE(NodePtr node,
                          Assemble(call, can_fail, std::move(arguments), depth));
    return constant ? Fold(call, std::move(node)) : std::move(node);
  }

  arrow::Result<NodePtr> Assemble(const ExprPtr& expression, bool can_fail,
                                  std::vector<NodePtr> arguments, int depth) const {
    if (expression->kind == ExprKind::kCall) {
      switch (expression->function) {
        case Function::kIn: {
          for (size_t i = 1; i < arguments.size(); ++i) {
            if (arguments[i]->constant() == nullptr) {
              return CompileMembershipAsOr(expression, depth);
            }
          }
          return MakeMembershipNode(expression, std::move(arguments));
        }
        case Function::kAnd:
        case Function::kOr:
        case Function::kCase:
        case Function::kCoalesce:
        case Function::kIsNull:
        case Function::kIsNotNull:
        case Function::kIsNaN:
        case Function::kNullSafeEqual:
          return MakeConditionalNode(expression, can_fail, std::move(arguments));
        default:
          break;
      }
    }
    if (expression->kind == ExprKind::kCast &&
        expression->arguments[0]->type->id() == arrow::Type::NA) {
      ARROW_ASSIGN_OR_RAISE(Vector null, NullVector(expression->type, options_.pool));
      return std::make_unique<ConstantNode>(expression, std::move(null));
    }
    if (ReadsZoneNames(*expression)) {
      LoadZones(*arguments[0]);
    }
    const KernelChoice choice = ChooseKernel(*expression);
    if (choice.kernel == nullptr) {
      return Unsupported(*expression);
    }
    return std::make_unique<KernelNode>(
        expression, can_fail || (choice.can_fail && !expression->try_cast), choice,
        std::move(arguments), options_.zone);
  }

  // x IN (a, b) with items that are not constant is x = a OR x = b, with the same nulls
  // and the same order of evaluation.
  arrow::Result<NodePtr> CompileMembershipAsOr(const ExprPtr& expression,
                                               int depth) const {
    ExprPtr any;
    for (size_t i = expression->arguments.size() - 1; i > 0; --i) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr equal, plan::MakeCall(Function::kEqual,
                                                          {expression->arguments[0],
                                                           expression->arguments[i]},
                                                          expression->range));
      if (any == nullptr) {
        any = std::move(equal);
      } else {
        ARROW_ASSIGN_OR_RAISE(
            any, plan::MakeCall(Function::kOr, {std::move(equal), std::move(any)},
                                expression->range));
      }
    }
    return Compile(any, depth + 1);
  }

  // A call of constants is computed once. One that fails stays as it is: its error is
  // raised when a row asks for it.
  arrow::Result<NodePtr> Fold(const ExprPtr& expression, NodePtr node) const {
    const arrow::ArrayVector no_columns;
    Rows one(no_columns, nullptr, 1, options_.pool);
    arrow::Result<Vector> value = node->Evaluate(one);
    if (!value.ok()) {
      if (core::KindOf(value.status()) == core::ErrorKind::kData) {
        return node;
      }
      return value.status();
    }
    value->constant = true;
    return std::make_unique<ConstantNode>(expression, *std::move(value));
  }

  const CompileOptions& options_;
};

}  // namespace

arrow::Result<NodePtr> Compile(const ExprPtr& expression, const CompileOptions& options) {
  return Compiler(options).Compile(expression, 0);
}

}  // namespace wheelpit::exec::expr
