// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/comparable.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

namespace wheelpit::index {

namespace {

using Kind = Comparable::Kind;

Comparable Integer(Kind kind, int64_t value) {
  Comparable out;
  out.kind = kind;
  out.integer = value;
  return out;
}

Comparable Floating(double value) {
  Comparable out;
  out.kind = Kind::kFloating;
  out.floating = value;
  return out;
}

Comparable FromTimestamp(const arrow::TimestampScalar& scalar) {
  const auto& type = static_cast<const arrow::TimestampType&>(*scalar.type);
  const Kind kind = type.timezone().empty() ? Kind::kLocal : Kind::kInstant;
  constexpr int64_t kMicrosOf[] = {1'000'000, 1'000, 1};
  if (type.unit() == arrow::TimeUnit::NANO) {
    return scalar.value % 1000 == 0 ? Integer(kind, scalar.value / 1000) : Comparable{};
  }
  int64_t micros;
  const int64_t factor = kMicrosOf[static_cast<int>(type.unit())];
  return __builtin_mul_overflow(scalar.value, factor, &micros) ? Comparable{}
                                                               : Integer(kind, micros);
}

template <typename T>
Order OrderOf(const T& a, const T& b) {
  return a < b ? Order::kLess : b < a ? Order::kGreater : Order::kEqual;
}

Order Reversed(Order order) {
  return order == Order::kLess      ? Order::kGreater
         : order == Order::kGreater ? Order::kLess
                                    : order;
}

Order CompareFloating(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return OrderOf(std::isnan(a), std::isnan(b));
  }
  return OrderOf(a, b);
}

// With integers as decimals of scale 0.
Order CompareDecimals(const Comparable& a, const Comparable& b) {
  const auto value = [](const Comparable& of) {
    return arrow::Decimal256(of.kind == Kind::kInteger ? arrow::Decimal128(of.integer)
                                                       : of.decimal);
  };
  // 38 digits and 38 more of scale are within the 76 that 256 bits hold.
  const int32_t scale = std::max(a.scale, b.scale);
  const int32_t raise_a = scale - a.scale;
  const int32_t raise_b = scale - b.scale;
  if (raise_a > 38 || raise_b > 38) {
    return Order::kUnknown;
  }
  const auto raised = [](const arrow::Decimal256& decimal, int32_t digits) {
    return digits == 0 ? decimal : arrow::Decimal256(decimal.IncreaseScaleBy(digits));
  };
  return OrderOf(raised(value(a), raise_a), raised(value(b), raise_b));
}

// Integers that a double holds exactly. Beyond them a comparison in doubles, which is
// what a cast in the query makes, and one by value differ.
std::optional<double> ExactDouble(int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53;
  return value >= -kExact && value <= kExact ? std::optional(static_cast<double>(value))
                                             : std::nullopt;
}

Order CompareIntegerWithFloating(int64_t integer, double floating) {
  const std::optional<double> exact = ExactDouble(integer);
  return exact ? CompareFloating(*exact, floating) : Order::kUnknown;
}

bool MayCompare(PredicateOp op, const Comparable& literal, const ColumnRange& range) {
  // Order::kUnknown of either side keeps the rows.
  const Order min = Compare(range.min, literal);
  const Order max = Compare(range.max, literal);
  switch (op) {
    case PredicateOp::kEqual:
    case PredicateOp::kIn:
      if (literal.is_nan()) {
        return range.may_have_nan || max == Order::kEqual || max == Order::kUnknown;
      }
      return min != Order::kGreater && max != Order::kLess;
    case PredicateOp::kLess:
      return min != Order::kGreater && min != Order::kEqual;
    case PredicateOp::kLessEqual:
      return min != Order::kGreater;
    case PredicateOp::kGreater:
      return (range.may_have_nan && !literal.is_nan()) ||
             (max != Order::kLess && max != Order::kEqual);
    case PredicateOp::kGreaterEqual:
      return range.may_have_nan || max != Order::kLess;
    case PredicateOp::kIsNull:
    case PredicateOp::kIsNotNull:
      break;
  }
  return true;
}

}  // namespace

Comparable ToComparable(const arrow::Scalar& scalar) {
  if (!scalar.is_valid) {
    return {};
  }
  switch (scalar.type->id()) {
    case arrow::Type::BOOL:
      return Integer(Kind::kBoolean,
                     static_cast<const arrow::BooleanScalar&>(scalar).value);
    case arrow::Type::INT8:
      return Integer(Kind::kInteger, static_cast<const arrow::Int8Scalar&>(scalar).value);
    case arrow::Type::INT16:
      return Integer(Kind::kInteger,
                     static_cast<const arrow::Int16Scalar&>(scalar).value);
    case arrow::Type::INT32:
      return Integer(Kind::kInteger,
                     static_cast<const arrow::Int32Scalar&>(scalar).value);
    case arrow::Type::INT64:
      return Integer(Kind::kInteger,
                     static_cast<const arrow::Int64Scalar&>(scalar).value);
    case arrow::Type::FLOAT:
      return Floating(static_cast<const arrow::FloatScalar&>(scalar).value);
    case arrow::Type::DOUBLE:
      return Floating(static_cast<const arrow::DoubleScalar&>(scalar).value);
    case arrow::Type::DATE32:
      return Integer(Kind::kDate, static_cast<const arrow::Date32Scalar&>(scalar).value);
    case arrow::Type::TIMESTAMP:
      return FromTimestamp(static_cast<const arrow::TimestampScalar&>(scalar));
    case arrow::Type::DECIMAL128: {
      Comparable out;
      out.kind = Kind::kDecimal;
      out.decimal = static_cast<const arrow::Decimal128Scalar&>(scalar).value;
      out.scale = static_cast<const arrow::DecimalType&>(*scalar.type).scale();
      return out;
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY: {
      Comparable out;
      out.kind = Kind::kBytes;
      out.bytes = static_cast<const arrow::BaseBinaryScalar&>(scalar).view();
      return out;
    }
    default:
      return {};
  }
}

Order Compare(const Comparable& a, const Comparable& b) {
  if (a.kind == b.kind) {
    switch (a.kind) {
      case Kind::kNone:
        return Order::kUnknown;
      case Kind::kDecimal:
        return CompareDecimals(a, b);
      case Kind::kFloating:
        return CompareFloating(a.floating, b.floating);
      case Kind::kBytes:
        return OrderOf(a.bytes, b.bytes);
      default:
        return OrderOf(a.integer, b.integer);
    }
  }
  if (a.kind == Kind::kInteger && b.kind == Kind::kFloating) {
    return CompareIntegerWithFloating(a.integer, b.floating);
  }
  if (a.kind == Kind::kFloating && b.kind == Kind::kInteger) {
    return Reversed(CompareIntegerWithFloating(b.integer, a.floating));
  }
  const auto whole_or_decimal = [](Kind kind) {
    return kind == Kind::kInteger || kind == Kind::kDecimal;
  };
  return whole_or_decimal(a.kind) && whole_or_decimal(b.kind) ? CompareDecimals(a, b)
                                                              : Order::kUnknown;
}

ColumnRange ColumnRange::OnlyNulls() {
  ColumnRange range;
  range.may_have_value = false;
  return range;
}

ColumnRange ColumnRange::OneValue(const Comparable& value) {
  ColumnRange range;
  range.may_have_null = false;
  range.min = range.max = value;
  return range;
}

ComparableTerm::ComparableTerm(const PredicateTerm& term)
    : op(term.op), or_null(term.or_null) {
  literals.reserve(term.literals.size());
  for (const std::shared_ptr<arrow::Scalar>& literal : term.literals) {
    literals.push_back(literal == nullptr ? Comparable{} : ToComparable(*literal));
  }
}

bool MayMatch(const ComparableTerm& term, const ColumnRange& range) {
  if (term.or_null && range.may_have_null) {
    return true;
  }
  if (term.op == PredicateOp::kIsNull) {
    return range.may_have_null;
  }
  if (!range.may_have_value) {
    return false;
  }
  if (term.op == PredicateOp::kIsNotNull) {
    return true;
  }
  if (term.literals.empty()) {
    return term.op != PredicateOp::kIn;  // nothing is in an empty list
  }
  return std::any_of(
      term.literals.begin(), term.literals.end(),
      [&](const Comparable& literal) { return MayCompare(term.op, literal, range); });
}

}  // namespace wheelpit::index
