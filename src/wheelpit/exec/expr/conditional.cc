// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/conditional.h"

#include <cmath>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/kernel.h"

namespace wheelpit::exec::expr {

namespace {

using plan::ExprPtr;
using plan::Function;

template <typename T>
void ScatterValues(const Branch& branch, Vector* out) {
  T* target = MutableValues<T>(*out);
  const T* source = branch.values.Values<T>();
  for (size_t k = 0; k < branch.positions.size(); ++k) {
    target[branch.positions[k]] = source[branch.values.At(static_cast<int64_t>(k))];
  }
}

void ScatterWide(int width, const Branch& branch, Vector* out) {
  switch (width) {
    case 1:
      return ScatterValues<uint8_t>(branch, out);
    case 2:
      return ScatterValues<uint16_t>(branch, out);
    case 4:
      return ScatterValues<uint32_t>(branch, out);
    case 8:
      return ScatterValues<uint64_t>(branch, out);
    default:
      return ScatterValues<DecimalWords>(branch, out);
  }
}

// For each row the branch that has it (-1: none) and the position there.
struct Origin {
  int32_t branch = -1;
  int32_t position = 0;
};

std::vector<Origin> Origins(const std::vector<Branch>& branches, int64_t count) {
  std::vector<Origin> origins(static_cast<size_t>(count));
  for (size_t b = 0; b < branches.size(); ++b) {
    for (size_t k = 0; k < branches[b].positions.size(); ++k) {
      origins[static_cast<size_t>(branches[b].positions[k])] = {static_cast<int32_t>(b),
                                                                static_cast<int32_t>(k)};
    }
  }
  return origins;
}

arrow::Result<Vector> MergeText(const std::shared_ptr<arrow::DataType>& type,
                                const std::vector<Branch>& branches, int64_t count,
                                arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(TextBuilder builder, TextBuilder::Make(type, count, pool));
  for (const Origin origin : Origins(branches, count)) {
    if (origin.branch >= 0) {
      const Vector& values = branches[static_cast<size_t>(origin.branch)].values;
      if (values.IsValid(origin.position)) {
        ARROW_RETURN_NOT_OK(builder.Piece(values.Text(origin.position)));
      }
    }
    builder.EndValue();
  }
  return builder.Finish();
}

// Types that are only passed on: row by row through a builder.
arrow::Result<Vector> MergeOther(const std::shared_ptr<arrow::DataType>& type,
                                 const std::vector<Branch>& branches, int64_t count,
                                 arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type, pool));
  for (const Origin origin : Origins(branches, count)) {
    if (origin.branch < 0) {
      ARROW_RETURN_NOT_OK(builder->AppendNull());
      continue;
    }
    const Vector& values = branches[static_cast<size_t>(origin.branch)].values;
    const arrow::ArraySpan span(*values.other->data());
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(span, values.At(origin.position), 1));
  }
  Vector out;
  out.type = type;
  out.type_class = TypeClass::kOther;
  out.length = count;
  ARROW_RETURN_NOT_OK(builder->Finish(&out.other));
  return out;
}

}  // namespace

arrow::Result<Vector> Merge(const std::shared_ptr<arrow::DataType>& type,
                            const std::vector<Branch>& branches, int64_t count,
                            arrow::MemoryPool* pool) {
  const TypeClass c = plan::ClassOf(*type);
  if (c == TypeClass::kNull) {
    return NullVector(type, pool);
  }
  Vector out;
  if (c == TypeClass::kString || c == TypeClass::kBinary) {
    ARROW_ASSIGN_OR_RAISE(out, MergeText(type, branches, count, pool));
  } else if (c == TypeClass::kOther) {
    ARROW_ASSIGN_OR_RAISE(out, MergeOther(type, branches, count, pool));
  } else {
    ARROW_ASSIGN_OR_RAISE(out, AllocateVector(type, count, pool));
    // Rows in no branch are null, but what lies under a null is packed into bits with its
    // neighbours: a byte of a boolean that is neither 0 nor 1 would change them.
    std::memset(MutableValues<uint8_t>(out), 0,
                static_cast<size_t>(count) * static_cast<size_t>(WidthOf(c)));
    for (const Branch& branch : branches) {
      ScatterWide(WidthOf(c), branch, &out);
    }
  }
  size_t covered = 0;
  bool any_null = false;
  for (const Branch& branch : branches) {
    covered += branch.positions.size();
    any_null |= branch.values.valid != nullptr;
  }
  if (covered == static_cast<size_t>(count) && !any_null) {
    return out;
  }
  ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&out, 0, pool));
  for (const Branch& branch : branches) {
    for (size_t k = 0; k < branch.positions.size(); ++k) {
      valid[branch.positions[k]] = branch.values.IsValid(static_cast<int64_t>(k)) ? 1 : 0;
    }
  }
  return out;
}

