// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/conjunct.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/comparison_kernels.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/plan/comparison.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Function;

enum Rank { kComparisonRank = 0, kSafeRank = 1, kFallibleRank = 2 };

// Writes the numbers of the rows whose mask byte is 1; gives the end.
inline int32_t* AppendMasked(const uint8_t* mask, int64_t first, int64_t count,
                             int32_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    *out = static_cast<int32_t>(first + i);
    out += mask[i];
  }
  return out;
}

// The values of an array and its validity, in Arrow's own form.
template <typename T>
struct Span {
  explicit Span(const arrow::ArrayData& data)
      : values(data.GetValues<T>(1)),
        bits(data.GetNullCount() != 0 && data.buffers[0] != nullptr
                 ? data.buffers[0]->data()
                 : nullptr),
        offset(data.offset) {}
  bool IsValid(int64_t row) const {
    return bits == nullptr || arrow::bit_util::GetBit(bits, offset + row);
  }
  const T* values;
  const uint8_t* bits;
  int64_t offset;
};

// Rows are tested in blocks: a loop that compares and one that collects, of which the
// first is free of dependencies and the second is skipped for blocks without a hit.
constexpr int64_t kBlockRows = 256;

template <typename T, typename Test>
void SelectRows(const Span<T>& span, int64_t length, Test test,
                std::vector<int32_t>* selection) {
  uint8_t mask[kBlockRows];
  int32_t rows[kBlockRows];
  for (int64_t first = 0; first < length; first += kBlockRows) {
    const int64_t count = std::min(kBlockRows, length - first);
    const T* values = span.values + first;
    uint8_t any = 0;
    for (int64_t i = 0; i < count; ++i) {
      mask[i] = test(values[i]) ? 1 : 0;
      any |= mask[i];
    }
    if (any == 0) {
      continue;
    }
    if (span.bits != nullptr) {
      for (int64_t i = 0; i < count; ++i) {
        mask[i] = span.IsValid(first + i) ? mask[i] : 0;
      }
    }
    selection->insert(selection->end(), rows, AppendMasked(mask, first, count, rows));
  }
}

template <typename T, typename Test>
void ShrinkRows(const Span<T>& span, Test test, std::vector<int32_t>* selection) {
  int32_t* out = selection->data();
  for (const int32_t row : *selection) {
    *out = row;
    out += test(span.values[row]) && span.IsValid(row) ? 1 : 0;
  }
  selection->resize(static_cast<size_t>(out - selection->data()));
}

// T is what the array holds, Read makes of it what is compared.
template <typename T, typename Read, typename Op>
class ComparisonConjunct : public Conjunct {
 public:
  using Value = decltype(Read()(T{}));

  ComparisonConjunct(int column, std::shared_ptr<arrow::DataType> type, Value literal,
                     std::unique_ptr<Conjunct> general)
      : column_(column),
        type_(std::move(type)),
        literal_(literal),
        general_(std::move(general)) {
    rank = kComparisonRank;
  }

  arrow::Status Select(const arrow::ArrayVector& columns, int64_t length,
                       arrow::MemoryPool* pool,
                       std::vector<int32_t>* selection) const override {
    const arrow::Array* array = Plain(columns);
    if (array == nullptr) {
      return general_->Select(columns, length, pool, selection);
    }
    const Value literal = literal_;
    SelectRows(
        Span<T>(*array->data()), length,
        [literal](T value) { return Op::Do(Read()(value), literal); }, selection);
    return arrow::Status::OK();
  }

  arrow::Status Shrink(const arrow::ArrayVector& columns, arrow::MemoryPool* pool,
                       std::vector<int32_t>* selection) const override {
    const arrow::Array* array = Plain(columns);
    if (array == nullptr) {
      return general_->Shrink(columns, pool, selection);
    }
    const Value literal = literal_;
    ShrinkRows(
        Span<T>(*array->data()),
        [literal](T value) { return Op::Do(Read()(value), literal); }, selection);
    return arrow::Status::OK();
  }

 private:
  // The column when it comes in its plain form.
  const arrow::Array* Plain(const arrow::ArrayVector& columns) const {
    const auto index = static_cast<size_t>(column_);
    if (index >= columns.size() || columns[index] == nullptr ||
        !columns[index]->type()->Equals(*type_)) {
      return nullptr;
    }
    return columns[index].get();
  }

