// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/value_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <arrow/type.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using parquet::LogicalType;
using PhysicalType = parquet::Type;
__extension__ using Int128 = __int128;

template <typename T>
T Load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <typename T>
void Store(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}

// Numbers that fit by their types, or are checked.
template <typename From, typename To>
bool ConvertNumber(const uint8_t* raw, int64_t count, const ConversionArguments&,
                   uint8_t* out) {
  bool fits = true;
  for (int64_t i = 0; i < count; ++i) {
    const From value = Load<From>(raw + i * static_cast<int64_t>(sizeof(From)));
    if constexpr (sizeof(To) < sizeof(From)) {
      fits &= value >= std::numeric_limits<To>::min() &&
              value <= std::numeric_limits<To>::max();
    }
    Store(out + i * static_cast<int64_t>(sizeof(To)), static_cast<To>(value));
  }
  return fits;
}

bool MillisToMicros(const uint8_t* raw, int64_t count, const ConversionArguments&,
                    uint8_t* out) {
  bool overflow = false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t micros;
    overflow |= __builtin_mul_overflow(Load<int64_t>(raw + i * 8), 1000, &micros);
    Store(out + i * 8, micros);
  }
  return !overflow;
}

// Rounds towards the past, as Spark does.
bool NanosToMicros(const uint8_t* raw, int64_t count, const ConversionArguments&,
                   uint8_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t nanos = Load<int64_t>(raw + i * 8);
    Store(out + i * 8, nanos / 1000 - (nanos % 1000 < 0 ? 1 : 0));
  }
  return true;
}

// INT96: nanoseconds within the day, then the Julian day.
bool Int96ToMicros(const uint8_t* raw, int64_t count, const ConversionArguments&,
                   uint8_t* out) {
  constexpr int64_t kJulianDayOfEpoch = 2440588;
  constexpr int64_t kMicrosPerDay = int64_t{86400} * 1000 * 1000;
  bool overflow = false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t nanos = Load<int64_t>(raw + i * 12);
    const int64_t day = Load<int32_t>(raw + i * 12 + 8);
    // A null's zeros are a day that exists.
    int64_t micros;
    overflow |= __builtin_mul_overflow(day - kJulianDayOfEpoch, kMicrosPerDay, &micros);
    overflow |= __builtin_add_overflow(micros, nanos / 1000, &micros);
    Store(out + i * 8, micros);
  }
  return !overflow;
}