namespace {

// Three-valued AND and OR. The right side is evaluated only for rows that the left side
// leaves open, unless it cannot fail anyway.
class LogicNode : public Node {
 public:
  LogicNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail),
        is_and_(this->expression().function == Function::kAnd),
        left_(std::move(arguments[0])),
        right_(std::move(arguments[1])) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(Vector left, left_->Evaluate(rows));
    const uint8_t deciding = is_and_ ? 0 : 1;
    if (left.constant) {
      if (left.IsValid(0) && left.Values<uint8_t>()[0] == deciding) {
        return left;
      }
    } else if (right_->can_fail()) {
      return EvaluateOpen(rows, left, deciding);
    }
    ARROW_ASSIGN_OR_RAISE(const Vector right, right_->Evaluate(rows));
    return Combine(left, right, rows.count(), rows.pool());
  }

 private:
  arrow::Result<Vector> EvaluateOpen(Rows& rows, const Vector& left,
                                     uint8_t deciding) const {
    std::vector<int32_t> open;
    for (int64_t i = 0; i < rows.count(); ++i) {
      if (left.Values<uint8_t>()[i] != deciding || !left.IsValid(i)) {
        open.push_back(static_cast<int32_t>(i));
      }
    }
    if (open.empty()) {
      return left;
    }
    if (static_cast<int64_t>(open.size()) == rows.count()) {
      ARROW_ASSIGN_OR_RAISE(const Vector right, right_->Evaluate(rows));
      return Combine(left, right, rows.count(), rows.pool());
    }
    Rows some = rows.At(open);
    ARROW_ASSIGN_OR_RAISE(Vector right, right_->Evaluate(some));
    std::vector<Branch> branches;
    branches.push_back({std::move(right), std::move(open)});
    // Rows that were not open get null there, which their left side outweighs.
    ARROW_ASSIGN_OR_RAISE(right, Merge(type(), branches, rows.count(), rows.pool()));
    return Combine(left, right, rows.count(), rows.pool());
  }

  arrow::Result<Vector> Combine(const Vector& left, const Vector& right, int64_t count,
                                arrow::MemoryPool* pool) const {
    const bool constant = left.constant && right.constant;
    const int64_t length = constant ? 1 : count;
    ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(type(), length, pool));
    auto* values = MutableValues<uint8_t>(out);
    if (left.valid == nullptr && right.valid == nullptr) {
      const bool is_and = is_and_;
      BinaryLoop<uint8_t, uint8_t>(
          left, right, length, values,
          [is_and](uint8_t a, uint8_t b) -> uint8_t { return is_and ? a & b : a | b; });
    } else {
      ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&out, 1, pool));
      for (int64_t i = 0; i < length; ++i) {
        // Known true and known false of each side.
        const uint8_t lv = left.IsValid(i) ? 1 : 0;
        const uint8_t rv = right.IsValid(i) ? 1 : 0;
        const uint8_t lx = left.Values<uint8_t>()[left.At(i)] & 1;
        const uint8_t rx = right.Values<uint8_t>()[right.At(i)] & 1;
        const uint8_t l_true = lv & lx;
        const uint8_t l_false = lv & (lx ^ 1);
        const uint8_t r_true = rv & rx;
        const uint8_t r_false = rv & (rx ^ 1);
        values[i] = is_and_ ? l_true & r_true : l_true | r_true;
        valid[i] = values[i] | (is_and_ ? l_false | r_false : l_false & r_false);
      }
    }
    out.constant = constant;
    return out;
  }

  bool is_and_;
  NodePtr left_;
  NodePtr right_;
};