  int column_;
  std::shared_ptr<arrow::DataType> type_;
  Value literal_;
  std::unique_ptr<Conjunct>
      general_;  ///< for dictionaries, and for telling what is wrong
};

class NodeConjunct : public Conjunct {
 public:
  NodeConjunct(ExprPtr expression, NodePtr node)
      : node_(std::move(node)), columns_read_(plan::ColumnsOf(*expression)) {
    can_fail = node_->can_fail();
    rank = can_fail ? kFallibleRank : kSafeRank;
  }

  arrow::Status Select(const arrow::ArrayVector& columns, int64_t length,
                       arrow::MemoryPool* pool,
                       std::vector<int32_t>* selection) const override {
    if (length == 0) {
      return arrow::Status::OK();
    }
    if (const auto* dictionary = SmallDictionary(columns, length)) {
      return SelectByCode(columns, *dictionary, pool, [&](auto holds) {
        selection->resize(static_cast<size_t>(length));
        int32_t* out = selection->data();
        for (int64_t row = 0; row < length; ++row) {
          *out = static_cast<int32_t>(row);
          out += holds(row);
        }
        selection->resize(static_cast<size_t>(out - selection->data()));
      });
    }
    Rows rows(columns, nullptr, length, pool);
    ARROW_ASSIGN_OR_RAISE(const Vector holds, node_->Evaluate(rows));
    AppendTruePositions(holds, length, selection);
    return arrow::Status::OK();
  }

  arrow::Status Shrink(const arrow::ArrayVector& columns, arrow::MemoryPool* pool,
                       std::vector<int32_t>* selection) const override {
    if (selection->empty()) {
      return arrow::Status::OK();
    }
    const auto count = static_cast<int64_t>(selection->size());
    if (const auto* dictionary = SmallDictionary(columns, count)) {
      return SelectByCode(columns, *dictionary, pool, [&](auto holds) {
        int32_t* out = selection->data();
        for (const int32_t row : *selection) {
          *out = row;
          out += holds(row);
        }
        selection->resize(static_cast<size_t>(out - selection->data()));
      });
    }
    Rows rows(columns, selection->data(), count, pool);
    ARROW_ASSIGN_OR_RAISE(const Vector holds, node_->Evaluate(rows));
    int32_t* out = selection->data();
    for (int64_t i = 0; i < count; ++i) {
      *out = (*selection)[static_cast<size_t>(i)];
      out += holds.IsValid(i) ? holds.Values<uint8_t>()[holds.At(i)] : 0;
    }
    selection->resize(static_cast<size_t>(out - selection->data()));
    return arrow::Status::OK();
  }

 private:
  // The one column that is read, when it is a dictionary with fewer values than there are
  // rows. A condition that might fail must not see values that no row has.
  const arrow::DictionaryArray* SmallDictionary(const arrow::ArrayVector& columns,
                                                int64_t count) const {
    if (columns_read_.size() != 1 || node_->can_fail()) {
      return nullptr;
    }
    const auto index = static_cast<size_t>(columns_read_[0]);
    if (index >= columns.size() || columns[index] == nullptr ||
        columns[index]->type_id() != arrow::Type::DICTIONARY) {
      return nullptr;
    }
    const auto& array = static_cast<const arrow::DictionaryArray&>(*columns[index]);
    const arrow::Type::type codes = array.indices()->type_id();
    const bool known = codes == arrow::Type::INT32 || codes == arrow::Type::INT16 ||
                       codes == arrow::Type::INT8;
    return known && array.dictionary()->length() < count ? &array : nullptr;
  }

  // Evaluates the condition for every value of the dictionary and for null, and hands the
  // outcome per row to `collect`.
  template <typename Collect>
  arrow::Status SelectByCode(const arrow::ArrayVector& columns,
                             const arrow::DictionaryArray& array, arrow::MemoryPool* pool,
                             Collect collect) const {
    const auto index = static_cast<size_t>(columns_read_[0]);
    arrow::ArrayVector values(columns.size());
    values[index] = array.dictionary();
    // One entry more than there are values: null.
    std::vector<uint8_t> outcome(static_cast<size_t>(array.dictionary()->length()) + 1);
    ARROW_RETURN_NOT_OK(
        Outcomes(values, array.dictionary()->length(), pool, outcome.data()));
    ARROW_ASSIGN_OR_RAISE(values[index],
                          arrow::MakeArrayOfNull(array.dictionary()->type(), 1, pool));
    ARROW_RETURN_NOT_OK(Outcomes(values, 1, pool, &outcome.back()));
    const arrow::ArrayData& codes = *array.indices()->data();
    switch (codes.type->id()) {
      case arrow::Type::INT8:
        CollectCodes<int8_t>(codes, outcome, collect);
        break;
      case arrow::Type::INT16:
        CollectCodes<int16_t>(codes, outcome, collect);
        break;
      default:
        CollectCodes<int32_t>(codes, outcome, collect);
        break;
    }
    return arrow::Status::OK();
  }

