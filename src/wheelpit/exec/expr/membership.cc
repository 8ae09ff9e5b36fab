// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/membership.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include <arrow/type.h>

namespace wheelpit::exec::expr {

namespace {

// Values as keys that are equal exactly when Spark says that the values are.
template <typename T>
struct KeyOf {
  using Key = T;
  static Key Make(T value) { return value; }
};

template <>
struct KeyOf<DecimalWords> {
  using Key = int128;
  static Key Make(DecimalWords value) { return ToInt128(value); }
};

// All NaN are equal, and so are both zeros.
template <>
struct KeyOf<double> {
  using Key = int64_t;
  static Key Make(double value) {
    if (std::isnan(value)) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (value == 0) {
      value = 0;
    }
    int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
};

template <>
struct KeyOf<float> {
  using Key = int64_t;
  static Key Make(float value) { return KeyOf<double>::Make(value); }
};

class MembershipNode : public Node {
 public:
  MembershipNode(plan::ExprPtr expression, std::vector<NodePtr> arguments)
      : Node(std::move(expression), arguments[0]->can_fail()),
        value_(std::move(arguments[0])) {
    for (size_t i = 1; i < arguments.size(); ++i) {
      has_null_ |= arguments[i]->constant()->IsConstantNull();
    }
  }

  arrow::Result<Vector> Evaluate(Rows& rows) const override {
    ARROW_ASSIGN_OR_RAISE(const Vector value, value_->Evaluate(rows));
    if (value.IsConstantNull()) {
      return NullVector(type(), rows.pool());
    }
    const int64_t length = value.constant ? 1 : rows.count();
    ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(type(), length, rows.pool()));
    auto* found = MutableValues<uint8_t>(out);
    Find(value, length, found);
    out.valid = value.valid;
    out.valid_buffer = value.valid_buffer;
    if (has_null_) {
      // What isn't found might equal the null.
      ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&out, 1, rows.pool()));
      for (int64_t i = 0; i < length; ++i) {
        valid[i] = found[i] != 0 && value.IsValid(i) ? 1 : 0;
      }
    }
    out.constant = value.constant;
    return out;
  }

 protected:
  virtual void Find(const Vector& value, int64_t length, uint8_t* found) const = 0;

 private:
  NodePtr value_;
  bool has_null_ = false;
};

template <typename T>
class ValueMembershipNode : public MembershipNode {
 public:
  using Key = typename KeyOf<T>::Key;

  ValueMembershipNode(plan::ExprPtr expression, std::vector<NodePtr> arguments,
                      std::vector<Key> keys)
      : MembershipNode(std::move(expression), std::move(arguments)),
        keys_(std::move(keys)) {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }

 protected:
  void Find(const Vector& value, int64_t length, uint8_t* found) const override {
    constexpr size_t kLinearMax = 8;  // above, a binary search is quicker
    const T* values = value.Values<T>();
    if (keys_.size() > kLinearMax) {
      for (int64_t i = 0; i < length; ++i) {
        found[i] =
            std::binary_search(keys_.begin(), keys_.end(), KeyOf<T>::Make(values[i]));
      }
      return;
    }
    std::fill(found, found + length, uint8_t{0});
    for (const Key key : keys_) {
      for (int64_t i = 0; i < length; ++i) {
        found[i] |= static_cast<uint8_t>(KeyOf<T>::Make(values[i]) == key);
      }
    }
  }

 private:
  std::vector<Key> keys_;
};

class TextMembershipNode : public MembershipNode {
 public:
  // `items` own the texts that `keys` view.
  TextMembershipNode(plan::ExprPtr expression, std::vector<NodePtr> arguments,
                     std::vector<Vector> items)
      : MembershipNode(std::move(expression), std::move(arguments)),
        items_(std::move(items)) {
    for (const Vector& item : items_) {
      keys_.insert(item.Text(0));
    }
  }

 protected:
  void Find(const Vector& value, int64_t length, uint8_t* found) const override {
    for (int64_t i = 0; i < length; ++i) {
      found[i] = value.IsValid(i) && keys_.contains(value.Text(i)) ? 1 : 0;
    }
  }

 private:
  std::vector<Vector> items_;
  std::unordered_set<std::string_view> keys_;
};

// NULL IN (NULL, …)
class NullMembershipNode : public MembershipNode {
 public:
  using MembershipNode::MembershipNode;

 protected:
  void Find(const Vector&, int64_t length, uint8_t* found) const override {
    std::fill(found, found + length, uint8_t{0});
  }
};

template <typename T>
NodePtr MakeOf(const plan::ExprPtr& expression, std::vector<NodePtr> arguments) {
  std::vector<typename KeyOf<T>::Key> keys;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Vector& item = *arguments[i]->constant();
    if (!item.IsConstantNull()) {
      keys.push_back(KeyOf<T>::Make(item.Values<T>()[0]));
    }
  }
  return std::make_unique<ValueMembershipNode<T>>(expression, std::move(arguments),
                                                  std::move(keys));
}

}  // namespace

arrow::Result<NodePtr> MakeMembershipNode(const plan::ExprPtr& expression,
                                          std::vector<NodePtr> arguments) {
  switch (plan::ClassOf(*arguments[0]->type())) {
    case TypeClass::kBoolean:
      return MakeOf<uint8_t>(expression, std::move(arguments));
    case TypeClass::kInt8:
      return MakeOf<int8_t>(expression, std::move(arguments));
    case TypeClass::kInt16:
      return MakeOf<int16_t>(expression, std::move(arguments));
    case TypeClass::kInt32:
    case TypeClass::kDate:
    case TypeClass::kYearMonthInterval:
      return MakeOf<int32_t>(expression, std::move(arguments));
    case TypeClass::kInt64:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
    case TypeClass::kDayTimeInterval:
      return MakeOf<int64_t>(expression, std::move(arguments));
    case TypeClass::kFloat:
      return MakeOf<float>(expression, std::move(arguments));
    case TypeClass::kDouble:
      return MakeOf<double>(expression, std::move(arguments));
    case TypeClass::kDecimal:
      return MakeOf<DecimalWords>(expression, std::move(arguments));
    case TypeClass::kString:
    case TypeClass::kBinary: {
      std::vector<Vector> items;
      for (size_t i = 1; i < arguments.size(); ++i) {
        if (!arguments[i]->constant()->IsConstantNull()) {
          items.push_back(*arguments[i]->constant());
        }
      }
      return std::make_unique<TextMembershipNode>(expression, std::move(arguments),
                                                  std::move(items));
    }
    default:
      return std::make_unique<NullMembershipNode>(expression, std::move(arguments));
  }
}

}  // namespace wheelpit::exec::expr