// Evaluates a node for the rows at `positions` and adds the result to the branches.
arrow::Status AddBranch(Rows& rows, const Node& node, std::vector<int32_t> positions,
                        std::vector<Branch>* branches) {
  if (positions.empty()) {
    return arrow::Status::OK();
  }
  Vector values;
  if (static_cast<int64_t>(positions.size()) == rows.count()) {
    ARROW_ASSIGN_OR_RAISE(values, node.Evaluate(rows));
  } else {
    Rows some = rows.At(positions);
    ARROW_ASSIGN_OR_RAISE(values, node.Evaluate(some));
  }
  branches->push_back({std::move(values), std::move(positions)});
  return arrow::Status::OK();
}

std::vector<int32_t> AllPositions(int64_t count) {
  std::vector<int32_t> positions(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    positions[static_cast<size_t>(i)] = static_cast<int32_t>(i);
  }
  return positions;
}

arrow::Result<Vector> MergeBranches(const Node& node, std::vector<Branch> branches,
                                    Rows& rows) {
  if (branches.empty()) {
    return NullVector(node.type(), rows.pool());
  }
  if (branches.size() == 1 &&
      static_cast<int64_t>(branches[0].positions.size()) == rows.count()) {
    return std::move(branches[0].values);
  }
  return Merge(node.type(), branches, rows.count(), rows.pool());
}

class CaseNode : public Node {
 public:
  CaseNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail), arguments_(std::move(arguments)) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    std::vector<Branch> branches;
    std::vector<int32_t> open = AllPositions(rows.count());
    const size_t pairs = arguments_.size() / 2;
    for (size_t i = 0; i < pairs && !open.empty(); ++i) {
      ARROW_ASSIGN_OR_RAISE(std::vector<int32_t> taken,
                            TakeTrue(rows, *arguments_[2 * i], &open));
      ARROW_RETURN_NOT_OK(
          AddBranch(rows, *arguments_[2 * i + 1], std::move(taken), &branches));
    }
    if (arguments_.size() % 2 == 1) {
      ARROW_RETURN_NOT_OK(
          AddBranch(rows, *arguments_.back(), std::move(open), &branches));
    }
    return MergeBranches(*this, std::move(branches), rows);
  }

 private:
  // The open rows for which the condition holds, which are then no longer open.
  static arrow::Result<std::vector<int32_t>> TakeTrue(Rows& rows, const Node& condition,
                                                      std::vector<int32_t>* open) {
    const auto count = static_cast<int64_t>(open->size());
    Vector holds;
    if (count == rows.count()) {
      ARROW_ASSIGN_OR_RAISE(holds, condition.Evaluate(rows));
    } else {
      Rows some = rows.At(*open);
      ARROW_ASSIGN_OR_RAISE(holds, condition.Evaluate(some));
    }
    std::vector<int32_t> taken;
    std::vector<int32_t> rest;
    for (int64_t i = 0; i < count; ++i) {
      const bool is_true = holds.IsValid(i) && holds.Values<uint8_t>()[holds.At(i)] != 0;
      (is_true ? taken : rest).push_back((*open)[static_cast<size_t>(i)]);
    }
    *open = std::move(rest);
    return taken;
  }

  std::vector<NodePtr> arguments_;
};

class CoalesceNode : public Node {
 public:
  CoalesceNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail), arguments_(std::move(arguments)) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    std::vector<Branch> branches;
    std::vector<int32_t> open = AllPositions(rows.count());
    for (const NodePtr& argument : arguments_) {
      if (open.empty()) {
        break;
      }
      ARROW_RETURN_NOT_OK(AddBranch(rows, *argument, std::move(open), &branches));
      open = NullPositions(branches.back());
    }
    return MergeBranches(*this, std::move(branches), rows);
  }

 private:
  static std::vector<int32_t> NullPositions(const Branch& branch) {
    std::vector<int32_t> nulls;
    for (size_t k = 0; k < branch.positions.size(); ++k) {
      if (!branch.values.IsValid(static_cast<int64_t>(k))) {
        nulls.push_back(branch.positions[k]);
      }
    }
    return nulls;
  }

  std::vector<NodePtr> arguments_;
};