  template <typename Code, typename Collect>
  static void CollectCodes(const arrow::ArrayData& codes,
                           const std::vector<uint8_t>& outcome, Collect collect) {
    const Span<Code> span(codes);
    collect([&](int64_t row) {
      return span.IsValid(row) ? outcome[static_cast<size_t>(span.values[row])]
                               : outcome.back();
    });
  }

  arrow::Status Outcomes(const arrow::ArrayVector& columns, int64_t length,
                         arrow::MemoryPool* pool, uint8_t* outcome) const {
    if (length == 0) {
      return arrow::Status::OK();
    }
    Rows rows(columns, nullptr, length, pool);
    ARROW_ASSIGN_OR_RAISE(const Vector holds, node_->Evaluate(rows));
    for (int64_t i = 0; i < length; ++i) {
      outcome[i] = holds.IsValid(i) ? holds.Values<uint8_t>()[holds.At(i)] : 0;
    }
    return arrow::Status::OK();
  }

  NodePtr node_;
  std::vector<int> columns_read_;
};

template <typename T>
struct Same {
  T operator()(T value) const { return value; }
};

using ConjunctPtr = std::unique_ptr<Conjunct>;

template <typename T, typename Read>
ConjunctPtr ComparisonOf(Function function, const Expr& column, const void* literal,
                         ConjunctPtr general) {
  T stored;
  std::memcpy(&stored, literal, sizeof stored);
  const auto make = [&](auto op) -> ConjunctPtr {
    return std::make_unique<ComparisonConjunct<T, Read, decltype(op)>>(
        column.column, column.type, Read()(stored), std::move(general));
  };
  switch (function) {
    case Function::kEqual:
      return make(EqualTo());
    case Function::kNotEqual:
      return make(NotEqualTo());
    case Function::kLess:
      return make(LessThan());
    case Function::kLessEqual:
      return make(LessOrEqual());
    case Function::kGreater:
      return make(GreaterThan());
    case Function::kGreaterEqual:
      return make(GreaterOrEqual());
    default:
      return general;
  }
}

}  // namespace

arrow::Result<ConjunctPtr> MakeConjunct(const ExprPtr& expression,
                                        const CompileOptions& options) {
  ARROW_ASSIGN_OR_RAISE(NodePtr node, Compile(expression, options));
  ConjunctPtr general = std::make_unique<NodeConjunct>(expression, std::move(node));
  const auto comparison = plan::CompareWithLiteral(*expression);
  if (!comparison || comparison->value->kind != ExprKind::kColumn) {
    return general;
  }
  const Expr& column = *comparison->value;
  const Function function = comparison->function;
  ARROW_ASSIGN_OR_RAISE(const Vector literal,
                        ConstantVector(*comparison->literal, options.pool));
  switch (literal.type_class) {
    case TypeClass::kInt32:
    case TypeClass::kDate:
      return ComparisonOf<int32_t, Same<int32_t>>(function, column, literal.values,
                                                  std::move(general));
    case TypeClass::kInt64:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
      return ComparisonOf<int64_t, Same<int64_t>>(function, column, literal.values,
                                                  std::move(general));
    case TypeClass::kFloat:
      return ComparisonOf<float, Same<float>>(function, column, literal.values,
                                              std::move(general));
    case TypeClass::kDouble:
      return ComparisonOf<double, Same<double>>(function, column, literal.values,
                                                std::move(general));
    case TypeClass::kDecimal:
      if (plan::DecimalShapeOf(*literal.type).precision <= kNarrowDecimalPrecisionMax) {
        return ComparisonOf<DecimalWords, NarrowDecimal>(function, column, literal.values,
                                                         std::move(general));
      }
      return ComparisonOf<DecimalWords, WideDecimal>(function, column, literal.values,
                                                     std::move(general));
    default:
      return general;
  }
}

}  // namespace wheelpit::exec::expr
