// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/keys/key_sample.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

namespace wheelpit::exec {

namespace {

using arrow::Array;
using arrow::Type;

class Generator {
 public:
  explicit Generator(const SampleOptions& options)
      : options_(options), random_(options.seed) {}

  // Which of the distinct values.
  int64_t Pick() {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(options_.distinct));
  }
  bool IsNull() { return static_cast<int>(random_() % 100) < options_.nulls; }

  int64_t Integer(int64_t min, int64_t max) {
    const int64_t pick = Pick();
    const int64_t edges[] = {min, max, 0, -1, 1, max - 1, min + 1, 256, -256};
    if (pick < 9) {
      return std::min(std::max(edges[pick], min), max);
    }
    return static_cast<int64_t>(Mix(pick)) % max;
  }

  double Number() {
    const int64_t pick = Pick();
    const double edges[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            1e-40,
                            -1e-40};
    return pick < 8 ? edges[pick] : (static_cast<double>(Mix(pick) % 2000) - 1000) / 7;
  }

  std::string Text() {
    const int64_t pick = Pick();
    const std::string zero(1, '\0');
    const std::string edges[] = {
        "",   zero,   zero + zero, "a",   "a" + zero, "a" + zero + "\xFF",
        "ab", "\xFF", "\xFF\xFF",  "\x01"};
    if (pick < 10) {
      return edges[pick];
    }
    std::string text;
    const uint64_t size = Mix(pick) % static_cast<uint64_t>(options_.text_bytes_max + 1);
    for (uint64_t i = 0; i < size; ++i) {
      text += static_cast<char>('a' + Mix(pick + static_cast<int64_t>(i)) % 3);
    }
    return text;
  }

 private:
  static uint64_t Mix(int64_t value) {
    return (static_cast<uint64_t>(value) * 0x9E3779B97F4A7C15u) >> 20;
  }

  const SampleOptions options_;
  std::mt19937_64 random_;
};

arrow::Decimal128 DecimalOf(Generator* values, int precision) {
  arrow::Decimal128 value(values->Integer(-99999, 99999));
  if (precision > 18) {
    value *= arrow::Decimal128::GetScaleMultiplier(precision - 6);
  }
  return value;
}

template <typename Builder, typename Make>
void Fill(arrow::ArrayBuilder* builder, int64_t length, Generator* values,
          const Make& make) {
  auto* typed = static_cast<Builder*>(builder);
  for (int64_t i = 0; i < length; ++i) {
    static_cast<void>(values->IsNull() ? typed->AppendNull() : typed->Append(make()));
  }
}

template <typename Builder>
void FillIntegers(arrow::ArrayBuilder* builder, int64_t length, Generator* values) {
  using T = typename Builder::value_type;
  Fill<Builder>(builder, length, values, [values] {
    return static_cast<T>(
        values->Integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  });
}

void FillOf(arrow::ArrayBuilder* builder, int64_t n, Generator* values) {
  const auto text = [values] { return values->Text(); };
  switch (builder->type()->id()) {
    case Type::NA:
      static_cast<void>(builder->AppendNulls(n));
      return;
    case Type::BOOL:
      return Fill<arrow::BooleanBuilder>(builder, n, values,
                                         [values] { return values->Pick() % 2 == 0; });
    case Type::INT8:
      return FillIntegers<arrow::Int8Builder>(builder, n, values);
    case Type::INT16:
      return FillIntegers<arrow::Int16Builder>(builder, n, values);
    case Type::INT32:
      return FillIntegers<arrow::Int32Builder>(builder, n, values);
    case Type::DATE32:
      return FillIntegers<arrow::Date32Builder>(builder, n, values);
    case Type::INTERVAL_MONTHS:
      return FillIntegers<arrow::MonthIntervalBuilder>(builder, n, values);
    case Type::INT64:
      return FillIntegers<arrow::Int64Builder>(builder, n, values);
    case Type::TIMESTAMP:
      return FillIntegers<arrow::TimestampBuilder>(builder, n, values);
    case Type::DURATION:
      return FillIntegers<arrow::DurationBuilder>(builder, n, values);
    case Type::DECIMAL128: {
      const int precision =
          static_cast<const arrow::DecimalType&>(*builder->type()).precision();
      return Fill<arrow::Decimal128Builder>(builder, n, values,
                                            [=] { return DecimalOf(values, precision); });
    }
    case Type::FLOAT:
      return Fill<arrow::FloatBuilder>(
          builder, n, values, [values] { return static_cast<float>(values->Number()); });
    case Type::DOUBLE:
      return Fill<arrow::DoubleBuilder>(builder, n, values,
                                        [values] { return values->Number(); });
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return Fill<arrow::LargeBinaryBuilder>(builder, n, values, text);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return Fill<arrow::BinaryViewBuilder>(builder, n, values, text);
    default:
      return Fill<arrow::BinaryBuilder>(builder, n, values, text);
  }
}

template <typename T>
int Sign(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return Sign(std::isnan(a) ? 1 : 0, std::isnan(b) ? 1 : 0);
  }
  return Sign(a, b);
}

// Neither is null.
int CompareScalars(const arrow::Scalar& a, const arrow::Scalar& b) {
  switch (a.type->id()) {
    case Type::BOOL:
      return Sign(static_cast<const arrow::BooleanScalar&>(a).value,
                  static_cast<const arrow::BooleanScalar&>(b).value);
    case Type::DECIMAL128:
      return Sign(static_cast<const arrow::Decimal128Scalar&>(a).value,
                  static_cast<const arrow::Decimal128Scalar&>(b).value);
    case Type::FLOAT:
      return CompareDoubles(static_cast<const arrow::FloatScalar&>(a).value,
                            static_cast<const arrow::FloatScalar&>(b).value);
    case Type::DOUBLE:
      return CompareDoubles(static_cast<const arrow::DoubleScalar&>(a).value,
                            static_cast<const arrow::DoubleScalar&>(b).value);
    default:
      break;
  }
  if (const auto* text = dynamic_cast<const arrow::BaseBinaryScalar*>(&a)) {
    return text->view().compare(static_cast<const arrow::BaseBinaryScalar&>(b).view());
  }
  const auto integer = [](const arrow::Scalar& scalar) {
    int64_t value = 0;  // Little endian, its sign shifted out and in again.
    const auto bytes =
        static_cast<const arrow::internal::PrimitiveScalarBase&>(scalar).view();
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&value));
    const auto shift = 64 - 8 * bytes.size();
    return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
  };
  return Sign(integer(a), integer(b));
}