bool ScaleUp(Int128* value, const ConversionArguments& arguments) {
  constexpr Int128 kStep = Int128{1'000'000'000} * 1'000'000'000;
  bool overflow = __builtin_mul_overflow(*value, Int128{arguments.factor}, value);
  for (int32_t step = 0; step < arguments.factor_steps; ++step) {
    overflow |= __builtin_mul_overflow(*value, kStep, value);
  }
  return !overflow;
}

template <typename From>
bool IntegerToDecimal(const uint8_t* raw, int64_t count,
                      const ConversionArguments& arguments, uint8_t* out) {
  bool fits = true;
  const bool scaled = arguments.factor != 1 || arguments.factor_steps != 0;
  for (int64_t i = 0; i < count; ++i) {
    Int128 value = Load<From>(raw + i * static_cast<int64_t>(sizeof(From)));
    if (scaled) fits &= ScaleUp(&value, arguments);
    Store(out + i * 16, value);
  }
  return fits;
}

// Big-endian two's complement of any length that has at most 16 significant bytes.
bool BytesToDecimal(const uint8_t* raw, int64_t count,
                    const ConversionArguments& arguments, uint8_t* out) {
  bool fits = true;
  for (int64_t i = 0; i < count; ++i) {
    const auto view = Load<ByteView>(raw + i * int64_t{sizeof(ByteView)});
    const bool negative = view.size_bytes > 0 && (view.data[0] & 0x80) != 0;
    const int64_t extra = std::max<int64_t>(view.size_bytes - 16, 0);
    for (int64_t b = 0; b < extra; ++b) fits &= view.data[b] == (negative ? 0xff : 0);
    unsigned __int128 value = negative ? ~static_cast<unsigned __int128>(0) : 0;
    for (int64_t b = extra; b < view.size_bytes; ++b) value = value << 8 | view.data[b];
    auto decimal = static_cast<Int128>(value);
    fits &= (decimal < 0) == negative;
    fits &= ScaleUp(&decimal, arguments);
    Store(out + i * 16, decimal);
  }
  return fits;
}

struct DecimalShape {
  int32_t precision;
  int32_t scale;
};

// Null when the target holds less.
bool SetScale(const DecimalShape& from, const arrow::Decimal128Type& to,
              ConversionArguments* arguments) {
  const int32_t added = to.scale() - from.scale;
  if (added < 0 || to.precision() - to.scale() < from.precision - from.scale) {
    return false;
  }
  arguments->factor_steps = added / 18;
  for (int32_t i = 0; i < added % 18; ++i) arguments->factor *= 10;
  return true;
}

struct Leaf {
  PhysicalType::type physical;
  LogicalType::Type::type logical;
  bool is_signed = true;
  int bit_width = 0;
  LogicalType::TimeUnit::unit unit = LogicalType::TimeUnit::UNKNOWN;
  bool utc = false;
  DecimalShape decimal{0, 0};
};

Leaf Describe(const parquet::ColumnDescriptor& column) {
  const LogicalType& logical =
      column.logical_type() ? *column.logical_type() : *LogicalType::None();
  Leaf leaf{.physical = column.physical_type(), .logical = logical.type()};
  leaf.bit_width = leaf.physical == PhysicalType::INT32 ? 32 : 64;
  if (leaf.logical == LogicalType::Type::INT) {
    const auto& type = static_cast<const parquet::IntLogicalType&>(logical);
    leaf.is_signed = type.is_signed();
    leaf.bit_width = type.bit_width();
  } else if (leaf.logical == LogicalType::Type::TIMESTAMP) {
    const auto& type = static_cast<const parquet::TimestampLogicalType&>(logical);
    leaf.unit = type.time_unit();
    leaf.utc = type.is_adjusted_to_utc();
  } else if (leaf.logical == LogicalType::Type::DECIMAL) {
    const auto& type = static_cast<const parquet::DecimalLogicalType&>(logical);
    leaf.decimal = {type.precision(), type.scale()};
  }
  return leaf;
}

bool IsInteger(const Leaf& leaf) {
  return (leaf.physical == PhysicalType::INT32 || leaf.physical == PhysicalType::INT64) &&
         (leaf.logical == LogicalType::Type::NONE ||
          leaf.logical == LogicalType::Type::INT);
}

// Decimal digits that an integer column may hold.
int32_t DigitsOf(const Leaf& leaf) {
  switch (leaf.bit_width) {
    case 8:
      return 3;
    case 16:
      return 5;
    case 32:
      return 10;
    default:
      return leaf.is_signed ? 19 : 20;
  }
}

bool Fixed(int32_t width, Conversion conversion, ValueLayout* out) {
  out->storage = Storage::kFixed;
  out->target_width = width;
  out->conversion = conversion;
  return true;
}

bool ResolveDecimal(const Leaf& leaf, const arrow::Decimal128Type& target,
                    ValueLayout* out) {
  DecimalShape shape = leaf.decimal;
  if (IsInteger(leaf)) {
    shape = {DigitsOf(leaf), 0};
  } else if (leaf.logical != LogicalType::Type::DECIMAL) {
    return false;
  }
  if (!SetScale(shape, target, &out->arguments)) return false;
  switch (leaf.physical) {
    case PhysicalType::INT32:
      return Fixed(
          16, leaf.is_signed ? IntegerToDecimal<int32_t> : IntegerToDecimal<uint32_t>,
          out);
    case PhysicalType::INT64:
      return Fixed(
          16, leaf.is_signed ? IntegerToDecimal<int64_t> : IntegerToDecimal<uint64_t>,
          out);
    default:
      return Fixed(16, BytesToDecimal, out);
  }
}

bool ResolveInteger(const Leaf& leaf, arrow::Type::type target, ValueLayout* out) {
  const bool narrow = leaf.physical == PhysicalType::INT32;
  if (!IsInteger(leaf)) return false;
  // An unsigned column needs one bit more than it has.
  const int bits = leaf.bit_width + (leaf.is_signed ? 0 : 1);
  switch (target) {
    case arrow::Type::INT8:
      return narrow && bits <= 8 && Fixed(1, ConvertNumber<int32_t, int8_t>, out);
    case arrow::Type::INT16:
      return narrow && bits <= 16 && Fixed(2, ConvertNumber<int32_t, int16_t>, out);
    case arrow::Type::INT32:
      return narrow && bits <= 32 && Fixed(4, nullptr, out);
    case arrow::Type::INT64:
      if (!narrow) return leaf.is_signed && Fixed(8, nullptr, out);
      return Fixed(8,
                   leaf.is_signed ? ConvertNumber<int32_t, int64_t>
                                  : ConvertNumber<uint32_t, int64_t>,
                   out);
    case arrow::Type::DOUBLE:
      return narrow && Fixed(8,
                             leaf.is_signed ? ConvertNumber<int32_t, double>
                                            : ConvertNumber<uint32_t, double>,
                             out);
    default:
      return false;
  }
}

bool ResolveTimestamp(const Leaf& leaf, const arrow::TimestampType& target,
                      ValueLayout* out) {
  if (target.unit() != arrow::TimeUnit::MICRO) return false;
  const bool utc = !target.timezone().empty();
  if (leaf.physical == PhysicalType::INT96) return utc && Fixed(8, Int96ToMicros, out);
  if (leaf.physical != PhysicalType::INT64 || leaf.utc != utc) return false;
  switch (leaf.unit) {
    case LogicalType::TimeUnit::MILLIS:
      return Fixed(8, MillisToMicros, out);
    case LogicalType::TimeUnit::MICROS:
      return Fixed(8, nullptr, out);
    case LogicalType::TimeUnit::NANOS:
      return Fixed(8, NanosToMicros, out);
    default:
      return false;
  }
}

bool ResolveBytes(const Leaf& leaf, bool text, ValueLayout* out) {
  const bool is_text = leaf.logical == LogicalType::Type::STRING ||
                       leaf.logical == LogicalType::Type::ENUM ||
                       leaf.logical == LogicalType::Type::JSON;
  const bool is_bytes = leaf.physical == PhysicalType::BYTE_ARRAY ||
                        leaf.physical == PhysicalType::FIXED_LEN_BYTE_ARRAY;
  out->storage = Storage::kBytes;
  return is_bytes && (text ? is_text
                           : leaf.logical != LogicalType::Type::DECIMAL &&
                                 leaf.logical != LogicalType::Type::FLOAT16);
}

bool Resolve(const Leaf& leaf, const arrow::DataType& target, ValueLayout* out) {
  switch (target.id()) {
    case arrow::Type::BOOL:
      out->storage = Storage::kBool;
      return leaf.physical == PhysicalType::BOOLEAN;
    case arrow::Type::FLOAT:
      return leaf.physical == PhysicalType::FLOAT && Fixed(4, nullptr, out);
    case arrow::Type::DOUBLE:
      if (leaf.physical == PhysicalType::DOUBLE) return Fixed(8, nullptr, out);
      if (leaf.physical == PhysicalType::FLOAT) {
        return Fixed(8, ConvertNumber<float, double>, out);
      }
      return ResolveInteger(leaf, target.id(), out);
    case arrow::Type::DATE32:
      return leaf.physical == PhysicalType::INT32 &&
             leaf.logical == LogicalType::Type::DATE && Fixed(4, nullptr, out);
    case arrow::Type::TIMESTAMP:
      return ResolveTimestamp(leaf, static_cast<const arrow::TimestampType&>(target),
                              out);
    case arrow::Type::DECIMAL128:
      return ResolveDecimal(leaf, static_cast<const arrow::Decimal128Type&>(target), out);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return ResolveBytes(leaf, target.id() == arrow::Type::STRING, out);
    default:
      return ResolveInteger(leaf, target.id(), out);
  }
}

int32_t RawWidth(PhysicalType::type type) {
  switch (type) {
    case PhysicalType::BOOLEAN:
      return 1;
    case PhysicalType::INT32:
    case PhysicalType::FLOAT:
      return 4;
    case PhysicalType::INT96:
      return 12;
    case PhysicalType::INT64:
    case PhysicalType::DOUBLE:
      return 8;
    default:
      return sizeof(ByteView);
  }
}

}  // namespace

arrow::Result<ValueLayout> ResolveLayout(const parquet::ColumnDescriptor& leaf,
                                         const arrow::DataType& target) {
  ValueLayout layout;
  layout.raw_width = RawWidth(leaf.physical_type());
  if (Resolve(Describe(leaf), target, &layout)) return layout;
  const auto logical = leaf.logical_type();
  const bool annotated = logical && !logical->is_none();
  return core::Error(core::ErrorKind::kUnsupported, "a column of Parquet type ",
                     parquet::TypeToString(leaf.physical_type()), annotated ? " " : "",
                     annotated ? logical->ToString() : "", " cannot be read as ",
                     target.ToString(), ": leave it out of the query");
}

}  // namespace wheelpit::exec