// IS NULL and IS NOT NULL.
class NullTestNode : public Node {
 public:
  NullTestNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail), argument_(std::move(arguments[0])) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(const Vector argument, argument_->Evaluate(rows));
    const uint8_t if_null = expression().function == Function::kIsNull ? 1 : 0;
    const bool constant = argument.constant || argument.valid == nullptr;
    const int64_t length = constant ? 1 : rows.count();
    ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(type(), length, rows.pool()));
    auto* values = MutableValues<uint8_t>(out);
    for (int64_t i = 0; i < length; ++i) {
      const uint8_t null = argument.IsValid(i) ? 0 : 1;
      values[i] = null ^ if_null ^ 1;
    }
    out.constant = constant;
    return out;
  }

 private:
  NodePtr argument_;
};

// isnan: false for null.
class IsNaNNode : public Node {
 public:
  IsNaNNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail), argument_(std::move(arguments[0])) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(const Vector argument, argument_->Evaluate(rows));
    const int64_t length = argument.constant ? 1 : rows.count();
    ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(type(), length, rows.pool()));
    auto* values = MutableValues<uint8_t>(out);
    for (int64_t i = 0; i < length; ++i) {
      const bool nan = argument.type_class == TypeClass::kFloat
                           ? std::isnan(argument.Values<float>()[i])
                           : std::isnan(argument.Values<double>()[i]);
      values[i] = nan && argument.IsValid(i) ? 1 : 0;
    }
    out.constant = argument.constant;
    return out;
  }

 private:
  NodePtr argument_;
};

// <=>: like = for values; two nulls are equal, a null and a value are not.
class NullSafeEqualNode : public Node {
 public:
  NullSafeEqualNode(ExprPtr expression, bool can_fail, std::vector<NodePtr> arguments)
      : Node(std::move(expression), can_fail),
        kernel_(ComparisonKernel(this->expression()).kernel),
        left_(std::move(arguments[0])),
        right_(std::move(arguments[1])) {}

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(const Vector left, left_->Evaluate(rows));
    ARROW_ASSIGN_OR_RAISE(const Vector right, right_->Evaluate(rows));
    const bool constant = left.constant && right.constant;
    const int64_t length = constant ? 1 : rows.count();
    ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(type(), length, rows.pool()));
    auto* values = MutableValues<uint8_t>(out);
    if (kernel_ != nullptr) {
      const std::vector<Vector> arguments = {left, right};
      ARROW_RETURN_NOT_OK(kernel_({.expression = expression(),
                                   .pool = rows.pool(),
                                   .zone = index::TimeZone::Utc()},
                                  arguments, length, &out));
    }
    for (int64_t i = 0; i < length; ++i) {
      const bool left_valid = left.IsValid(i);
      const bool right_valid = right.IsValid(i);
      if (!left_valid || !right_valid) {
        values[i] = left_valid == right_valid ? 1 : 0;
      }
    }
    out.constant = constant;
    return out;
  }

 private:
  Kernel kernel_;  // null for two NULLs without a type
  NodePtr left_;
  NodePtr right_;
};

}  // namespace

arrow::Result<NodePtr> MakeConditionalNode(const ExprPtr& expression, bool can_fail,
                                           std::vector<NodePtr> arguments) {
  switch (expression->function) {
    case Function::kAnd:
    case Function::kOr:
      return std::make_unique<LogicNode>(expression, can_fail, std::move(arguments));
    case Function::kCase:
      return std::make_unique<CaseNode>(expression, can_fail, std::move(arguments));
    case Function::kCoalesce:
      return std::make_unique<CoalesceNode>(expression, can_fail, std::move(arguments));
    case Function::kIsNaN:
      return std::make_unique<IsNaNNode>(expression, can_fail, std::move(arguments));
    case Function::kNullSafeEqual:
      return std::make_unique<NullSafeEqualNode>(expression, can_fail,
                                                 std::move(arguments));
    default:
      return std::make_unique<NullTestNode>(expression, can_fail, std::move(arguments));
  }
}

}  // namespace wheelpit::exec::expr