std::shared_ptr<arrow::Scalar> ScalarAt(const Array& array, int64_t i) {
  if (array.type_id() == Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
    if (coded.IsNull(i)) {
      return arrow::MakeNullScalar(coded.dictionary()->type());
    }
    return *coded.dictionary()->GetScalar(coded.GetValueIndex(i));
  }
  return *array.GetScalar(i);
}

}  // namespace

std::vector<std::shared_ptr<arrow::DataType>> SampleKeyTypes() {
  return {arrow::null(),
          arrow::boolean(),
          arrow::int8(),
          arrow::int16(),
          arrow::int32(),
          arrow::int64(),
          arrow::date32(),
          arrow::month_interval(),
          arrow::duration(arrow::TimeUnit::MICRO),
          arrow::timestamp(arrow::TimeUnit::MICRO),
          arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
          arrow::decimal128(5, 2),
          arrow::decimal128(18, 0),
          arrow::decimal128(19, 4),
          arrow::decimal128(38, 10),
          arrow::float32(),
          arrow::float64(),
          arrow::utf8(),
          arrow::binary(),
          arrow::large_utf8(),
          arrow::utf8_view(),
          arrow::binary_view(),
          arrow::dictionary(arrow::int8(), arrow::utf8()),
          arrow::dictionary(arrow::int32(), arrow::int64())};
}

std::shared_ptr<Array> SampleColumn(const std::shared_ptr<arrow::DataType>& type,
                                    int64_t length, const SampleOptions& options) {
  constexpr int64_t kBefore = 3;
  Generator values(options);
  if (type->id() == Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryType&>(*type);
    const auto dictionary = SampleColumn(coded.value_type(), 100, options);
    const auto codes = arrow::MakeBuilder(coded.index_type()).ValueOrDie();
    for (int64_t i = 0; i < length + kBefore; ++i) {
      const auto code =
          arrow::MakeScalar(coded.index_type(), static_cast<int8_t>(values.Pick() % 100));
      static_cast<void>(values.IsNull() ? codes->AppendNull()
                                        : codes->AppendScalar(**code));
    }
    return arrow::DictionaryArray::FromArrays(type, *codes->Finish(), dictionary)
        .ValueOrDie()
        ->Slice(kBefore);
  }
  const auto builder = arrow::MakeBuilder(type).ValueOrDie();
  FillOf(builder.get(), length + kBefore, &values);
  return builder->Finish().ValueOrDie()->Slice(kBefore);
}

int ComparePlainly(const std::vector<KeyColumn>& keys,
                   const arrow::ArrayVector& a_columns, int64_t a,
                   const arrow::ArrayVector& b_columns, int64_t b) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto left = ScalarAt(*a_columns[i], a);
    const auto right = ScalarAt(*b_columns[i], b);
    if (left->is_valid != right->is_valid) {
      return left->is_valid == keys[i].nulls_first ? 1 : -1;
    }
    const int order = left->is_valid ? CompareScalars(*left, *right) : 0;
    if (order != 0) {
      return keys[i].descending ? -order : order;
    }
  }
  return 0;
}

}  // namespace wheelpit::exec
